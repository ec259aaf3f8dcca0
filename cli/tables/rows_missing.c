/* SPDX-License-Identifier: BSD-3-Clause
 * rows_missing.c - numbers that are missing, by --nan.
 *
 * Readers leave NaN in the rows.  What is learnt of them, means and columns that indicate them, is
 * learnt by the fit (fx_plan.missing) and kept in its model.  Rows that are to be left out go at
 * once, so that whatever is counted, split or drawn has none of them; and a command without a fit
 * can only leave out or fill in 0. */

#include "load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The word before ",indicator". */
static bool is(const char *word)
{
    const char *given = reading_nan();
    size_t n = given ? strcspn(given, ",") : 0;

    return given && strlen(word) == n && !strncmp(given, word, n);
}

/* Says that --nan cannot change what a model does. */
static bool of_training(const load_options *like)
{
    bool wrong = like->reader && !like->filled && rows_missing_plan() && !is("zero");

    if (wrong)
        say_error("--nan %s is for training: a model keeps what it was trained with",
                  reading_nan());
    return wrong;
}

int rows_missing_check(const load_options *like)
{
    static const char *const words[] = {"error", "drop", "zero", "mean", "median", "category"};
    const char *given = reading_nan(), *more = given ? strchr(given, ',') : NULL;
    bool known = !given;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        known |= is(words[i]);
    if (!known)
        return say_error("--nan %s: it is error, drop, zero, mean, median or category", given);
    if (is("category") && link_rows_given())
        return say_error("--nan category is not possible with --links; use --nan mean,indicator");
    if (of_training(like))
        return EXIT_USAGE;
    say_missing(like->reader && !like->filled
                    ? "train with --nan mean, median, zero or drop; here, --nan zero reads it as 0"
                : like->filled ? "use --nan mean, median, zero or drop"
                               : "use --nan zero or drop");
    if (!more)
        return 0;
    if (strcmp(more, ",indicator") != 0)
        return say_error("--nan %s: only ,indicator may follow", given);
    if (!is("zero") && !is("mean") && !is("median"))
        return say_error("--nan %s: indicator goes with zero, mean and median", given);
    return 0;
}

const char *rows_missing_plan(void)
{
    if (!reading_nan() || is("error"))
        return NULL;
    return is("category") ? "mean,indicator" : reading_nan();
}

const char *rows_missing_reader(const load_options *like, const fx_key *nan)
{
    const char *values = nan && nan->values ? nan->values : "";

    if (!reading_nan())                 /* as the model's rows were read, or error */
        return like->kept ? "keep" : NULL;
    if (is("error"))
        return "error";
    if (is("zero") && !like->filled && strstr(values, "zero"))
        return "zero";
    if (like->reader && !like->filled && !is("zero"))
        return NULL;
    return is("category") && strstr(values, "category") ? "category" : "keep";
}

/* ---- What is there ------------------------------------------------------------------------ */
typedef struct rows_column {
    size_t missing, numbers;            /* sparse rows have 0 besides */
    double low, high;                   /* of the numbers */
} column;

static double number_at(const fx_matrix *X, size_t q)
{
    return X->type == FX_F32 ? (double)((const float *)X->val)[q] : ((const double *)X->val)[q];
}

/* Calls fn for each stored number. */
static void visit(const fx_table *t, void (*fn)(void *ctx, size_t row, size_t col, double x),
                  void *ctx)
{
    size_t row = 0;

    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *X = &t->block[b];
        for (size_t i = 0; i < X->rows; i++, row++) {
            size_t from = X->ptr ? (size_t)X->ptr[i] : i * X->stride;
            size_t n = X->ptr ? (size_t)(X->ptr[i + 1] - X->ptr[i]) : X->cols;
            for (size_t q = from; q < from + n; q++)
                fn(ctx, row,
                   !X->ptr   ? q - from
                   : X->wide ? (size_t)((const int64_t *)X->col)[q]
                             : (size_t)((const int32_t *)X->col)[q],
                   number_at(X, q));
        }
    }
}

