/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_model.c - model files.  Byte 0 is r: the rest is a file.  Otherwise the rest is a header up
 * to the first line end and the arrays behind it, from which a file with the right length, spaces
 * and CRC is made.  A model that is accepted is written, read and written again as the same bytes,
 * and answers, or says that a number is too large; it is explained, exported and goes on, or says
 * why not. */

#include "fuzz.h"

typedef struct bytes { uint8_t *at; size_t len, room; } bytes;

static int append(void *ctx, const void *more, size_t len)
{
    bytes *b = ctx;

    if (b->len + len > b->room) {
        b->room = 2 * (b->len + len);
        b->at = realloc(b->at, b->room);
        MUST(b->at);
    }
    if (len)
        memcpy(b->at + b->len, more, len);
    b->len += len;
    return 0;
}

static uint32_t crc_of(const bytes *b)
{
    uint32_t r = UINT32_MAX;

    for (size_t i = 0; i < 8 * b->len; i++)
        r = (r ^ (uint32_t)(b->at[i / 8] >> i % 8)) & 1 ? r >> 1 ^ 0xedb88320u : r >> 1;
    return ~r;
}

static bytes file_of(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    size_t header = end ? (size_t)(end - data) : size, rest = end ? size - header - 1 : 0;
    bytes b = {0};

    append(&b, &(uint64_t){(header + 7) / 8 * 8}, 8);
    append(&b, data, header);
    append(&b, "        ", (8 - header % 8) % 8);
    append(&b, end ? end + 1 : NULL, rest);
    append(&b, &(uint32_t){crc_of(&b)}, 4);
    return b;
}

static void check_content(const fx_model_info *c)
{
    size_t k = c->classes, one = c->pairs ? k * (k - 1) / 2 : k > 2 ? k : 1;
    int exact = *c->kernel && !*c->map && !c->orders && strncmp(c->kernel, "precomputed", 11) != 0;

    MUST((c->variance ? c->outputs > 0 && !k : c->outputs == one) && k != 1);
    MUST(exact ? c->vectors.rows == c->features && c->vectors.cols == c->cols : !c->vectors.rows);
    MUST(c->features == c->cols || *c->map || exact);
    for (size_t i = 0; i < c->features * c->outputs; i++)
        MUST(isfinite(c->weights[i]));
    for (size_t i = 1; i < k; i++)
        MUST(c->class_value ? c->class_value[i - 1] < c->class_value[i]
                            : strcmp(c->class_name[i - 1], c->class_name[i]) < 0);
    for (size_t i = 0; exact && c->vectors.ptr && i < c->features; i++)
        MUST(c->vectors.ptr[i] <= c->vectors.ptr[i + 1]);
    for (size_t b = 0; b < c->orders; b++)
        for (size_t i = 0; i < c->outputs * c->factors[b].cols * c->factors[b].rank; i++)
            MUST(isfinite(c->factors[b].P[i]));
    for (size_t j = 0; c->name && j < c->cols; j++)
        MUST(c->name[j] != NULL);
    MUST(c->inputs <= c->cols && (*c->missing || c->inputs == c->cols));
    MUST(!c->indicator == (c->inputs == c->cols));
    for (size_t j = 0; j < c->cols - c->inputs; j++)
        MUST(c->indicator[j] >= 0 && (size_t)c->indicator[j] < c->inputs);
    for (size_t j = 0; c->fill && j < c->inputs; j++)
        MUST(isfinite(c->fill[j]));
}

