/* SPDX-License-Identifier: BSD-3-Clause
 * t_moments_rk.c - means and variances over seeds (moments.h) of random kernel maps on every
 * projection, and of products of their features, against what is enumerated here from the
 * definitions: characters of one row, and how rows of a block depend on one another.
 *
 * The checks are themselves tested, at the end: maps with planted faults must fail them. */

#include "map/test/moments.h"

#include <complex.h>
#undef complex

enum { MAX_FEATURES = 8 };              /* features that are not 0 */

typedef double _Complex number;

/* ---- The random kernel map by its definition ------------------------------------------------ */

/* Families of sets, as bits; the weight in Z of each. */
typedef struct family {
    const char *spec, *file;
    int low, high;                      /* sizes */
    bool weighted;
    double theta[4];                    /* of sizes, if weighted */
    int group[MAX_FEATURES];            /* if file: the group of each feature, from 1 */
    bool cross;                         /* one of group 1, one of group 2 */
    bool mixed;                         /* sets of even and of odd size */
} family;

static const family families[] = {
    {.spec = "anova:order=2", .low = 2, .high = 2},
    {.spec = "anova:order=3", .low = 3, .high = 3},
    {.spec = "all-subsets", .high = MAX_FEATURES, .mixed = true},
    {.spec = "anova-upto:order=3,theta=0.5/2/0.25", .low = 1, .high = 3,
     .weighted = true, .theta = {0, 0.5, 2, 0.25}, .mixed = true},
    {.spec = "anova-upto:order=3,theta=0.5/0/3", .low = 1, .high = 3, .weighted = true,
     .theta = {0, 0.5, 0, 3}},
    {.spec = "groups:order=2", .file = "a: 0 3\nb: 1 4\nc: 5 2\n", .low = 2, .high = 2,
     .group = {1, 2, 3, 1, 2, 3, 4, 5}},
    {.spec = "groups:order=3", .file = "a: 0 1\nb: 2 3 4\n", .low = 3, .high = 3,
     .group = {1, 1, 2, 2, 2, 3, 4, 5}},
    {.spec = "cross", .file = "u v\nu: 0 2\nv: 3 1 4\n", .low = 2, .high = 2, .cross = true,
     .group = {1, 2, 1, 2, 2, 3, 4, 5}}};
enum { FAMILIES = sizeof families / sizeof *families };

static double weight(const family *f, size_t set)
{
    int size = __builtin_popcountll(set);
    unsigned seen = 0;

    if (size < f->low || size > f->high)
        return 0;
    for (size_t j = 0; f->file && j < MAX_FEATURES; j++)
        if (set >> j & 1) {
            if (seen >> f->group[j] & 1)
                return 0;
            seen |= 1u << f->group[j];
        }
    if (f->cross && seen != 6)
        return 0;
    return f->weighted ? sqrt(f->theta[size]) : 1;
}

static number feature(const family *f, const double *x, const number *w, size_t d)
{
    number product[1 << MAX_FEATURES], z = weight(f, 0);

    product[0] = 1;
    for (size_t set = 1; set < (size_t)1 << d; set++) {
        int j = __builtin_ctzll(set);
        product[set] = product[set & (set - 1)] * x[j] * w[j];
        z += weight(f, set) * product[set];
    }
    return z;
}

/* The estimate of one row of signs as a function on bits, its mean in g[0] after walsh: minus where
 * bit j of `signs` is set; complex: real parts from the lower d bits, imaginary ones above. */
static double estimate(const family *f, const double *x, const double *y, size_t d, bool complex,
                       size_t signs)
{
    number w[MAX_FEATURES];

    for (size_t j = 0; j < d; j++) {
        w[j] = signs >> j & 1 ? -1 : 1;
        if (complex)
            w[j] = (w[j] + I * (signs >> (d + j) & 1 ? -1 : 1)) * sqrt(0.5);
    }
    return creal(feature(f, x, w, d) * conj(feature(f, y, w, d)));
}

