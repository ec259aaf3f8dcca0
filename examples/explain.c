/* SPDX-License-Identifier: BSD-3-Clause
 * explain.c - which combinations of columns matter to a model, and to one row.
 * cc explain.c $(pkg-config --cflags --libs featcross) && ./a.out */

#include <featcross.h>
#include <stdio.h>

static void show(const char *title, const fx_explanation *e)
{
    const fx_explanation *a = e;

    puts(title);
    for (size_t k = 0; k < a->n; k++) {
        for (size_t i = 0; i < a->at[k].order; i++)
            printf("%s%zu", i ? " x " : "  ", a->at[k].column[i] + 1);
        printf(": weight %.2f, in %d rows\n", a->at[k].weight, (int)a->at[k].support);
    }
}

int main(void)
{
    fx_data *data = NULL;
    fx_model *model = NULL;
    fx_explanation *all = NULL, *one = NULL;
    fx_table rows;

    /* Three pairs of columns decide the label; no column does by itself. */
    const fx_plan plan = {
        .size = sizeof(fx_plan), .model = "kernel-svm:C=0.01,tol=1e-6", .kernel = "anova:order=2"};
    fx_status s = fx_data_make(&data, "pairs:n=1000,d=20,nz=8,k=3", 1, NULL);
    if (!FX_FAILED(s)) {
        rows = fx_data_table(data);
        s = fx_model_fit(&model, &plan, &rows, NULL);
    }
    if (!FX_FAILED(s))
        s = fx_model_explain(
            &all, model,
            &(fx_explain_options){.size = sizeof(fx_explain_options), .top = 3, .rows = &rows},
            NULL);
    if (!FX_FAILED(s)) {
        fx_matrix row = rows.block[0];  /* its first row */
        row.rows = 1;
        s = fx_model_explain(
            &one, model,
            &(fx_explain_options){.size = sizeof(fx_explain_options), .top = 1, .row = &row}, NULL);
    }
    if (!FX_FAILED(s)) {
        const fx_explanation *a = one;
        printf("planted:\n%s", fx_data_planted(data));
        show("found:", all);
        double sum = a->constant + a->rest;
        for (size_t k = 0; k < a->n; k++)
            sum += a->at[k].contribution;
        printf("row 1: contributions sum up to its score: %s\n",
               sum - a->score < 1e-9 && a->score - sum < 1e-9 ? "yes" : "no");
    } else
        fprintf(stderr, "%s: %s\n", fx_status_name(s), fx_error_detail());
    fx_explanation_free(one);
    fx_explanation_free(all);
    fx_model_free(model);
    fx_data_free(data);
    return FX_FAILED(s);
}
