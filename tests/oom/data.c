/* SPDX-License-Identifier: BSD-3-Clause
 * data.c - scenarios: reading, writing, choosing, scaling and making rows. */

#include "scenario.h"
#include "featcross_extra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fx_status parse(const char *spec)
{
    const char *text = strcmp(spec, "svmlight") ? text_of(spec) : svmlight(MANY);
    fx_data *d = MARK;

    call_begin();
    fx_status s = call_end(fx_data_parse(&d, spec, "text", text, strlen(text), &two));
    return got_data(d, s);
}

static fx_status parse_npy(const char *spec)
{
    fx_data *source = made("dense-positive:n=50,d=6"), *d = MARK;
    fx_table t = fx_data_table(source);

    prepared(write_file(spec, &t, NULL), spec);
    call_begin();
    fx_status s = call_end(fx_data_parse(&d, spec, "x.npy", file.bytes, file.len, &two));
    fx_data_free(source);
    return got_data(d, s);
}

static fx_status reader_new(const char *spec)
{
    fx_reader *r = MARK;

    call_begin();
    fx_status s = call_end(fx_data_reader_new(&r, spec, "x"));
    if (s < 0)
        expect((void *)r == MARK, "the reader changed although the call failed");
    else
        fx_data_reader_free(r);
    return s;
}

static fx_status reader_counts(const char *spec)
{
    fx_read_counts count = FX_INIT(fx_read_counts);
    fx_reader *r;

    prepared(fx_data_reader_new(&r, spec, "x"), spec);
    call_begin();
    fx_status s = call_end(fx_data_reader_counts(&count, r));
    hash(&count, sizeof count);
    fx_data_reader_free(r);
    return s;
}

static fx_status reader_feed(const char *spec)
{
    const char *text = text_of(spec);
    fx_reader *r;

    prepared(fx_data_reader_new(&r, spec, "x"), spec);
    call_begin();
    fx_status s = call_end(fx_data_reader_feed(r, text, strlen(text), &two));
    if (s >= 0) {
        fx_read_counts count = FX_INIT(fx_read_counts);
        fx_data_reader_counts(&count, r);
        hash(&count.rows, sizeof count.rows);
        hash(&count.entries, sizeof count.entries);
    }
    fx_data_reader_free(r);
    return s;
}

/* Names, and reading by them. */
static fx_status reader_names(const char *spec)
{
    static const char *const name[] = {"age", "city=Paris", "city=Bonn", "the cat", "cat"};
    const bool numbers = !strcmp(spec, "csv:num=age");
    const char *text = text_of(spec);
    fx_reader *r;
    fx_data *d = MARK;

    prepared(fx_data_reader_new(&r, spec, "x"), spec);
    call_begin();
    fx_status s = fx_data_reader_names(r, *spec == 't' ? name + 3 : name,
                                       numbers ? 1 : *spec == 't' ? 2 : 3);
    if (!s)
        s = fx_data_reader_feed(r, text, strlen(text), &two);
    if (!s)
        s = fx_data_reader_take(&d, r, 1, &two);
    call_end(s);
    fx_data_reader_free(r);
    return got_data(d, s);
}

/* The same, and further names. */
static fx_status reader_more(const char *spec)
{
    static const char *const name[] = {"age", "city=Bonn", "cat"};
    const char *text = text_of(spec);
    fx_reader *r;
    fx_data *d = MARK;

    prepared(fx_data_reader_new(&r, spec, "x"), spec);
    prepared(fx_data_reader_names(r, *spec == 't' ? name + 2 : name, *spec == 't' ? 1 : 2), spec);
    call_begin();
    fx_status s = fx_data_reader_names_more(r);
    if (!s)
        s = fx_data_reader_feed(r, text, strlen(text), &two);
    if (!s)
        s = fx_data_reader_take(&d, r, 1, &two);
    call_end(s);
    fx_data_reader_free(r);
    return got_data(d, s);
}

/* Another file of the same rows. */
static fx_status reader_file(const char *spec)
{
    const char *text = text_of(spec);
    fx_reader *r;
    fx_data *d = MARK;

    prepared(fx_data_reader_new(&r, spec, "x"), spec);
    prepared(fx_data_reader_feed(r, text, strlen(text), &two), spec);
    call_begin();
    fx_status s = fx_data_reader_file(r, "y");
    if (!s)
        s = fx_data_reader_feed(r, text, strlen(text), &two);
    if (!s)
        s = fx_data_reader_take(&d, r, 1, &two);
    call_end(s);
    fx_data_reader_free(r);
    return got_data(d, s);
}

