/* SPDX-License-Identifier: BSD-3-Clause
 * svmlight.c - sparse rows as text:  label [qid:N] index:value index:value ... [# comment]
 *
 * The label is a number or a word; separators are spaces and tabs; a row without pairs is a row of
 * zeros.  labels=auto: a row that begins with index:value or qid:N has no label, and then no table
 * has any.  Indices ascend and count from 0 or 1: until the base is known columns are stored as
 * index - 1, and a table whose input held an index 0 is shifted by one when it is taken.  Explicit
 * zeros are stored; entries that nan=zero leaves out still count for the base and the width.  One
 * pass over the bytes, no copy of any of them; values are correctly rounded.  Anything else is
 * rejected with its line and column. */

#include "read/read.h"

#include <math.h>
#include <string.h>

static const fx_key keys[] = {
    {"base", "auto", FXI_CHOICE("auto|0|1|late"),
     "first index; auto: 0 if an index 0 occurs, else 1; late: also if it occurs after a take"},
    {"sort", "no", FXI_CHOICE("no|yes"), "yes: indices of a row may stand in any order"},
    {"duplicates", "error", FXI_CHOICE("error|sum"), "values of equal indices in a row"},
    {"nan", "error", FXI_CHOICE("error|zero|keep|drop"),
     "values that are not finite: left out, or kept as NaN for a model that fills them; drop is an "
     "old name of zero"},
    {"fields", "error", FXI_CHOICE("error|ignore"), "libFFM's field:index:value"},
    {"labels", "yes", FXI_CHOICE("yes|auto"), "auto: rows may lack labels"},
    {0}};

enum { ERROR, ZERO, KEEP };             /* nan=, in the order of its choices; then DROP, as ZERO */
typedef struct options {                /* except nan: 1 if the key has its second choice */
    int sort, sum, nan, fields, optional;
    bool late;
} options;

static fx_status open_svmlight(fx_reader *r, const fxi_spec *s)
{
    fx_status st = fxi_read_state(r, sizeof(options));

    if (st)
        return st;
    options *o = r->state;
    if ((st = fxi_key_choice(&r->base, s, keys, "base"))
        || (st = fxi_key_choice(&o->sort, s, keys, "sort"))
        || (st = fxi_key_choice(&o->sum, s, keys, "duplicates"))
        || (st = fxi_key_choice(&o->nan, s, keys, "nan"))
        || (st = fxi_key_choice(&o->fields, s, keys, "fields"))
        || (st = fxi_key_choice(&o->optional, s, keys, "labels")))
        return st;
    r->base--;                          /* auto|0|1|late is 0, 1, 2, 3 */
    o->late = r->base > 1;
    r->base = o->late ? -1 : r->base;
    r->mark = ':';
    return FX_OK;
}

/* ---- One chunk ------------------------------------------------------------------------------ */
typedef struct scan {
    fxi_read_chunk *c;
    const options *o;
    int base, shift;                    /* column = index - shift; shift 1 while base is -1 */
    const char *line, *stop;            /* the line being read */
    fxi_read_sparse rows;
} scan;

static inline bool digit(char b) { return b >= '0' && b <= '9'; }
static inline bool over(const char *p, const char *stop) /* does a token end here? */
{
    return p == stop || fxi_data_text_space(*p) || *p == '#';
}

static const char *skip_space(const char *p, const char *stop)
{
    while (p < stop && fxi_data_text_space(*p))
        p++;
    return p;
}

static const char *skip_token(const char *p, const char *stop)
{
    while (!over(p, stop))
        p++;
    return p;
}

static const char *skip_digits(const char *p, const char *stop)
{
    while (p < stop && digit(*p))
        p++;
    return p;
}

/* fields=ignore: past the field of field:index:value. */
static const char *skip_field(const char *p, const char *stop)
{
    const char *q = skip_digits(p, stop);

    if (q > p && q < stop && *q == ':') {
        const char *index = q + 1;
        q = skip_digits(index, stop);
        if (q > index && q < stop && *q == ':')
            return index;
    }
    return p;
}

/* svmlight_error.c describes a token that is not index:value. */
static fx_status bad_pair(scan *s, const char *token)
{
    return fxi_read_svmlight_error_pair(s->c, s->line, s->stop, token, skip_token(token, s->stop));
}

static fx_status bad_value(scan *s, const char *token, const char *value)
{
    return fxi_read_svmlight_error_value(s->c, s->line, token, value, skip_token(value, s->stop));
}

