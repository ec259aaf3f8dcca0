/* SPDX-License-Identifier: BSD-3-Clause
 * methods.c - the methods that compare measures, from simple to costly.  They depend only on the
 * shape of the rows.  With a single column there are no combinations, so methods that combine
 * columns are left out.
 *
 * Every method chooses among the same number of regularisation values over four decades: values of
 * C, in units that depend on the kernel (kernel_setup.c), or multiples of the default beta. */

#include "kernel_setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 7 };                    /* counts of -D */
/* Limits above which a method is left out: */
#define WIDTH 2e6                       /* products of columns, per row */
#define PRODUCTS 4e7                    /* products that are not 0, in all rows together */
#define NUMBERS 1e8                     /* random features times rows */
#define LEARNT 1e6                      /* mean K(x, x) of all-subsets as a factorization machine */
#define EXACT_ROWS 12500                /* rows for kernel-svm, */
#define EXACT_WORK 6e9                  /* .. and rows^2 times the entries per row */
#define RIDGE_ROWS 2500                 /* rows for kernel-ridge: its time grows with their cube */

static const char *const families[] = {"linear", UPTO_PRODUCTS, COMPARE_PAIRS, COMPARE_TRIPLES,
                                       COMPARE_SUBSETS, COMPARE_MAPS, "exact", NULL};

static kernel_setup kernels[KERNELS];

/* ---- Options ------------------------------------------------------------------------------ */
/* Are the n bytes at p that name? */
static bool is_family(const char *p, size_t n, const char *name)
{
    return strlen(name) == n && !strncmp(p, name, n);
}

static bool is_requested(const comparison *c, const char *family)
{
    const char *p = c->methods;

    for (size_t n; p && *p; p += n + (p[n] == ','))
        if (is_family(p, n = strcspn(p, ","), family))
            return true;
    return !c->methods;
}

static int check_families(const char *list)
{
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        size_t n = strcspn(p, ","), i = 0;
        char word[64];
        while (families[i] && !is_family(p, n, families[i]))
            i++;
        if (families[i])
            continue;
        snprintf(word, sizeof word, "%.*s", (int)(n < 60 ? n : 60), p);
        const char *near = fx_nearest(word, families, sizeof families / sizeof *families - 1);
        say_error("compare: --methods: there is no '%s'", word);
        if (near)
            say_hint("did you mean %s?", near);
        else
            say_hint(METHODS_NAMES);
        return EXIT_USAGE;
    }
    return 0;
}

/* The i-th of the counts, "4x"; false: there are no more. */
static bool count_at(char word[32], const char *list, size_t i)
{
    const char *p = list;

    while (i-- > 0)
        if ((p = strchr(p, ',')))
            p++;
        else
            return false;
    snprintf(word, 32, "%.*s", (int)strcspn(p, ","), p);
    return true;
}

int methods_check(const comparison *c)
{
    char word[32];
    size_t D, n = 0;
    int status = check_families(c->methods);

    for (; !status && count_at(word, c->features, n); n++)
        status = kernel_features(&D, word, 1);
    if (!status && n > LISTED)
        status = say_error("compare: -D %s: at most %d counts", c->features, LISTED);
    return status;
}

/* ---- Entering ----------------------------------------------------------------------------- */
static method *enter(comparison *c, const kernel_setup *k, const char *family)
{
    method *m = &c->list[c->n++];

    *m = (method){.tries = TRIES, .scale = k->scale, .kernel = k->spec};
    snprintf(m->name, sizeof m->name, "%s", family);
    snprintf(m->family, sizeof m->family, "%s", family);
    snprintf(m->model, sizeof m->model, c->regress ? COMPARE_NUMBERS : COMPARE_CLASSES);
    snprintf(m->left_out, sizeof m->left_out, "%s", k->reason);
    memcpy(m->choose, k->C, sizeof k->C);
    return m;
}

static void enter_factors(comparison *c, const kernel_setup *k, const char *model)
{
    if (c->cols < 2)
        return;
    method *m = enter(c, k, model);
    m->kernel = NULL;
    if (k->diagonal <= LEARNT)
        m->left_out[0] = '\0';
    snprintf(m->model, sizeof m->model, "%s", model);
    spec_set(m->model, sizeof m->model, "task", c->regress ? "regress" : "classify");
    for (size_t i = 0; i < TRIES; i++)
        m->choose[i] = kernel_setup_decade(i);
}

