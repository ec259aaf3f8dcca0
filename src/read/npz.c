/* SPDX-License-Identifier: BSD-3-Clause
 * npz.c - a matrix from the members of an npz file, in any order.
 *
 *   sparse, as SciPy's save_npz writes it: data.npy indices.npy indptr.npy shape.npy format.npy
 *   dense: one array, x.npy or arr_0.npy
 *   either with labels: y.npy or labels.npy, one number a row
 *
 * Members are stored as they come and become one block at the end: values and columns in place
 * where their type allows, so memory is what the file holds, and fx_run's limit holds for all of
 * them together.  Rows out of order are sorted; an entry that is there twice is rejected, since
 * files differ in what they mean by it. */

#include "read/read.h"

#include <stdlib.h>
#include <string.h>

static const fx_key keys[] = {{FXI_ARRAY_KEY}, {0}};

enum part { DATA, INDICES, INDPTR, SHAPE, FORMAT, DENSE, LABELS, IS_ARRAY, PARTS };
static const struct { const char *name; enum part part; } members[] = {
    {"data.npy", DATA},       {"indices.npy", INDICES}, {"indptr.npy", INDPTR},
    {"shape.npy", SHAPE},     {"format.npy", FORMAT},   {"x.npy", DENSE},
    {"arr_0.npy", DENSE},     {"y.npy", LABELS},        {"labels.npy", LABELS},
    {"_is_array.npy", IS_ARRAY}};       /* SciPy: matrix or array; rows are the same */

typedef struct archive {
    fxi_read_array part[PARTS];         /* member set: it has begun */
    fxi_read_array *now;                /* the one that bytes belong to */
} archive;

static fx_status open_npz(fx_reader *r, const fxi_spec *s)
{
    fx_status st = fxi_read_npy_array_keys(r, s, keys);

    return st ? st : fxi_read_state(r, sizeof(archive));
}

static void close_npz(fx_reader *r)
{
    archive *z = r->state;

    for (size_t i = 0; i < PARTS; i++)
        fxi_read_npy_array_free(&z->part[i]);
}

static fx_status member_npz(fx_reader *r, const char *member)
{
    archive *z = r->state;
    size_t i = 0, n = sizeof members / sizeof *members;

    if (z->now) {
        fx_status s = fxi_read_npy_array_end(r, z->now);
        if (s)
            return s;
    }
    while (i < n && strcmp(members[i].name, member))
        i++;
    if (i == n)
        return fxi_error(FX_EFORMAT,
                         "%s: member '%.80s' is not read; a sparse matrix has data, indices, "
                         "indptr, shape and format, a dense one x or arr_0; labels are y or labels",
                         r->name, member);
    z->now = &z->part[members[i].part];
    if (z->now->member)
        return fxi_error(FX_EFORMAT, "%s: member '%s' after '%s'", r->name, member,
                         z->now->member);
    z->now->member = members[i].name;
    return FX_OK;
}

/* "Parallel" loops of one part, here and below, are only there so that they can be cancelled. */
typedef struct feeding { fx_reader *r; const char *bytes; size_t len; } feeding;

static fx_status consume(void *ctx, size_t part, fxi_team *team)
{
    enum { STEP = 1 << 22 };            /* bytes between questions */
    feeding *w = ctx;
    fxi_read_array *a = ((archive *)w->r->state)->now;
    fx_status s = fxi_read_npy_array_header(w->r, a, &w->bytes, &w->len);

    (void)part;
    while (!s && w->len && a->got < a->need) {
        size_t step = w->len < STEP ? w->len : STEP, left = step;
        s = fxi_read_npy_array_fill(a, a->need, &w->bytes, &left);
        w->len -= step - left;
        if (!s && fxi_parallel_cancelled(team))
            s = FX_ECANCELLED;
    }
    if (!s && w->len)
        s = fxi_read_npy_array_error(w->r, a, FX_EFORMAT, a->offset + a->got,
                                     "bytes after the last number");
    return s;
}