/* The first row's label has commas and nothing follows: reader_feed.c reports it if it is the
 * first row of all. */
static bool alone(const scan *s, const char *label, const char *p)
{
    size_t len = (size_t)(p - label);

    p = skip_space(p, s->stop);
    return (p == s->stop || *p == '#') && (memchr(label, ',', len) || memchr(label, ';', len));
}

static fx_status read_label(scan *s, const char **p)
{
    const char *label = *p, *q = skip_token(label, s->stop);
    const char *d = skip_digits(label, q);

    if ((d > label && d < q && *d == ':') || (q - label > 4 && !memcmp(label, "qid:", 4))) {
        char excerpt[FXI_EXCERPT];
        if (s->o->optional) {
            s->c->unlabelled = true;
            s->c->label[s->c->rows] = 0;
            return FX_OK;
        }
        return fxi_read_fail(s->c, s->line, label, "no label before '%s'",
                             fxi_data_text_excerpt(excerpt, label, (size_t)(q - label)));
    }
    if (s->c->rows == 0)
        s->c->first_alone = alone(s, label, q);
    *p = q;
    return fxi_read_label(s->c, s->line, label, label, (size_t)(q - label));
}

static fx_status read_query(scan *s, const char **p)
{
    const char *number = *p + 4, *q = skip_digits(number, s->stop);
    fxi_read_chunk *c = s->c;
    int64_t id = 0;

    if (q == number || !over(q, s->stop) || q - number > 18) {
        char excerpt[FXI_EXCERPT];
        q = skip_token(*p, s->stop);
        return fxi_read_fail(c, s->line, *p, "'%s' is not qid: and a whole number below 1e18",
                             fxi_data_text_excerpt(excerpt, *p, (size_t)(q - *p)));
    }
    for (; number < q; number++)
        id = 10 * id + (*number - '0');
    if (!c->qid) {
        c->qid = fxi_alloc(c->lines, sizeof *c->qid);
        if (!c->qid)
            return FX_ENOMEM;
        for (size_t i = 0; i < c->rows; i++)
            c->qid[i] = -1;
    }
    c->qid[c->rows] = id;
    *p = q;
    return FX_OK;
}

static fx_status twice(scan *s, const char *token, int64_t index)
{
    return fxi_read_fail(s->c, s->line, token,
                         "index %lld stands twice in this row (use duplicates=sum)",
                         (long long)index);
}

static const char *second(const scan *s, int64_t index)
{
    return fxi_read_svmlight_error_second(s->line, s->stop, s->o->fields, index);
}

/* A row whose indices do not ascend (sort=yes), or some of them are equal: its entries from `first`
 * on in order, equal ones added up. */
static fx_status merge_row(scan *s, size_t first)
{
    fxi_read_merged m;
    fx_status st = fxi_read_sparse_merge(&m, &s->rows, first, s->rows.n, first, false, s->c->team);

    if (st)
        return st;
    if (m.twice != FXI_NO_COLUMN && !s->o->sum)
        return twice(s, second(s, m.twice + s->shift), m.twice + s->shift);
    if (m.overflow != FXI_NO_COLUMN)
        return fxi_read_fail(s->c, s->line, second(s, m.overflow + s->shift),
                             "the sum of the values of index %lld is out of range",
                             (long long)m.overflow + s->shift);
    s->c->count.summed += s->rows.n - m.end;
    s->rows.n = m.end;
    return FX_OK;
}

