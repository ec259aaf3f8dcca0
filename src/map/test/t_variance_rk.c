/* SPDX-License-Identifier: BSD-3-Clause
 * t_variance_rk.c - exact variances of the RK map against golden moments and full enumeration.
 *
 * Covers: variance_itemset.c */

#include "kernel/test/golden.h"
#include "map/map.h"

#include <complex.h>
#include <float.h>

enum { MAX_FEATURES = 8 };              /* features of an enumerated case */
static const double kurtosis[] = {1, 3, 1.8, 6};

/* ---- A kernel by its definition: the weight in Z of each set of features --------------------- */

typedef struct family {
    fx_kernel *k;
    size_t n;                           /* features */
    double weight[1 << MAX_FEATURES];   /* of each set, as bits */
} family;

static size_t group_of(const fxi_groups *g, size_t j)
{
    int64_t f = fxi_family_find(g->feature, g->features, (int64_t)j);

    return f < 0 ? g->groups + j : (size_t)g->member[g->first[f]];
}

static bool in_tree(const fxi_tree *t, size_t set)
{
    size_t path[MAX_FEATURES + 1] = {0};

    if (set == 0)
        return t->empty;
    for (size_t v = 0; v < t->nodes; v++) {
        path[t->level[v]] = path[t->level[v] - 1] | (size_t)1 << t->feature[t->use[v]];
        if (t->ends[v] && path[t->level[v]] == set)
            return true;
    }
    return false;
}

static double weight_of(const fx_kernel *k, size_t n, size_t set)
{
    int size = __builtin_popcountll(set);

    if (k->type == &fxi_kernel_linear)
        return size == 1;
    if (k->type == &fxi_kernel_all_subsets)
        return 1;
    if (k->tree)
        return in_tree(k->tree, set);
    if (!k->groups)
        return size <= k->order ? sqrt(k->coef[size]) : 0;
    size_t seen = 0, named = 0;
    for (size_t j = 0; j < n; j++)
        if (set >> j & 1) {
            size_t g = group_of(k->groups, j);
            if (seen >> g & 1)
                return 0;
            seen |= (size_t)1 << g;
        }
    if (k->type == &fxi_kernel_groups)
        return size == k->order;
    for (size_t f = 0; f < k->groups->factors; f++)
        named |= (size_t)1 << k->groups->factor[f];
    return seen == named;
}

static family family_new(const char *spec, const char *file, size_t n)
{
    family f = {.n = n};

    CHECK(fx_kernel_parse(&f.k, spec, file, 0) == FX_OK);
    for (size_t set = 0; set < (size_t)1 << n; set++)
        f.weight[set] = weight_of(f.k, n, set);
    return f;
}

static double complex feature(const family *f, const double *x, const double complex *w)
{
    double complex product[1 << MAX_FEATURES], z = f->weight[0];

    product[0] = 1;
    for (size_t set = 1; set < (size_t)1 << f->n; set++) {
        int j = __builtin_ctzll(set);
        product[set] = product[set & (set - 1)] * x[j] * w[j];
        z += f->weight[set] * product[set];
    }
    return z;
}

static double estimate(const family *f, const double *x, const double *y, const double complex *w)
{
    return creal(feature(f, x, w) * conj(feature(f, y, w)));
}

static double kernel_value(const family *f, const double *x, const double *y)
{
    double complex xy[MAX_FEATURES];
    family squared = *f;

    for (size_t j = 0; j < f->n; j++)
        xy[j] = y[j];
    for (size_t set = 0; set < (size_t)1 << f->n; set++)
        squared.weight[set] *= f->weight[set];
    return creal(feature(&squared, x, xy));
}

/* ---- Independent rows ----------------------------------------------------------------------- */

/* All draws of one row: +-sqrt(kappa) with probability 1/(2 kappa), else 0, has the law's moments
 * up to the fourth, and no others count; complex: (+-1 +- i)/sqrt 2. */
static double enumerate(const family *f, const double *x, const double *y, fxi_law law,
                        bool is_complex)
{
    size_t kinds = is_complex ? 4 : law == FXI_LAW_SIGN ? 2 : 3, draws = 1;
    double kappa = kurtosis[law], mean = 0, square = 0, K = kernel_value(f, x, y);

    for (size_t j = 0; j < f->n; j++)
        draws *= kinds;
    for (size_t d = 0; d < draws; d++) {
        double complex w[MAX_FEATURES];
        double probability = 1;
        for (size_t j = 0, rest = d; j < f->n; j++, rest /= kinds) {
            size_t kind = rest % kinds;
            w[j] = kind == 0 ? 1 : kind == 1 ? -1 : 0;
            if (is_complex)
                w[j] = ((kind & 1 ? 1 : -1) + (kind & 2 ? 1 : -1) * I) / sqrt(2);
            else if (kinds == 3)
                w[j] *= sqrt(kappa);
            probability *= kinds == 3 ? kind == 2 ? 1 - 1 / kappa : 1 / (2 * kappa)
                                      : 1 / (double)kinds;
        }
        double g = estimate(f, x, y, w);
        mean += probability * g;
        square += probability * (g - K) * (g - K);
    }
    CHECK_NEAR(mean, K, 1e-11 * (1 + fabs(K) + square));
    return square;
}