/* Coefficients of the characters: g[T] = 2^-n sum over signs of estimate * chi_T. */
static void characters(double *g, const family *f, const double *x, const double *y, size_t d,
                       bool complex)
{
    size_t n = (size_t)1 << (complex ? 2 * d : d);

    for (size_t signs = 0; signs < n; signs++)
        g[signs] = estimate(f, x, y, d, complex, signs) / (double)n;
    for (size_t h = 1; h < n; h *= 2)
        for (size_t i = 0; i < n; i++)
            if (!(i & h)) {
                double a = g[i], b = g[i + h];
                g[i] = a + b;
                g[i + h] = a - b;
            }
}

/* ---- How the rows of a map depend on one another -------------------------------------------- */

typedef enum form { INDEPENDENT, CIRCULANT, HADAMARD, FOLDED } form;
typedef struct blocks {
    form form;
    size_t p, rows;                     /* of a block, of the map */
    bool mixed;                         /* column 0 stays empty */
} blocks;

/* Probability that t columns, drawn at random from all p or all but column 0, xor to 0: ordered
 * choices with that property, by whether the last one, which the others decide, may be taken. */
static double blind(size_t t, const blocks *b)
{
    double q = (double)(b->p - b->mixed), p = (double)b->p, all = 1, before[3] = {0, 0, 1};

    if (b->form == FOLDED)              /* with replacement */
        return b->mixed ? (1 + (p - 1) * pow(-1 / (p - 1), (double)t)) / p : t ? 1 / p : 1;
    for (size_t i = 1; i <= t; i++) {   /* all: choices of i - 1 columns */
        double step = (double)i;
        before[0] = before[1];
        before[1] = before[2];
        before[2] = all - (b->mixed ? before[1] : 0)
                    - (i > 1 ? (step - 1) * (q - step + 2) * before[0] : 0);
        all *= q - step + 1;
    }
    return before[2] / all;
}

/* Sum over pairs of rows, the same one included, of the correlation of the character (S, T) of
 * real and imaginary signs, divided by their number. */
static double correlation(const blocks *b, size_t d, size_t S, size_t T)
{
    double D = (double)b->rows, p = (double)b->p, sum = 0;

    if (b->form == INDEPENDENT)
        return 1 / D;
    for (size_t start = 0; start < b->rows; start += b->p) {
        size_t k = b->rows - start < b->p ? b->rows - start : b->p;
        double n = (double)k;
        if (b->form != CIRCULANT) {
            double h = blind((size_t)__builtin_popcountll(S ^ T), b);
            sum += n + n * (n - 1) * (p * h - 1) / (p - 1);
            continue;
        }
        for (size_t shift = 0; shift < k; shift++) {    /* and its opposite */
            size_t moved = 0, other = 0;
            for (size_t j = 0; j < d; j++) {
                moved |= (S >> j & 1) << (j + shift) % b->p;
                other |= (T >> j & 1) << (j + shift) % b->p;
            }
            if (moved == S && other == T)
                sum += (double)(shift ? 2 * (k - shift) : k);
        }
    }
    return sum / (D * D);
}

static double block_variance(const double *g, size_t d, bool complex, const blocks *b)
{
    size_t n = (size_t)1 << (complex ? 2 * d : d), low = ((size_t)1 << d) - 1;
    double V = 0;

    for (size_t T = 1; T < n; T++)
        if (g[T] != 0)
            V += g[T] * g[T] * correlation(b, d, T & low, T >> d);
    return V;
}

/* ---- These formulas against all draws of small blocks --------------------------------------- */

