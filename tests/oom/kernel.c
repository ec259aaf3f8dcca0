/* SPDX-License-Identifier: BSD-3-Clause
 * kernel.c - scenarios: kernels, maps, linear algebra. */

#include "scenario.h"
#include "featcross_extra.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *family_of(const char *spec)
{
    if (strstr(spec, "itemset"))
        return "0 1\n1 2 3\n{}\n# none\n5\n";
    if (strstr(spec, "groups"))
        return "user: 0 1 2\nitem: 3 4\n";
    return strstr(spec, "cross") ? "user item\nuser: 0 1 2\nitem: 3 4\n" : NULL;
}

static fx_kernel *kernel_of(const char *spec)
{
    fx_kernel *k;

    prepared(fx_kernel_parse(&k, spec, family_of(spec), 0), spec);
    return k;
}

static fx_status kernel_parse(const char *spec)
{
    fx_kernel *k = MARK;

    call_begin();
    fx_status s = call_end(fx_kernel_parse(&k, spec, family_of(spec), 0));
    if (s < 0)
        expect((void *)k == MARK, "the kernel changed although the call failed");
    else {
        hash_text(fx_kernel_spec(k));
        fx_kernel_free(k);
    }
    return s;
}

static fx_status kernel_describe(const char *spec) { return described(fx_kernel_describe, spec); }
static fx_status map_describe(const char *spec) { return described(fx_map_describe, spec); }

static fx_status spec_get(const char *spec)
{
    const char *v = MARK;
    size_t len = 0;

    call_begin();
    fx_status s = call_end(fx_spec_get(&v, &len, spec, "order"));
    hash(v, len);
    return s;
}

enum { ROWS = 300 };                     /* several blocks, so several threads */

static fx_status gram_of(const char *spec, const char *rows)
{
    static double K[ROWS * ROWS], before[ROWS * ROWS];
    fx_data *d = made(rows);
    fx_table t = fx_data_table(d);
    fx_kernel *k = kernel_of(spec);

    memset(before, 0x5a, sizeof before);
    memcpy(K, before, sizeof K);
    call_begin();
    fx_status s = call_end(fx_kernel_gram(K, ROWS, k, t.block, NULL, &two));
    if (s < 0)
        expect(!memcmp(K, before, sizeof K), "the Gram matrix changed although the call failed");
    else
        hash(K, sizeof K);
    fx_kernel_free(k);
    fx_data_free(d);
    return s;
}

static fx_status gram_sparse(const char *spec)
{
    return gram_of(spec, "pairs:n=300,d=60,nz=20,k=4");
}
static fx_status gram_dense(const char *spec) { return gram_of(spec, "dense-positive:n=300,d=20"); }

/* A map of 40 features of rows of 20 columns. */
static fx_map *map_of(const char *spec, const fx_kernel *k)
{
    fx_map *m = NULL;

    prepared(fx_map_parse(&m, spec, k, 20, 40, 1, NULL, NULL), spec);
    return m;
}

/* spec: map, a blank, kernel; the first part to name. */
static fx_kernel *split(char name[96], const char *spec)
{
    const char *blank = strchr(spec, ' ');

    snprintf(name, 96, "%.*s", (int)(blank - spec), spec);
    return kernel_of(blank + 1);
}

static fx_status map_parse(const char *spec)
{
    char name[96];
    fx_kernel *k = split(name, spec);
    fx_data *d = made("dense-positive:n=30,d=20");
    fx_table t = fx_data_table(d);
    fx_map *m = MARK;

    call_begin();
    fx_status s = call_end(fx_map_parse(&m, name, k, 20, 40, 1, t.block, &two));
    if (s < 0)
        expect((void *)m == MARK, "the map changed although the call failed");
    else {
        hash_text(fx_map_spec(m));
        fx_map_free(m);
    }
    fx_kernel_free(k);
    fx_data_free(d);
    return s;
}

