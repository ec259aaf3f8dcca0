/* SPDX-License-Identifier: BSD-3-Clause
 * recipe.h - the papers' tables and figures as recipes: a text file in experiments/ states what is
 * measured, on which data, and the paper's figures; nothing about a paper is in C.
 *
 *   recipe*.c          text to recipe            records.c, store*.c  what was measured
 *   claims*.c          claims about the result   measure_*.c          one way to measure each
 *   reproduce*.c       runs what is not there yet, prints what came out
 *   page*.c            page and figure           ../datasets          named data sets
 *
 * A recipe, line by line; # begins a comment line:
 *
 *   title    Errors of random kernel maps (Table 1)
 *   paper    who, where, when
 *   text     A paragraph of the page: what is done.  Several lines of one key are joined; an empty
 *            one begins a paragraph.
 *   note     Sentences on where results differ, and why.
 *   measure  error                     one of the table in recipe.c
 *   seeds    100 quick 10              seeds 1 .. N
 *   set      rows=1000 quick 200       an option of the measure
 *   plot     y=mae x=D log-x log-y ylabel=mean_absolute_error
 *   table    kernel series D mae       columns of the page's table, in order
 *   check    mae paper 2sd             see below; `check full ..`: not with --quick
 *   cases                              then a line of column names, then one line for each case
 *   series        kernel         map                   D                 paper_mae
 *   Rademacher    anova:order=2  rk:projection=packed  2x|4x|8x|16x      6.53e-4|4.62e-4|...
 *   cases full                         the same columns; these are left out by --quick
 *
 * Columns of cases are separated by blanks ('_' in a field stands for a blank in names shown,
 * `series` and `panel`), `-` is nothing.  Lists a|b|c in one line stand for as many cases, lists of
 * a line having one length.  Columns every measure knows: series (the line in figures), panel (the
 * figure's column of panels), data, scale, model, kernel, map, D, choose, seeds (at most so many
 * of this case), paper_X (the paper's figure for the measured X) and paper_X_sd; others are the
 * measure's own, or only shown. */
#ifndef RECIPE_H
#define RECIPE_H
#include "datasets/datasets.h"
#include "models/models.h"

enum { RECIPE_COLUMNS = 24, RECIPE_VALUES = 16, RECIPE_CASES = 10000, RECIPE_SEEDS = 100000 };

typedef struct recipe recipe;

typedef struct records {                /* all that has been measured: records.c */
    struct record {
        size_t cell, point;             /* case; number within the case and seed, from 0 */
        uint64_t seed;
        double value[RECIPE_VALUES];    /* by the measure's columns; NaN: nothing */
    } *at;
    size_t n, capacity;
    char origin[1024];                  /* machine_origin when it began, and when it went on */
} records;

typedef struct measure_context {        /* what a measure may use */
    const recipe *r;
    const records *known;
    datasets *sets;
    uint64_t seed;                      /* of this cell */
    int (*emit)(void *ctx, const double *value); /* a record; several: points 0, 1, .. */
    void *ctx;
} measure_context;

/* One file, one line in recipe.c's table. */
typedef struct measure {
    const char *name, *summary;
    const char *const *columns;         /* of what is measured; ends with NULL */
    const char *const *options;         /* of `set` lines; ends with NULL */
    int (*run)(const measure_context *l, size_t cell);
    int (*check)(const recipe *r);      /* early: specs, lists, references; or NULL */
} measure;
extern const measure measure_error, measure_time, measure_fit, measure_history, measure_path,
    measure_discover;
/* measure_rows.c, for measures of maps: option rows=N of the train part, drawn by the cell's seed
 * and scaled, in one block, kept until others are asked for; the map of a case; early checks. */
int measure_rows(fx_table *out, const measure_context *l, size_t cell);
/* What those rows are known by: data, scale, seed and rows=, and `more`, or NULL. */
enum { MEASURE_KEY = 2048 };
void measure_key(char key[MEASURE_KEY], const measure_context *l, size_t cell, const char *more);
int measure_map(fx_map **out, kernel_choice *k, const fx_table *t, const measure_context *l,
                size_t cell);
int measure_map_check(const recipe *r, size_t cell);     /* of a case that may have none */
int measure_check(const recipe *r);     /* of measures that have maps, and counts as options */
int measure_count(size_t *n, const recipe *r, const char *option, const char *otherwise);
double measure_clock(void);             /* seconds that this process has had a processor */

typedef struct recipe_plot {            /* a row of panels */
    const char *x, *y;                  /* columns of cases or measured */
    const char *xlabel, *ylabel;
    bool log_x, log_y, last, dots;      /* last: of points only the last */
} recipe_plot;

