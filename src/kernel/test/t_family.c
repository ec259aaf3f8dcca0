/* SPDX-License-Identifier: BSD-3-Clause
 * t_family.c - text of itemset families and groups: the tree against the sets themselves. */

#include "base/test.h"
#include "kernel/kernel.h"

#include <string.h>

static void check_rejected(const char *text, int kind, const char *message)
{
    fxi_tree *t = NULL;
    fxi_groups *g = NULL;
    fx_status st = kind ? fxi_family_groups(&g, text, 1, kind == 2) : fxi_family_tree(&t, text, 1);

    if (st != FX_EFORMAT || t || g || !strstr(fx_error_detail(), message))
        fprintf(stderr, "'%s': '%s', should say '%s'\n", text, fx_error_detail(), message);
    CHECK(st == FX_EFORMAT && !t && !g && strstr(fx_error_detail(), message));
}

/* Random families of distinct sets over 8 features, as 8-bit masks; walking the tree must give
 * back each set once, and `next` must jump over exactly the deeper nodes. */
static void walk(void)
{
    for (int c = 0; c < test_cases(300); c++) {
        char text[8192] = "# a family\n", seen[256] = {0};
        size_t n = strlen(text), sets = test_below(60), drawn = 0;
        for (size_t s = 0; s < sets; s++) {
            unsigned mask = (unsigned)test_below(256);
            if (seen[mask])
                continue;
            seen[mask] = 1;
            drawn++;
            if (mask == 0)
                n += (size_t)snprintf(text + n, sizeof text - n, " {} ");
            for (int j = 7; j >= 0; j--)        /* unsorted on purpose */
                if (mask >> j & 1)
                    n += (size_t)snprintf(text + n, sizeof text - n, "%d%s", j + 1,
                                          j % 2 ? ", " : "\t");
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", s % 3 ? "\n" : "# note\r\n\n");
        }
        fxi_tree *t = NULL;
        CHECK(fxi_family_tree(&t, text, 1) == FX_OK);
        unsigned path[9] = {0};
        size_t found = 0;
        if (t->empty) {
            CHECK(seen[0]);
            found++;
        }
        for (size_t v = 0; v < t->nodes; v++) {
            int level = t->level[v];
            path[level] = path[level - 1] | 1u << t->feature[t->use[v]];
            CHECK(level == 1 || path[level] != path[level - 1]);
            if (t->ends[v]) {
                CHECK(seen[path[level]]);
                found++;
            }
            size_t next = v + 1;
            while (next < t->nodes && t->level[next] > level)
                next++;
            CHECK((size_t)t->next[v] == next);
        }
        CHECK(found == drawn);
        fxi_family_free(t, NULL);
    }
}

int main(void)
{
    test_init();
    walk();
    check_rejected("1 2\n1 x\n", 0, "family:2:3: expected a feature index, found 'x'");
    check_rejected("0 1\n", 0, "family:1:1: indices count from 1");
    check_rejected("-1\n", 0, "family:1:1");
    check_rejected("1 2 1\n", 0, "stands twice in this set");
    check_rejected("1 2\n3\n2 1\n", 0, "family:3: the set of line 1 again");
    check_rejected("{}\n{}\n", 0, "the empty set stands twice");
    check_rejected("{} 1\n", 0, "behind the empty set");
    check_rejected("4294967296\n", 0, "too large");
    check_rejected("1.5\n", 0, "expected a feature index");
    check_rejected("a 1 2\n", 1, "expected `name: feature");
    check_rejected("a: 1\na: 2\n", 1, "named twice");
    check_rejected("a: 1 1\n", 1, "twice in one group");
    check_rejected("a:\n", 1, "this group is empty");
    check_rejected("", 2, "begins with a line of group names");
    check_rejected("u v\nu: 1\n", 2, "no group is named 'v'");

    fxi_groups *g = NULL;
    CHECK(fxi_family_groups(&g, "u v\nu: 3 1\nv : 2,3 # both\n", 1, true) == FX_OK);
    CHECK(g->groups == 2 && g->factors == 2 && g->factor[0] == 0 && g->factor[1] == 1);
    CHECK(g->features == 3 && g->feature[0] == 0 && g->feature[2] == 2);
    CHECK(g->first[3] == 4 && g->first[3] - g->first[2] == 2);  /* feature 3 is in both */
    fxi_family_free(NULL, g);
    return 0;
}
