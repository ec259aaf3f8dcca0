/* SPDX-License-Identifier: BSD-3-Clause
 * b_adagrad.c - one thread: milliseconds of an epoch of AdaGrad, rank 30, batches of 64, for hofm
 * and hofm-shared of orders 2 to 8, and of a plain loop for order 2 in floats with a step a row,
 * on rows like those of MovieLens.  Seconds of this process. */

#include "base/test.h"
#include "fm/fm.h"

#include <string.h>
#include <time.h>

enum { RANK = 30, PADDED = 32, EPOCHS = 10, RUNS = 5 };

static const fx_run one = {.size = sizeof(fx_run), .threads = 1};

/* Seconds of this process, whatever else the machine does. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- The plain loop ---------------------------------------------------------------------- */

/* For each row: score, slope, then for each of its ones a step with a root for every factor. */
static void plain_epoch(float *restrict v, float *restrict sum, const fx_matrix *X,
                        const double *y)
{
    const float *val = X->val;
    const int32_t *col = X->col;

    for (size_t i = 0; i < X->rows; i++) {
        float s[PADDED] = {0}, f = 0;
        for (int64_t e = X->ptr[i]; e < X->ptr[i + 1]; e++)
            for (int k = 0; k < PADDED; k++) {
                float p = val[e] * v[col[e] * PADDED + k];
                f -= p * p;
                s[k] += p;
            }
        for (int k = 0; k < PADDED; k++)
            f += s[k] * s[k];
        float slope = (float)(-y[i] / (1 + exp(y[i] * 0.5 * f)));
        for (int64_t e = X->ptr[i]; e < X->ptr[i + 1]; e++) {
            float *p = v + col[e] * PADDED, *a = sum + col[e] * PADDED;
            for (int k = 0; k < PADDED; k++) {
                float g = slope * val[e] * (s[k] - val[e] * p[k]) + 1e-3f * p[k];
                a[k] += g * g;
                p[k] -= 0.1f * g / sqrtf(a[k]);
            }
        }
    }
}

static double plain(const fx_matrix *X, const double *y)
{
    size_t n = X->cols * PADDED;
    float *v = fxi_alloc(n, sizeof *v), *sum = fxi_alloc(n, sizeof *sum);
    double best = 1e9;

    for (int run = 0; v && sum && run < RUNS; run++) {
        for (size_t i = 0; i < n; i++) {
            v[i] = (float)(0.02 * test_unit() - 0.01);
            sum[i] = 1e-8f;
        }
        double t = now();
        for (int e = 0; e < EPOCHS; e++)
            plain_epoch(v, sum, X, y);
        best = fmin(best, now() - t);
    }
    free(v);
    free(sum);
    return best / EPOCHS;
}

/* ---- Ours -------------------------------------------------------------------------------- */

static double ours(const fx_matrix *given, const double *y, const double *c, fxi_fm_kind kind,
                   int order)
{
    fxi_fm_shape want = {.kind = kind, .order = order, .given = given->cols, .rank = RANK,
                         .linear = kind == FXI_FM_HOFM, .intercept = true,
                         .how = kind == FXI_FM_HOFM ? FXI_FM_ONES : FXI_FM_SIGNS};
    fxi_fm fm;
    fx_matrix X;
    fx_data *own = NULL;
    double best = 1e9, once = 1e9;

    for (int t = 0; t < FX_ORDER_MAX; t++)
        want.beta[t] = 1e-3;
    if (fxi_fm_new(&fm, &want) || fxi_fm_rows(&X, &own, &fm, given, &one))
        exit(1);
    double *v = fxi_alloc(fm.size, sizeof *v), *sum = fxi_alloc(fm.size, sizeof *sum);
    for (int run = 0; v && sum && run < 2 * RUNS; run++) {
        fxi_fm_problem p = {.fm = &fm, .X = &X, .loss = &fxi_loss_logistic, .y = y, .c = c,
                            .max_iter = run % 2 ? EPOCHS : 0, .lr = 0.1, .batch = 64, .seed = 1};
        fxi_fm_state s = {.v = v, .sum = sum};
        fxi_fm_start(v, &fm, 0.01, 1, NULL);
        memset(sum, 0, fm.size * sizeof *sum);
        double t = now();
        if (fxi_fm_adagrad(&s, &p, &one))
            exit(1);
        t = now() - t;
        *(run % 2 ? &best : &once) = fmin(run % 2 ? best : once, t);
    }
    free(v);
    free(sum);
    fx_data_free(own);
    fxi_fm_free(&fm);
    return (best - once) / EPOCHS;      /* without what comes before the first epoch */
}

/* ---- Rows -------------------------------------------------------------------------------- */

/* Seven ones, in seven fields of d columns together; labels at random. */
static fx_matrix fields(double **y, size_t n, size_t d)
{
    enum { EACH = 7 };
    int64_t *ptr = fxi_alloc(n + 1, sizeof *ptr);
    int32_t *col = fxi_alloc(n * EACH, sizeof *col);
    float *val = fxi_alloc(n * EACH, sizeof *val);

    *y = fxi_alloc(n, sizeof **y);
    ptr[0] = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t q = 0; q < EACH; q++) {
            size_t low = q * d / EACH, width = (q + 1) * d / EACH - low;
            double u = test_unit();
            col[i * EACH + q] = (int32_t)(low + (size_t)(u * u * (double)width));
            val[i * EACH + q] = 1;
        }
        ptr[i + 1] = (int64_t)((i + 1) * EACH);
        (*y)[i] = test_below(2) ? 1 : -1;
    }
    return (fx_matrix){.rows = n, .cols = d, .type = FX_F32, .val = val, .ptr = ptr, .col = col};
}

int main(void)
{
    double *y, *c;

    test_init();
    fx_matrix X = fields(&y, 21200, 78);
    if (!(c = fxi_alloc(X.rows, sizeof *c)))
        return 1;
    for (size_t i = 0; i < X.rows; i++)
        c[i] = 1;
    double loop = plain(&X, y);
    printf("# target %s, one thread, %zu rows, %zu ones, rank %d, ms an epoch\n"
           "# order\thofm\tshared\tplain_2/hofm\n0\t%.2f\t(plain loop)\n",
           fx_simd_target(), X.rows, (size_t)X.ptr[X.rows], RANK, 1e3 * loop);
    for (int m = 2; m <= 8; m++) {
        double t = ours(&X, y, c, FXI_FM_HOFM, m);
        printf("%d\t%.2f\t%.2f\t%.1f\n", m, 1e3 * t, 1e3 * ours(&X, y, c, FXI_FM_SHARED, m),
               loop / t);
    }
    return 0;
}