/* Mean square of the error of the rows' average, over all w and sigma. */
static void theory_circulant(void)
{
    for (size_t f = 0; f < 4; f++)
        for (size_t d = 4; d <= 6; d++)
            for (size_t rows = 2; rows <= d; rows++) {
                double x[MAX_FEATURES], y[MAX_FEATURES], g[1 << MAX_FEATURES], V = 0;
                fill(x, y, d, f % 2);
                characters(g, &families[f], x, y, d, false);
                for (size_t w = 0; w < (size_t)1 << 2 * d; w++) {
                    double mean = 0;
                    for (size_t r = 0; r < rows; r++) {
                        size_t signs = w >> d;
                        for (size_t j = 0; j < d; j++)
                            signs ^= (w >> (j + d - r) % d & 1) << j;
                        mean += estimate(&families[f], x, y, d, false, signs) / (double)rows;
                    }
                    V += (mean - g[0]) * (mean - g[0]) / (double)((size_t)1 << 2 * d);
                }
                blocks b = {CIRCULANT, d, rows, false};
                CHECK_NEAR(block_variance(g, d, false, &b), V, 1e-12 * (1 + V + g[0] * g[0]));
            }
}

/* The same for Hadamard blocks of order 8, over all signs and placements of four features. */
static void theory_hadamard(void)
{
    enum { P = 8, d = 4 };

    for (size_t f = 0; f < 4; f++)
        for (int kind = 0; kind < 4; kind++) {
            blocks b = {kind & 2 ? FOLDED : HADAMARD, P, P, kind & 1};
            double x[MAX_FEATURES], y[MAX_FEATURES], g[1 << d], of[1 << d], V = 0, count = 0;
            fill(x, y, d, f % 2);
            characters(g, &families[f], x, y, d, false);
            for (size_t signs = 0; signs < 1 << d; signs++)
                of[signs] = estimate(&families[f], x, y, d, false, signs);
            for (size_t place = 0; place < P * P * P * P; place++) {
                size_t c[d], used = 0;
                for (size_t j = 0; j < d; j++)
                    used |= (size_t)1 << (c[j] = place >> 3 * j & 7);
                if ((b.mixed && used & 1) || (b.form == HADAMARD && __builtin_popcountll(used) < d))
                    continue;
                for (size_t sigma = 0; sigma < 1 << d; sigma++, count++) {
                    double mean = 0;
                    for (size_t r = 0; r < P; r++) {
                        size_t signs = sigma;
                        for (size_t j = 0; j < d; j++)
                            signs ^= (size_t)(__builtin_popcountll(r & c[j]) & 1) << j;
                        mean += of[signs] / P;
                    }
                    V += (mean - g[0]) * (mean - g[0]);
                }
            }
            CHECK_NEAR(block_variance(g, d, false, &b), V / count, 1e-12 * (1 + g[0] * g[0]));
        }
}

/* The closed form of blind(t) for even t, and 1/p for odd ones. */
static void theory_blind(void)
{
    for (size_t p = 8; p <= 1024; p *= 2) {
        double q = (double)p, half = 1, all = 1;
        for (size_t t = 1; t <= MAX_FEATURES; t++) {
            blocks b = {HADAMARD, p, p, false};
            all *= (q - (double)t + 1) / (double)t;
            if (t % 2 == 0)
                half *= -(q / 2 - (double)t / 2 + 1) / ((double)t / 2);
            CHECK_NEAR(blind(t, &b), t % 2 ? 1 / q : (1 + (q - 1) * half / all) / q, 1e-13);
        }
    }
}

/* ---- RK on every projection ----------------------------------------------------------------- */

/* Order of the Hadamard matrix: the smallest power of two that will do, and 64 at least. */
static size_t order(size_t need)
{
    size_t p = 64;

    while (p < need)
        p *= 2;
    return p;
}