static fx_status feed_npz(fx_reader *r, const char *bytes, size_t len, const fx_run *run)
{
    const archive *z = r->state;
    feeding w = {r, bytes, len};
    size_t all = len;

    if (!z->now)
        return fxi_error(FX_EINVAL, "%s: npz is fed member by member", r->name);
    for (size_t i = 0; i < PARTS; i++)
        all += z->part[i].fill;
    fx_status s = fxi_memory_check(run, all, "the arrays of this file");
    r->count.bytes += len;
    return s ? s : fxi_parallel_ordered(1, consume, &w, run);
}

/* ---- Assembling ----------------------------------------------------------------------------- */
static fx_status wrong(const fx_reader *r, const fxi_read_array *a, const char *expected)
{
    return fxi_read_npy_array_error(r, a, FX_EFORMAT, a->ready ? 10 : 0, "expected %s", expected);
}

static bool numeric(const fxi_read_array *a) { return a->kind != 'S' && a->kind != 'U'; }
static bool integers(const fxi_read_array *a)
{
    return (a->kind == 'i' || a->kind == 'u') && a->dims == 1;
}

static fx_status check_format(const fx_reader *r, const fxi_read_array *a)
{
    char name[8] = "";
    size_t step = a->kind == 'U' ? 4 : 1;

    if (numeric(a) || a->need / step > 7)
        return wrong(r, a, "the name of a sparse format");
    for (size_t i = 0; i * step < a->need; i++)
        name[i] = (char)a->raw[i * step];
    if (strcmp(name, "csr"))
        return fxi_read_npy_array_error(r, a, FX_EUNSUPPORTED, a->offset,
                                        "sparse format '%s'; csr is read: save x.tocsr()", name);
    return FX_OK;
}

/* The n whole numbers of a, 4 or 8 bytes each and in range, as int64 (wide) or int32 at *out, which
 * belongs to the caller whatever the status; a->raw is taken over. */
static fx_status to_integers(const void **out, fxi_read_array *a, size_t n, bool wide,
                             fxi_team *team)
{
    size_t size = wide ? sizeof(int64_t) : sizeof(int32_t);
    unsigned char *raw = a->raw, *to = size > a->item ? fxi_alloc(n, size) : raw;
    fx_status s = to ? FX_OK : FX_ENOMEM;

    for (size_t i = 0; i < n && !s && size != a->item; i++) {
        int64_t v = fxi_read_npy_array_integer(a, i);
        int32_t narrow = (int32_t)v;
        memcpy(to + i * size, wide ? (void *)&v : &narrow, size);
        if (fxi_data_stopped(i, team))
            s = FX_ECANCELLED;
    }
    *out = to;
    if (to == raw)
        *out = fxi_read_values_shrink(raw, n * size, a->capacity, 1);
    else
        free(raw);
    a->raw = NULL;
    a->fill = a->capacity = 0;
    return s;
}

static fx_status check_pointers(const fx_reader *r, const fxi_read_array *a, size_t rows,
                                size_t entries, fxi_team *team)
{
    int64_t last = 0;

    for (size_t i = 0; i <= rows; i++) {
        int64_t p = fxi_read_npy_array_integer(a, i);
        if ((i == 0 && p != 0) || p < last || (uint64_t)p > entries
            || (i == rows && (uint64_t)p != entries))
            return fxi_read_npy_array_error(r, a, FX_EFORMAT, a->offset + i * a->item,
                                            "%lld after %lld: indptr must rise from 0 to the %zu "
                                            "entries", (long long)p, (long long)last, entries);
        last = p;
        if (fxi_data_stopped(i, team))
            return FX_ECANCELLED;
    }
    return FX_OK;
}

static fx_status check_columns(const fx_reader *r, const fxi_read_array *a, size_t entries,
                               size_t cols, fxi_team *team)
{
    for (size_t i = 0; i < entries; i++) {
        int64_t j = fxi_read_npy_array_integer(a, i);
        if (j < 0 || (uint64_t)j >= cols)
            return fxi_read_npy_array_error(r, a, FX_EFORMAT, a->offset + i * a->item,
                                            "column %lld, but there are %zu", (long long)j, cols);
        if (fxi_data_stopped(i, team))
            return FX_ECANCELLED;
    }
    return FX_OK;
}

static int64_t column(const fx_matrix *m, int64_t i)
{
    return m->wide ? ((const int64_t *)m->col)[i] : ((const int32_t *)m->col)[i];
}

