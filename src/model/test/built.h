/* SPDX-License-Identifier: BSD-3-Clause
 * built.h - for tests of files: models put together by hand, and files in memory. */
#ifndef FXI_BUILT_H
#define FXI_BUILT_H
#include "base/test.h"
#include "model/model.h"

#include <string.h>

typedef struct file {
    unsigned char *bytes;
    size_t len, capacity;
} file;

static inline int to_file(void *ctx, const void *bytes, size_t len)
{
    file *f = ctx;

    if (f->len + len > f->capacity) {
        f->capacity = 2 * (f->len + len);
        f->bytes = realloc(f->bytes, f->capacity);
        CHECK(f->bytes);
    }
    memcpy(f->bytes + f->len, bytes, len);
    f->len += len;
    return 0;
}

static inline file dumped(const fx_model *m)
{
    file f = {0};
    fx_status s = fx_model_dump(&(fx_sink){.size = sizeof(fx_sink), .write = to_file, .ctx = &f},
                                m);

    if (s)
        fprintf(stderr, "%s\n", fx_error_detail());
    CHECK(s == FX_OK && f.len % 4 == 0);
    return f;
}

static inline void *owned(fx_model *m, void *p)
{
    CHECK(fxi_model_own(m, p) == FX_OK);
    return p;
}

static inline double *numbers(fx_model *m, size_t n)
{
    double *x = owned(m, fxi_alloc(n, sizeof *x));

    for (size_t i = 0; i < n; i++)
        x[i] = i % 3 ? (test_unit() - 0.5) * pow(10, (double)test_below(20) - 10) : 0;
    return x;
}

/* Sizes and specs are given; weights are drawn. */
static inline fx_model *built(fx_model_info like)
{
    fx_model *m = fxi_model_new();
    fxi_learning how;

    CHECK(m && fxi_model_learner(&how, like.spec) == FX_OK && fxi_model_become(m, &how) == FX_OK);
    fxi_model_learner_free(&how);
    fx_model_info none = m->c;
    m->c = like;
    const char **text[] = {&m->c.spec, &m->c.scale, &m->c.map, &m->c.kernel, &m->c.family,
                           &m->c.reader, &m->c.missing, &m->c.remark,
                           &m->c.side_reader[0], &m->c.side_reader[1]};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (!*text[i])
            *text[i] = "";
    m->c.version = none.version;
    m->c.low = none.low;
    m->c.high = none.high;
    m->c.outputs = like.classes > 2 ? like.classes : 1;
    if (!*m->c.missing)
        m->c.inputs = like.cols;
    if (!m->c.features)
        m->c.features = like.cols;
    m->c.weights = numbers(m, m->c.features * m->c.outputs);
    m->c.intercepts = numbers(m, m->c.outputs);
    fx_status s = fxi_model_ready(m, NULL);
    if (s)
        fprintf(stderr, "%s\n", fx_error_detail());
    CHECK(s == FX_OK);
    return m;
}
#endif
