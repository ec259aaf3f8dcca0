/* SPDX-License-Identifier: BSD-3-Clause
 * links.c - link prediction: pairs of nodes as rows, linked or not.
 *
 * A link comes before the pairs that were drawn for it; the rows of "test" are in the order of the
 * nodes.  Rows are sparse: zeros of dense nodes are left out.
 *
 * Cost: O(links + draws), one pass over the rows to count, one to copy; "test" visits each pair
 * twice.  Memory beyond the rows: 16 to 32 bytes for each link and draw.
 *
 * The protocol: M. Blondel, A. Fujino, N. Ueda, M. Ishihata, Higher-order factorization machines,
 * NIPS 2016. */

#include "data/links.h"

#include <stdio.h>
#include <string.h>

typedef enum choice { TRAIN, TEST, SAMPLE, ALL, GIVEN } choice;

typedef struct making {
    const char *text;
    choice part;
    size_t negatives;
    uint64_t seed;
    const fx_run *run;
    fx_data *out;
    fxi_links l;
    fxi_rows a, b;
    size_t *in_a, *in_b;                /* numbers stored of each node's row */
    /* rows, while they are made */
    bool counting;
    size_t rows, n;                     /* so far; numbers in them */
    bool f64;
    int64_t *ptr, *qid;
    double *label;
    int32_t *col;
    void *val;
} making;

/* ---- Rows -------------------------------------------------------------------------------- */
/* True if zeros of this row are left out. */
static bool is_dense(fxi_row r) { return !r.col32 && !r.col64; }

static void copy_node(making *x, fxi_row r, size_t first)
{
    for (size_t q = 0; q < r.n; q++) {
        const double v = fxi_row_value(r, q);
        if (is_dense(r) && v == 0)
            continue;
        if (x->f64)
            ((double *)x->val)[x->n] = v;
        else
            ((float *)x->val)[x->n] = (float)v;
        x->col[x->n++] = (int32_t)(fxi_row_column(r, q) + (int64_t)first);
    }
}

static void add_row(making *x, uint64_t pair, bool linked)
{
    const size_t a = (size_t)(pair / x->l.B->rows), b = (size_t)(pair % x->l.B->rows);

    if (x->counting)
        x->n += x->in_a[a] + x->in_b[b];
    else {
        copy_node(x, fxi_data_rows_at(&x->a, a), 0);
        copy_node(x, fxi_data_rows_at(&x->b, b), x->l.A->cols);
        x->ptr[x->rows + 1] = (int64_t)x->n;
        x->label[x->rows] = linked ? 1 : -1;
        x->qid[x->rows] = (int64_t)a + 1;
    }
    x->rows++;
}

/* Links `from` to `to`, each followed by `each` of the drawn pairs. */
static fx_status add_links(making *x, size_t from, size_t to, const uint64_t *drawn, size_t each,
                           fxi_team *team)
{
    for (size_t i = from; i < to; i++) {
        add_row(x, x->l.link[i], true);
        for (size_t k = 0; k < each; k++) {
            add_row(x, *drawn++, false);
            if (fxi_data_stopped(k, team))
                return FX_ECANCELLED;
        }
        if (i % 64 == 63 && fxi_parallel_cancelled(team))
            return FX_ECANCELLED;
    }
    return FX_OK;
}

static fx_status add_others(making *x, fxi_team *team)
{
    const fxi_links *l = &x->l;
    const size_t n = l->B->rows;

    for (size_t a = 0; a < l->A->rows; a++)
        for (size_t b = l->within ? a + 1 : 0; b < n; b++) {
            const uint64_t pair = (uint64_t)a * n + b, in = *fxi_data_pairs_find(&l->known, pair);
            if (!(in & 1))
                add_row(x, pair, in != 0);
            if (pair % 64 == 63 && fxi_parallel_cancelled(team))
                return FX_ECANCELLED;
        }
    return FX_OK;
}