typedef struct sorting {
    const fx_reader *r;
    const fx_matrix *m;                 /* its rows are sorted in place */
    fxi_rows rows;
    atomic_size_t sorted;
} sorting;

/* Row i, if it is out of order. */
static fx_status sort_row(sorting *w, fxi_read_order *order, size_t i, fxi_team *team)
{
    const fx_matrix *m = w->m;
    size_t width = m->wide ? sizeof(int64_t) : sizeof(int32_t);
    size_t size = m->type == FX_F32 ? sizeof(float) : sizeof(double);
    int64_t first = m->ptr[i], end = m->ptr[i + 1], k = first + 1;

    while (k < end && column(m, k - 1) < column(m, k))
        k++;
    if (k >= end)
        return FX_OK;
    w->sorted++;
    fx_status s = fxi_read_order_row(order, (char *)m->col + (size_t)first * width, m->wide,
                                     (char *)m->val + (size_t)first * size, m->type,
                                     (size_t)(end - first), team);
    for (k = first + 1; k < end && !s; k++) {
        if (column(m, k - 1) == column(m, k))
            s = fxi_error(FX_EFORMAT, "%s: row %zu has column %lld (from 0) twice; save "
                          "x.sum_duplicates() first", w->r->name, i, (long long)column(m, k));
        else if (fxi_data_stopped((size_t)k, team))
            s = FX_ECANCELLED;
    }
    return s;
}

static fx_status sort_piece(void *ctx, size_t piece, fxi_team *team)
{
    sorting *w = ctx;
    size_t i = piece * w->rows.piece, n = w->m->rows;
    size_t end = n - i < w->rows.piece ? n : i + w->rows.piece;
    fxi_read_order order = {0};
    fx_status s = FX_OK;

    for (; i < end && !s; i++)
        s = sort_row(w, &order, i, team);
    fxi_read_order_free(&order);
    return s;
}

static fx_status sort_rows(fx_reader *r, const fx_matrix *m, const fx_run *run)
{
    fx_table t = {.rows = m->rows, .cols = m->cols, .blocks = 1, .block = m};
    sorting w = {.r = r, .m = m};
    fx_status s = fxi_data_rows(&w.rows, &t);

    if (s)
        return s;
    s = fxi_parallel(w.rows.pieces, sort_piece, &w, run);
    r->count.sorted += w.sorted;
    free(w.rows.start);
    return s;
}

static fx_status check_sparse(const fx_reader *r, const archive *z, fxi_team *team)
{
    const fxi_read_array *part = z->part, *shape = &part[SHAPE];
    static const enum part needed[] = {FORMAT, SHAPE, INDPTR, INDICES, DATA};

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!part[needed[i]].member)
            return fxi_error(FX_EFORMAT, "%s: no member '%s': not a sparse matrix of SciPy",
                             r->name, members[needed[i]].name);
    fx_status s = check_format(r, &part[FORMAT]);
    if (s)
        return s;
    if (!integers(shape) || shape->shape[0] != 2 || fxi_read_npy_array_integer(shape, 0) < 0
        || fxi_read_npy_array_integer(shape, 1) < 0)
        return wrong(r, shape, "two whole numbers");
    for (enum part p = INDICES; p <= INDPTR; p++)
        if (!integers(&part[p]) || part[p].item < 4)
            return wrong(r, &part[p], "int32 or int64 numbers");
    size_t rows = (size_t)fxi_read_npy_array_integer(shape, 0);
    if (part[INDPTR].shape[0] != rows + 1)
        return wrong(r, &part[INDPTR], "one number more than there are rows");
    if (!numeric(&part[DATA]) || part[DATA].dims != 1
        || part[DATA].shape[0] != part[INDICES].shape[0])
        return wrong(r, &part[DATA], "as many numbers as there are indices");
    s = check_pointers(r, &part[INDPTR], rows, part[INDICES].shape[0], team);
    if (s)
        return s;
    return check_columns(r, &part[INDICES], part[INDICES].shape[0],
                         (size_t)fxi_read_npy_array_integer(shape, 1), team);
}