/* Fourth moments over all draws: of a row, and of the mean of b->rows <= p rows of a circulant. */
static void enumerate(trial *t, const family *f, bool complex, const blocks *b)
{
    static double of[1 << 2 * 6];
    size_t d = t->d, n = (size_t)1 << (complex ? 2 * d : d), draws = n;
    double fourth = 0, square = 0, raw = 0, rows = (double)b->rows;

    for (size_t signs = 0; signs < n; signs++)
        of[signs] = estimate(f, t->x, t->y, d, complex, signs);
    if (b->form == CIRCULANT)
        draws = n * n;
    for (size_t w = 0; w < draws; w++) {
        double mean = b->form == CIRCULANT ? 0 : of[w];
        for (size_t r = 0; b->form == CIRCULANT && r < b->rows; r++) {
            size_t rolled = (w << r | (w & (n - 1)) >> (d - r)) & (n - 1);
            mean += of[rolled ^ w >> d] / rows;
        }
        double e = (mean - t->mean) * (mean - t->mean);
        square += e / (double)draws;
        fourth += e * e / (double)draws;
        raw += mean * mean * mean * mean / (double)draws;
    }
    t->fourth = fourth;
    if (b->form == INDEPENDENT) {
        t->fourth = (fourth + 3 * (rows - 1) * square * square) / (rows * rows * rows);
        t->one_fourth = raw;
    }
    CHECK_NEAR(b->form == INDEPENDENT ? square / rows : square, t->variance, 1e-9 * (1 + square));
}

static trial rk_trial(const family *f, const char *map, const double *x, const double *y, size_t d,
                      bool complex, blocks b)
{
    static double g[1 << 2 * 6];
    trial t = {.name = "rk", .map = map, .kernel = f->spec, .family = f->file, .x = x, .y = y,
               .d = d, .D = complex ? 2 * b.rows : b.rows, .seeds = SEEDS, .one = NAN};

    CHECK(d <= (complex ? 6 : MAX_FEATURES));
    characters(g, f, x, y, d, complex);
    t.mean = g[0];
    t.variance = block_variance(g, d, complex, &b);
    if (b.form == INDEPENDENT && !complex)
        t.one = t.variance * (double)b.rows;
    if (b.form == INDEPENDENT || (b.form == CIRCULANT && b.rows <= b.p && !complex))
        enumerate(&t, f, complex, &b);
    if (b.form == CIRCULANT && b.rows <= b.p)
        t.seeds = SKETCHES / 2;
    return t;
}

static void check_rk(const family *f, const char *map, size_t d, bool complex, bool positive,
                     blocks b)
{
    double x[MAX_FEATURES], y[MAX_FEATURES];
    char spec[128];

    fill(x, y, d, positive);
    snprintf(spec, sizeof spec, "rk:projection=%s%s", map, complex ? ",complex=yes" : "");
    trial t = rk_trial(f, spec, x, y, d, complex, b);
    CHECK(passes(&t));
}

static void projections(void)
{
    for (size_t f = 0; f < FAMILIES; f++) {
        const family *s = &families[f];
        bool mixed = s->mixed;
        check_rk(s, "packed", 6, false, f % 2, (blocks){INDEPENDENT, 1, 40, false});
        check_rk(s, "packed", 5, true, !(f % 2), (blocks){INDEPENDENT, 1, 24, false});
        check_rk(s, "dense", 7, false, f % 2, (blocks){INDEPENDENT, 1, 40, false});
        check_rk(s, "circulant", 6, false, true, (blocks){CIRCULANT, 6, 6, false});
        check_rk(s, "circulant", 8, false, false, (blocks){CIRCULANT, 8, 5, false});
        check_rk(s, "circulant", 8, false, true, (blocks){CIRCULANT, 8, 19, false});
        check_rk(s, "circulant", 6, true, true, (blocks){CIRCULANT, 6, 15, false});
        check_rk(s, "hadamard", 8, false, true, (blocks){HADAMARD, order(9), 64, mixed});
        check_rk(s, "hadamard", 6, false, false, (blocks){HADAMARD, order(7), 24, mixed});
        check_rk(s, "hadamard", 8, false, true, (blocks){HADAMARD, order(9), 150, mixed});
        check_rk(s, "hadamard", 6, true, true, (blocks){HADAMARD, order(7), 64, mixed});
        check_rk(s, "hadamard", 6, true, false, (blocks){HADAMARD, order(7), 81, mixed});
    }
}

