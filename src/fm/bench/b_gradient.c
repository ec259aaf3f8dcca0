/* SPDX-License-Identifier: BSD-3-Clause
 * b_gradient.c - one thread: objective and gradient of hofm-shared by order, on rows of 7 entries
 * as in tables of ratings, beside a plain loop over rows and components; and of one row beside 16
 * components, the reverse-mode table beside guarded deletion. */

#include "base/test.h"
#include "fm/fm.h"

#include <string.h>

enum { N = 20000, GIVEN = 2600, ENTRIES = 7, RANK = 32, REPEAT = 7, ORDERS = 8 };

/* What a C programmer writes first: a table for each row and component. */
static double plain(double *G, const fxi_fm_problem *p, const double *P, int m)
{
    double a[ENTRIES + ORDERS][ORDERS + 1], loss = 0, f[N];
    size_t cols = p->fm->cols;

    memset(G, 0, RANK * cols * sizeof *G);
    for (size_t i = 0; i < N; i++) {
        fxi_row r = fxi_data_row(p->X, i);
        f[i] = 0;
        for (size_t s = 0; s < RANK; s++) {
            double e[ORDERS + 1] = {1};
            for (size_t k = 0; k < r.n; k++)
                for (int t = m; t > 0; t--)
                    e[t] += r.f64[k] * P[s * cols + (size_t)r.col32[k]] * e[t - 1];
            f[i] += e[m];
        }
        loss += 0.5 * (f[i] - p->y[i]) * (f[i] - p->y[i]) / N;
    }
    for (size_t i = 0; i < N; i++) {
        fxi_row r = fxi_data_row(p->X, i);
        for (size_t s = 0; s < RANK; s++) {
            double e[ORDERS + 1] = {1}, b[ORDERS + 2] = {0};
            b[m] = (f[i] - p->y[i]) / N;
            for (size_t k = 0; k < r.n; k++) {
                double z = r.f64[k] * P[s * cols + (size_t)r.col32[k]];
                for (int t = m; t > 0; t--) {
                    a[k][t - 1] = e[t - 1];
                    e[t] += z * e[t - 1];
                }
            }
            for (size_t k = r.n; k-- > 0;) {
                double z = r.f64[k] * P[s * cols + (size_t)r.col32[k]], sum = 0;
                for (int t = 1; t <= m; t++) {
                    sum += b[t] * a[k][t - 1];
                    b[t] += z * b[t + 1];
                }
                G[s * cols + (size_t)r.col32[k]] += r.f64[k] * sum;
            }
        }
    }
    return loss;
}

typedef struct rows {
    const fxi_fm_problem *p;
    const double *v;
    bool deletion;
} rows;

/* All rows beside the first panel. */
static fx_status eval_rows(void *ctx, size_t block, fxi_team *team)
{
    const rows *a = ctx;
    const fxi_fm *fm = a->p->fm;
    const fx_kernel *kernel = fm->block[0].kernel;
    _Alignas(64) static double out[FXI_LANES], g[(ENTRIES + ORDERS) * FXI_LANES];
    double *scratch = fxi_alloc(fxi_kernel_scratch(kernel, ENTRIES + ORDERS, true), sizeof(double));
    fxi_work work = {fxi_simd_get(), scratch, team};
    fxi_fm_workspace *workspace;
    fxi_scratch memory = {0};

    (void)block;
    if (!scratch || fxi_fm_row_workspace(&workspace, fm, ENTRIES + ORDERS, &memory))
        return FX_ENOMEM;
    for (size_t i = 0; i < N; i++) {
        fxi_fm_entries row = fxi_fm_row(workspace, fxi_data_row(a->p->X, i));
        fxi_panel panel = {.n = row.n, .x = row.x, .slot = row.col, .zt = a->v + fm->block[0].P};
        if (!a->deletion) {
            fxi_fm_row_gradient(out, g, workspace, a->v, 0, 0, team);
            continue;
        }
        kernel->type->panel(out, kernel, &panel, &work);
        kernel->type->gradient(g, kernel, &panel, &work);
    }
    fxi_scratch_free(&memory);
    free(scratch);
    return FX_OK;
}

