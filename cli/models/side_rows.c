/* SPDX-License-Identifier: BSD-3-Clause
 * side_rows.c - rows of one side of a model of pairs: users or items alone.
 *
 * A model that was trained with --links keeps how its nodes were read and how many columns the
 * first ones have, so that files of nodes are read as in training.  Other models of pairs have
 * rows of all columns, of which those of the other side are absent. */

#include "models.h"

#include <stdlib.h>
#include <string.h>

/* ---- How they are read -------------------------------------------------------------------- */
enum { PREFIX = 2 };                    /* "a." and "b.", where names of the sides clash */

static bool all_begin(const char *const *name, size_t n, const char *with)
{
    size_t j = 0;

    while (j < n && !strncmp(name[j], with, PREFIX))
        j++;
    return j == n;
}

/* Names of the columns of a side, as its file has them. */
static const char **names_of(const fx_model_info *c, size_t first, size_t n)
{
    const char **name = malloc((n ? n : 1) * sizeof *name);
    bool prefixed = *c->side_reader[FX_FIRST] && all_begin(c->name, c->split, "a.")
                    && all_begin(c->name + c->split, c->inputs - c->split, "b.");

    for (size_t j = 0; name && j < n; j++)
        name[j] = c->name[first + j] + (prefixed ? PREFIX : 0);
    return name;
}

static size_t first_of(const side_rows *s)
{
    return s->side == FX_SECOND && !s->alone ? s->c->split : 0;
}

/* Columns of this side of the model. */
static size_t columns_of(const fx_model_info *c, fx_side side)
{
    return !c->split ? c->inputs : side == FX_SECOND ? c->inputs - c->split : c->split;
}

static size_t width_of(const side_rows *s) { return columns_of(s->c, s->side) + s->more; }

static int read_side(side_rows *s, const char *path, load_options how)
{
    const fx_model_info *c = s->c;
    const char *reader = c->side_reader[s->side];
    const char **name = NULL;

    if (!c->split)
        return model_file_rows(&s->in, path, c, how);
    how.reader = *reader ? reader : c->reader;
    how.base = !*reader ? c->base : spec_says(reader, "base", "0") ? 0 : 1;
    const size_t first = s->side == FX_SECOND ? c->split : 0, n = columns_of(c, s->side);
    if (c->name && !(name = names_of(c, first, n)))
        return say_no_memory("names of columns");
    how.name = name;
    how.names = n;
    int status = load_as(&s->in, path, &how);
    free(name);
    if (!status && how.grows && s->in.table.cols > n)
        s->more = s->in.table.cols - n;
    return status;
}

/* ---- Columns of the model ----------------------------------------------------------------- */
static int reserve(side_rows *s)
{
    const fx_table *t = &s->in.table;
    size_t stored = 0;

    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *m = &t->block[b];
        stored += m->ptr ? (size_t)(m->ptr[m->rows] - m->ptr[0]) : m->rows * m->cols;
    }
    if (t->rows <= s->rows && stored <= s->stored && s->ptr)
        return 0;
    int status = say_limit(12 * (double)stored, "%s: rows of one side need", s->in.name);
    if (status)
        return status;
    free(s->ptr);
    free(s->col);
    free(s->val);
    s->ptr = malloc((t->rows + 1) * sizeof *s->ptr);
    s->col = malloc((stored + 1) * sizeof *s->col);
    s->val = malloc((stored + 1) * sizeof *s->val);
    s->rows = t->rows;
    s->stored = stored;
    return s->ptr && s->col && s->val ? 0 : say_no_memory("rows of one side");
}

static double value_at(const fx_matrix *m, size_t k)
{
    return m->type == FX_F32 ? (double)((const float *)m->val)[k] : ((const double *)m->val)[k];
}

/* Row i of a block; returns the end of what is stored. */
static size_t put_row(side_rows *s, const fx_matrix *m, size_t i, size_t to)
{
    size_t from = m->ptr ? (size_t)m->ptr[i] : i * m->stride;
    size_t n = m->ptr ? (size_t)(m->ptr[i + 1] - m->ptr[i]) : m->cols;

    for (size_t k = 0; k < n; k++) {
        double x = value_at(m, from + k);
        size_t j = !m->ptr   ? k
                   : m->wide ? (size_t)((const int64_t *)m->col)[from + k]
                             : (size_t)((const int32_t *)m->col)[from + k];
        if (x == 0)
            continue;
        if (j >= width_of(s)) {
            s->unseen++;
            continue;
        }
        s->col[to] = (int32_t)(first_of(s) + j);
        s->val[to++] = x;
    }
    return to;
}

