/* SPDX-License-Identifier: BSD-3-Clause
 * t_missing.c - missing values: means, medians and filled rows against the definitions. */

#include "data/test/random_table.h"

#include <float.h>

static const char *const specs[] = {"drop", "zero", "mean", "median", "zero,indicator",
                                    "mean,indicator", "median,indicator"};
enum { SPECS = sizeof specs / sizeof *specs };

/* NaN for some of the numbers that rows store, in the twin too. */
static void lose(random_table *r)
{
    fxi_rows rows;

    CHECK(fxi_data_rows(&rows, &r->t) == FX_OK);
    for (size_t i = 0; i < r->t.rows; i++) {
        fxi_row row = fxi_data_rows_at(&rows, i);
        for (size_t q = 0; q < row.n; q++) {
            size_t j = (size_t)fxi_row_column(row, q);
            if (test_below(4) || j % 3 == 2)    /* some columns have all their numbers */
                continue;
            r->x[i][j] = NAN;
            if (row.f32)
                ((float *)(uintptr_t)row.f32)[q] = NAN;
            else
                ((double *)(uintptr_t)row.f64)[q] = NAN;
        }
    }
    free(rows.start);
}

static double weight(const random_table *r, size_t i) { return r->t.weight ? r->weight[i] : 1; }

/* Weight of the rows with a number in column j that is at most, or at least, x. */
static double mass(const random_table *r, size_t j, double x, int side)
{
    double sum = 0;

    for (size_t i = 0; i < r->t.rows; i++)
        if (!isnan(r->x[i][j]) && (side == 0 || side * (r->x[i][j] - x) >= 0))
            sum += weight(r, i);
    return sum;
}

static double median(const random_table *r, size_t j)
{
    double all = mass(r, j, 0, 0), low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < r->t.rows; i++) {
        double x = r->x[i][j];
        if (isnan(x) || !(weight(r, i) > 0))
            continue;
        if (2 * mass(r, j, x, -1) >= all)
            low = fmin(low, x);
        if (2 * mass(r, j, x, 1) >= all)
            high = fmax(high, x);
    }
    return all > 0 ? low / 2 + high / 2 : 0;
}

static void check_fill(const random_table *r, const fxi_missing_found *f, fxi_missing_how how)
{
    CHECK(!f->fill == (how != FXI_MISSING_MEAN && how != FXI_MISSING_MEDIAN));
    for (size_t j = 0; f->fill && j < r->t.cols; j++) {
        long double sum = 0, size = 0;
        double all = mass(r, j, 0, 0);
        for (size_t i = 0; i < r->t.rows; i++)
            if (!isnan(r->x[i][j])) {
                sum += (long double)weight(r, i) * r->x[i][j];
                size += fabs(weight(r, i) * r->x[i][j]);
            }
        if (how == FXI_MISSING_MEDIAN)
            CHECK(f->fill[j] == median(r, j));
        else if (all > 0)               /* the bound of missing.c */
            CHECK_NEAR(f->fill[j], (double)(sum / all),
                       ((double)r->t.rows + 2) * DBL_EPSILON * (double)(size / all));
        else
            CHECK(f->fill[j] == 0);
    }
}

static void check_columns(const random_table *r, const fxi_missing_found *f)
{
    size_t columns = 0;
    uint64_t values = 0;

    for (size_t j = 0; j < r->t.cols; j++) {
        uint64_t n = 0;
        for (size_t i = 0; i < r->t.rows; i++)
            n += isnan(r->x[i][j]) && weight(r, i) > 0;
        if (n)
            CHECK(columns < f->columns && f->column[columns++] == (int64_t)j);
        values += n;
    }
    CHECK(columns == f->columns && values == f->values);
}

/* ---- Rows -------------------------------------------------------------------------------- */

typedef struct job {
    fx_matrix view;
    uint64_t beyond;
    const fxi_missing *m;
    fx_matrix X;
    fxi_scratch memory;
} job;

static fx_status fill(void *ctx, size_t b, fxi_team *team)
{
    job *j = ctx;

    (void)b;
    return fxi_data_missing_fill(&j->view, &j->beyond, j->m, &j->X, &j->memory, NULL, team);
}

