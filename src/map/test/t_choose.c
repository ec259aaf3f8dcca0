/* SPDX-License-Identifier: BSD-3-Clause
 * t_choose.c - projection=auto takes what the table of doc/guide.md says. */

#include "base/test.h"
#include "map/map.h"

#include <string.h>

int main(void)
{
    FILE *f = fopen("doc/guide.md", "r");
    char line[512], kernel[64], choice[32], resolved[64];
    size_t d, D;
    double density;
    int rows = 0;

    CHECK(f);
    while (fgets(line, sizeof line, f)) {
        fx_kernel *k = NULL;
        fx_map *m = NULL;
        if (sscanf(line, "| %63s | %zu | %zu | %lf | %31s |", kernel, &d, &D, &density, choice)
            != 5)
            continue;
        const char *family = !strcmp(kernel, "groups") ? "a: 0 1 2 3\nb: 4 5 6 7\n" : NULL;
        CHECK(fx_kernel_parse(&k, kernel, family, 0) == FX_OK);
        CHECK(fx_map_parse(&m, "rk", k, d, D, 1, NULL, NULL) == FX_OK);
        snprintf(resolved, sizeof resolved, "projection=%s,", choice);
        if (!strstr(fx_map_spec(m), resolved))
            fprintf(stderr, "%s: %s", fx_map_spec(m), line);
        CHECK(strstr(fx_map_spec(m), resolved));
        fx_map_free(m);
        fx_kernel_free(k);
        rows++;
    }
    CHECK(rows >= 10);                  /* the table was found */
    fclose(f);
    return 0;
}
