/* SPDX-License-Identifier: BSD-3-Clause
 * kernel_setup.c - adapts kernels to the rows of a comparison: scaling, width, and the values of C
 * to choose from.
 *
 * C is measured in units of 1 / mean K(x, x), so that kernels with large values (products of many
 * columns) and with small values get an equivalent choice.  All combinations together grow as 2 to
 * the number of columns in a row.  If that is too large for C to compensate, rows are scaled to
 * norm 1. */

#include "kernel_setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 200 };                  /* rows that are looked at */
#define GROWTH 100                      /* all-subsets: limit on mean K(x, x) for random features */

static const char *const specs[KERNELS] = {COMPARE_KERNELS};

/* A sample of scaled rows, spread over the whole table, because it may be sorted. */
static fx_status sample_rows(fx_data **out, const fx_table *t, const char *scale)
{
    size_t row[SAMPLE], n = t->rows < SAMPLE ? t->rows : SAMPLE;
    fx_scale *s = NULL;
    fx_data *sample = NULL;

    for (size_t i = 0; i < n; i++)
        row[i] = i * t->rows / n;
    fx_status st = fx_data_select(&sample, t, row, n, &cli.run);
    if (!st)
        st = fx_data_scale_fit(&s, scale, t, &cli.run);
    if (!st) {
        fx_table view = fx_data_table(sample);
        st = fx_data_scale_apply(out, s, &view, &cli.run);
    }
    fx_data_scale_free(s);
    fx_data_free(sample);
    return st;
}

/* Means of K(x, x), and of K(x, y) over all pairs. */
static fx_status means(double *diagonal, double *all, const fx_matrix *X, const char *spec)
{
    size_t n = X->rows;
    double *K = malloc(n * n * sizeof *K), d = 0, sum = 0;
    fx_kernel *k = NULL;
    fx_status s = K ? fx_kernel_parse(&k, spec, NULL, 0) : FX_ENOMEM;

    if (!s)
        s = fx_kernel_gram(K, n, k, X, NULL, &cli.run);
    for (size_t i = 0; i < n && !s; i++) {
        d += K[i * n + i];
        for (size_t j = 0; j < n; j++)
            sum += K[i * n + j];
    }
    *diagonal = d / (double)n;
    *all = sum / (double)n / (double)n;
    fx_kernel_free(k);
    free(K);
    return s;
}

double kernel_setup_rounded(double x)
{
    char text[32];

    snprintf(text, sizeof text, "%.1g", x);
    return strtod(text, NULL);
}

double kernel_setup_decade(size_t i) { return pow(10, (double)i - TRIES / 2); }

static void set_costs(kernel_setup *k)
{
    for (size_t i = 0; i < TRIES; i++)
        k->C[i] = kernel_setup_rounded(kernel_setup_decade(i)
                                       / (k->diagonal > 0 ? k->diagonal : 1));
}

static fx_status measure(kernel_setup *k, const fx_table *t, double *diagonal, double *all)
{
    fx_data *sample = NULL;
    fx_status s = sample_rows(&sample, t, k->scale);

    if (!s)
        s = means(diagonal, all, fx_data_table(sample).block, k->spec);
    fx_data_free(sample);
    return s;
}

/* Scales rows to norm 1 for all-subsets, if its values would be too large and columns are not
 * scaled. */
static fx_status tame(kernel_setup *k, const fx_table *t, double *diagonal, double *all)
{
    fx_status s = measure(k, t, diagonal, all);

    if ((s == FX_ENUMERIC || (!s && *diagonal > GROWTH)) && !strcmp(k->scale, "none")) {
        k->scale = "unit-l2";
        s = measure(k, t, diagonal, all);
    }
    if (!s && *diagonal > GROWTH)
        snprintf(k->reason, sizeof k->reason,
                 "products of all columns of a row reach %.1g and more: "
                 "too much without a scaling of the rows",
                 *diagonal);
    return s;
}

/* For rbf, gamma is one over the mean squared distance of two rows. */
int kernel_setup_measure(kernel_setup kernels[KERNELS], const comparison *c)
{
    double diagonal = 0, all = 0, apart = 0;
    fx_data *complete;
    int status = rows_missing_complete(&complete, &c->X.table);

    if (status)
        return status;
    const fx_table t = complete ? fx_data_table(complete) : c->X.table;
    for (size_t i = 0; i < KERNELS && !status; i++) {
        kernel_setup *k = &kernels[i];
        *k = (kernel_setup){.scale = c->scale};
        snprintf(k->spec, sizeof k->spec, i == RBF ? "%s:gamma=%.2g" : "%s", specs[i],
                 apart > 0 ? 1 / apart : 1);
        fx_status s = (i == SUBSETS ? tame : measure)(k, &t, &diagonal, &all);
        if (s == FX_ENOMEM)
            status = say_no_memory("a sample of the rows");
        if (s == FX_ECANCELLED)
            status = say_failure(s);
        if (s)
            snprintf(k->reason, sizeof k->reason, "%s", fx_error_detail());
        if (i == LINEAR)
            apart = 2 * (diagonal - all);
        k->diagonal = s ? INFINITY : diagonal;
        set_costs(k);
    }
    fx_data_free(complete);
    return status;
}