static fx_status reader_take(const char *spec)
{
    const char *text = text_of(spec);
    fx_reader *r;
    fx_data *d = MARK;

    prepared(fx_data_reader_new(&r, spec, "x"), spec);
    prepared(fx_data_reader_feed(r, text, strlen(text), NULL), spec);
    call_begin();
    fx_status s = call_end(fx_data_reader_take(&d, r, 1, &two));
    fx_data_reader_free(r);
    return got_data(d, s);
}

/* All members fed, the take, or one member's announcement is what may fail. */
static fx_status npz(bool members_only)
{
    fx_data *source = made("pairs:n=40,d=30,nz=5,k=2"), *d = MARK;
    fx_table t = fx_data_table(source);
    fx_reader *r;
    fx_status s = FX_OK;

    prepared(write_file("npz", &t, NULL), "npz");
    fx_data_free(source);
    prepared(fx_data_reader_new(&r, "npz", "x.npz"), "npz");
    call_begin();
    for (size_t m = 0; m < file.members && s >= 0; m++) {
        size_t stop = m + 1 < file.members ? file.start[m + 1] : file.len;
        s = fx_data_reader_member(r, file.name[m]);
        if (s >= 0)
            s = fx_data_reader_feed(r, file.bytes + file.start[m], stop - file.start[m], NULL);
        if (members_only)
            break;
    }
    if (s >= 0 && !members_only)
        s = fx_data_reader_take(&d, r, 1, &two);
    call_end(s);
    fx_data_reader_free(r);
    return members_only ? s : got_data(d, s);
}

static fx_status reader_member(const char *spec) { return npz(spec[0] == 'm'); }

static fx_status written(const char *spec)
{
    fx_data *d = strcmp(spec, "svmlight") ? made("pairs:n=40,d=30,nz=5,k=2")
                                          : parsed("svmlight", svmlight(FEW));
    fx_table t = fx_data_table(d);

    call_begin();
    fx_status s = call_end(write_file(spec, &t, &two));
    if (s >= 0)
        hash(file.bytes, file.len);
    fx_data_free(d);
    return s;
}

static fx_status select_rows(const char *spec)
{
    static const size_t rows[] = {3, 1, 39, 3, 0};
    fx_data *source = made(spec), *d = MARK;
    fx_table t = fx_data_table(source);

    call_begin();
    fx_status s = call_end(fx_data_select(&d, &t, rows, 5, &two));
    fx_data_free(source);
    return got_data(d, s);
}

static fx_status select_all(const char *spec)
{
    fx_data *source = parsed(spec, svmlight(FEW)), *d = MARK;
    fx_table t = fx_data_table(source);

    call_begin();
    fx_status s = call_end(fx_data_select(&d, &t, NULL, 0, &two));
    fx_data_free(source);
    return got_data(d, s);
}

static fx_status fill(const char *spec)
{
    static const char *const name[3] = {"a", "b", "b=missing"};
    double x[] = {1, NAN, 3, 4, 5, NAN, 7, 8, 9, NAN, 2, 0};
    fx_matrix X = {.rows = 4, .cols = 3, .stride = 3, .type = FX_F64, .val = x};
    fx_table t = {.rows = 4, .cols = 3, .blocks = 1, .block = &X, .name = name};
    fx_data *d = MARK;

    call_begin();
    fx_status s = call_end(fx_data_fill(&d, spec, &t, &two));
    return got_data(d, s);
}

static fx_status folds(const char *spec)
{
    static const double label[10] = {0, 1, 0, 1, 2, 2, 0, 1, 0, 0};
    int32_t fold[10], before[10];

    memset(before, 0x5a, sizeof before);
    memcpy(fold, before, sizeof fold);
    call_begin();
    fx_status s = call_end(fx_data_folds(fold, 10, 3, spec[0] == 'l' ? label : NULL, 7));
    if (s < 0)
        expect(!memcmp(fold, before, sizeof fold), "folds changed although the call failed");
    else
        hash(fold, sizeof fold);
    return s;
}

static fx_status got_scale(fx_scale *scale, fx_status s)
{
    size_t cols = 0;

    if (s < 0)
        expect((void *)scale == MARK, "the scale changed although the call failed");
    else {
        const double *factor = fx_data_scale_columns(scale, &cols);
        if (factor)
            hash(factor, cols * sizeof *factor);
        hash_text(fx_data_scale_spec(scale));
        fx_data_scale_free(scale);
    }
    return s;
}

static fx_status scale_fit(const char *spec)
{
    fx_data *source = made("pairs:n=40,d=30,nz=5,k=2");
    fx_table t = fx_data_table(source);
    fx_scale *scale = MARK;

    call_begin();
    fx_status s = call_end(fx_data_scale_fit(&scale, spec, &t, &two));
    fx_data_free(source);
    return got_scale(scale, s);
}