/* Row i of a view as all its numbers. */
static void spread(double *out, size_t cols, const fx_matrix *X, size_t i)
{
    fxi_row r = fxi_data_row(X, i);

    memset(out, 0, cols * sizeof *out);
    for (size_t q = 0; q < r.n; q++)
        if ((size_t)fxi_row_column(r, q) < cols)
            out[fxi_row_column(r, q)] = fxi_row_value(r, q);
}

/* Rows of X, whose twins are x, filled by m, all at once and one by one.  Columns beyond the inputs
 * are left out where there are indicators. */
static void check_rows(const fxi_missing *m, fx_matrix X, double (*x)[RT_COLS], size_t cols)
{
    size_t wide = m->indicators ? m->inputs + m->indicators : X.cols;
    uint64_t beyond[2] = {0}, expected = 0;

    for (size_t i = 0; i < X.rows; i++)
        for (size_t c = m->inputs; c < cols && m->indicators; c++)
            expected += x[i][c] != 0;
    for (int one = 0; one < 2; one++)
        for (size_t i = 0; i < (one ? X.rows : 1); i++) {
            job j = {.m = m, .X = X};
            if (one) {
                j.X.rows = 1;
                if (X.ptr)
                    j.X.ptr += i;
                else
                    j.X.val = (const char *)X.val + i * X.stride * (X.type == FX_F32 ? 4 : 8);
            }
            CHECK(fxi_parallel_ordered(1, fill, &j, NULL) == FX_OK);
            CHECK(j.view.cols == wide && j.view.type == X.type && !j.view.ptr == !X.ptr);
            CHECK(m->inputs < cols || fxi_data_check(&j.view, "filled", NULL) == FX_OK);
            beyond[one] += j.beyond;
            for (size_t k = 0; k < j.X.rows; k++) {
                double got[2 * RT_COLS];
                const double *row = x[one ? i : k];
                bool lost = false;
                spread(got, wide, &j.view, k);
                for (size_t c = 0; c < m->inputs; c++)
                    lost |= isnan(row[c]);
                for (size_t c = 0; c < m->inputs; c++) {
                    double fills = m->fill ? m->fill[c] : 0;
                    fills = X.type == FX_F32 ? (float)fills : fills;
                    double want = isnan(row[c]) ? fills : row[c];
                    CHECK(got[c] == (lost && m->how == FXI_MISSING_DROP ? 0 : want));
                }
                for (size_t c = 0; c < m->indicators; c++)
                    CHECK(got[m->inputs + c] == isnan(row[m->indicator[c]]));
                CHECK(fxi_data_missing_in(m, fxi_data_row(&j.X, k)) == lost);
            }
            fxi_scratch_free(&j.memory);
        }
    CHECK(beyond[0] == expected && beyond[1] == expected);
}

static void one(random_table *r, const char *spec)
{
    fxi_missing m;
    fxi_missing_found f;
    size_t *row, n, kept = 0, at = 0;

    CHECK(fxi_data_missing_read(&m, spec) == FX_OK && !strcmp(m.spec, spec));
    CHECK(m.marked == (strchr(spec, ',') != NULL));
    CHECK(fxi_data_missing_fit(&f, &m, &r->t, NULL) == FX_OK);
    check_fill(r, &f, m.how);
    check_columns(r, &f);
    m.inputs = r->t.cols;
    m.fill = f.fill;
    m.indicator = f.column;
    m.indicators = m.marked ? f.columns : 0;
    CHECK(fxi_data_missing_rows(&row, &n, &m, &r->t, NULL) == FX_OK);
    for (size_t i = 0; i < r->t.rows; i++) {
        bool lost = false;
        for (size_t j = 0; j < r->t.cols; j++)
            lost |= isnan(r->x[i][j]);
        if (!lost)
            CHECK(kept < n && row[kept++] == i);
    }
    CHECK(kept == n);
    for (size_t b = 0; b < r->t.blocks; at += r->block[b].rows, b++) {
        fxi_missing narrow = m;         /* a model of fewer columns: sparse rows may have more */
        check_rows(&m, r->block[b], &r->x[at], r->t.cols);
        if (!r->block[b].ptr || !m.inputs)
            continue;
        narrow.inputs--;
        if (narrow.indicators && m.indicator[m.indicators - 1] == (int64_t)narrow.inputs)
            narrow.indicators--;
        check_rows(&narrow, r->block[b], &r->x[at], r->t.cols);
    }
    free(row);
    fxi_data_missing_free(&f);
}

