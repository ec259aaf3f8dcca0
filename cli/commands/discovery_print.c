/* SPDX-License-Identifier: BSD-3-Clause
 * discovery_print.c - the tables of discover, CSV, JSON and the figure. */

#include "discovery_print.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWN = 40 };                    /* more cannot be read */

static bool listed(const discovered *x, const fx_discovered *a) { return x->all || !a->eliminated; }

static bool several(const discovered *x) { return x->d->info->classes > 2; }

/* ---- The table ------------------------------------------------------------------------------- */

/* True if families have more than one member. */
static bool nested(const fx_discovery *d)
{
    for (size_t k = 1; k < d->n; k++)
        if (d->at[k].family == d->at[k - 1].family)
            return true;
    return false;
}

/* Infinite and missing ends of an interval: nothing. */
static void add_end(text_table *t, double x)
{
    if (isfinite(x))
        text_table_cell(t, "%.4g", x);
    else
        text_table_cell(t, "%s", isnan(x) ? "" : x < 0 ? "-inf" : "inf");
}

static int print_table(const discovered *x)
{
    static const text_table_column column[] = {
        {"p", false, 0, 0},         {"effect", false, 0, 0},   {"from", false, 4, 0},
        {"to", false, 4, 0},        {"rows", false, 2, 0},     {"selected", false, 5, 0},
        {"adds", false, 3, 0},      {"family", false, 6, 0},   {"class", true, 0, 8},
        {"combination", true, 0, 16}};
    text_table t = {.column = column, .columns = sizeof column / sizeof *column};
    bool families = nested(x->d), any = false;

    for (size_t k = 0; k < x->d->n; k++) {
        const fx_discovered *a = &x->d->at[k];
        if (!listed(x, a))
            continue;
        char *set = discovery_words_set(x->d->info, a->column, a->order),
             *same = discovery_words_same(x->d->info, a);
        any = true;
        text_table_cell(&t, "%.2g", a->p);
        add_end(&t, a->effect);
        add_end(&t, a->low);
        add_end(&t, a->high);
        text_table_cell(&t, "%llu", (unsigned long long)a->support);
        text_table_cell(&t, "%.0f %%", 100 * a->frequency);
        text_table_cell(&t, "%.3g %%", 100 * a->adds);
        if (families)
            text_table_cell(&t, "%zu", a->family + 1);
        else
            text_table_cell(&t, "%s", "");
        text_table_cell(&t, "%s", several(x) ? discovery_words_class(x->d->info, a->output) : "");
        text_table_cell(&t, "%s%s", set ? set : "", a->eliminated ? " (adds nothing)" : "");
        text_table_cell(&t, "%s", same ? same : "");
        t.text.failed |= !set || !same;
        free(set);
        free(same);
    }
    int status = any ? text_table_print(stdout, &t) : 0;
    text_table_free(&t);
    if (any && !status)
        safe_print(stdout, "\n");
    return status;
}

static int print_rules(const discovered *x)
{
    static const text_table_column column[] = {
        {"rows", false, 2, 0},          {"confidence", false, 0, 0}, {"mean", false, 0, 0},
        {"lift", false, 0, 0},          {"difference", false, 0, 0}, {"if", true, 0, 16},
        {"then", true, 0, 8}};
    text_table t = {.column = column, .columns = sizeof column / sizeof *column};
    bool any = false;

    for (size_t k = 0; k < x->d->n; k++) {
        const fx_discovered *a = &x->d->at[k];
        rule r;
        if (!listed(x, a) || !discovery_words_rule(&r, x, a))
            continue;
        any = true;
        text_table_cell(&t, "%llu", (unsigned long long)a->support);
        for (int number = 0; number < 2; number++)      /* classes, then numbers */
            if (x->regress == number)
                text_table_cell(&t, "%.4g", r.confidence);
            else
                text_table_cell(&t, "%s", "");
        for (int number = 0; number < 2; number++)
            if (x->regress == number)
                text_table_cell(&t, "%.4g", r.lift);
            else
                text_table_cell(&t, "%s", "");
        text_table_cell(&t, "%s", r.when ? r.when : "");
        text_table_cell(&t, "%s", r.then ? r.then : "");
        text_table_cell(&t, "%s", "");
        t.text.failed |= !r.when || !r.then;
        free(r.when);
        free(r.then);
    }
    int status = any ? text_table_print(stdout, &t) : 0;
    text_table_free(&t);
    if (any && !status)
        safe_print(stdout, "\n");
    return status;
}

