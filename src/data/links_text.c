/* SPDX-License-Identifier: BSD-3-Clause
 * links_text.c - the nodes of links by their labels, and lines `a b`.
 *
 * A label that is a number is found by its value: 7, 7.0 and 7e0 are the same node.  An invalid
 * line is rejected as `links:line: ..`.  O(length of the text) on average, by hashing. */

#include "data/links.h"

#include <string.h>

/* ---- Nodes ------------------------------------------------------------------------------- */
/* What row i is called. */
static const char *node_name(char buf[32], const fx_table *t, size_t i)
{
    if (t->classes && t->label)
        return t->class_name[(size_t)t->label[i]];
    buf[fxi_decimal_write(buf, t->label ? t->label[i] + 0.0 : (double)(i + 1))] = '\0';
    return buf;
}

static fx_status name_nodes(fxi_data_classes *to, const fx_table *t, const char *which,
                            fxi_team *team)
{
    char buf[32];
    fx_status s = FX_OK;

    for (size_t i = 0, number = 0; i < t->rows && !s; i++) {
        const char *name = node_name(buf, t, i);
        s = fxi_data_classes_add(&number, to, name, strlen(name), team);
        if (!s && number != i)
            s = fxi_error(FX_EINVAL,
                          "rows %zu and %zu of %s are both called '%s'; nodes need "
                          "labels of their own",
                          number + 1, i + 1, which, name);
        if (fxi_data_stopped(i, team))
            s = FX_ECANCELLED;
    }
    return s;
}

/* ---- Lines ------------------------------------------------------------------------------- */
typedef struct scan {
    const fxi_links *l;
    const fxi_data_classes *of_a, *of_b;
    size_t number;                      /* of the line */
    const char *p, *stop;               /* what is left of it */
} scan;

/* The next word of the line; 0: there is none. */
static size_t next_word(const char **word, scan *s)
{
    while (s->p < s->stop && fxi_data_text_space(*s->p))
        s->p++;
    *word = s->p;
    while (s->p < s->stop && !fxi_data_text_space(*s->p))
        s->p++;
    return (size_t)(s->p - *word);
}

static fx_status find_node(size_t *node, const scan *s, const fxi_data_classes *names,
                           const fx_table *t, const char *which, const char *word, size_t len)
{
    char buf[32], excerpt[FXI_EXCERPT];
    double x;
    bool found = false;

    if (t->classes && t->label)
        found = fxi_data_classes_find(node, names, word, len);
    else if (fxi_decimal_read(&x, word, word + len) == word + len)
        found = fxi_data_classes_find(node, names, buf, (size_t)fxi_decimal_write(buf, x + 0.0));
    return found ? FX_OK
                 : fxi_error(FX_EFORMAT, "links:%zu: no node of %s is called '%s'", s->number,
                             which, fxi_data_text_excerpt(excerpt, word, len));
}

static fx_status read_link(uint64_t *pair, scan *s)
{
    const char *a, *b, *rest;
    size_t an = next_word(&a, s), bn = next_word(&b, s), u, v;
    fx_status st;

    if (!bn)
        return fxi_error(FX_EFORMAT, "links:%zu: one word; a link is two nodes", s->number);
    if (next_word(&rest, s))
        return fxi_error(FX_EFORMAT, "links:%zu: more than two words; a link is two nodes",
                         s->number);
    const bool within = s->l->within;
    if ((st = find_node(&u, s, s->of_a, s->l->A, "A", a, an))
        || (st = find_node(&v, s, s->of_b, s->l->B, within ? "A" : "B", b, bn)))
        return st;
    if (within && u == v)
        return fxi_error(FX_EFORMAT, "links:%zu: a link of node %zu with itself", s->number, u + 1);
    if (within && u > v) {
        size_t swap = u;
        u = v;
        v = swap;
    }
    *pair = (uint64_t)u * s->l->B->rows + v;
    return FX_OK;
}

static fx_status read_lines(fxi_links *l, scan *s, const char *text, fxi_team *team)
{
    const char *p = text, *end = text + strlen(text), *line, *stop;
    fx_status st = FX_OK;

    while (!st && fxi_data_text_line(&line, &stop, &p, end)) {
        const char *comment = memchr(line, '#', (size_t)(stop - line)), *word;
        uint64_t pair = 0;
        s->number++;
        s->p = line;
        s->stop = comment ? comment : stop;
        if (!next_word(&word, s))
            continue;
        s->p = line;
        if ((st = read_link(&pair, s)))
            return st;
        if (!fxi_data_pairs_enter(&l->known, pair, false))
            return fxi_error(FX_EFORMAT, "links:%zu: this link is given twice", s->number);
        l->link[l->links++] = pair;
        if (fxi_data_stopped(s->number, team))
            st = FX_ECANCELLED;
    }
    return st;
}

static fx_status count_pairs(fxi_links *l)
{
    const size_t a = l->A->rows, b = l->B->rows;

    if (a > FX_INDEX_MAX || b > FX_INDEX_MAX)
        return fxi_error(FX_ESHAPE, "%zu nodes of A, %zu of B: too many", a, b);
    l->pairs = l->within ? (uint64_t)a * (a ? a - 1 : 0) / 2 : (uint64_t)a * b;
    return FX_OK;
}

fx_status fxi_data_links_text(fxi_links *l, const char *text, const fx_run *run, fxi_team *team)
{
    fxi_data_classes a = {0}, b = {0};
    scan x = {.l = l, .of_a = &a, .of_b = l->within ? &a : &b};
    const size_t lines = fxi_data_text_lines(text);
    fx_status s = count_pairs(l);

    if (!s)
        s = name_nodes(&a, l->A, "A", team);
    if (!s && !l->within)
        s = name_nodes(&b, l->B, "B", team);
    if (!s)
        s = fxi_data_pairs_reserve(&l->known, lines, run, team);
    if (!s && !(l->link = fxi_alloc(lines, sizeof *l->link)))
        s = FX_ENOMEM;
    if (!s)
        s = read_lines(l, &x, text, team);
    if (!s && !l->links)
        s = fxi_error(FX_EFORMAT, "links: there is no link");
    fxi_data_classes_free(&a);
    fxi_data_classes_free(&b);
    return s;
}