static int place(side_rows *s)
{
    const fx_table *t = &s->in.table;
    size_t row = 0, to = 0;
    int status = reserve(s);

    if (status)
        return status;
    s->ptr[0] = 0;
    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *m = &t->block[b];
        if (!m->ptr && m->cols != width_of(s) && m->rows)
            return say_error("%s: rows of %zu columns; the model has %zu%s", s->in.name, m->cols,
                             width_of(s), s->c->split ? " of this side" : "");
        for (size_t i = 0; i < m->rows; i++)
            s->ptr[++row] = (int64_t)(to = put_row(s, m, i, to));
    }
    s->X = (fx_matrix){.rows = row,
                       .cols = s->alone ? width_of(s) : s->c->inputs,
                       .type = FX_F64,
                       .val = s->val,
                       .ptr = s->ptr,
                       .col = s->col};
    return 0;
}

/* ---- Rows --------------------------------------------------------------------------------- */
int side_rows_open(side_rows *s, const char *path, const fx_model_info *c, fx_side side,
                   load_options how)
{
    *s = (side_rows){.c = c, .side = side, .alone = how.nodes};
    int status = read_side(s, path, how);

    return status ? status : place(s);
}

int side_rows_next(side_rows *s)
{
    s->before += s->X.rows;
    int status = load_next(&s->in);

    return status ? status : place(s);
}

const char *side_rows_name(char buf[32], const side_rows *s, size_t i)
{
    const fx_table *t = &s->in.table;

    if (t->id)
        return t->id[i];
    if (t->label && t->classes)
        return t->class_name[(size_t)t->label[i]];
    fx_data_number(buf, t->label ? t->label[i] + 0.0 : (double)(s->before + i + 1));
    return buf;
}

void side_rows_close(side_rows *s)
{
    load_free(&s->in);
    free(s->ptr);
    free(s->col);
    free(s->val);
}

/* ---- Pairs -------------------------------------------------------------------------------- */
static int open_nodes(fx_table *t, side_rows *s, const fx_model_info *c, fx_side side,
                      load_options how)
{
    int status = side_rows_open(s, link_rows_nodes(side), c, side, how);

    if (status)
        return status;
    load_say(&s->in);
    *t = s->in.table;
    t->name = t->cols == s->X.cols ? t->name : NULL;
    t->cols = s->X.cols;
    t->blocks = 1;
    t->block = &s->X;
    return 0;
}

int side_rows_links(loaded *l, const fx_model_info *c, const char *part, load_options how)
{
    const bool two = link_rows_nodes(FX_SECOND) != NULL;
    side_rows a = {0}, b = {0};
    fx_table A, B;

    if (!*c->side_reader[FX_FIRST]) {
        how.reader = c->reader;
        return link_rows_load(l, part, &how);
    }
    how.unlabelled = how.nodes = true;
    int status = open_nodes(&A, &a, c, FX_FIRST, how);
    if (!status && two)
        status = open_nodes(&B, &b, c, FX_SECOND, how);
    if (!status && !(status = link_rows_pairs(l, part, &A, two ? &B : NULL, &how)))
        l->reading.unseen += a.unseen + a.in.reading.unseen + b.unseen + b.in.reading.unseen;
    side_rows_close(&a);
    side_rows_close(&b);
    return status;
}

int side_rows_output(size_t *out, const char *who, const fx_model_info *c, const char *class_option)
{
    char buf[256];

    *out = 0;
    if (c->outputs == 1 && !class_option)
        return 0;
    for (; *out < c->outputs && class_option; ++*out)
        if (!strcmp(model_file_output(buf, c, *out), class_option))
            return 0;
    if (!class_option)
        return say_error("%s: the model has %zu scores; --output %s selects one", who, c->outputs,
                         c->classes ? "CLASS" : "N");
    return say_error("%s: --output %s: no score of the model is called so", who, class_option);
}