static void look(void *ctx, size_t row, size_t col, double x)
{
    rows_survey *s = ctx;
    column *c = &s->column[col];

    if (!isnan(x)) {
        c->low = c->numbers ? fmin(c->low, x) : x;
        c->high = c->numbers ? fmax(c->high, x) : x;
        c->numbers++;
        return;
    }
    s->missing++;
    s->columns += !c->missing++;
    s->rows += !s->row[row];
    s->row[row] = true;
}

void rows_missing_free(rows_survey *s)
{
    free(s->column);
    free(s->row);
    *s = (rows_survey){0};
}

int rows_missing_look(rows_survey *s, const fx_table *t)
{
    column *more = s->cols < t->cols ? realloc(s->column, t->cols * sizeof *more) : s->column;

    if (s->cols < t->cols && more) {
        memset(more + s->cols, 0, (t->cols - s->cols) * sizeof *more);
        s->column = more;
        s->cols = t->cols;
    }
    free(s->row);
    s->row = calloc(t->rows + 1, sizeof *s->row);
    if (s->cols < t->cols || !s->row)
        return say_no_memory("missing numbers");
    s->all += t->rows;
    visit(t, look, s);
    return 0;
}

/* ---- What becomes of it ------------------------------------------------------------------- */
static const char *name_of(char buf[32], const fx_table *t, size_t j)
{
    if (t->name)
        return t->name[j];
    snprintf(buf, 32, "%zu", j + (size_t)t->base);
    return buf;
}

static void describe(char out[LOAD_SAY], const loaded *l, const rows_survey *s)
{
    char shown[256] = "", number[32];
    size_t n = 0, listed = 0;

    for (size_t j = 0; j < s->cols && listed < 5; j++)
        if (s->column[j].missing && n + 64 < sizeof shown) {
            n += (size_t)snprintf(shown + n, sizeof shown - n, "%s%s%.40s: %zu", listed ? ", " : "",
                                  l->table.name ? "" : "column ", name_of(number, &l->table, j),
                                  s->column[j].missing);
            listed++;
        }
    snprintf(out, LOAD_SAY, "%zu missing number%s in %zu row%s (%s%s)", s->missing,
             s->missing == 1 ? "" : "s", s->rows, s->rows == 1 ? "" : "s", shown,
             listed < s->columns ? ", ..." : "");
}

static void say(const loaded *l, const rows_survey *s, const char *what)
{
    char text[LOAD_SAY];

    describe(text, l, s);
    say_note("%s: %s: %s", l->name, text, what);
}

/* A column without any number has no mean. */
static void warn_empty(const loaded *l, const rows_survey *s)
{
    for (size_t j = 0; j < s->cols; j++) {
        char number[32];
        if (s->column[j].missing < s->all)
            continue;
        const char *name = name_of(number, &l->table, j);
        say_warning("%s: the column %s has no number in any row, so it tells nothing%s%s", l->name,
                    name, l->table.name ? "; leave it out with --drop " : "",
                    l->table.name ? name : "");
    }
}

/* Filling in 0 is only plausible if other values of the column are near 0. */
static void warn_zeros(const loaded *l, const rows_survey *s)
{
    for (size_t j = 0; j < s->cols; j++) {
        const column *c = &s->column[j];
        char name[32];
        bool zeros = c->missing + c->numbers < s->all;
        if (!c->missing || !c->numbers || zeros || (c->low <= 0 && c->high >= 0))
            continue;
        say_warning("--nan zero: the column %s has numbers from %.6g to %.6g, so 0 is unlike all "
                    "of them; --nan mean,indicator is safer", name_of(name, &l->table, j), c->low,
                    c->high);
        return;
    }
}

/* Every row has a missing number: names the column that has most of them. */
static int none_complete(const fx_table *t, const rows_survey *s)
{
    size_t most = 0;
    char number[32];

    for (size_t j = 1; j < s->cols; j++)
        most = s->column[j].missing > s->column[most].missing ? j : most;
    return say_error("--nan drop leaves no row: each has a missing number, %zu of %zu in column "
                     "%s; --drop leaves out a column, --nan mean fills it", s->column[most].missing,
                     s->all, name_of(number, t, most));
}