static fxi_pair pair_of(const double *x, const double *y, size_t n)
{
    static const int64_t col[MAX_FEATURES] = {0, 1, 2, 3, 4, 5, 6, 7};

    return (fxi_pair){.n = n, .x = x, .y = y, .col = col};
}

static void fill(double *x, size_t n, bool positive)
{
    for (size_t j = 0; j < n; j++)
        x[j] = test_below(5) ? test_unit() * 2 - (positive ? 0 : 1) : 0;
}

static const struct { const char *spec, *file; } specs[] = {
    {"linear", NULL}, {"anova:order=1", NULL}, {"anova:order=2", NULL}, {"anova:order=3", NULL},
    {"anova:order=4", NULL}, {"anova:order=9", NULL}, {"anova-upto:order=3,theta=0.5/2/0.25", NULL},
    {"anova-upto:order=2,theta=0/3", NULL}, {"all-subsets", NULL},
    {"groups:order=2", "a: 0 3\nb: 1\nc: 5 4\n"}, {"groups:order=3", "a: 0 1\n"},
    {"groups:order=1", "a: 0 1 2\n"}, {"cross", "u v\nu: 0 2\nv: 3 1 4\n"},
    {"cross", "u\nv: 1 2\nu: 0 3\n"}, {"itemset", "0\n1 2\n{}\n0 1 3\n2 3 4\n5\n"},
    {"itemset", "0 1 2 3 4 5\n"}};
enum { SPECS = sizeof specs / sizeof *specs };

static void independent(void)
{
    for (int round = 0; round < test_cases(3); round++)
        for (size_t s = 0; s < SPECS; s++)
            for (size_t n = 1; n <= 5; n++)
                for (int kind = 0; kind < 5; kind++) {
                    double x[MAX_FEATURES], y[MAX_FEATURES], one = -1, all = -1;
                    bool is_complex = kind == 4;
                    fxi_law law = is_complex ? FXI_LAW_SIGN : (fxi_law)kind;
                    family f = family_new(specs[s].spec, specs[s].file, n);
                    fxi_blocks blocks = {.rows = 7};
                    fill(x, n, round == 1);
                    fill(y, n, round == 1);
                    fxi_pair p = pair_of(x, y, n);
                    fx_status st = fxi_map_variance_rk(&one, &all, f.k, &p, law, is_complex,
                                                       &blocks);
                    if (f.k->tree && law != FXI_LAW_SIGN)
                        CHECK(st == FX_EUNSUPPORTED && strstr(fx_error_detail(), "rademacher"));
                    else {
                        double want = enumerate(&f, x, y, law, is_complex);
                        double K = kernel_value(&f, x, y), tol = 1e-12 * (want + K * K + 1);
                        CHECK(st == FX_OK);
                        CHECK_NEAR(one, want, tol);
                        CHECK_NEAR(all, one / 7, 1e-15 * one);
                    }
                    fx_kernel_free(f.k);
                }
}

/* ---- Hadamard blocks ------------------------------------------------------------------------ */

typedef struct sums {
    double count, pairs, square, product;
} sums;

/* Adds the squares and products of deviations over all signs, for features in columns c. */
static void block_moments(sums *out, const family *f, const double *x, const double *y,
                          const size_t *c, size_t p, bool is_complex)
{
    size_t kinds = is_complex ? 4 : 2, draws = 1;
    double K = kernel_value(f, x, y), g[16];

    for (size_t j = 0; j < f->n; j++)
        draws *= kinds;
    for (size_t d = 0; d < draws; d++) {
        double sum = 0, square = 0;
        for (size_t r = 0; r < p; r++) {
            double complex w[MAX_FEATURES];
            for (size_t j = 0, rest = d; j < f->n; j++, rest /= kinds) {
                size_t kind = rest % kinds;
                w[j] = is_complex ? ((kind & 1 ? 1 : -1) + (kind & 2 ? 1 : -1) * I) / sqrt(2)
                       : kind     ? -1
                                  : 1;
                if (__builtin_popcountll(r & c[j]) % 2)
                    w[j] = -w[j];
            }
            g[r] = estimate(f, x, y, w) - K;
            sum += g[r];
            square += g[r] * g[r];
        }
        out->count += (double)p;
        out->pairs += (double)(p * (p - 1));
        out->square += square;
        out->product += sum * sum - square;
    }
}