static fx_status through_map(const char *spec, bool score)
{
    static double out[ROWS * 2000], before[ROWS * 2000], W[2000];
    char name[96];
    fx_kernel *k = split(name, spec);
    fx_data *d = made("pairs:n=300,d=20,nz=8,k=4");
    fx_table t = fx_data_table(d);
    fx_map *m = map_of(name, k);

    memset(before, 0x5a, sizeof before);
    memcpy(out, before, sizeof out);
    call_begin();
    fx_status s = call_end(score ? fx_map_score(out, m, W, 1, t.block, &two)
                            : fx_map_apply(out, fx_map_features(m), FX_F64, m, t.block, &two));
    if (s < 0)
        expect(!memcmp(out, before, sizeof out), "features changed although the call failed");
    else
        hash(out, sizeof out);
    fx_map_free(m);
    fx_kernel_free(k);
    fx_data_free(d);
    return s;
}

static fx_status map_apply(const char *spec) { return through_map(spec, false); }
static fx_status map_score(const char *spec) { return through_map(spec, true); }

/* spec: the kernel. */
static fx_status variance_of(const char *spec)
{
    enum { PAIRS = 40 };
    double V[PAIRS], before[PAIRS];
    size_t pair[2 * PAIRS];
    fx_data *d = made("dense-positive:n=300,d=20");
    fx_table t = fx_data_table(d);
    fx_kernel *k = kernel_of(spec);
    fx_map *m = map_of("rk:projection=hadamard", k);

    memset(before, 0x5a, sizeof before);
    memcpy(V, before, sizeof V);
    for (size_t q = 0; q < 2 * PAIRS; q++)
        pair[q] = q * 7 % ROWS;
    call_begin();
    fx_status s = call_end(fx_map_variance(V, m, t.block, pair, PAIRS, &two));
    if (s < 0)
        expect(!memcmp(V, before, sizeof V), "variances changed although the call failed");
    else
        hash(V, sizeof V);
    fx_map_free(m);
    fx_kernel_free(k);
    fx_data_free(d);
    return s;
}

static fx_status bound_of(const char *spec)
{
    fx_kernel *k = kernel_of(spec);
    fx_map *m = map_of("rk:projection=packed", k);
    fx_bound b[FX_BOUND_MAX];
    size_t n = 0;

    call_begin();
    fx_status s = call_end(fx_map_bound(b, FX_BOUND_MAX, &n, m, 1, 0.1, 0.1, 0));
    hash(&n, sizeof n);
    hash(&b[0].features, sizeof b[0].features);
    fx_map_free(m);
    fx_kernel_free(k);
    return s;
}

static fx_status error_of(const char *spec)
{
    fx_data *d = made("pairs:n=300,d=20,nz=8,k=4");
    fx_table t = fx_data_table(d);
    fx_kernel *k = kernel_of(spec);
    fx_map *m = map_of("rk:projection=packed", k);
    fx_deviation e, before;

    memset(&before, 0x5a, sizeof before);
    before.size = sizeof before;
    memcpy(&e, &before, sizeof e);
    call_begin();
    fx_status s = call_end(fx_map_deviation(&e, m, t.block, 50, 1, &two));
    if (s < 0)
        expect(!memcmp(&e, &before, sizeof e), "the error changed although the call failed");
    else
        hash(&e, sizeof e);
    fx_map_free(m);
    fx_kernel_free(k);
    fx_data_free(d);
    return s;
}

static fx_status values(const char *spec)
{
    enum { VECTORS = 3, COLS = 20 };
    static double V[ROWS * VECTORS], G[ROWS * COLS * VECTORS], P[COLS * VECTORS];
    fx_data *d = made("dense-positive:n=300,d=20");
    fx_table t = fx_data_table(d);
    fx_kernel *k = kernel_of(spec);
    bool untouched = true;

    for (size_t i = 0; i < COLS * VECTORS; i++)
        P[i] = (double)(i % 5) - 2;
    memset(V, 0x5a, sizeof V);
    memset(G, 0x5a, sizeof G);
    call_begin();
    fx_status s = call_end(fx_kernel_values(V, G, k, P, VECTORS, t.block, &two));
    for (size_t i = 0; i < sizeof V; i++)
        untouched &= ((const char *)V)[i] == 0x5a;
    for (size_t i = 0; i < sizeof G; i++)
        untouched &= ((const char *)G)[i] == 0x5a;
    if (s < 0)
        expect(untouched, "values or gradients changed although the call failed");
    else
        hash(V, sizeof V), hash(G, sizeof G);
    fx_kernel_free(k);
    fx_data_free(d);
    return s;
}

