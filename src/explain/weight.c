/* SPDX-License-Identifier: BSD-3-Clause
 * weight.c - weights of combinations of a field, and bounds for those that the search
 * skips.
 *
 * Bounds.  Let q_s = lambda_s p_{j_1}s .. of the columns chosen so far, r columns missing, all from
 * position i on.  One of them, any one, is bounded by Cauchy and Schwarz, the r - 1 others by the
 * largest factors of that many different columns, M_s1 >= M_s2 >= .. (M_s1 each time where columns
 * may repeat):
 *
 *   |sum_s q_s p.. p..| <= sqrt(sum_s q_s^2 (M_s1 .. M_s,r-1)^2 / |lambda_s|) n_i,
 *
 * since norms fall.  For pairs this is n_i n_j.  And no combination of t columns has more than
 * sum_s |lambda_s| M_s1 .. M_st. */

#include "explain/explain.h"

#include <math.h>
#include <stdlib.h>

/* t! / prod m! is in lambda but for the divisor. */
static double divisor(const int32_t *r, int t)
{
    double d = 1;

    for (int i = 1, run = 1; i < t; i++) {
        run = r[i] == r[i - 1] ? run + 1 : 1;
        d *= run;
    }
    return d;
}

double fxi_explain_weight_multiply(const fxi_explain_field *f, const int32_t *r, int n, double *q)
{
    double sum = 0;

    for (size_t s = 0; s < f->S; s++)
        q[s] = f->lambda[s];
    for (int i = 0; i < n; i++) {
        const double *p = f->P + (size_t)r[i] / FXI_LANES * f->S * FXI_LANES + r[i] % FXI_LANES;
        for (size_t s = 0; s < f->S; s++)
            q[s] *= p[s * FXI_LANES];
    }
    for (size_t s = 0; s < f->S; s++)
        sum += q[s];
    return sum;
}

/* The components of the first column, as far as the others have them. */
static double multiply_sparse(const fxi_explain_field *f, const int32_t *r)
{
    size_t at[FXI_EXPLAIN_DEEP];
    double sum = 0;

    for (int i = 0; i < f->t; i++)
        at[i] = f->ptr[r[i]];
    for (size_t e = at[0]; e < f->ptr[r[0] + 1]; e++) {
        double product = f->lambda[f->component[e]] * f->value[e];
        for (int i = 1; i < f->t && product != 0; i++) {
            while (at[i] < f->ptr[r[i] + 1] && f->component[at[i]] < f->component[e])
                at[i]++;
            bool found = at[i] < f->ptr[r[i] + 1] && f->component[at[i]] == f->component[e];
            product *= found ? f->value[at[i]] : 0;
        }
        sum += product;
    }
    return sum;
}

double fxi_explain_weight(const fxi_explain_field *f, const int32_t *r, double *q)
{
    double w = f->P ? fxi_explain_weight_multiply(f, r, f->t, q) : multiply_sparse(f, r);

    return f->part->repeats ? w / divisor(r, f->t) : w;
}

fx_status fxi_explain_weight_offer(const fxi_explain_field *f, const int32_t *r, double *q,
                                   fxi_explain_top *top)
{
    fxi_explain_item item = {.weight = fxi_explain_weight(f, r, q), .order = f->t};

    for (int i = 0; i < f->t; i++)
        item.column[i] = f->column[r[i]];
    qsort(item.column, (size_t)f->t, sizeof *item.column, fxi_explain_ascending);
    return fxi_explain_top_offer(top, &item);
}

double fxi_explain_weight_reach(const fxi_explain_field *f, const double *q, int r)
{
    const double *reach = f->reach + (size_t)r * f->S;
    double sum[4] = {0};                /* four chains of additions, which do not wait for
                                         * another */
    size_t s = 0;

    for (; s + 4 <= f->S; s += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += q[s + k] * q[s + k] * reach[s + k];
    for (; s < f->S; s++)
        sum[0] += q[s] * q[s] * reach[s];
    return sqrt(sum[0] + sum[1] + (sum[2] + sum[3]));
}

double fxi_explain_weight_bound(const fxi_explain_field *f, size_t from)
{
    double all = fxi_explain_weight_reach(f, f->lambda, f->t), largest = 0;

    if (from >= f->n || (!f->part->repeats && f->n - from < (size_t)f->t))
        return 0;
    for (size_t s = 0; s < f->S; s++) {
        double product = fabs(f->lambda[s]);
        for (size_t i = 0; i < (size_t)f->t; i++)
            product *= f->largest[i * f->S + s];
        largest += product;
    }
    return fmin(all * f->norm[from], largest) * FXI_EXPLAIN_SLACK;
}

bool fxi_explain_weight_joins(const fxi_explain_field *f, const int32_t *r, int n, size_t i)
{
    for (int k = 0; k < n; k++)
        if (((size_t)r[k] == i && !f->part->repeats) || (f->group && f->group[r[k]] == f->group[i]))
            return false;
    return true;
}
