/* SPDX-License-Identifier: BSD-3-Clause
 * recommend_lines.c - recommendations as lines of CSV or JSON. */

#include "recommend_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool recommend_lines_named(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && !strcmp(dot, ".jsonl");
}

static bool has_label(const recommend_lines *l) { return l->c->classes == 2; }

void recommend_lines_begin(recommend_lines *l)
{
    if (!l->json)
        strbuf_add(&l->text, "user,rank,item,score%s%s\n", has_label(l) ? ",label" : "",
                   l->reasons.n ? ",because" : "");
}

/* The predicted class: the second if its probability is larger or, without any, if the score is
 * above 0. */
static const char *label_of(const recommend_lines *l, double score)
{
    const double *ab = l->c->sigmoid;
    double p = ab ? 1 / (1 + exp(ab[0] * score + ab[1])) : 0;

    return l->c->class_name[ab ? p > 1 - p : score > 0];
}

/* What column j is called. */
static const char *column_of(char buf[32], const recommend_lines *l, size_t j)
{
    if (l->c->name)
        return l->c->name[j];
    snprintf(buf, 32, "%zu", j + (size_t)l->c->base);
    return buf;
}

static void add_combination(strbuf *t, const recommend_lines *l, const fx_combination *c,
                            const char *between)
{
    char buf[32];

    for (size_t i = 0; i < c->order; i++)
        strbuf_add(t, "%s%s", i ? between : "", column_of(buf, l, c->column[i]));
}

/* ---- CSV ---------------------------------------------------------------------------------- */
static void add_csv(recommend_lines *l, size_t rank, double score)
{
    char buf[32];

    strbuf_field(&l->text, l->user);
    strbuf_add(&l->text, ",%zu,", rank);
    strbuf_field(&l->text, l->item);
    fx_data_number(buf, score);
    strbuf_add(&l->text, ",%s", buf);
    if (has_label(l)) {
        strbuf_add(&l->text, ",");
        strbuf_field(&l->text, label_of(l, score));
    }
    if (l->reasons.n) {
        strbuf all = {0};
        for (size_t i = 0; i < l->reasons.founds; i++) {
            const fx_combination *c = l->reasons.found[i];
            strbuf_add(&all, "%s", i ? "; " : "");
            add_combination(&all, l, c, " & ");
            strbuf_add(&all, " %+.4g", c->contribution);
        }
        strbuf_add(&l->text, ",");
        strbuf_field(&l->text, all.s ? all.s : "");
        l->text.failed |= all.failed;
        strbuf_free(&all);
    }
    strbuf_add(&l->text, "\n");
}

/* ---- JSON --------------------------------------------------------------------------------- */
static json_t *reasons_of(const recommend_lines *l)
{
    json_t *list = json_array();
    char buf[32];

    for (size_t i = 0; i < l->reasons.founds; i++) {
        const fx_combination *c = l->reasons.found[i];
        json_t *features = json_array();
        for (size_t k = 0; k < c->order; k++)
            features = say_append(features, say_text(column_of(buf, l, c->column[k])));
        list = say_append(
            list, json_pack("{s:o, s:f}", "features", features, "contribution", c->contribution));
    }
    return list;
}

static void add_json(recommend_lines *l, size_t rank, double score)
{
    json_t *j = json_pack("{s:o, s:I, s:o, s:f}", "user", say_text(l->user), "rank",
                          (json_int_t)rank, "item", say_text(l->item), "score", score);

    if (has_label(l))
        j = say_set(j, "label", say_text(label_of(l, score)));
    if (l->reasons.n)
        j = say_set(j, "because", reasons_of(l));
    char *line = say_dump(j, JSON_REAL_PRECISION(17));
    l->text.failed |= !line;
    if (line)
        strbuf_add(&l->text, "%s\n", line);
    free(line);
}

int recommend_lines_add(recommend_lines *l, size_t rank, double score, recommend_reasons *why)
{
    int status = recommend_reasons_find(why);

    if (status)
        return status;
    if (l->json)
        add_json(l, rank, score);
    else
        add_csv(l, rank, score);
    return 0;
}

void recommend_lines_free(recommend_lines *l)
{
    strbuf_free(&l->text);
    recommend_reasons_free(&l->reasons);
}
