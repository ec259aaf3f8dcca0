/* SPDX-License-Identifier: BSD-3-Clause
 * explanation_print.c - combinations that explain found: a table, CSV, JSON, bars. */

#include "explanation_print.h"

#include <stdlib.h>
#include <string.h>

enum { BARS = 40 };                     /* more cannot be read */

/* ---- Names -------------------------------------------------------------------------------- */
static const char *const *names(const explained *x)
{
    return x->c->name                                     ? x->c->name
           : x->X->name && x->X->table.cols == x->c->cols ? x->X->table.name
                                                          : NULL;
}

/* "age x sex=male", or numbers of columns as in the file. */
static char *features(const explained *x, const fx_combination *k)
{
    strbuf t = {0};

    for (size_t q = 0; q < k->order; q++) {
        strbuf_add(&t, "%s", q ? " x " : "");
        if (names(x))
            strbuf_add(&t, "%s", names(x)[k->column[q]]);
        else
            strbuf_add(&t, "%zu", k->column[q] + (size_t)x->c->base);
    }
    if (t.failed)
        strbuf_free(&t);
    return t.s;
}

static const char *label_name(char buf[32], const explained *x, double y, bool position)
{
    if (position && x->c->classes)
        return x->c->class_name[(size_t)y];
    if (!position && x->one.classes)
        return x->one.class_name[(size_t)y];
    return say_number(buf, y);
}

/* Names a score if there are several: by its class, or for components by a number from 1. */
static const char *score_name(char buf[256], const explained *x, const fx_explanation *e)
{
    if (x->c->classes)
        return model_file_output(buf, x->c, e->output);
    snprintf(buf, 256, "%zu", e->output + 1);
    return buf;
}

static const char *ranked_by(const explained *x)
{
    return x->row ? "contribution" : x->by_importance ? "importance" : "weight";
}

/* ---- The table ---------------------------------------------------------------------------- */
static void print_row(const explained *x, const fx_explanation *e)
{
    double sum = 0;
    char buf[32], name[256];

    for (size_t i = 0; i < e->n; i++)
        sum += e->at[i].contribution;
    safe_print(stdout,
               "\n%12.6g  constant\n%12.6g  the combinations above\n%12.6g  all others\n"
               "%12.6g  score",
               e->constant, sum, e->rest, e->score);
    if (x->c->outputs > 1 && x->c->classes)
        safe_print(stdout, " of %s", model_file_output(name, x->c, e->output));
    if (!x->c->variance && !spec_says(x->c->spec, "task", "rank"))
        safe_print(stdout, ", predicted %s", label_name(buf, x, x->prediction, true));
    if (x->one.label)
        safe_print(stdout, ", labelled %s",
                   label_name(buf, x, *x->one.label, false));
    putchar('\n');
    if (e->unseen)
        safe_print(stdout, "%zu entr%s of columns that training never saw add nothing\n",
                   e->unseen, e->unseen == 1 ? "y" : "ies");
}

/* What was searched: all combinations, or those of --order, --support, or of the rows. */
static void print_exact(const explained *x)
{
    safe_print(stdout, "\nexact: no other combination");
    if (x->order)
        safe_print(stdout, " of %llu features", (unsigned long long)x->order);
    if (x->X->name && !x->row && x->support > 1)
        safe_print(stdout, " in %llu rows or more", (unsigned long long)x->support);
    else if (x->X->name && !x->row && !x->unsupported)
        safe_print(stdout, " in these rows");
    safe_print(stdout, " has a larger %s\n", x->by_importance ? "importance"
                                             : x->row         ? "|contribution|"
                                                              : "|weight|");
}

static int print_one(const explained *x, const fx_explanation *e)
{
    static const text_table_column column[] = {{"contribution", false, 0, 0},
                                               {"weight", false, 1, 0},
                                               {"importance", false, 0, 0},
                                               {"order", false, 3, 0},
                                               {"rows", false, 2, 0},
                                               {"features", true, 0, 16}};
    text_table t = {.column = column, .columns = sizeof column / sizeof *column};

    for (size_t i = 0; i < e->n; i++) {
        const fx_combination *k = &e->at[i];
        char *combination = features(x, k);
        if (x->row)
            text_table_cell(&t, "%.6g", k->contribution);
        else
            text_table_cell(&t, "%s", "");
        text_table_cell(&t, "%.6g", k->weight);
        if (e->importance)
            text_table_cell(&t, "%.6g", e->importance[i]);
        else
            text_table_cell(&t, "%s", "");
        text_table_cell(&t, "%zu", k->order);
        if (x->X->name)
            text_table_cell(&t, "%llu", (unsigned long long)k->support);
        else
            text_table_cell(&t, "%s", "");
        text_table_cell(&t, "%s", combination ? combination : "");
        text_table_cell(&t, "%s", "");
        t.text.failed |= !combination;
        free(combination);
    }
    int status = text_table_print(stdout, &t);
    text_table_free(&t);
    if (status)
        return status;
    if (x->row)
        print_row(x, e);
    if (e->exact)
        print_exact(x);
    else
        safe_print(stdout,
                   "\nnot exact: the search has a limit (--effort %.4g); one that is missing may "
                   "have %s of up to %.4g\n",
                   x->effort,
                   x->by_importance ? "an importance"
                   : x->row         ? "a |contribution|"
                                    : "a |weight|",
                   e->missed);
    return 0;
}

int explanation_print(const explained *x)
{
    char buf[256];
    int status = 0;

    for (size_t i = 0; i < x->n && !status; i++) {
        if (x->all)
            safe_print(stdout, "%sof the score of %s\n", i ? "\n" : "",
                       score_name(buf, x, x->e[i]));
        status = print_one(x, x->e[i]);
    }
    return status ? status : say_flush();
}