/* With an L1 penalty a weight is 0 until C |gradient| > 1.  By chance alone the largest gradient of
 * D columns is about 2 sqrt(2 n v log D), v the mean square of their numbers: C is about one over
 * that. */
static void sparse_costs(method *m, const kernel_setup *k, double n, double D)
{
    static const double times[TRIES] = {0.03, 0.2, 1, 6, 40};
    double by_chance = 2 * sqrt(2 * n * fmax(k->diagonal, 1e-300) / D * log(D + 1));

    for (size_t i = 0; i < TRIES; i++)
        m->choose[i] = kernel_setup_rounded(times[i] / fmax(by_chance, 1));
}

static method *enter_product(comparison *c, const kernel_setup *k, const char *name, double D)
{
    method *m = enter(c, k, name);

    m->map = UPTO_PRODUCTS;
    m->features = (size_t)fmin(D, INT32_MAX);
    return m;
}

/* Products of columns with either penalty: often only a few of many matter, and L1 finds those. */
static void enter_products(comparison *c, const kernel_setup *k, int order)
{
    const char *name = order == 2 ? "explicit pairs" : "explicit triples";
    double D = rows_products((double)c->cols, order), numbers = rows_stored(&c->X.table, order);
    method *m = enter_product(c, k, name, D);
    char sparse[64];

    if (D > WIDTH || numbers > PRODUCTS) {
        snprintf(m->left_out, sizeof m->left_out, "%.3g products of %zu columns, %.3g in the rows; "
                 "the limits are %.0e and %.0e", D, c->cols, numbers, WIDTH, PRODUCTS);
        return;
    }
    snprintf(sparse, sizeof sparse, "%s, L1", name);
    if (c->regress || D > UPTO_FOUND)
        return;
    m = enter_product(c, k, sparse, D);
    snprintf(m->model, sizeof m->model, COMPARE_CLASSES ",penalty=l1");
    sparse_costs(m, k, (double)c->train, D);
}

/* Where there are too many products to be written out, those with weights are found; a fit adds up
 * some 4e7 numbers at most, a fraction of a second's work. */
static void enter_found(comparison *c, const kernel_setup *k, int order)
{
    static const char *const name[] = {"pairs found, L1", "triples found, L1",
                                       "quadruples found, L1"};
    double D = rows_products((double)c->cols, order);

    if (D <= UPTO_FOUND)
        return;
    method *m = enter_product(c, k, name[order - 2], D);
    snprintf(m->model, sizeof m->model,
             c->regress ? COMPARE_FOUND_NUMBERS : COMPARE_FOUND_CLASSES);
    sparse_costs(m, k, (double)c->train, D);
}

static void enter_map(comparison *c, const char *map, const kernel_setup *k, const char *word,
                      size_t D, bool again)
{
    char name[64];
    method *m;

    snprintf(name, sizeof name, "%s %.50s", map, k->spec);
    if (!is_requested(c, map) || (*k->reason && again))
        return;
    m = enter(c, k, name);
    m->map = map;
    m->features = D;
    if (!*k->reason)
        snprintf(m->name, sizeof m->name, strchr(word, 'x') ? "%s, %s" : "%s, D=%s", name, word);
}

static void enter_maps(comparison *c)
{
    enum { COMBINING = 4 };             /* the first maps combine columns */
    static const struct { const char *map; int kernel; } maps[] = {COMPARE_MAPPED};
    double rows = (double)(c->train + c->valid);
    bool said = false;                  /* kernels that do not suit the rows were reported */
    char word[32];

    for (size_t i = 0; count_at(word, c->features, i); i++) {
        size_t times = strtoull(word, NULL, 10);
        double D = (double)times * (strchr(word, 'x') ? (double)c->cols : 1);
        if (D * rows > NUMBERS || D > INT32_MAX) {
            method *m = enter(c, &kernels[PAIRS], "maps");
            snprintf(m->name, sizeof m->name, "maps, %s", word);
            snprintf(m->left_out, sizeof m->left_out, "%.0f features of %.0f rows are more than "
                     "%.0e numbers; -D and --rows take fewer", D, rows, NUMBERS);
            continue;
        }
        for (size_t k = c->cols < 2 ? COMBINING : 0; k < sizeof maps / sizeof *maps; k++)
            enter_map(c, maps[k].map, &kernels[maps[k].kernel], word, (size_t)D, said);
        said = true;
    }
}

