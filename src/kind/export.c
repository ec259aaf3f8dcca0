/* SPDX-License-Identifier: BSD-3-Clause
 * export.c - libFM's text of a factorization machine of order 2.
 *
 *   #global bias W0
 *   b
 *   #unary interactions Wj
 *   w_j                 a line for each column
 *   #pairwise interactions Vj,f
 *   v_j1 v_j2 ..        a line for each column
 *
 * Its score is b + <w, x> + sum_f sum_{i<j} v_if v_jf x_i x_j: lambda goes into v as its root,
 * factors of scaled columns are multiplied in.  Line j is for index j of a text file: where those
 * count from 1, index 0 has a line of zeros.  Numbers are the shortest that read back; what lambda
 * and scaling multiply is rounded once for each.
 *
 * S. Rendle. Factorization machines with libFM. ACM TIST 3 (2012). */

#include "kind/kind.h"

#include <math.h>
#include <string.h>

static fx_status check(const fx_model *m, const char *format)
{
    const fxi_factors *own = m->own;
    const fxi_fm *fm = m->kind == &fxi_kind_factors ? own->fm : NULL;
    const fx_model_info *c = &m->c;

    if (strcmp(format, "libfm") != 0)
        return fxi_error(FX_EINVAL, "no format '%s'; there is libfm", format);
    if (!fm || fm->kind != FXI_FM_HOFM || fm->blocks != 1)
        return fxi_error(FX_EUNSUPPORTED,
                         "%s: libFM's text is for factorization machines of order 2", c->spec);
    if (c->outputs != 1)
        return fxi_error(FX_EUNSUPPORTED, "%zu outputs; libFM's text has one", c->outputs);
    if (fm->group)
        return fxi_error(FX_EUNSUPPORTED, "libFM's text knows no groups (kernel %s)", c->kernel);
    if (strcmp(c->scale, "") && strcmp(c->scale, "none") && !c->column_scale)
        return fxi_error(FX_EUNSUPPORTED, "libFM's text cannot scale rows (%s); columns it can",
                         c->scale);
    if (c->fill || c->indicator)
        return fxi_error(FX_EUNSUPPORTED, "libFM's text cannot fill missing values (%s)",
                         c->missing);
    if (c->low <= c->high)
        return fxi_error(FX_EUNSUPPORTED,
                         "libFM's text cannot keep targets within %g and %g; fit with clip=no",
                         c->low, c->high);
    for (size_t s = 0; s < fm->rank; s++)
        if (own->v[fm->block[0].lambda + s] < 0)
            return fxi_error(FX_EUNSUPPORTED,
                             "lambda of component %zu is %g; libFM's text has none below 0", s + 1,
                             own->v[fm->block[0].lambda + s]);
    return FX_OK;
}

/* ---- Text -------------------------------------------------------------------------------- */
typedef struct output {
    const fx_sink *sink;
    char text[4096];
    size_t n;
    bool failed;
} output;

static void flush(output *o)
{
    o->failed |= o->n && o->sink->write(o->sink->ctx, o->text, o->n);
    o->n = 0;
}

static void put(output *o, const char *text, size_t len)
{
    if (o->n + len > sizeof o->text)
        flush(o);
    if (!o->failed)
        memcpy(o->text + o->n, text, len);
    o->n += o->failed ? 0 : len;
}

static void put_number(output *o, double x, char after)
{
    char buf[33];
    int n = fxi_decimal_write(buf, x + 0.0);    /* -0 is 0 */

    buf[n++] = after;
    put(o, buf, (size_t)n);
}

static void put_title(output *o, const char *title) { put(o, title, strlen(title)); }

static bool is_seen(const fx_model_info *c, size_t j) { return !c->seen || c->seen[j]; }

static void put_linear(output *o, const fx_model *m)
{
    const fx_model_info *c = &m->c;
    const fxi_factors *own = m->own;

    put_title(o, "#unary interactions Wj\n");
    if (c->base)
        put_number(o, 0, '\n');
    for (size_t j = 0; j < c->cols; j++)
        put_number(
            o,
            is_seen(c, j) ? own->v[own->fm->w + j] * (c->column_scale ? c->column_scale[j] : 1) : 0,
            '\n');
}

static void put_pairs(output *o, const fx_model *m)
{
    const fxi_factors *own = m->own;
    const fxi_fm *fm = own->fm;
    const fx_model_info *c = &m->c;
    const size_t k = fm->rank;

    put_title(o, "#pairwise interactions Vj,f\n");
    for (size_t s = 0; c->base && s < k; s++)
        put_number(o, 0, s + 1 < k ? ' ' : '\n');
    for (size_t j = 0; j < c->cols; j++)
        for (size_t s = 0; s < k; s++) {
            const double p = own->v[fxi_fm_at(fm, 0, s, j)]
                             * (c->column_scale ? c->column_scale[j] : 1);
            put_number(o, is_seen(c, j) ? p * sqrt(own->v[fm->block[0].lambda + s]) : 0,
                       s + 1 < k ? ' ' : '\n');
        }
}

fx_status fx_model_export(const fx_sink *given, const fx_model *m, const char *format)
{
    fx_sink sink = FX_INIT(fx_sink);
    fx_status st = given ? fxi_sized_in(&sink, sizeof sink, given, "fx_sink") : FX_OK;

    if (st)
        return st;
    if (!sink.write || !m || !format)
        return fxi_error(FX_EINVAL, "fx_model_export needs a sink, a model and a format");
    if ((st = check(m, format)))
        return st;
    const fxi_factors *own = m->own;
    output o = {.sink = &sink};
    put_title(&o, "#global bias W0\n");
    put_number(&o, own->v[0], '\n');
    if (own->fm->linear)
        put_linear(&o, m);
    put_pairs(&o, m);
    flush(&o);
    return o.failed ? fxi_error(FX_EOUTPUT, "the sink refused the model") : FX_OK;
}