/* ---- CSV ---------------------------------------------------------------------------------- */
int explanation_print_csv(const explained *x)
{
    bool classes = x->all || x->c->outputs > 1;
    char buf[256];
    strbuf t = {0};

    strbuf_add(&t, "%sfeatures,order,weight%s%s%s\n", classes ? "output," : "",
               x->row ? ",contribution" : "", x->n && x->e[0]->importance ? ",importance" : "",
               x->X->name ? ",rows" : "");
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < x->e[i]->n; k++) {
            const fx_combination *at = &x->e[i]->at[k];
            char number[32], *combination = features(x, at);
            if (classes) {
                strbuf_field(&t, score_name(buf, x, x->e[i]));
                strbuf_add(&t, ",");
            }
            strbuf_field(&t, combination ? combination : "");
            strbuf_add(&t, ",%zu,%s", at->order, say_number(number, at->weight));
            if (x->row)
                strbuf_add(&t, ",%s", say_number(number, at->contribution));
            if (x->e[i]->importance)
                strbuf_add(&t, ",%s", say_number(number, x->e[i]->importance[k]));
            if (x->X->name)
                strbuf_add(&t, ",%llu", (unsigned long long)at->support);
            strbuf_add(&t, "\n");
            t.failed |= !combination;
            free(combination);
        }
    output *o = NULL;
    int status = t.failed ? say_no_memory("the table") : output_open(&o, "-", OUTPUT_TEXT);
    if (!status && !(status = output_bytes(o, t.s, t.n)))
        status = output_close(o);
    strbuf_free(&t);
    return status;
}

/* ---- JSON --------------------------------------------------------------------------------- */
static json_t *json_combination(const explained *x, const fx_explanation *e, size_t i)
{
    const fx_combination *k = &e->at[i];
    json_t *list = json_array();

    for (size_t q = 0; q < k->order; q++)
        list = say_append(list, names(x) ? say_text(names(x)[k->column[q]])
                                         : json_integer((json_int_t)k->column[q] + x->c->base));
    json_t *o = json_pack("{s:o, s:I, s:f, s:o}", "features", list, "order", (json_int_t)k->order,
                          "weight", k->weight, "support",
                          x->X->name ? json_integer((json_int_t)k->support) : json_null());
    if (e->importance)
        o = say_set(o, "importance", json_real(e->importance[i]));
    return x->row ? say_set(o, "contribution", json_real(k->contribution)) : o;
}

static json_t *json_one(const explained *x, const fx_explanation *e)
{
    json_t *list = json_array();
    char buf[256], number[32];
    const double *label = x->one.label;

    for (size_t i = 0; i < e->n; i++)
        list = say_append(list, json_combination(x, e, i));
    json_t *o = json_pack(
        "{s:o, s:b, s:f, s:f, s:o, s:s}", "combinations", list, "exact", e->exact, "missed",
        e->exact ? 0 : e->missed, "constant", e->constant, "output",
        x->c->classes ? say_text(model_file_output(buf, x->c, e->output)) : json_null(), "by",
        ranked_by(x));
    o = say_set(o, "remark", model_info_text(x->c->remark));
    if (x->row) {
        o = say_set(o, "row", json_integer((json_int_t)x->row));
        o = say_set(o, "score", json_real(e->score));
        o = say_set(o, "rest", json_real(e->rest));
        o = say_set(o, "unseen", json_integer((json_int_t)e->unseen));
        o = say_set(o, "prediction",
                    x->c->variance ? json_null()
                                   : say_text(label_name(number, x, x->prediction, true)));
        o = say_set(o, "label",
                    label ? say_text(label_name(number, x, *label, false))
                          : json_null());
    }
    return o;
}

int explanation_print_json(const explained *x)
{
    json_t *list = json_array();

    if (!x->all) {
        json_decref(list);
        return say_json(json_one(x, x->e[0]));
    }
    for (size_t i = 0; i < x->n; i++)
        list = say_append(list, json_one(x, x->e[i]));
    return say_json(say_set(json_object(), "outputs", list));
}

/* ---- Bars --------------------------------------------------------------------------------- */
int explanation_plot(plot *p, const char *path, const explained *x)
{
    const fx_explanation *e = x->e[0];
    plot_bar bar[BARS] = {{0}};
    size_t n = e->n < BARS ? e->n : BARS;
    char title[512], score[256];
    bool failed = false;
    int used = 0;

    for (size_t i = 0; i < n; i++) {
        const fx_combination *k = &e->at[i];
        bar[i] = (plot_bar){features(x, k), x->row             ? k->contribution
                                            : x->by_importance ? e->importance[i]
                                                               : k->weight,
                            (x->row ? k->contribution : k->weight) < 0};
        failed |= !bar[i].name;
    }
    if (x->row)
        used = snprintf(title, sizeof title, "Score %.6g of row %llu", e->score,
                        (unsigned long long)x->row);
    else
        used = snprintf(title, sizeof title, "Combinations with the largest %s%s", ranked_by(x),
                        x->by_importance ? "" : "s");
    if (x->c->classes)
        snprintf(title + used, sizeof title - (size_t)used, ", class %.200s",
                 score_name(score, x, e));
    const char *axis = x->row             ? "contribution to the score"
                       : x->by_importance ? "importance: mean |contribution| over the rows"
                                          : "weight";
    int status = failed ? say_no_memory("the picture")
                        : plot_bars(p, path, title, axis, bar, n, x->by_importance);
    for (size_t i = 0; i < n; i++)
        free((void *)bar[i].name);
    return status;
}