/* ---- Kernel machines ---------------------------------------------------------------------- */
/* The time of a fit is estimated with a clock, so it is only printed and never decides anything. */
static int say_estimate(const comparison *c, const method *m)
{
    fx_matrix sample = rows_part(c->X.table.block, 0, c->train);
    fx_table t = c->X.table;
    fx_plan plan = {.size = sizeof(fx_plan),
                    .model = m->model,
                    .kernel = m->kernel,
                    .scale = m->scale,
                    .seed = cli.seed,
                    .missing = rows_missing_plan()};
    fx_estimate e = FX_INIT(fx_estimate);
    char size[32];

    t.rows = c->train, t.blocks = 1, t.block = &sample;
    fx_status s = fx_model_estimate(&e, &plan, &t, &cli.run);
    if (s == FX_ECANCELLED)
        return say_failure(s);
    if (!s)
        say_note("%s: each of %llu fits of %zu rows takes about %.2g s and %s, by estimate",
                 m->name, (unsigned long long)(c->seeds * (TRIES + 1)), c->train, e.seconds,
                 say_bytes(size, (double)e.bytes));
    return 0;
}

static int enter_exact(comparison *c)
{
    static const int exact[] = {PAIRS, POLY, RBF};
    double n = (double)c->train, max_rows = c->regress ? RIDGE_ROWS : EXACT_ROWS;
    int status = 0;

    if (!c->regress)
        max_rows = fmin(max_rows,
                        sqrt(EXACT_WORK * (double)c->rows / fmax(1, rows_stored(&c->X.table, 1))));
    for (size_t i = c->cols < 2; i < sizeof exact / sizeof *exact && !status; i++) {
        char name[80];
        snprintf(name, sizeof name, "exact %s", kernels[exact[i]].spec);
        method *m = enter(c, &kernels[exact[i]], name);
        snprintf(m->model, sizeof m->model,
                 c->regress ? COMPARE_EXACT_NUMBERS : COMPARE_EXACT_CLASSES);
        if (*m->left_out)
            continue;
        if (!strcmp(c->exact, "no"))
            snprintf(m->left_out, sizeof m->left_out, "--exact no");
        else {
            if (strcmp(c->exact, "yes") != 0 && n > max_rows)
                snprintf(m->left_out, sizeof m->left_out, "%zu rows to train on, %.2g kernel "
                         "values of pairs; the limit is %.0f rows for these; --exact yes runs it",
                         c->train, n * n / 2, floor(max_rows));
            status = say_estimate(c, m);
        }
    }
    return status;
}

int methods_enter(comparison *c)
{
    int status = kernel_setup_measure(kernels, c);

    if (status)
        return status;
    if (is_requested(c, "linear"))
        enter(c, &kernels[LINEAR], "linear")->kernel = NULL;
    if (is_requested(c, UPTO_PRODUCTS) && c->cols >= 2)
        enter_products(c, &kernels[PAIRS], 2);
    if (is_requested(c, COMPARE_PAIRS))
        enter_factors(c, &kernels[LINEAR], COMPARE_PAIRS);
    if (is_requested(c, COMPARE_TRIPLES))
        enter_factors(c, &kernels[LINEAR], COMPARE_TRIPLES ":order=3");
    if (is_requested(c, COMPARE_SUBSETS))
        enter_factors(c, &kernels[SUBSETS], COMPARE_SUBSETS);
    if (is_requested(c, UPTO_PRODUCTS) && c->cols >= 3)
        enter_products(c, &kernels[TRIPLES], 3);
    for (int order = 2; order <= 4 && is_requested(c, UPTO_PRODUCTS); order++)
        enter_found(c, &kernels[PAIRS + order - 2], order);
    enter_maps(c);
    return is_requested(c, "exact") ? enter_exact(c) : 0;
}
