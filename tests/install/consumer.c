/* SPDX-License-Identifier: BSD-3-Clause
 * consumer.c - a program outside the tree: reads rows, computes one kernel value, checks it; asks
 * for a model, so that a static library brings all that it links with. */

#include <featcross.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const char text[] = "1 1:1 2:2 3:3\n-1 2:1 3:1\n";
    fx_data *d = NULL;
    fx_kernel *k = NULL;
    fx_model *m = NULL;
    double K[4] = {0};

    if (fx_version() != FX_VERSION || fx_abi() != FX_ABI)
        return 1;
    if (fx_data_parse(&d, "svmlight", "text", text, strlen(text), NULL)
        || fx_kernel_parse(&k, "anova:order=2", NULL, 0)
        || fx_kernel_gram(K, 2, k, fx_data_table(d).block, NULL, NULL)) {
        fprintf(stderr, "%s\n", fx_error_detail());
        return 1;
    }
    if (fx_model_parse(&m, text, strlen(text), NULL) != FX_EFORMAT)
        return 1;
    fx_kernel_free(k);
    fx_data_free(d);
    return K[1] == 6 && K[1] == K[2] ? 0 : 1;   /* 2*1 * 3*1: the only pair that both rows have */
}