/* More numbers than are sorted at a time. */
static void many(void)
{
    enum { N = (1 << 21) + 1 };
    float *x = fxi_alloc(N, 2 * sizeof *x);
    fx_matrix X = {.rows = N, .cols = 2, .stride = 2, .val = x};
    fx_table t = {.rows = N, .cols = 2, .blocks = 1, .block = &X};
    fxi_missing m;
    fxi_missing_found f;

    CHECK(x && fxi_data_missing_read(&m, "median") == FX_OK);
    for (size_t i = 0; i < N; i++) {    /* each of 0 .. N - 1 once, N being odd */
        x[2 * i] = (float)(i * 5 % N);
        x[2 * i + 1] = -(float)(i * 7 % N);
    }
    x[0] = NAN;                         /* 1 .. N - 1 remain */
    CHECK(fxi_data_missing_fit(&f, &m, &t, &(fx_run){RUN, .threads = 2}) == FX_OK);
    CHECK(f.fill[0] == N / 2 + 0.5 && f.fill[1] == -(N / 2) && f.values == 1 && f.columns == 1);
    fxi_data_missing_free(&f);
    CHECK(fxi_data_missing_fit(&f, &m, &t, &(fx_run){RUN, .max_memory = 1 << 20}) == FX_ELIMIT);
    free(x);
}

static void refused(void)
{
    double x[] = {DBL_MAX, DBL_MAX, NAN, 1e300}, inf[] = {1, INFINITY, NAN};
    fx_matrix X = {.rows = 4, .cols = 1, .stride = 1, .type = FX_F64, .val = x};
    fx_table t = {.rows = 4, .cols = 1, .blocks = 1, .block = &X};
    fxi_missing m;
    fxi_missing_found f;

    CHECK(fxi_data_missing_read(&m, "men") == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "'men'") && strstr(fx_error_detail(), "mean,indicator"));
    CHECK(fxi_data_missing_read(&m, "drop,indicator") == FX_EINVAL);
    CHECK(fxi_data_missing_read(&m, NULL) == FX_OK && m.how == FXI_MISSING_ERROR && !*m.spec);
    CHECK(fxi_data_missing_read(&m, "mean") == FX_OK);
    CHECK(fxi_data_missing_fit(&f, &m, &t, NULL) == FX_OK);     /* no sum overflows */
    CHECK_NEAR(f.fill[0], DBL_MAX / 3 * 2 + 1e300 / 3, 8 * DBL_EPSILON * DBL_MAX);
    fxi_data_missing_free(&f);
    /* a value that no float holds */
    float low[] = {1, NAN};
    job j = {.m = &m, .X = {.rows = 2, .cols = 1, .stride = 1, .val = low}};
    m.inputs = 1;
    m.fill = &x[3];
    CHECK(fxi_parallel_ordered(1, fill, &j, NULL) == FX_ENUMERIC);
    CHECK(strstr(fx_error_detail(), "no float"));
    fxi_scratch_free(&j.memory);
    /* infinity is no missing value */
    fx_matrix I = {.rows = 3, .cols = 1, .stride = 1, .type = FX_F64, .val = inf};
    CHECK(fxi_data_check_missing(&I, "X", NULL) == FX_EDOMAIN);
    CHECK(strstr(fx_error_detail(), "row 1, column 0 (from 0): inf"));
    inf[1] = 0;
    CHECK(fxi_data_check_missing(&I, "X", NULL) == FX_OK);
    CHECK(fxi_data_check(&I, "X", NULL) == FX_EDOMAIN);
    t = (fx_table){.rows = 3, .cols = 1, .blocks = 1, .block = &I};
    CHECK(fxi_data_check_missing_table(&t, NULL) == FX_OK);
    CHECK(fxi_data_check_table(&t, NULL) == FX_EDOMAIN);
}

int main(void)
{
    static random_table r;

    test_init();
    for (int c = test_cases(200); c--;)
        for (int layout = 0; layout < 3; layout++)
            for (int type = 0; type < 3; type++) {
                random_table_fill(&r, layout, type);
                if (c)                  /* once nothing is missing */
                    lose(&r);
                one(&r, specs[test_below(SPECS)]);
            }
    many();
    refused();
    return 0;
}