/* All placements of n features in columns first..p-1, all different unless folded. */
static sums placements(const family *f, const double *x, const double *y, const fxi_blocks *b,
                       bool is_complex)
{
    size_t first = b->mixed ? 1 : 0, choices = 1;
    sums s = {0};

    for (size_t j = 0; j < f->n; j++)
        choices *= b->p - first;
    for (size_t i = 0; i < choices; i++) {
        size_t c[MAX_FEATURES], taken = 0;
        bool distinct = true;
        for (size_t j = 0, rest = i; j < f->n; j++, rest /= b->p - first) {
            c[j] = first + rest % (b->p - first);
            distinct = distinct && !(taken >> c[j] & 1);
            taken |= (size_t)1 << c[j];
        }
        if (distinct || b->folded)
            block_moments(&s, f, x, y, c, b->p, is_complex);
    }
    return s;
}

static void hadamard_case(const family *f, fxi_blocks b, bool is_complex)
{
    double x[MAX_FEATURES], y[MAX_FEATURES];

    fill(x, f->n, test_below(2));
    fill(y, f->n, test_below(2));
    fxi_pair p = pair_of(x, y, f->n);
    sums s = placements(f, x, y, &b, is_complex);
    double V = s.square / s.count, Cov = s.product / s.pairs, K = kernel_value(f, x, y);
    for (b.rows = 1; b.rows <= 3 * b.p; b.rows += 1 + b.rows / b.p) {
        double one = -1, all = -1, D = (double)b.rows, cut = (double)(b.rows % b.p);
        double full = D - cut;
        double want = D * V + (full * ((double)b.p - 1) + cut * (cut - 1)) * Cov;
        CHECK(fxi_map_variance_rk(&one, &all, f->k, &p, FXI_LAW_SIGN, is_complex, &b) == FX_OK);
        CHECK_NEAR(one, V, 1e-12 * (V + K * K + 1));
        CHECK_NEAR(all, want / D / D, 1e-12 * (V + K * K + 1));
        CHECK(all >= 0);
    }
}

static void hadamard(void)
{
    for (size_t s = 0; s < SPECS; s++)
        for (int form = 0; form < 4; form++) {
            bool mixed = form & 1, folded = form & 2;
            family f = family_new(specs[s].spec, specs[s].file, 3);
            hadamard_case(&f, (fxi_blocks){.p = 4, .mixed = mixed, .folded = folded}, false);
            hadamard_case(&f, (fxi_blocks){.p = 4, .mixed = mixed, .folded = folded}, true);
            hadamard_case(&f, (fxi_blocks){.p = 8, .mixed = mixed, .folded = folded}, false);
            fx_kernel_free(f.k);
            if (folded || s % 2)
                continue;
            f = family_new(specs[s].spec, specs[s].file, 4);
            hadamard_case(&f, (fxi_blocks){.p = 8, .mixed = mixed}, false);
            fx_kernel_free(f.k);
        }
}

/* The study's probabilities that t columns multiply to 1: a whole block keeps nothing of t = 2, and
 * 1/(p - 3) of t = 4, or of t = 3 without column 0.  Half a block too. */
static void weights(void)
{
    for (size_t p = 8; p <= 1 << 20; p *= 2) {
        double w[7], q = (double)p;
        fxi_map_variance_rk_weights(w, 6, &(fxi_blocks){.rows = p, .p = p});
        CHECK(w[2] == 0);
        CHECK_NEAR(w[1], 1 / q, 1e-14 / q);
        CHECK_NEAR(w[4], 1 / (q - 3), 1e-14 / q);
        CHECK_NEAR(w[6], (1 - 15 / (q - 3) / (q - 5)) / q, 1e-14 / q);
        fxi_map_variance_rk_weights(w, 6, &(fxi_blocks){.rows = p, .p = p, .mixed = true});
        CHECK(w[1] == 0 && w[2] == 0);
        CHECK_NEAR(w[3], 1 / (q - 3), 1e-14 / q);
        fxi_map_variance_rk_weights(w, 6, &(fxi_blocks){.rows = p, .p = p, .folded = true});
        CHECK_NEAR(w[4], 1 / q, 1e-14 / q);
    }
}

/* ---- Golden --------------------------------------------------------------------------------- */

static const char *text(json_t *c, const char *key)
{
    return json_string_value(json_object_get(c, key));
}

static double number(json_t *c, const char *key) { return strtod(text(c, key), NULL); }