static void check_answers(const fx_model *m, const fx_run *run)
{
    const fx_model_info *c = fx_model_inspect(m);
    const double val[] = {1, *c->missing ? NAN : -0.5, 2};
    const int64_t ptr[] = {0, 0, 3}, col[] = {0, (int64_t)c->cols / 2 + 1, (int64_t)c->cols + 5};
    const fx_matrix X = {.rows = 2, .cols = c->cols + 6, .type = FX_F64, .wide = 1, .val = val,
                         .ptr = ptr, .col = col};

    for (fx_prediction o = FX_LABEL; o <= FX_PROBA; o++) {
        size_t width = fx_model_width(m, o);
        double *out = calloc(2 * width + 1, sizeof *out);
        MUST(out);
        fx_status s = fx_model_predict(out, NULL, m, o, &X, run);
        MUST(s == FX_OK || s == FX_ENUMERIC || s == FX_EDOMAIN || s == FX_ELIMIT
             || (!width && s == FX_EUNSUPPORTED));
        for (size_t i = 0; !s && i < 2 * width; i++) {
            if (isnan(out[i]) && !strcmp(c->missing, "drop"))
                continue;
            MUST(isfinite(out[i]));
            MUST(o != FX_PROBA || (out[i] >= 0 && out[i] <= 1));
            MUST(o != FX_LABEL || !c->classes || (out[i] >= 0 && out[i] < (double)c->classes));
        }
        free(out);
    }
}

static void check_uses(const fx_model *m, const fx_run *run)
{
    const fx_model_info *c = fx_model_inspect(m);
    const double val[] = {1, -0.5}, label[] = {0, 1};
    const int64_t ptr[] = {0, 1, 2};
    const int32_t col[] = {0, (int32_t)(c->cols / 2)};
    const fx_matrix X = {.rows = 2, .cols = c->cols ? c->cols : 1, .type = FX_F64, .val = val,
                         .ptr = ptr, .col = col};
    const fx_table t = {.rows = 2, .cols = X.cols, .blocks = 1, .block = &X, .label = label,
                        .classes = c->classes, .class_name = c->class_name};
    fx_explanation *e = NULL;
    fx_model *more = NULL;
    bytes text = {0};

    fx_status s = fx_model_explain(
        &e, m, &(fx_explain_options){.size = sizeof(fx_explain_options), .top = 3, .max_work = 1e5},
        run);
    MUST(s <= 0 && (s == FX_OK) == (e != NULL));
    MUST(!e || isfinite(e->constant));
    for (size_t k = 0; e && k < e->n; k++)
        MUST(isfinite(e->at[k].weight));
    s = fx_model_update(&more, m, &t, run);
    MUST((s >= 0) == (more != NULL) && (s >= 0 || fx_error_detail()[0]));
    s = fx_model_export(&(fx_sink){.size = sizeof(fx_sink), .write = append, .ctx = &text}, m,
                        "libfm");
    MUST(s == FX_OK || s == FX_EUNSUPPORTED);
    fx_explanation_free(e);
    fx_model_free(more);
    free(text.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const fx_run run = {.size = sizeof(fx_run), .threads = 1, .max_memory = 1 << 24};
    fx_model *m = NULL, *back = NULL;
    bytes f = {0}, first = {0}, second = {0};

    if (size < 1)
        return 0;
    if (data[0] == 'r')
        append(&f, data + 1, size - 1);
    else
        f = file_of(data + 1, size - 1);
    fx_status s = fx_model_parse(&m, f.at ? f.at : (const uint8_t *)"", f.len, &run);
    if (s) {
        MUST(s < 0 && !m && fx_error_detail()[0]);
    } else {
        const fx_model_info *c = fx_model_inspect(m);
        check_content(c);
        check_answers(m, &run);
        check_uses(m, &run);
        MUST(fx_model_dump(&(fx_sink){.size = sizeof(fx_sink), .write = append, .ctx = &first}, m)
             == FX_OK);
        MUST(fx_model_parse(&back, first.at, first.len, NULL) == FX_OK);
        MUST(fx_model_dump(&(fx_sink){.size = sizeof(fx_sink), .write = append, .ctx = &second},
                           back)
             == FX_OK);
        MUST(first.len == second.len && !memcmp(first.at, second.at, first.len));
    }
    fx_model_free(m);
    fx_model_free(back);
    free(f.at);
    free(first.at);
    free(second.at);
    return 0;
}
