/* SPDX-License-Identifier: BSD-3-Clause
 * reading.h - what the tests of the readers share: parse a text, compare tables. */
#ifndef FXI_READING_H
#define FXI_READING_H
#include "base/test.h"
#include "data/data.h"

#include <string.h>

static inline fx_data *reading_good_bytes(const char *spec, const void *bytes, size_t len)
{
    fx_data *d = NULL;
    fx_status s = fx_data_parse(&d, spec, "x", bytes, len, NULL);

    if (s) {
        fprintf(stderr, "%s: '%.60s': %s\n", spec, (const char *)bytes, fx_error_detail());
        exit(1);
    }
    fx_table t = fx_data_table(d);
    if (!strstr(spec, "nan=keep") && !strstr(spec, "nan=category"))     /* NaN: see plan.missing */
        CHECK(fxi_data_check_table(&t, NULL) == FX_OK);
    return d;
}

static inline fx_data *reading_good(const char *spec, const char *text)
{
    return reading_good_bytes(spec, text, strlen(text));
}

/* Refused with FX_EFORMAT and a message that begins with `begins` and holds `holds`. */
static inline void reading_bad_bytes(const char *spec, const void *bytes, size_t len,
                                     const char *begins, const char *holds)
{
    fx_data *d = NULL;
    fx_status s = fx_data_parse(&d, spec, "x", bytes, len, NULL);
    const char *detail = fx_error_detail();

    if (s != FX_EFORMAT || d || strncmp(detail, begins, strlen(begins)) || !strstr(detail, holds)) {
        fprintf(stderr, "%s: '%.60s': status %d, '%s'; want '%s ... %s'\n", spec,
                (const char *)bytes, (int)s, s ? detail : "", begins, holds);
        exit(1);
    }
}

static inline void reading_bad(const char *spec, const char *text, const char *begins,
                               const char *holds)
{
    reading_bad_bytes(spec, text, strlen(text), begins, holds);
}

/* The number at (i, j) of a table, and how many are stored in row i. */
static inline fxi_row reading_row(const fx_table *t, size_t i)
{
    size_t b = 0;

    for (; i >= t->block[b].rows; b++)
        i -= t->block[b].rows;
    return fxi_data_row(&t->block[b], i);
}

static inline double reading_at(const fx_data *d, size_t i, int64_t j)
{
    fx_table t = fx_data_table(d);
    fxi_row r = reading_row(&t, i);

    for (size_t q = 0; q < r.n; q++)
        if (fxi_row_column(r, q) == j)
            return fxi_row_value(r, q);
    return 0;
}

static inline size_t reading_stored(const fx_data *d)
{
    fx_table t = fx_data_table(d);
    size_t n = 0;

    for (size_t i = 0; i < t.rows; i++)
        n += reading_row(&t, i).n;
    return n;
}

/* Equal numbers (a zero's sign, too; or both missing), labels, classes, names; blocks may be cut
 * differently. */
static inline void reading_same(const fx_table *a, const fx_table *b)
{
    CHECK(a->rows == b->rows && a->cols == b->cols && a->base == b->base);
    CHECK(a->classes == b->classes && !a->label == !b->label && !a->qid == !b->qid);
    CHECK(!a->weight == !b->weight);
    CHECK(!a->name == !b->name);
    for (size_t c = 0; c < a->classes; c++)
        CHECK(!strcmp(a->class_name[c], b->class_name[c]));
    for (size_t j = 0; a->name && j < a->cols; j++)
        CHECK(!strcmp(a->name[j], b->name[j]));
    for (size_t ba = 0, bb = 0, ia = 0, ib = 0, i = 0; i < a->rows; i++, ia++, ib++) {
        for (; ia == a->block[ba].rows; ba++)
            ia = 0;
        for (; ib == b->block[bb].rows; bb++)
            ib = 0;
        fxi_row x = fxi_data_row(&a->block[ba], ia), y = fxi_data_row(&b->block[bb], ib);
        CHECK(x.n == y.n);
        for (size_t q = 0; q < x.n; q++)
            CHECK(fxi_row_column(x, q) == fxi_row_column(y, q)
                  && (fxi_row_value(x, q) == fxi_row_value(y, q)
                      || (isnan(fxi_row_value(x, q)) && isnan(fxi_row_value(y, q))))
                  && (isnan(fxi_row_value(x, q))
                      || !signbit(fxi_row_value(x, q)) == !signbit(fxi_row_value(y, q))));
        CHECK(!a->label || a->label[i] == b->label[i]);
        CHECK(!a->qid || a->qid[i] == b->qid[i]);
        CHECK(!a->id == !b->id && (!a->id || !strcmp(a->id[i], b->id[i])));
        CHECK(!a->weight || a->weight[i] == b->weight[i]);
    }
}
#endif