static double time_rows(const fxi_fm_problem *p, const double *v, bool deletion)
{
    rows a = {p, v, deletion};
    double best = 1e9;

    for (int k = 0; k < REPEAT; k++) {
        double t = fxi_fm_clock();
        if (fxi_parallel_ordered(1, eval_rows, &a, NULL))
            exit(1);
        best = fmin(best, fxi_fm_clock() - t);
    }
    return best / N * 1e9;
}

int main(void)
{
    static double val[N * ENTRIES], y[N], c[N];
    static int32_t col[N * ENTRIES];
    static int64_t ptr[N + 1];
    fx_matrix X = {.rows = N, .cols = GIVEN, .type = FX_F64, .val = val, .ptr = ptr, .col = col};

    test_init();
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < ENTRIES; k++) {
            size_t at = i * ENTRIES + k;
            col[at] = (int32_t)(k * (GIVEN / ENTRIES) + test_below(GIVEN / ENTRIES));
            val[at] = 1;
        }
        ptr[i + 1] = (int64_t)((i + 1) * ENTRIES);
        y[i] = test_unit();
        c[i] = 1;
    }
    printf("# target %s, %d rows of %d entries, %d components, one thread; evaluation and plain in "
           "ms, table and deletion in ns a row and 16 components\n",
           fx_simd_target(), N, ENTRIES, RANK);
    printf("# order\tevaluation\tper order\tplain\tratio\ttable\tdeletion\n");
    for (int m = 2; m <= ORDERS; m++) {
        fxi_fm_shape shape = {.kind = FXI_FM_SHARED, .order = m, .given = GIVEN, .rank = RANK};
        fxi_fm fm;
        fx_matrix view;
        fx_data *own;
        fx_run one = {.size = sizeof(fx_run), .threads = 1};
        double ours = 1e9, loop = 1e9, objective = 0, loss = 0, worst = 0;
        if (fxi_fm_new(&fm, &shape) || fxi_fm_rows(&view, &own, &fm, &X, NULL))
            return 1;
        double *v = fxi_alloc(fm.size, sizeof *v), *G = fxi_alloc(fm.size, sizeof *G);
        double *P = fxi_alloc(2 * RANK * fm.cols, sizeof *P), *H = P + RANK * fm.cols;
        fxi_fm_problem p = {.fm = &fm, .X = &view, .loss = &fxi_loss_squared, .y = y, .c = c};
        fxi_fm_start(v, &fm, 0.3, 1, NULL);
        for (size_t s = 0; s < RANK; s++)
            for (size_t j = 0; j < fm.cols; j++)
                P[s * fm.cols + j] = v[fxi_fm_at(&fm, 0, s, j)];
        for (int k = 0; k < REPEAT; k++) {
            double t0 = fxi_fm_clock();
            if (fxi_fm_gradient(&objective, G, &p, v, &one))
                return 1;
            double t1 = fxi_fm_clock();
            loss = plain(H, &p, P, m);
            ours = fmin(ours, t1 - t0);
            loop = fmin(loop, fxi_fm_clock() - t1);
        }
        for (size_t s = 0; s < RANK; s++)
            for (size_t j = 0; j < fm.cols; j++)
                worst = fmax(worst, fabs(H[s * fm.cols + j] - G[fxi_fm_at(&fm, 0, s, j)]));
        CHECK_NEAR(objective, loss, 1e-9 * loss);
        CHECK_NEAR(worst, 0, 1e-9);
        printf("%d\t%.2f\t%.2f\t%.1f\t%.1f\t%.0f\t%.0f\n", m, ours * 1e3, ours * 1e3 / m,
               loop * 1e3, loop / ours, time_rows(&p, v, false), time_rows(&p, v, true));
        free(v);
        free(G);
        free(P);
        fx_data_free(own);
        fxi_fm_free(&fm);
    }
    return 0;
}