static void golden_blocks(json_t *c, const double *x, const double *y, size_t n)
{
    static const size_t column[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    double V = number(c, "row_variance"), tol = 1e-12 * (1 + V);
    sums s = {0};

    if (n > MAX_FEATURES)
        return;
    family f = family_new(text(c, "kernel"), NULL, n);
    size_t p = (size_t)json_integer_value(json_object_get(c, "p"));
    block_moments(&s, &f, x, y, column, p, false);
    CHECK_NEAR(s.square / s.count, V, tol);
    CHECK_NEAR(s.product / s.pairs, number(c, "pair_covariance"), tol);
    CHECK_NEAR((s.square + s.product) / s.count / (double)p, number(c, "block_variance"), tol);
    fx_kernel_free(f.k);
}

static void golden(void)
{
    static const char *const names[] = {"rademacher", "gaussian", "uniform", "laplace"};
    static double x[GOLDEN_DIM], y[GOLDEN_DIM];
    static int64_t col[GOLDEN_DIM];
    json_t *root = golden_cases("tests/golden/map_moments.json"), *c;
    size_t i, seen = 0;

    for (size_t j = 0; j < GOLDEN_DIM; j++)
        col[j] = (int64_t)j;
    json_array_foreach(json_object_get(root, "cases"), i, c)
    {
        bool blocks = !strcmp(text(c, "map"), "rk-hadamard");
        bool is_complex = !strcmp(text(c, "map"), "rk-complex");
        if (strcmp(text(c, "map"), "rk") && !is_complex && !blocks)
            continue;
        json_t *sets = json_object_get(c, "family");
        fxi_law law = FXI_LAW_SIGN;
        for (int l = 0; json_object_get(c, "distribution") && l < 4; l++)
            if (!strcmp(names[l], text(c, "distribution")))
                law = (fxi_law)l;
        fx_kernel *k = NULL;
        CHECK(fx_kernel_parse(&k, text(c, "kernel"), sets ? golden_family(sets) : NULL, 0)
              == FX_OK);
        fxi_pair p = {.x = x, .y = y, .col = col};
        double one, all, want = number(c, blocks ? "row_variance" : "variance");
        p.n = golden_vector(x, json_object_get(c, "x"));
        CHECK(golden_vector(y, json_object_get(c, "y")) == p.n);
        if (sets && law != FXI_LAW_SIGN) {
            fx_kernel_free(k);
            continue;
        }
        CHECK(fxi_map_variance_rk(&one, &all, k, &p, law, is_complex, &(fxi_blocks){.rows = 1})
              == FX_OK);
        if (!(fabs(one - want) <= 1e-12 * want) || one != all)
            fprintf(stderr, "%s: %.17g, want %.17g\n", text(c, "id"), one, want);
        CHECK(fabs(one - want) <= 1e-12 * want && one == all);
        if (blocks)
            golden_blocks(c, x, y, p.n);
        fx_kernel_free(k);
        seen++;
    }
    CHECK(seen > 90);
    json_decref(root);
}

/* ---- What is refused ------------------------------------------------------------------------ */

static void wide_family(void)
{
    static char text_of[1 << 16];
    static double x[70];
    static int64_t col[70];
    double one, all;
    size_t n = 0;
    fx_kernel *k = NULL;

    for (int j = 0; j < 70; j++) {
        x[j] = 1;
        col[j] = j;
    }
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < i; j++)
            n += (size_t)snprintf(text_of + n, sizeof text_of - n, "%d %d\n", j, i);
    CHECK(fx_kernel_parse(&k, "itemset", text_of, 0) == FX_OK);
    fxi_pair p = {.n = 40, .x = x, .y = x, .col = col};
    fxi_blocks b = {.rows = 1};
    CHECK(fxi_map_variance_rk(&one, &all, k, &p, FXI_LAW_SIGN, false, &b) == FX_OK);
    fx_kernel *same = NULL;             /* 780 sets: anova of the 40 features */
    double twin;
    CHECK(fx_kernel_parse(&same, "anova:order=2", NULL, 0) == FX_OK);
    CHECK(fxi_map_variance_rk(&twin, &all, same, &p, FXI_LAW_SIGN, false, &b) == FX_OK);
    CHECK_NEAR(one, twin, 1e-12 * twin);
    fx_kernel_free(same);
    p.n = 60;
    CHECK(fxi_map_variance_rk(&one, &all, k, &p, FXI_LAW_SIGN, false, &b) == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "pairs of sets"));
    fx_kernel_free(k);
    for (int j = 0; j < 70; j++)
        n += (size_t)snprintf(text_of + n, sizeof text_of - n, "%d\n", j);
    CHECK(fx_kernel_parse(&k, "itemset", text_of, 0) == FX_OK);
    p.n = 70;
    CHECK(fxi_map_variance_rk(&one, &all, k, &p, FXI_LAW_SIGN, false, &b) == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "64 features"));
    fx_kernel_free(k);
}

int main(void)
{
    test_init();
    golden();
    independent();
    hadamard();
    weights();
    wide_family();
    return 0;
}