static fx_status add_rows(making *x, bool counting, fxi_team *team)
{
    const size_t P = x->l.links, train = x->l.train;
    const uint64_t *drawn = x->l.drawn;

    x->counting = counting;
    x->rows = x->n = 0;
    switch (x->part) {
    case TRAIN: return add_links(x, 0, train, drawn, x->negatives, team);
    case SAMPLE: return add_links(x, train, P, drawn + train * x->negatives, 1, team);
    case ALL: return add_links(x, 0, P, drawn, x->negatives, team);
    case GIVEN: return add_links(x, 0, P, drawn, 0, team);
    default: return add_others(x, team);
    }
}

static fx_status count_numbers(size_t **out, const fxi_rows *r, fxi_team *team)
{
    size_t *n = *out = fxi_alloc(r->t->rows, sizeof *n);

    for (size_t i = 0; n && i < r->t->rows; i++) {
        const fxi_row row = fxi_data_rows_at(r, i);
        n[i] = is_dense(row) ? 0 : row.n;
        for (size_t q = 0; is_dense(row) && q < row.n; q++)
            n[i] += fxi_row_value(row, q) != 0;
        if (i % 256 == 255 && fxi_parallel_cancelled(team))
            return FX_ECANCELLED;
    }
    return n ? FX_OK : FX_ENOMEM;
}

static fx_type type_of(const fx_table *t)
{
    fx_type type = FX_F32;

    for (size_t i = 0; i < t->blocks; i++)
        type = t->block[i].type == FX_F64 ? FX_F64 : type;
    return type;
}

static fx_status make_rows(making *x, fxi_team *team)
{
    fx_table *t = &x->out->table;
    fx_matrix *X = fxi_data_alloc(x->out, 1, sizeof *X);
    size_t size = sizeof(float), bytes, extra;
    fx_status s = X ? FX_OK : FX_ENOMEM;

    if (s || (s = count_numbers(&x->in_a, &x->a, team))
        || (s = count_numbers(&x->in_b, &x->b, team)) || (s = add_rows(x, true, team)))
        return s;
    x->f64 = type_of(x->l.A) == FX_F64 || type_of(x->l.B) == FX_F64;
    size = x->f64 ? sizeof(double) : sizeof(float);
    if (!fxi_size_mul(&bytes, x->n, size + sizeof *x->col)
        || !fxi_size_mul(&extra, x->rows, 24) || !fxi_size_add(&bytes, bytes, extra))
        return fxi_error(FX_ESHAPE, "%zu pairs of nodes hold too many numbers", x->rows);
    if ((s = fxi_memory_check(x->run, bytes, "rows of pairs of nodes")))
        return s;
    if (!(x->ptr = fxi_data_alloc(x->out, x->rows + 1, sizeof *x->ptr))
        || !(x->col = fxi_data_alloc(x->out, x->n, sizeof *x->col))
        || !(x->val = fxi_data_alloc(x->out, x->n, size))
        || !(x->label = fxi_data_alloc(x->out, x->rows, sizeof *x->label))
        || !(x->qid = fxi_data_alloc(x->out, x->rows, sizeof *x->qid)))
        return FX_ENOMEM;
    x->ptr[0] = 0;
    if ((s = add_rows(x, false, team)))
        return s;
    *X = (fx_matrix){.rows = x->rows, .cols = t->cols, .type = x->f64 ? FX_F64 : FX_F32,
                     .val = x->val, .ptr = x->ptr, .col = x->col};
    t->rows = x->rows;
    t->blocks = 1;
    t->block = X;
    t->label = x->label;
    t->qid = x->qid;
    t->base = x->l.A->base;
    t->split = x->l.A->cols;
    return FX_OK;
}

/* ---- Columns ----------------------------------------------------------------------------- */
static bool all_begin(const char *const *name, size_t n, const char *with)
{
    size_t j = 0;

    while (j < n && !strncmp(name[j], with, strlen(with)))
        j++;
    return j == n;
}

/* True if a name of A is also a name of B; or if all have the prefixes already: so that whoever
 * meets them on all names may take them off. */