static fx_status scale_restore(const char *spec)
{
    static const double factor[3] = {1, 2, 3};
    fx_scale *scale = MARK;

    call_begin();
    fx_status s = call_end(fx_data_scale_restore(&scale, spec, factor, 3));
    return got_scale(scale, s);
}

static fx_status scale_apply(const char *spec)
{
    fx_data *source = made("pairs:n=40,d=30,nz=5,k=2"), *d = MARK;
    fx_table t = fx_data_table(source);
    fx_scale *scale;

    prepared(fx_data_scale_fit(&scale, spec, &t, NULL), spec);
    call_begin();
    fx_status s = call_end(fx_data_scale_apply(&d, scale, &t, &two));
    fx_data_scale_free(scale);
    fx_data_free(source);
    return got_data(d, s);
}

static fx_status movielens(const char *part)
{
#define NO_GENRES "|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0"
    fx_data *d = MARK;

    call_begin();
    fx_status s = call_end(fx_data_movielens(&d, part, 1, "1\t1\t5\n2\t2\t5\n1\t2\t3\n2\t3\t5\n",
                                        "1|24|M|smith|1\n2|33|F|baker|N\n",
                                        "1|A|01-Jan-1990||" NO_GENRES "\n2|B|||" NO_GENRES "\n"
                                        "3|C|01-Jan-1999||" NO_GENRES "\n", &two));
    return got_data(d, s);
}

/* Few pairs are drawn by trying, many from a list. */
static fx_status links(const char *part)
{
    fx_data *nodes = made("pairs:n=40,d=30,nz=5,k=2"), *d = MARK;
    static const char *const name[] = {"x", "y"};
    static const float x[] = {1, 2, 3, 4, 5, 6};
    const fx_matrix X = {.rows = 3, .cols = 2, .stride = 2, .val = x};
    const fx_table few = {.rows = 3, .cols = 2, .blocks = 1, .block = &X, .name = name};
    fx_table many = fx_data_table(nodes);

    many.label = NULL;
    call_begin();
    fx_status s = call_end(*part == 's' ? fx_data_links(&d, &few, NULL, "1 2\n", part, 1, 3, &two)
                                        : fx_data_links(&d, &many, &few, "1 2\n7 3\n8 1\n", part,
                                                        2, 3, &two));
    fx_data_free(nodes);
    return got_data(d, s);
}

static fx_status make(const char *spec)
{
    fx_data *d = MARK;

    call_begin();
    fx_status s = call_end(fx_data_make(&d, spec, 5, &two));
    return got_data(d, s);
}

/* A table as bytes, which go to `file`. */
static fx_status pack(const char *spec)
{
    const fx_sink to = {.size = sizeof(fx_sink), .write = to_memory, .ctx = &file};
    fx_data *d = parsed(spec, text_of(spec));
    fx_table t = fx_data_table(d);

    file.len = 0;
    call_begin();
    fx_status s = call_end(fx_data_pack(&to, &t, &two));
    if (!s)
        hash(file.bytes, file.len);
    fx_data_free(d);
    return s;
}

static fx_status unpack(const char *spec)
{
    const fx_sink to = {.size = sizeof(fx_sink), .write = to_memory, .ctx = &file};
    fx_data *source = parsed(spec, text_of(spec)), *d = MARK;
    fx_table t = fx_data_table(source);

    file.len = 0;
    prepared(fx_data_pack(&to, &t, NULL), spec);
    call_begin();
    fx_status s = call_end(fx_data_unpack(&d, file.bytes, file.len, &two));
    fx_data_free(source);
    return got_data(d, s);
}

static fx_status make_describe(const char *spec) { return described(fx_data_make_describe, spec); }
static fx_status scale_of(const char *spec) { return described(fx_data_scale_describe, spec); }

static fx_status to_read(const char *spec) { return described(fx_data_reader_describe, spec); }
static fx_status to_write(const char *spec) { return described(fx_data_write_describe, spec); }