struct recipe {
    char *text;                         /* what the strings point into */
    char *source, *file;                /* the text as it was, its name: for faults */
    char name[64];
    const char *title, *paper;
    char *about, *notes;                /* paragraphs; or NULL */
    const measure *measure;
    uint64_t seeds;
    bool quick;
    struct { const char *name, *value; } set[16];
    size_t sets;
    recipe_plot plot[4];
    size_t plots;
    const char *table[RECIPE_COLUMNS];
    size_t tables;
    struct { char *text; bool full; } check[32];        /* full: not with --quick */
    size_t checks;
    const char *column[RECIPE_COLUMNS]; /* of the cases */
    size_t columns;
    const char **field;                 /* [cells][columns]; NULL: nothing */
    size_t cells;
    uint32_t crc;                       /* of what is measured: other results are not mixed in */
};
/* Those of experiments/, by name; ends with NULL. */
extern const struct experiment { const char *name, *text; } experiments[];
/* name: for messages and files.  Faults are said as name:line. */
int recipe_parse(recipe **out, const char *name, const char *text, bool quick);
const measure *recipe_measures(size_t i);       /* of the table; NULL: no more */
const measure *recipe_measure(const char *name); /* NULL: none */
void recipe_free(recipe *r);
/* Says FILE:LINE: reason, EXIT_USAGE.  at: the string of the recipe that is wrong, or NULL. */
int recipe_error(const recipe *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
size_t recipe_column(const recipe *r, const char *name); /* its place; r->columns: there is none */
const char *recipe_field(const recipe *r, size_t cell, const char *column);  /* NULL: nothing */
bool recipe_same(const char *a, const char *b);         /* fields; nothing is like nothing alone */
bool recipe_alike(const recipe *r, size_t a, size_t b, const char *column); /* of two cases */
uint64_t recipe_seeds(const recipe *r, size_t cell);    /* how many of this case */
int recipe_number(double *out, const recipe *r, size_t cell, const char *column, double otherwise);
const char *recipe_set(const recipe *r, const char *option, const char *otherwise);
/* "@NAME": the case of that series in the same panel; cells if there is none. */
size_t recipe_other(const recipe *r, size_t cell, const char *name);
size_t recipe_measured(const recipe *r, const char *column); /* its place; RECIPE_VALUES: none */
void recipe_say(char *out, size_t capacity, const char *field); /* '_' as a blank */

/* ---- records.c ------------------------------------------------------------------------------ */
typedef struct summary { double mean, sd; size_t n; } summary;
/* Over seeds, of a case and point, or of the last point of each seed. */
#define RECORDS_LAST SIZE_MAX
summary records_of(const records *k, size_t cell, size_t point, size_t column);
size_t records_points(const records *k, size_t cell);
double records_get(const records *k, size_t cell, uint64_t seed, size_t point, size_t column);
int records_push(records *k, const struct record *p);

/* ---- claims.c -----------------------------------------------------------------------------------
 *   X paper 2sd        each mean within two of the paper's standard deviations
 *   X paper 0.01       each mean within 0.01 of the paper's figure
 *   X paper below 0.01 each mean no more than 0.01 below it (or 2sd); above is no fault
 *   X reach 0.01 S by D    by which D each other series of the panel is no more than 0.01 worse
 *                      than S, with the ratios of train_seconds and test_seconds where measured
 *   X slope D 0.6 S    the exponent of X against D, by least squares on logarithms, of series S, is
 *                      at most 0.6 (or X slope D least 0.8 S)
 *   X ratio 0.6 S of T in P    X of series S is at most 0.6 of that of T, at each D that both have,
 *                      in panel P (without `in P`: in each; or X ratio least 2 S of T)
 *   X bound 0.05 S     each mean of series S is at most 0.05 (or X bound least 0.85 S)
 *   X share 0.05 S     X is 0 or 1 for each seed, and 1 in at most 5 % of them; with the exact
 *   interval
 *                      of the probability */
typedef struct claim { bool passed, left_out; char text[512]; } claim; /* left_out: by --quick */
int claims_run(claim *out, size_t *n, size_t max_claims, const recipe *r, const records *k);
int claims_parse(const recipe *r);      /* early */

/* ---- page.c, page_figure.c ------------------------------------------------------------------ */
/* how: the command; image: relative to the page, or NULL. */
int page_write(output *o, const recipe *r, const records *k, const claim *c, size_t claims,
               const char *how, const char *image);
int page_figure(plot *p, const char *path, const recipe *r, const records *k);
#endif