/* Rows of many columns, few of them not 0: folded, and orders of the matrix above 64. */
static void wide(void)
{
    static const size_t at[MAX_FEATURES] = {0, 1, 17, 63, 64, 200, 255, 299};

    for (size_t f = 0; f < 5; f++)
        for (int kind = 0; kind < 4; kind++) {
            bool complex = kind & 1, folded = kind & 2;
            size_t d = complex ? 6 : 8, cols = folded ? 300 : 64;
            double x[MAX_FEATURES], y[MAX_FEATURES], X[300] = {0}, Y[300] = {0};
            blocks b = {folded ? FOLDED : HADAMARD, 64, folded ? 50 : 130, families[f].mixed};
            if (!folded)
                b.p = order(cols + b.mixed);
            fill(x, y, d, f % 2);
            trial t = rk_trial(&families[f],
                               complex ? "rk:projection=hadamard,complex=yes"
                                       : "rk:projection=hadamard",
                               x, y, d, complex, b);
            for (size_t j = 0; j < d; j++) {
                size_t c = folded ? at[j] : (9 * j + 5) % 64;
                X[c] = x[j];
                Y[c] = y[j];
            }
            t.x = X;
            t.y = Y;
            t.d = cols;
            CHECK(passes(&t));
        }
}

/* ---- Products of features: rm --------------------------------------------------------------- */

/* K = sum a_n k^n; each feature of order n, given as products of independent features of k, has
 * the second moment square^n. */
static void check_rm(const char *kernel, const char *map, const double *x, const double *y,
                     size_t d, double k, double square, const double *a, const double *counts,
                     int orders)
{
    trial t = {.name = "rm", .map = map, .kernel = kernel, .x = x, .y = y, .d = d, .D = 64,
               .seeds = SEEDS, .one = NAN};
    double sum = 0, all = 0;

    for (int n = 0; n < orders; n++)
        all += a[n] > 0 ? counts ? counts[n] : pow(2, -n) : 0;
    for (int n = 0; n < orders; n++) {
        double P = (counts ? counts[n] : pow(2, -n)) / all;
        if (a[n] == 0)
            continue;
        t.mean += a[n] * pow(k, n);
        sum += a[n] * a[n] / P * (pow(square, n) - (counts ? pow(k, 2 * n) : 0));
    }
    t.variance = (counts ? sum : sum - t.mean * t.mean) / 64;
    if (!counts)
        t.one = t.variance * 64;
    if (strstr(kernel, "exp") && !counts) {
        fewer(&t);
        t.heavy = orders > 4;           /* high orders are rare and large */
    }
    CHECK(passes(&t));
}

