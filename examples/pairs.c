/* SPDX-License-Identifier: BSD-3-Clause
 * pairs.c - fits a model that sees pairs of columns, and predicts.  The example of README.md.
 * cc pairs.c $(pkg-config --cflags --libs featcross) && ./a.out */

#include <featcross.h>
#include <stdio.h>

int main(void)
{
    static const double x[] = {2, 1, -1, -1, 1, -2, -1, 1};     /* four rows of two columns */
    static const double y[] = {1, 1, 0, 0};                     /* 1: both have the same sign */
    static const double z[] = {3, 1, -1, 2};                    /* two rows to predict */
    fx_model *model = NULL;
    double label[2];

    const fx_matrix X = {.rows = 4, .cols = 2, .stride = 2, .type = FX_F64, .val = x};
    const fx_matrix Z = {.rows = 2, .cols = 2, .stride = 2, .type = FX_F64, .val = z};
    const fx_table rows = {.rows = 4, .cols = 2, .blocks = 1, .block = &X, .label = y};
    fx_plan plan = FX_INIT(fx_plan);                    /* all defaults, except: */
    plan.model = "svm";
    plan.map = "explicit";                              /* one column per combination, */
    plan.kernel = "anova:order=2";                      /* which are the pairs of columns */
    fx_status s = fx_model_fit(&model, &plan, &rows, NULL);
    if (!FX_FAILED(s))
        s = fx_model_predict(label, NULL, model, FX_LABEL, &Z, NULL);
    if (FX_FAILED(s))
        fprintf(stderr, "%s\n", fx_error_detail());     /* the library itself never prints */

    if (!FX_FAILED(s))
        printf("%g %g\n", label[0], label[1]);
    fx_model_free(model);
    return FX_FAILED(s);
}
