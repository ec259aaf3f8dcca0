/* SPDX-License-Identifier: BSD-3-Clause
 * b_cd.c - one iteration of coordinate descent beside a plain loop over columns in doubles, which
 * keeps e_1..e_m in one array each and has no guard: milliseconds, ratio, nanoseconds an entry and
 * component, and the same for each order, with the m - 1 constants of hofm-shared as entries of
 * every row: a cost that is linear in m does not grow there.  Two threads beside one.
 *
 * Rows are one-hot fields as in MovieLens, or those of the svmlight file that is named (indices
 * from 0); a second argument is beta. */

#include "base/test.h"
#include "fm/fm.h"

#include <string.h>

enum { RANK = 30, REPEATS = 8, CAPACITY = 1 << 22 };

typedef struct set {
    size_t rows, cols;
    int64_t *ptr;
    int32_t *col;
    double *val, *y, *c;
} set;

static void add(set *t, size_t col, double x)
{
    size_t at = (size_t)t->ptr[t->rows + 1]++;

    t->col[at] = (int32_t)col;
    t->val[at] = x;
    t->cols = col >= t->cols ? col + 1 : t->cols;
}

static void end_row(set *t, double y)
{
    t->y[t->rows] = y;
    t->c[t->rows++] = 1;
    t->ptr[t->rows + 1] = t->ptr[t->rows];
}

static void make(set *t)
{
    static const size_t field[] = {2, 7, 21, 19, 19, 10};

    while (t->rows < 21200) {
        size_t before = 0, mixed = 0;
        for (size_t f = 0; f < 6; before += field[f++]) {
            double u = test_unit();
            size_t j = before + (size_t)(u * u * (double)field[f]);
            add(t, j, 1);
            if (f == 3 && test_below(4) && j + 1 < before + field[f])
                add(t, j + 1, 1);
            mixed ^= f < 3 ? j : 0;
        }
        end_row(t, mixed & 1 ? 1 : -1);
    }
}

static void read_rows(set *t, const char *path)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;

    if (!f)
        exit(1);
    while (getline(&line, &capacity, f) > 0 && t->ptr[t->rows] + 10000 < CAPACITY) {
        char *p = line, *q;
        double y = strtod(p, &p);
        for (long j = strtol(p, &q, 10); q != p && *q == ':'; j = strtol(p, &q, 10))
            add(t, (size_t)j, strtod(q + 1, &p));
        end_row(t, y);
    }
    free(line);
    fclose(f);
}

/* ---- The plain loop ----------------------------------------------------------------------- */
typedef struct plain {
    size_t *top;
    int32_t *row;
    double *x, *E, *r, *P;
} plain;

static plain plain_new(const set *t, int m)
{
    size_t n = (size_t)t->ptr[t->rows];
    plain a = {.top = fxi_zalloc(t->cols + 2, sizeof *a.top), .row = fxi_alloc(n, sizeof *a.row),
               .x = fxi_alloc(n, sizeof *a.x), .r = fxi_alloc(t->rows, sizeof *a.r),
               .E = fxi_zalloc(t->rows * (size_t)(m + 1), sizeof *a.E),
               .P = fxi_alloc(RANK * t->cols, sizeof *a.P)};

    for (size_t q = 0; q < n; q++)
        a.top[t->col[q] + 2]++;
    for (size_t j = 2; j <= t->cols + 1; j++)
        a.top[j] += a.top[j - 1];
    for (size_t i = 0; i < t->rows; i++)
        for (int64_t q = t->ptr[i]; q < t->ptr[i + 1]; q++) {
            size_t to = a.top[t->col[q] + 1]++;
            a.row[to] = (int32_t)i;
            a.x[to] = t->val[q];
        }
    for (size_t i = 0; i < t->rows; i++)
        a.r[i] = -t->y[i];
    for (size_t q = 0; q < RANK * t->cols; q++)
        a.P[q] = 0.1 * (2 * test_unit() - 1);
    return a;
}

static void plain_free(plain *a)
{
    free(a->top);
    free(a->row);
    free(a->x);
    free(a->E);
    free(a->r);
    free(a->P);
}

static void plain_build(plain *a, const set *t, int m, const double *p)
{
    size_t n = t->rows;

    memset(a->E + n, 0, (size_t)m * n * sizeof *a->E);
    for (size_t i = 0; i < n; i++)
        a->E[i] = 1;
    for (size_t j = 0; j < t->cols; j++)
        for (size_t q = a->top[j]; q < a->top[j + 1]; q++)
            for (size_t h = (size_t)m, i = (size_t)a->row[q]; h > 0; h--)
                a->E[h * n + i] += p[j] * a->x[q] * a->E[(h - 1) * n + i];
}

static void plain_iterate(plain *a, const set *t, int m, double beta)
{
    size_t n = t->rows;
    double d[FX_ORDER_MAX + 1] = {1};

    for (size_t s = 0; s < RANK; s++) {
        double *p = a->P + s * t->cols;
        plain_build(a, t, m, p);
        for (size_t j = 0; j < t->cols; j++) {
            double down = 0, curve = 0;
            for (size_t q = a->top[j]; q < a->top[j + 1]; q++) {
                size_t i = (size_t)a->row[q];
                for (int h = 1; h < m; h++)
                    d[h] = a->E[(size_t)h * n + i] - p[j] * a->x[q] * d[h - 1];
                double g = a->x[q] * d[m - 1];
                down += a->r[i] * g;
                curve += g * g;
            }
            double step = -(down / (double)n + beta * p[j]) / (curve / (double)n + beta);
            for (size_t q = a->top[j]; q < a->top[j + 1]; q++) {
                size_t i = (size_t)a->row[q];
                for (int h = 1; h < m; h++)
                    d[h] = a->E[(size_t)h * n + i] - p[j] * a->x[q] * d[h - 1];
                for (int h = 1; h <= m; h++)
                    a->E[(size_t)h * n + i] += step * a->x[q] * d[h - 1];
                a->r[i] += step * a->x[q] * d[m - 1];
            }
            p[j] += step;
        }
    }
}