static void products(void)
{
    static const family linear = {.spec = "linear", .low = 1, .high = 1};
    static const double few[4] = {4, 30, 20, 10};
    enum { ORDERS = 40 };
    double x[MAX_FEATURES], y[MAX_FEATURES], g[1 << MAX_FEATURES], a[ORDERS], square[2] = {0}, k[2],
                                                                              gap = 0;

    fill(x, y, 6, false);
    for (size_t j = 0; j < 6; j++)
        x[j] *= 0.5, y[j] *= 0.5;
    for (int i = 0; i < 2; i++) {       /* <x,y> and anova of order 2 */
        characters(g, i ? &families[0] : &linear, x, y, 6, false);
        k[i] = g[0];
        for (size_t T = 0; T < 64; T++)
            square[i] += g[T] * g[T];
    }
    a[0] = 1;
    for (int n = 1; n < ORDERS; n++)
        a[n] = a[n - 1] * 0.25 / n;
    check_rm("exp:gamma=0.25", "rm:projection=packed", x, y, 6, k[0], square[0], a, NULL, ORDERS);
    check_rm("exp:gamma=0.25(anova:order=2)", "rm:projection=packed", x, y, 6, k[1], square[1], a,
             NULL, ORDERS);
    check_rm("exp:gamma=0.25(anova:order=2)", "rm:projection=packed,max-order=3", x, y, 6, k[1],
             square[1], a, NULL, 4);
    const double cube[4] = {1, 1.5, 0.75, 0.125}, two[3] = {1, 2, 1};
    static const char allocated[] = "rm:orders=allocated,counts=4/30/20/10,projection=packed";
    check_rm("poly:degree=3,gamma=0.5", allocated, x, y, 6, k[0], square[0], cube, few, 4);
    check_rm("poly:degree=3,gamma=0.5(anova:order=2)", allocated, x, y, 6, k[1], square[1], cube,
             few, 4);
    check_rm("exp:gamma=0.25(anova:order=2)",
             "rm:orders=allocated,counts=4/30/20/10,max-order=3,projection=packed", x, y, 6, k[1],
             square[1], a, few, 4);
    /* sqrt 2 cos(w.x + b): E 4 cos^2 cos^2 = 1 + E cos(2 w.(x - y))/2 */
    for (size_t j = 0; j < 6; j++)
        gap += (x[j] - y[j]) * (x[j] - y[j]);
    check_rm("poly:degree=2(rbf:gamma=0.1)", "rm:projection=dense", x, y, 6, exp(-0.1 * gap),
             1 + exp(-0.4 * gap) / 2, two, NULL, 3);
}

/* ---- Tests of the test ---------------------------------------------------------------------- */

static fxi_map_type spoilt;
static const fxi_map_type *sound;
static fxi_project_type stuck;
static float first[FXI_LANES];          /* x_0 of the rows of a tile */

static void zeros(float *z, const fx_map *m, void *space, size_t block)
{
    (void)space, (void)block;
    memset(z, 0, m->width * FXI_LANES * sizeof *z);
}

static void scaled(float *z, const fx_map *m, void *space, size_t block)
{
    sound->block(z, m, space, block);
    for (size_t i = 0; i < m->width * FXI_LANES; i++)
        z[i] *= 1.05f;
}

static void copies(float *z, const fx_map *m, void *space, size_t block)
{
    sound->block(z, m, space, block);
    for (size_t s = 0; s < m->width; s++)
        for (size_t r = 0; r < FXI_LANES; r++)
            z[m->lanes ? s * FXI_LANES + r : r * m->width + s] = z[m->lanes ? r : r * m->width];
}

static void replace_block(fx_map *m, void (*block)(float *, const fx_map *, void *, size_t))
{
    sound = m->type;
    spoilt = *sound;
    spoilt.block = block;
    m->type = &spoilt;
}

static void spoil_zeros(fx_map *m) { replace_block(m, zeros); }
static void spoil_scale(fx_map *m) { replace_block(m, scaled); }
static void spoil_copies(fx_map *m) { replace_block(m, copies); }
static void spoil_nothing(fx_map *m) { (void)m; }

static void spoil_theta(fx_map *m)      /* theta in the place of its root */
{
    fxi_rk *rk = m->state;

    for (int t = 1; t <= rk->order; t++) {
        rk->scaled[t] *= rk->weight[t];
        rk->weight[t] *= rk->weight[t];
    }
}

/* Column 0 of W is 1: no sign is drawn for it. */
static void stuck_prepare(void *space, const fxi_project *p, const fxi_tile *t, const float *x)
{
    for (size_t r = 0; r < t->rows; r++)
        first[r] = x[t->first[r]];
    fxi_project_packed.prepare(space, p, t, x);
}