static fx_status eigmin(const char *spec)
{
    enum { N = 20 };
    double A[N * N], out = 0x1.5a5ap0;

    (void)spec;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            A[i * N + j] = 1 / (double)(i + j + 1);
    call_begin();
    fx_status s = call_end(fx_linalg_eigmin(&out, A, N, N, &two));
    if (s < 0)
        expect(out == 0x1.5a5ap0, "the eigenvalue changed although the call failed");
    else
        hash(&out, sizeof out);
    return s;
}

/* clang-format off */
const scenario kernel_scenarios[] = {
    {"fx_kernel_parse", kernel_parse, "anova-upto:order=3,theta=1/2/3"},
    {"fx_kernel_parse", kernel_parse, "poly:degree=2(exp(rbf:gamma=0.5))"},
    {"fx_kernel_parse", kernel_parse, "itemset:file=F"},
    {"fx_kernel_parse", kernel_parse, "groups:file=F,order=2"},
    {"fx_kernel_parse", kernel_parse, "cross:file=F"},
    {"fx_spec_get", spec_get, "anova:order=3"},
    {"fx_kernel_describe", kernel_describe, "poly:degree=2(exp(itemset:file=F))"},
    {"fx_kernel_describe", kernel_describe, "anova-upto:order=3,theta=1/2/3"},
    {"fx_map_describe", map_describe, "scrk:complex=yes"},
    {"fx_kernel_gram", gram_sparse, "linear"},
    {"fx_kernel_gram", gram_dense, "linear"},
    {"fx_kernel_gram", gram_sparse, "anova:order=3"},
    {"fx_kernel_gram", gram_dense, "anova:order=3"},
    {"fx_kernel_gram", gram_sparse, "all-subsets"},
    {"fx_kernel_gram", gram_sparse, "rbf:gamma=0.5"},
    {"fx_kernel_gram", gram_sparse, "laplacian:gamma=0.5"},
    {"fx_kernel_gram", gram_dense, "cauchy:gamma=0.5"},
    {"fx_kernel_gram", gram_dense, "itemset:file=F"},
    {"fx_kernel_gram", gram_dense, "groups:file=F,order=2"},
    {"fx_kernel_gram", gram_dense, "cross:file=F"},
    {"fx_kernel_gram", gram_dense, "poly:degree=2(exp(rbf:gamma=0.5))"},
    {"fx_kernel_values", values, "linear"},
    {"fx_kernel_values", values, "anova:order=3"},
    {"fx_kernel_values", values, "anova-upto:order=3"},
    {"fx_kernel_values", values, "all-subsets"},
    {"fx_map_parse", map_parse, "rk:complex=auto anova:order=2"},
    {"fx_map_parse", map_parse, "rk:complex=yes,projection=packed all-subsets"},
    {"fx_map_parse", map_parse, "rk:dist=gaussian itemset:file=F"},
    {"fx_map_parse", map_parse, "rm:orders=allocated exp"},
    {"fx_map_parse", map_parse, "rm:h01=yes poly:degree=3(rbf)"},
    {"fx_map_parse", map_parse, "rff rbf"},
    {"fx_map_parse", map_parse, "jl linear"},
    {"fx_map_parse", map_parse, "sparse-jl anova:order=2"},
    {"fx_map_parse", map_parse, "explicit poly"},
    {"fx_map_apply", map_apply, "rk anova:order=3"},
    {"fx_map_apply", map_apply, "rk:projection=packed all-subsets"},
    {"fx_map_apply", map_apply, "rm poly:degree=3"},
    {"fx_map_apply", map_apply, "sparse-jl anova:order=2"},
    {"fx_map_apply", map_apply, "explicit anova:order=2"},
    {"fx_map_score", map_score, "rk anova:order=2"},
    {"fx_map_variance", variance_of, "anova:order=2"},
    {"fx_map_variance", variance_of, "all-subsets"},
    {"fx_map_variance", variance_of, "itemset:file=F"},
    {"fx_map_variance", variance_of, "groups:file=F,order=2"},
    {"fx_map_bound", bound_of, "anova:order=2"},
    {"fx_map_deviation", error_of, "anova:order=2"},
    {"fx_linalg_eigmin", eigmin, ""},
    {0},
};
/* clang-format on */