/* These fill in m, whose arrays belong to the caller whatever the status. */
static fx_status sparse(fx_matrix *m, const fx_reader *r, archive *z, fxi_team *team)
{
    fx_status s = check_sparse(r, z, team);
    fxi_read_array *part = z->part;
    void *val = NULL;
    const void *ptr = NULL;

    if (s)
        return s;
    size_t n = part[DATA].shape[0];
    m->rows = (size_t)fxi_read_npy_array_integer(&part[SHAPE], 0);
    m->cols = (size_t)fxi_read_npy_array_integer(&part[SHAPE], 1);
    m->wide = m->cols > (size_t)INT32_MAX + 1;
    s = fxi_read_npy_array_numbers(&val, &m->type, r, &part[DATA], n, 0, 0, team);
    m->val = val;
    if (!s)
        s = to_integers(&m->col, &part[INDICES], n, m->wide, team);
    if (!s)
        s = to_integers(&ptr, &part[INDPTR], m->rows + 1, true, team);
    m->ptr = ptr;
    return s;
}

static fx_status dense(fx_matrix *m, const fx_reader *r, archive *z, fxi_team *team)
{
    fxi_read_array *a = &z->part[DENSE];
    void *val = NULL;

    if (!numeric(a) || a->dims == 0 || (a->dims == 2 && a->shape[1] == 0))
        return wrong(r, a, "rows of numbers");
    for (enum part p = DATA; p <= FORMAT; p++)
        if (z->part[p].member)
            return fxi_error(FX_EFORMAT, "%s: both '%s' and '%s'", r->name, a->member,
                             z->part[p].member);
    m->rows = a->shape[0];
    m->cols = m->stride = a->dims == 2 ? a->shape[1] : 1;
    fx_status s = fxi_read_npy_array_numbers(&val, &m->type, r, a, m->rows * m->cols, 0, m->cols,
                                             team);
    m->val = val;
    return s;
}

static fx_status labels(fx_reader *r, fxi_read_array *a, size_t rows, fxi_team *team)
{
    fx_type type;
    void *val;

    if (!numeric(a) || a->dims != 1 || a->shape[0] != rows)
        return wrong(r, a, "one number for each row");
    fx_status s = fxi_read_reserve(r, rows);
    if (!s)
        s = fxi_read_npy_array_numbers(&val, &type, r, a, rows, 0, 1, team);
    if (s)
        return s;
    for (size_t i = 0; i < rows && !s; i++) {
        r->label[i] = type == FX_F32 ? (double)((float *)val)[i] : ((double *)val)[i];
        if (fxi_data_stopped(i, team))
            s = FX_ECANCELLED;
    }
    free(val);
    return s;
}

typedef struct assembly { fx_reader *r; fx_matrix m; } assembly;

static fx_status assemble(void *ctx, size_t part, fxi_team *team)
{
    assembly *w = ctx;
    archive *z = w->r->state;
    fx_status s = z->part[DENSE].member ? dense(&w->m, w->r, z, team)
                                        : sparse(&w->m, w->r, z, team);

    (void)part;
    if (!s && z->part[LABELS].member)
        s = labels(w->r, &z->part[LABELS], w->m.rows, team);
    return s;
}

static fx_status take_npz(fx_reader *r, bool end, const fx_run *run)
{
    archive *z = r->state;
    assembly w = {.r = r};
    fx_status s;

    if (!end || !z->now)
        return FX_OK;
    s = fxi_read_npy_array_end(r, z->now);
    z->now = NULL;
    if (!s)
        s = fxi_parallel_ordered(1, assemble, &w, run);
    if (!s && w.m.ptr)
        s = sort_rows(r, &w.m, run);
    if (s) {
        fxi_free((void *)w.m.val, (void *)w.m.col, (void *)w.m.ptr);
        return s;
    }
    r->cols = w.m.cols;
    return fxi_read_block(r, w.m);
}

const fxi_read_format fxi_read_npz = {.about = {.name = "npz",
                                                .help = "SciPy's sparse rows, or arrays x and y",
                                                .key = keys,
                                                .binary = 1,
                                                .members = 1},
                                      .open = open_npz,
                                      .feed = feed_npz,
                                      .member = member_npz,
                                      .take = take_npz,
                                      .close = close_npz};
