/* SPDX-License-Identifier: BSD-3-Clause
 * gram.c - rows from text, a kernel from its spec string, all pairs of rows:
 *   cc gram.c $(pkg-config --cflags --libs featcross) && ./a.out */

#include <featcross.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const char text[] = "yes 1:1 2:2 3:3\n"
                               "no  2:1 3:1 4:5\n";
    fx_data *data = NULL;
    fx_kernel *kernel = NULL;
    double K[2 * 2];

    fx_status s = fx_data_parse(&data, "svmlight", "text", text, strlen(text), NULL);
    if (!FX_FAILED(s))
        s = fx_kernel_parse(&kernel, "anova:order=2", NULL, 1);
    if (!FX_FAILED(s))
        s = fx_kernel_gram(K, 2, kernel, fx_data_table(data).block, NULL, NULL);
    if (!FX_FAILED(s))
        printf("%g %g\n%g %g\n", K[0], K[1], K[2], K[3]);
    else
        fprintf(stderr, "%s: %s\n", fx_status_name(s), fx_error_detail());
    fx_kernel_free(kernel);
    fx_data_free(data);
    return FX_FAILED(s);
}
