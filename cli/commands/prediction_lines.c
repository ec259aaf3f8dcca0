/* SPDX-License-Identifier: BSD-3-Clause
 * prediction_lines.c - predictions as lines of text, CSV or JSON. */

#include "prediction_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const what_names[] = {"label", "score", "proba"};

static void put(prediction_lines *p, const char *text)
{
    strbuf_bytes(&p->text, text, strlen(text));
}

/* NaN: the row has a missing number, and the model leaves such rows out. */
static bool is_missing(prediction_lines *p, double x)
{
    if (isnan(x))
        put(p, p->form == PREDICTION_TEXT || p->form == PREDICTION_CSV ? "NA" : "null");
    return isnan(x);
}

static void put_number(prediction_lines *p, double x)
{
    if (is_missing(p, x))
        return;
    char *to = strbuf_reserve(&p->text, 32);

    p->text.n += to ? (size_t)fx_data_number(to, x) : 0;
}

static char *json_name(const char *name) { return say_dump(say_text(name), JSON_ENCODE_ANY); }

/* ---- Names of the values ------------------------------------------------------------------ */
const char *prediction_lines_name(char buf[256], const prediction_lines *p, size_t i)
{
    if (p->what == FX_PROBA)
        return p->c->class_name[i];
    if (p->c->variance || p->width == 1) /* components have numbers; one score needs no name */
        return "";
    return model_file_output(buf, p->c, i);
}

bool prediction_lines_are_named(const prediction_lines *p)
{
    return p->what == FX_PROBA || (p->what == FX_SCORE && p->c->pairs && p->width > 1);
}

/* "proba:yes", "score:2" or, of one score, "score". */
static char *csv_name(const prediction_lines *p, size_t i)
{
    strbuf plain = {0}, field = {0};
    char buf[256];
    const char *name = prediction_lines_name(buf, p, i);

    strbuf_add(&plain, "%s", what_names[p->what]);
    if (*name)
        strbuf_add(&plain, ":%s", name);
    else if (p->width > 1)
        strbuf_add(&plain, ":%zu", i + 1);
    if (!plain.failed)
        strbuf_field(&field, plain.s);
    strbuf_bytes(&field, "", 1);
    bool failed = plain.failed || field.failed;
    strbuf_free(&plain);
    if (failed)
        strbuf_free(&field);
    return field.s;
}

int prediction_lines_begin(prediction_lines *p)
{
    char buf[256];
    bool csv = p->form == PREDICTION_CSV, text = p->form == PREDICTION_TEXT;
    bool named = p->what != FX_LABEL && !text && (csv || prediction_lines_are_named(p));

    if (p->form == PREDICTION_JSON)
        put(p, "{\n  \"predictions\": [");
    if (named && !(p->name = calloc(p->width, sizeof *p->name)))
        return say_no_memory("names");
    if (csv)
        put(p, p->c->variance ? "id" : "id,label");
    for (size_t i = 0; i < p->width && named; i++) {
        p->name[i] = csv ? csv_name(p, i) : json_name(prediction_lines_name(buf, p, i));
        if (!p->name[i])
            return say_no_memory("names");
        if (csv) {
            put(p, ",");
            put(p, p->name[i]);
        }
    }
    if (csv)
        put(p, "\n");
    return p->text.failed ? say_no_memory("names") : 0;
}

void prediction_lines_free(prediction_lines *p)
{
    for (size_t i = 0; p->name && i < p->width; i++)
        free(p->name[i]);
    free(p->name);
    strbuf_free(&p->text);
}

/* ---- Rows --------------------------------------------------------------------------------- */
static void text_row(prediction_lines *p, const double *v)
{
    for (size_t i = 0; i < p->width; i++) {
        if (i > 0)
            put(p, " ");
        if (p->what == FX_LABEL && p->c->classes && !is_missing(p, v[i]))
            put(p, p->c->class_name[(size_t)v[i]]);
        else if (p->what != FX_LABEL || !p->c->classes)
            put_number(p, v[i]);
    }
    put(p, "\n");
}

/* The identifier of the row: the field of --id, else its number, from 1. */
static void put_id(prediction_lines *p)
{
    if (p->id)
        strbuf_field(&p->text, p->id);
    else
        strbuf_add(&p->text, "%llu", (unsigned long long)p->rows + 1);
}

static void csv_row(prediction_lines *p, const double *v, double label)
{
    put_id(p);
    if (!p->c->variance) {
        put(p, ",");
        if (p->c->classes && !is_missing(p, label))
            strbuf_field(&p->text, p->c->class_name[(size_t)label]);
        else if (!p->c->classes)
            put_number(p, label);
    }
    for (size_t i = 0; i < p->width && p->what != FX_LABEL; i++) {
        put(p, ",");
        put_number(p, v[i]);
    }
    put(p, "\n");
}

/* A class as a JSON value: a number where labels are numbers, or its name. */
static void put_json_class(prediction_lines *p, size_t c)
{
    if (p->c->class_value) {
        put_number(p, p->c->class_value[c]);
        return;
    }
    char *name = json_name(p->c->class_name[c]);
    p->text.failed |= !name;
    put(p, name ? name : "");
    free(name);
}

static void put_json_id(prediction_lines *p)
{
    char *id = json_name(p->id);

    p->text.failed |= !id;
    put(p, "\"id\": ");
    put(p, id ? id : "");
    put(p, ", ");
    free(id);
}

static void json_row(prediction_lines *p, const double *v)
{
    bool list = p->what == FX_SCORE && p->width > 1 && !p->name;

    put(p, "{");
    if (p->id)
        put_json_id(p);
    put(p, "\"");
    put(p, what_names[p->what]);
    put(p, "\": ");
    put(p, list ? "[" : p->name ? "{" : "");
    for (size_t i = 0; i < p->width; i++) {
        if (i > 0)
            put(p, ", ");
        if (p->name) {
            put(p, p->name[i]);
            put(p, ": ");
        }
        if (p->what == FX_LABEL && p->c->classes && !is_missing(p, v[i]))
            put_json_class(p, (size_t)v[i]);
        else if (p->what != FX_LABEL || !p->c->classes)
            put_number(p, v[i]);
    }
    put(p, list ? "]}" : p->name ? "}}" : "}");
}

void prediction_lines_row(prediction_lines *p, const double *value, double label)
{
    if (p->form == PREDICTION_TEXT)
        text_row(p, value);
    else if (p->form == PREDICTION_CSV)
        csv_row(p, value, label);
    else {
        if (p->form == PREDICTION_JSON)
            put(p, p->rows ? ",\n    " : "\n    ");
        json_row(p, value);
        if (p->form == PREDICTION_JSONL)
            put(p, "\n");
    }
    p->rows++;
}