static void print_permutations(const fx_discovery *d)
{
    if (d->permutations)
        safe_print(stdout,
                   "With shuffled labels, %zu of %zu runs found something: a share of %.3g (95 %% "
                   "interval %.3g to %.3g).\n",
                   d->null_found, d->permutations, (double)d->null_found / (double)d->permutations,
                   d->null_low, d->null_high);
}

static void print_eliminated(const discovered *x)
{
    size_t n = 0;

    for (size_t k = 0; k < x->d->n; k++)
        n += x->d->at[k].eliminated != 0;
    if (n && !x->all)
        safe_print(stdout, "%zu more %s significant and add%s nothing to those listed; --all lists "
                           "%s.\n",
                   n, n == 1 ? "is" : "are", n == 1 ? "s" : "", n == 1 ? "it" : "them");
}

int discovery_print(const discovered *x)
{
    int status = print_table(x);

    if (!status && x->rules)
        status = print_rules(x);
    char *sentence = discovery_words_sentence(x), *caution = discovery_words_caution(x);
    if (!status && !(sentence && caution))
        status = say_no_memory("the sentence");
    if (!status) {
        safe_print(stdout, "%s\n", sentence);
        print_eliminated(x);
        safe_print(stdout, "%s\n", caution);
        print_permutations(x->d);
        status = say_flush();
    }
    free(sentence);
    free(caution);
    return status;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void add_number(strbuf *t, double x)
{
    char buf[32];

    strbuf_add(t, ",%s", say_number(buf, x));
}

static void add_line(strbuf *t, const discovered *x, const fx_discovered *a)
{
    char *set = discovery_words_set(x->d->info, a->column, a->order);
    rule r;

    strbuf_field(t, set ? set : "");
    strbuf_add(t, ",%zu,%llu", a->order, (unsigned long long)a->support);
    add_number(t, a->effect);
    add_number(t, a->low);
    add_number(t, a->high);
    add_number(t, a->p);
    add_number(t, a->frequency);
    add_number(t, a->adds);
    strbuf_add(t, ",%zu,%s", a->family + 1, a->eliminated ? "yes" : "no");
    if (several(x)) {
        strbuf_add(t, ",");
        strbuf_field(t, discovery_words_class(x->d->info, a->output));
    }
    if (x->rules && discovery_words_rule(&r, x, a)) {
        strbuf_add(t, ",");
        strbuf_field(t, r.then ? r.then : "");
        add_number(t, r.confidence);
        add_number(t, r.lift);
        t->failed |= !r.when || !r.then;
        free(r.when);
        free(r.then);
    } else if (x->rules) {
        strbuf_add(t, ",,,");
    }
    strbuf_add(t, "\n");
    t->failed |= !set;
    free(set);
}

int discovery_print_csv(const discovered *x)
{
    strbuf t = {0};
    output *o = NULL;

    strbuf_add(&t,
               "combination,order,rows,effect,low,high,p,frequency,adds,family,eliminated%s%s\n",
               several(x) ? ",class" : "",
               !x->rules    ? ""
               : x->regress ? ",then,mean,difference"
                            : ",then,confidence,lift");
    for (size_t k = 0; k < x->d->n; k++)
        add_line(&t, x, &x->d->at[k]);
    int status = t.failed ? say_no_memory("the table") : output_open(&o, "-", OUTPUT_TEXT);
    if (!status && !(status = output_bytes(o, t.s, t.n)))
        status = output_close(o);
    strbuf_free(&t);
    return status;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_columns(const fx_model_info *c, const size_t *column, size_t order)
{
    json_t *list = json_array();

    for (size_t q = 0; q < order; q++)
        list = say_append(list, c->name ? say_text(c->name[column[q]])
                                        : json_integer((json_int_t)column[q] + c->base));
    return list;
}

/* JSON has no infinity. */
static json_t *json_number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *json_rule(const discovered *x, const fx_discovered *a)
{
    rule r;

    if (!discovery_words_rule(&r, x, a))
        return json_null();
    json_t *o = json_pack("{s:o, s:f, s:f}", "then", r.then ? say_text(r.then) : NULL,
                          x->regress ? "mean" : "confidence", r.confidence,
                          x->regress ? "difference" : "lift", r.lift);
    free(r.when);
    free(r.then);
    return o;
}

static json_t *json_one(const discovered *x, const fx_discovered *a)
{
    const fx_model_info *c = x->d->info;
    json_t *same = json_array();

    for (size_t k = 0; k < a->sames; k++)
        same = say_append(same, json_columns(c, a->same[k].column, a->same[k].order));
    json_t *o = json_pack("{s:o, s:I, s:I, s:o, s:[o, o], s:b, s:f, s:f, s:I, s:f, s:b, s:o}",
                          "features", json_columns(c, a->column, a->order), "order",
                          (json_int_t)a->order, "support", (json_int_t)a->support, "effect",
                          json_number(a->effect), "interval", json_number(a->low),
                          json_number(a->high), "separates", isinf(a->effect) != 0, "p", a->p,
                          "frequency", a->frequency, "family", (json_int_t)a->family + 1, "adds",
                          a->adds, "eliminated", a->eliminated, "same", same);
    if (c->classes)
        o = say_set(o, "class", say_text(discovery_words_class(c, a->output)));
    return x->rules ? say_set(o, "rule", json_rule(x, a)) : o;
}

static json_t *json_null_runs(const fx_discovery *d)
{
    return d->permutations ? json_pack("{s:I, s:I, s:[f, f]}", "permutations",
                                       (json_int_t)d->permutations, "discoveries",
                                       (json_int_t)d->null_found, "interval", d->null_low,
                                       d->null_high)
                           : json_null();
}

int discovery_print_json(const discovered *x)
{
    const fx_discovery *d = x->d;
    json_t *list = json_array();
    char *sentence = discovery_words_sentence(x), *caution = discovery_words_caution(x);

    for (size_t k = 0; k < d->n; k++)
        list = say_append(list, json_one(x, &d->at[k]));
    json_t *o = json_pack("{s:I, s:f, s:f, s:f, s:b, s:o, s:o}", "order", (json_int_t)d->order,
                          "alpha", d->alpha, "C", d->C, "gap", d->gap, "certified", d->certified,
                          "combinations", list, "null", json_null_runs(d));
    o = say_set(o, "rows", json_integer((json_int_t)d->rows));
    o = say_set(o, "columns", json_integer((json_int_t)d->info->cols));
    o = say_set(o, "products", json_real(d->products));
    o = say_set(o, "halves", json_integer((json_int_t)d->halves));
    o = say_set(o, "select", json_integer((json_int_t)d->select));
    o = say_set(o, "task", say_text(x->regress ? "regress" : "classify"));
    o = say_set(o, "scale", say_text(*d->info->scale ? d->info->scale : "none"));
    o = say_set(o, "sentence", sentence ? say_text(sentence) : NULL);
    o = say_set(o, "caution", caution ? say_text(caution) : NULL);
    o = say_set(o, "seed", json_integer((json_int_t)cli.seed));
    o = say_set(o, "seconds", json_real(x->seconds));
    free(sentence);
    free(caution);
    return say_json(o);
}

/* ---- The figure ------------------------------------------------------------------------------ */

int discovery_plot(plot *p, const char *path, const discovered *x)
{
    const fx_model_info *c = x->d->info;
    plot_interval line[DRAWN] = {{0}};
    size_t n = 0;
    bool failed = false;

    for (size_t k = 0; k < x->d->n && n < DRAWN; k++) {
        const fx_discovered *a = &x->d->at[k];
        if (!listed(x, a))
            continue;
        char *set = discovery_words_set(c, a->column, a->order);
        strbuf t = {0};
        strbuf_add(&t, "%s%s%s%s", several(x) ? discovery_words_class(c, a->output) : "",
                   several(x) ? ": " : "", set ? set : "",
                   isfinite(a->effect) ? "" : " (infinite)");
        failed |= !set || t.failed;
        free(set);
        line[n++] = (plot_interval){t.s, a->effect, a->low, a->high};
    }
    strbuf axis = {0};
    if (x->regress)
        strbuf_add(&axis, "effect on the label, with interval");
    else if (c->classes == 2)
        strbuf_add(&axis, "effect on the log-odds of class %s, with interval", c->class_name[1]);
    else
        strbuf_add(&axis, "effect on the log-odds of the class, with interval");
    int status = failed || axis.failed
                     ? say_no_memory("the figure")
                     : plot_intervals(p, path, "Combinations associated with the label", axis.s,
                                      line, n);
    for (size_t k = 0; k < n; k++)
        free((void *)line[k].name);
    strbuf_free(&axis);
    return status;
}