/* clang-format off */
const scenario data_scenarios[] = {
    {"fx_data_parse", parse, "svmlight"},
    {"fx_data_parse", parse, "svmlight:base=1,sort=yes,duplicates=sum,nan=drop"},
    {"fx_data_parse", parse, "csv:nan=drop"},
    {"fx_data_parse", parse, "csv:cat=auto"},
    {"fx_data_parse", parse, "csv:cat=+age,query=w,id=city,na=x/y"},
    {"fx_data_parse", parse, "csv:cat=all,drop=w,nan=category"},
    {"fx_data_parse", parse, "csv:cat=city,num=age,weight=w,hash-bits=2"},
    {"fx_data_parse", parse, "text:ngram=2"},
    {"fx_data_parse", parse_npy, "npy"},
    {"fx_data_reader_new", reader_new, "svmlight"},
    {"fx_data_reader_new", reader_new, "csv"},
    {"fx_data_reader_new", reader_new, "csv:cat=+a/b,num=c,drop=d/e,na=x"},
    {"fx_data_reader_new", reader_new, "text:hash-bits=4"},
    {"fx_data_reader_new", reader_new, "npy"},
    {"fx_data_reader_new", reader_new, "npz"},
    {"fx_data_reader_feed", reader_feed, "svmlight"},
    {"fx_data_reader_feed", reader_feed, "csv:nan=drop"},
    {"fx_data_reader_feed", reader_feed, "csv:cat=auto,weight=w"},
    {"fx_data_reader_feed", reader_feed, "text:value=count,hash-bits=3"},
    {"fx_data_reader_names", reader_names, "csv:cat=city,num=age"},
    {"fx_data_reader_names", reader_names, "csv:num=age"},
    {"fx_data_reader_names", reader_names, "text:ngram=2"},
    {"fx_data_reader_names_more", reader_more, "csv:cat=city,num=age"},
    {"fx_data_reader_names_more", reader_more, "text:ngram=2"},
    {"fx_data_reader_arrow", arrow_batch, "csv:cat=auto"},
    {"fx_data_reader_arrow", arrow_batch, "csv:label=answer,drop=city/name"},
    {"fx_data_reader_arrow", arrow_batch, "csv:label=city,weight=answer,id=name,hash-bits=3"},
    {"fx_data_arrow", arrow_stream, "csv:cat=auto"},
    {"fx_data_reader_file", reader_file, "svmlight"},
    {"fx_data_reader_file", reader_file, "csv:cat=auto,weight=w"},
    {"fx_data_reader_take", reader_take, "svmlight"},
    {"fx_data_reader_take", reader_take, "csv:cat=auto,weight=w"},
    {"fx_data_reader_take", reader_take, "text:value=count,hash-bits=3"},
    {"fx_data_reader_take", reader_take, "csv:nan=drop"},
    {"fx_data_reader_member", reader_member, "member"},
    {"fx_data_reader_member", reader_member, "whole"},
    {"fx_data_write", written, "svmlight"},
    {"fx_data_write", written, "csv"},
    {"fx_data_write", written, "npy"},
    {"fx_data_write", written, "npz"},
    {"fx_data_write", written, "precomputed"},
    {"fx_data_select", select_rows, "pairs:n=40,d=30,nz=5,k=2"},
    {"fx_data_select", select_rows, "dense-positive:n=40,d=6"},
    {"fx_data_select", select_all, "svmlight"},
    {"fx_data_fill", fill, "drop"},
    {"fx_data_fill", fill, "median,indicator"},
    {"fx_data_pack", pack, "csv:cat=auto"},
    {"fx_data_unpack", unpack, "csv:cat=auto"},
    {"fx_data_unpack", unpack, "text:ngram=2"},
    {"fx_data_folds", folds, "labels"},
    {"fx_data_folds", folds, "none"},
    {"fx_data_scale_fit", scale_fit, "none"},
    {"fx_data_reader_counts", reader_counts, "csv"},
    {"fx_data_scale_fit", scale_fit, "maxabs"},
    {"fx_data_scale_fit", scale_fit, "std"},
    {"fx_data_scale_fit", scale_fit, "unit-l2"},
    {"fx_data_scale_restore", scale_restore, "maxabs"},
    {"fx_data_scale_apply", scale_apply, "maxabs"},
    {"fx_data_scale_apply", scale_apply, "unit-l1"},
    {"fx_data_make", make, "pairs:n=40,d=30,nz=5,k=2"},
    {"fx_data_make", make, "triples:n=40,d=30,nz=8,k=4"},
    {"fx_data_make", make, "parity:n=40,d=6,k=2"},
    {"fx_data_make", make, "fields:n=40,fields=3,levels=4"},
    {"fx_data_make", make, "dense-positive:n=40,d=6"},
    {"fx_data_make_describe", make_describe, "fields:n=40,fields=3,levels=4"},
    {"fx_data_scale_describe", scale_of, "maxabs"},
    {"fx_data_reader_describe", to_read, "csv:label=none"},
    {"fx_data_write_describe", to_write, "csv:header=no"},
    {"fx_data_movielens", movielens, "all"},
    {"fx_data_movielens", movielens, "test"},
    {"fx_data_links", links, "train"},
    {"fx_data_links", links, "test"},
    {"fx_data_links", links, "sample"},
    {0},
};
/* clang-format on */