/* ---- Ours --------------------------------------------------------------------------------- */
typedef struct pace { double last, best; int n; } pace;

static fx_status tick(void *ctx, const fxi_fm_state *now)
{
    pace *k = ctx;
    double t = fxi_fm_clock();

    (void)now;
    if (++k->n > 1 && (k->n & (k->n - 1)) && t - k->last < k->best)
        k->best = t - k->last;          /* 1, 2, 4, .. also compute all scores */
    k->last = t;
    return FX_OK;
}

static double ours(const set *t, const fxi_fm_shape *shape, const fxi_loss *loss, int threads,
                   double *norm)
{
    fxi_fm fm;
    fx_data *own;
    pace k = {.best = 1e9};
    fx_matrix X = {.rows = t->rows, .cols = t->cols, .type = FX_F64, .val = t->val, .ptr = t->ptr,
                   .col = t->col},
              view;
    fx_run run = {.size = sizeof(fx_run), .threads = threads};

    if (fxi_fm_new(&fm, shape) || fxi_fm_rows(&view, &own, &fm, &X, &run))
        exit(1);
    fxi_fm_state s = {.v = fxi_alloc(fm.size, sizeof *s.v)};
    fxi_fm_start(s.v, &fm, 0.1, 1, NULL);
    fxi_fm_problem p = {.fm = &fm, .X = &view, .loss = loss, .y = t->y, .c = t->c, .tol = -1,
                        .max_iter = 4 + REPEATS, .step = tick, .ctx = &k};
    if (fxi_fm_cd(&s, &p, &run))
        exit(1);
    *norm = fxi_fm_norm(&fm, s.v, fm.blocks - 1);
    free(s.v);
    fx_data_free(own);
    fxi_fm_free(&fm);
    return k.best;
}

static void compare(const set *t, const char *name, fxi_fm_shape shape, const fxi_loss *loss)
{
    double best = 1e9, norm, entries = (double)t->ptr[t->rows];
    int m = shape.order;
    double constants = shape.kind == FXI_FM_SHARED ? (double)(m - 1) * (double)t->rows : 0;
    double a = ours(t, &shape, loss, 1, &norm), b = ours(t, &shape, loss, 2, &norm);

    printf("%-12s %d %-13s %7.2f ms %6.2f ns %6.2f  two threads %7.2f ms x%.2f", name, m,
           loss->name, 1e3 * a, 1e9 * a / entries / RANK,
           1e9 * a / (entries + constants) / RANK / m, 1e3 * b, a / b);
    if (shape.kind == FXI_FM_HOFM && m == 2 && loss == &fxi_loss_squared) {
        plain x = plain_new(t, m);
        for (int k = 0; k < REPEATS; k++) {
            double from = fxi_fm_clock();
            plain_iterate(&x, t, m, shape.beta[m - 2]);
            best = fxi_fm_clock() - from < best ? fxi_fm_clock() - from : best;
        }
        plain_free(&x);
        printf("  plain %7.2f ms x%.2f", 1e3 * best, best / a);
    }
    printf("  norm %.3g\n", norm);
}

int main(int argc, char **argv)
{
    test_init();
    set t = {.ptr = fxi_zalloc(CAPACITY, sizeof *t.ptr), .col = fxi_alloc(CAPACITY, sizeof *t.col),
             .val = fxi_alloc(CAPACITY, sizeof *t.val), .y = fxi_alloc(CAPACITY, sizeof *t.y),
             .c = fxi_alloc(CAPACITY, sizeof *t.c)};
    double beta = argc > 2 ? atof(argv[2]) : 1e-4;

    if (argc > 1)
        read_rows(&t, argv[1]);
    else
        make(&t);
    printf("%zu rows, %zu columns, %zu entries, rank %d\n", t.rows, t.cols, (size_t)t.ptr[t.rows],
           RANK);
    fxi_fm_shape shape = {.kind = FXI_FM_HOFM, .order = 2, .given = t.cols, .rank = RANK,
                          .alpha = beta};
    for (int k = 0; k < FX_ORDER_MAX; k++)
        shape.beta[k] = beta * pow(0.1, k);
    compare(&t, "fm", shape, &fxi_loss_squared);
    compare(&t, "fm", shape, &fxi_loss_squared_hinge);
    compare(&t, "fm", shape, &fxi_loss_logistic);
    shape.order = 3;
    shape.linear = shape.intercept = true;
    compare(&t, "hofm", shape, &fxi_loss_squared_hinge);
    shape.kind = FXI_FM_SHARED;
    shape.linear = shape.intercept = false;
    for (shape.order = 2; shape.order <= 8; shape.order++)
        compare(&t, "hofm-shared", shape, &fxi_loss_squared);
    free(t.ptr);
    free(t.col);
    free(t.val);
    free(t.y);
    free(t.c);
    return 0;
}