static fx_status names_clash(bool *clash, const fxi_links *l, fxi_team *team)
{
    const fx_table *A = l->A, *B = l->B;
    fxi_data_classes names = {0};
    fx_status s = FX_OK;
    size_t number;

    *clash = all_begin(A->name, A->cols, "a.") && all_begin(B->name, B->cols, "b.");
    for (size_t j = 0; j < A->cols && !s; j++)
        s = fxi_data_classes_add(&number, &names, A->name[j], strlen(A->name[j]), team);
    for (size_t j = 0; j < B->cols && !s && !*clash; j++)
        *clash = fxi_data_classes_find(&number, &names, B->name[j], strlen(B->name[j]));
    fxi_data_classes_free(&names);
    return s;
}

static fx_status make_names(making *x, fxi_team *team)
{
    enum { PREFIX = 2 };
    const fx_table *A = x->l.A, *B = x->l.B;
    const size_t cols = x->out->table.cols;
    size_t bytes = cols * (PREFIX + 1);
    const char **name;
    char *text;
    bool clash;
    fx_status s;

    if (!A->name || !B->name)
        return FX_OK;
    for (size_t j = 0; j < cols; j++)
        bytes += strlen(j < A->cols ? A->name[j] : B->name[j - A->cols]);
    if ((s = names_clash(&clash, &x->l, team)))
        return s;
    if (!(name = fxi_data_alloc(x->out, cols, sizeof *name))
        || !(text = fxi_data_alloc(x->out, bytes, 1)))
        return FX_ENOMEM;
    for (size_t j = 0; j < cols; j++) {
        const bool left = j < A->cols;
        name[j] = text;
        text += sprintf(text, "%s%s", !clash ? "" : left ? "a." : "b.",
                        left ? A->name[j] : B->name[j - A->cols]) + 1;
    }
    x->out->table.name = name;
    return FX_OK;
}

static fx_status make(void *ctx, size_t block, fxi_team *team)
{
    making *x = ctx;
    fxi_links *l = &x->l;
    const size_t held = x->part == SAMPLE ? 1 : x->part == ALL ? x->negatives : 0;
    fx_status s;

    (void)block;
    if (!fxi_size_add(&x->out->table.cols, l->A->cols, l->B->cols)
        || x->out->table.cols > FX_INDEX_MAX)
        return fxi_error(FX_ESHAPE, "%zu columns of A and %zu of B: too many", l->A->cols,
                         l->B->cols);
    if ((s = fxi_data_rows(&x->a, l->A)) || (s = fxi_data_rows(&x->b, l->B))
        || (s = fxi_data_links_text(l, x->text, x->run, team)))
        return s;
    if (x->part == TRAIN && l->links < 2)
        return fxi_error(FX_EFORMAT, "links: one link is too few for the part 'train'");
    if (x->part != GIVEN
        && (s = fxi_data_links_draw(l, x->negatives, held, x->seed, x->run, team)))
        return s;
    if ((s = make_names(x, team)))
        return s;
    return make_rows(x, team);
}

fx_status fx_data_links(fx_data **out, const fx_table *A, const fx_table *B, const char *links,
                        const char *part, size_t negatives, uint64_t seed, const fx_run *run)
{
    static const char *const parts[] = {"train", "test", "sample", "all", "given"};
    making x = {.text = links, .negatives = negatives, .seed = seed, .run = run,
                .l = {.A = A, .B = B ? B : A, .within = !B}};
    fx_status s;

    if (!out || !A || !links || !part)
        return fxi_error(FX_EINVAL, "links need nodes, a text and a part");
    while (x.part <= GIVEN && strcmp(part, parts[x.part]))
        x.part++;
    if (x.part > GIVEN)
        return fxi_error(FX_EINVAL, "no part '%s'; there are train, test, sample, all, given",
                         part);
    if ((s = fxi_data_check_missing_table(A, run))
        || (B && (s = fxi_data_check_missing_table(B, run))))
        return s;
    x.out = fxi_data_new();
    s = x.out ? fxi_parallel_ordered(1, make, &x, run) : FX_ENOMEM;
    fxi_free(x.l.link, x.l.known.slot, x.l.drawn, x.a.start, x.b.start, x.in_a, x.in_b);
    if (s)
        fx_data_free(x.out);
    else
        *out = x.out;
    return s;
}