/* Rows of t, at which s looked last, without missing numbers. */
static int select_complete(fx_data **out, const fx_table *t, const rows_survey *s)
{
    size_t *row = malloc((t->rows ? t->rows : 1) * sizeof *row), n = 0;

    if (!row)
        return say_no_memory("rows without missing numbers");
    for (size_t i = 0; i < t->rows; i++)
        if (!s->row[i])
            row[n++] = i;
    fx_status st = fx_data_select(out, t, row, n, &cli.run);
    free(row);
    return st ? say_failure(st) : 0;
}

static int drop_rows(loaded *l, const rows_survey *s)
{
    fx_data *data = NULL;
    int status = select_complete(&data, &l->table, s);

    if (!status)
        rows_replace(l, data);
    return status;
}

static int fill_zeros(loaded *l)
{
    fx_data *data = NULL;
    fx_status st = fx_data_fill(&data, "zero", &l->table, &cli.run);

    if (st)
        return say_failure(st);
    rows_replace(l, data);
    return 0;
}

/* Is it for us to settle?  Not if a model does, or for rows that others are made of. */
static bool is_ours(const load_options *like)
{
    return rows_missing_plan() && !like->reader && !like->nodes;
}

int rows_missing_batch(loaded *l, const load_options *like, rows_survey *s)
{
    size_t before = s->missing;
    int status = is_ours(like) && l->table.rows ? rows_missing_look(s, &l->table) : 0;

    if (status || s->missing == before)
        return status;
    return is("drop")                    ? drop_rows(l, s)
           : !like->filled && is("zero") ? fill_zeros(l)
                                         : 0;
}

bool rows_missing_refused(const load_options *like, const rows_survey *s)
{
    return s->missing && !like->filled && !is("drop") && !is("zero");
}

int rows_missing_end(loaded *l, const load_options *like, const rows_survey *s)
{
    if (!s->missing)
        return 0;
    if (is("drop") && s->rows == s->all)
        return none_complete(&l->table, s);
    if (is("drop")) {
        say(l, s, "these rows are left out");
        return 0;
    }
    if (!like->filled && is("zero")) {
        say(l, s, "filled with 0");
        return 0;
    }
    if (rows_missing_refused(like, s))
        return say_error("%s has %zu missing number%s, and only a model learns what to fill in; "
                         "here use --nan drop or zero",
                         l->name, s->missing, s->missing == 1 ? "" : "s");
    warn_empty(l, s);
    if (is("zero"))
        warn_zeros(l, s);
    say(l, s,
        is("median") ? "filled with the median of the column"
        : is("zero") ? "filled with 0"
                     : "filled with the mean of the column");
    if (rows_missing_plan() && strstr(rows_missing_plan(), "indicator"))
        say_note("%s: %zu column%s added: 1 where a number is missing, else 0", l->name,
                 s->columns, s->columns == 1 ? "" : "s");
    return 0;
}

int rows_missing_settle(loaded *l, const load_options *like)
{
    rows_survey s = {0};

    if (!rows_missing_plan())
        return 0;
    if (of_training(like))
        return EXIT_USAGE;
    if (like->streamed || l->exceeds)   /* more rows are to come */
        return 0;
    int status = rows_missing_batch(l, like, &s);
    if (!status && !like->again)
        status = rows_missing_end(l, like, &s);
    rows_missing_free(&s);
    return status;
}

int rows_missing_complete(fx_data **out, const fx_table *t)
{
    rows_survey s = {0};
    int status = rows_missing_plan() ? rows_missing_look(&s, t) : 0;

    *out = NULL;
    if (!status && s.missing)
        status = s.rows < s.all ? select_complete(out, t, &s) : none_complete(t, &s);
    rows_missing_free(&s);
    return status;
}

void rows_missing_filled(const loaded *l, const rows_survey *s, const char *missing)
{
    if (s->missing)
        say(l, s, strcmp(missing, "drop") ? "filled in as in training" : "these rows are left out");
}

void rows_missing_text(char out[LOAD_SAY], const loaded *l, const rows_survey *s)
{
    describe(out, l, s);
}
