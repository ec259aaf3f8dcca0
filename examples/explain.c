/* SPDX-License-Identifier: BSD-3-Clause
 * explain.c - which combinations of columns matter to a model, and to one row.
 * cc explain.c $(pkg-config --cflags --libs featcross) && ./a.out */

#include <featcross.h>
#include <stdio.h>

/* Failures, and remarks such as that a model has not converged. */
static fx_status say(fx_status s)
{
    if (s != FX_OK)
        fprintf(stderr, "%s: %s\n", fx_status_name(s), fx_error_detail());
    return s;
}

/* Columns as the source counts them: info->base is 0 or 1. */
static void show(const char *title, const fx_explanation *e, const fx_model_info *info)
{
    puts(title);
    for (size_t k = 0; k < e->n; k++) {
        for (size_t i = 0; i < e->at[k].order; i++)
            printf("%s%zu", i ? " x " : "  ", e->at[k].column[i] + (size_t)info->base);
        printf(": weight %.2f, in %d rows\n", e->at[k].weight, (int)e->at[k].support);
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
    fx_status s = say(fx_data_make(&data, "pairs:n=1000,d=20,nz=8,k=3", 1, NULL));
    if (!FX_FAILED(s)) {
        rows = fx_data_table(data);
        s = say(fx_model_fit(&model, &plan, &rows, NULL));
    }
    if (!FX_FAILED(s)) {
        fx_explain_options options = FX_INIT(fx_explain_options);
        options.top = 3;
        options.table = &rows;
        s = say(fx_model_explain(&all, model, &options, NULL));
    }
    if (!FX_FAILED(s)) {
        fx_matrix row = rows.block[0];  /* its first row */
        row.rows = 1;
        fx_explain_options options = FX_INIT(fx_explain_options);
        options.top = 1;
        options.row = &row;
        s = say(fx_model_explain(&one, model, &options, NULL));
    }
    if (!FX_FAILED(s)) {
        printf("planted:\n%s", fx_data_planted(data));
        show("found:", all, fx_model_inspect(model));
        double sum = one->constant + one->rest;
        for (size_t k = 0; k < one->n; k++)
            sum += one->at[k].contribution;
        printf("row 1: contributions sum up to its score: %s\n",
               sum - one->score < 1e-9 && one->score - sum < 1e-9 ? "yes" : "no");
    }
    fx_explanation_free(one);
    fx_explanation_free(all);
    fx_model_free(model);
    fx_data_free(data);
    return FX_FAILED(s);
}