static fx_status read_pairs(scan *s, const char *p)
{
    const char *stop = s->stop;
    const size_t first = s->rows.n;
    int64_t last = -2, widest = -1;     /* last: below every column, -1 included */
    bool unsorted = false, equal = false, zero = false;
    fx_status st = FX_OK;

    for (;;) {
        p = skip_space(p, stop);
        if (p == stop || *p == '#')
            break;
        const char *token = p;
        if (s->o->fields)
            p = skip_field(p, stop);
        const char *digits = p;
        uint64_t index = 0;
        double x;
        for (; p < stop && digit(*p); p++)
            index = index * 10 + (uint64_t)(*p - '0');
        if (p == digits || p == stop || *p != ':' || p - digits > 18)
            return bad_pair(s, token);
        const char *value = ++p;
        if (p < stop && digit(*p) && over(p + 1, stop)) /* 0 to 9: the most common value is 1 */
            x = *p++ - '0';
        else {
            p = fxi_decimal_read(&x, p, stop);
            if (!p || !over(p, stop))
                return bad_value(s, token, value);
        }
        if (index > FX_INDEX_MAX)
            return fxi_read_fail(s->c, s->line, token, "index %llu exceeds %d",
                                 (unsigned long long)index, FX_INDEX_MAX);
        if (index == 0 && s->base == 1 && !s->o->late)
            return fxi_read_fail(s->c, s->line, token, "index 0, but indices count from 1");
        int64_t col = (int64_t)index - s->shift;
        zero |= index == 0;
        widest = (int64_t)index > widest ? (int64_t)index : widest;
        if (!fxi_read_usable(x)) {
            if (s->o->nan == ERROR) {
                char excerpt[FXI_EXCERPT];
                return fxi_read_fail(s->c, s->line, value,
                                     "%s is not a finite number in range (use nan=zero, or "
                                     "nan=keep and plan.missing)",
                                     fxi_data_text_excerpt(excerpt, value, (size_t)(p - value)));
            }
            if (s->o->nan != KEEP) {
                s->c->count.dropped++;
                continue;
            }
            x = NAN;
        }
        if (col < last && !s->o->sort)
            return fxi_read_fail(s->c, s->line, token,
                                 "index %lld after %lld; indices must "
                                 "increase (use sort=yes)",
                                 (long long)index, (long long)last + s->shift);
        if (col == last && !s->o->sum)
            return twice(s, token, (int64_t)index);
        unsorted |= col < last;
        equal |= col == last;
        st = fxi_read_sparse_add(&s->rows, col, x);
        if (st)
            return st;
        last = col;
        if (fxi_data_stopped(s->rows.n, s->c->team))
            return FX_ECANCELLED;
    }
    s->c->zero |= zero;
    if (widest > s->c->widest) {
        s->c->widest = widest;
        s->c->count.widest_line = s->c->count.lines;
    }
    s->c->count.sorted += unsorted;
    return unsorted || equal ? merge_row(s, first) : FX_OK;
}

static fx_status read_line(scan *s)
{
    fxi_read_chunk *c = s->c;
    const char *p = skip_space(s->line, s->stop);
    fx_status st;

    if (p == s->stop || *p == '#') {
        c->count.blank++;
        return FX_OK;
    }
    st = read_label(s, &p);
    if (st)
        return st;
    p = skip_space(p, s->stop);
    if (s->stop - p >= 4 && !memcmp(p, "qid:", 4))
        st = read_query(s, &p);
    else if (c->qid)
        c->qid[c->rows] = -1;
    if (!st)
        st = read_pairs(s, p);
    if (!st)
        s->rows.ptr[++c->rows] = (int64_t)s->rows.n;
    return st;
}

static fx_status parse_svmlight(const fx_reader *r, fxi_read_chunk *c)
{
    scan s = {.c = c, .o = r->state, .base = r->base, .shift = r->base != 0};
    const char *p = c->text;
    fx_status st = fxi_read_sparse_open(&s.rows, c->lines, c->marks);

    while (!st && fxi_data_text_line(&s.line, &s.stop, &p, c->end)) {
        c->count.lines++;
        st = read_line(&s);
    }
    fxi_read_sparse_close(&s.rows, c, !st);
    return st;
}

/* ---- The base of the indices ---------------------------------------------------------------- */
static fx_status shift_block(void *ctx, size_t b, fxi_team *team)
{
    const fx_matrix *m = &((const fx_reader *)ctx)->block[b];
    int32_t *col = (int32_t *)m->col;

    (void)team;
    for (int64_t i = 0, n = m->ptr[m->rows]; i < n; i++)
        col[i]++;
    return FX_OK;
}

static fx_status take_svmlight(fx_reader *r, bool end, const fx_run *run)
{
    const options *o = r->state;
    fx_status s = FX_OK;

    (void)end;
    if ((r->base < 0 || (o->late && r->base == 1 && r->zero)) && r->count.rows) {
        r->base = !r->zero;
        s = fxi_read_reader_spec_resolve(r, "base", r->base ? "1" : "0");
        if (!s && r->zero)
            s = fxi_parallel(r->blocks, shift_block, r, run);
    }
    r->cols = (size_t)(r->widest + 1) - (r->base == 1 && r->widest > 0);
    return s;
}

const fxi_read_format fxi_read_svmlight = {.about = {.name = "svmlight",
                                                     .help = "sparse rows: label index:value ..",
                                                     .key = keys},
                                           .open = open_svmlight,
                                           .parse = parse_svmlight,
                                           .take = take_svmlight};