static void stuck_apply(float *z, const fxi_project *p, void *space, size_t block)
{
    double w[FXI_LANES];

    fxi_project_packed.apply(z, p, space, block);
    for (size_t s = 0; s < p->width; s++) {
        if (s % FXI_LANES == 0)
            fxi_project_packed.entries(w, p, block * p->width + s, 0);
        for (size_t r = 0; r < FXI_LANES; r++)
            z[p->lanes ? s * FXI_LANES + r : r * p->width + s] += (float)(1 - w[s % FXI_LANES])
                                                                  * first[r];
    }
}

static void spoil_sign(fx_map *m)
{
    fxi_rk *rk = m->state;

    CHECK(rk->w[0].type == &fxi_project_packed && rk->sets == 1);
    stuck = fxi_project_packed;
    stuck.prepare = stuck_prepare;
    stuck.apply = stuck_apply;
    rk->w[0].type = &stuck;
}

/* All-subsets with a feature in column 0, which never changes its sign. */
static void spoil_column(fx_map *m)
{
    fxi_rk *rk = m->state;
    fxi_project w = {.type = &fxi_project_hadamard, .rows = rk->w[0].rows, .cols = rk->w[0].cols,
                     .like = rk->w[0].like, .law = FXI_LAW_SIGN, .scale = 1,
                     .seed = rk->w[0].seed, .stream = rk->w[0].stream};

    CHECK(rk->w[0].mixed && rk->w[0].type == w.type);
    fxi_project_free(&rk->w[0]);
    CHECK(fxi_project_new(&w, NULL) == FX_OK);
    rk->w[0] = w;
}

/* A fault that passes would pass in a map as well. */
static void mutants(void)
{
    static const family upto
        = {.spec = "anova-upto:order=2,theta=0.5/2", .low = 1, .high = 2, .weighted = true,
           .theta = {0, 0.5, 2}, .mixed = true};
    static const blocks apart = {INDEPENDENT, 1, 64, false}, circle = {CIRCULANT, 8, 8, false},
                        block = {HADAMARD, 64, 64, true};
    const struct {
        const family *f;
        const char *map, *name;
        blocks b;
        void (*spoil)(fx_map *);
    } list[] = {{&families[0], "rk:projection=packed", "zeros", apart, spoil_zeros},
                {&families[1], "rk:projection=packed", "zeros", apart, spoil_zeros},
                {&families[0], "rk:projection=packed", "scale", apart, spoil_scale},
                {&upto, "rk:projection=packed", "scale", apart, spoil_scale},
                {&families[0], "rk:projection=packed", "copies", apart, spoil_copies},
                {&upto, "rk:projection=packed", "sign", apart, spoil_sign},
                {&upto, "rk:projection=packed", "theta", apart, spoil_theta},
                {&families[2], "rk:projection=hadamard", "column 0", block, spoil_column},
                {&families[0], "rk:projection=circulant,signs=row", "rows", circle, spoil_nothing},
                {&families[1], "rk:projection=circulant,signs=row", "rows", circle, spoil_nothing}};

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        double x[MAX_FEATURES], y[MAX_FEATURES];
        fill(x, y, MAX_FEATURES, true);
        for (size_t j = 0; j < MAX_FEATURES; j++)  /* single features are to count */
            x[j] *= 0.25, y[j] *= 0.25;
        trial t = rk_trial(list[i].f, list[i].map, x, y, MAX_FEATURES, false, list[i].b);
        t.name = list[i].name;
        t.spoil = list[i].spoil;
        if (passes(&t)) {
            fprintf(stderr, "the fault '%s' in %s of %s was not seen\n", t.name, t.map, t.kernel);
            exit(1);
        }
        if (t.spoil != spoil_nothing) { /* and without it all is well */
            t.spoil = NULL;
            CHECK(passes(&t));
        }
    }
}

int main(void)
{
    test_init();
    theory_blind();
    theory_circulant();
    theory_hadamard();
    projections();
    wide();
    products();
    mutants();
    CHECK(checks <= CHECKS);
    check_sight();
    return 0;
}
