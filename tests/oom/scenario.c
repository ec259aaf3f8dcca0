/* SPDX-License-Identifier: BSD-3-Clause
 * scenario.c - what scenarios share, and one run of one of them. */

#include "scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fx_run two = {.size = sizeof(fx_run), .threads = 2};
static bool unsized, refused;           /* a run whose size is not set; the call said so */
static wrap_what failing;
static long failing_at;
static bool reached;                    /* did the call meet the failure? */
static uint64_t result;                 /* hash of what the call gave out */
static const char *problem;

void call_begin(void)
{
    two.size = unsized ? 0 : sizeof two;
    wrap_fail(failing, failing_at);
}

fx_status call_end(fx_status s)
{
    reached = wrap_failed();
    wrap_fail(WRAP_NOTHING, 0);
    two.size = sizeof two;
    refused = s == FX_EINVAL && strstr(fx_error_detail(), "fx_run.size is 0");
    if (s == FX_ENOMEM && !strstr(fx_error_detail(), "out of memory"))
        problem = "the detail does not say that memory ran out";
    return s;
}

void expect(bool holds, const char *what)
{
    if (!holds && !problem)
        problem = what;
}

/* Preparation runs undisturbed, so it must not fail. */
void prepared(fx_status s, const char *what)
{
    if (s < 0) {
        fprintf(stderr, "cannot prepare %s: %s\n", what, fx_error_detail());
        exit(1);
    }
}

void hash(const void *p, size_t n)
{
    const unsigned char *bytes = p;

    for (size_t i = 0; i < n; i++)
        result = (result ^ bytes[i]) * 0x100000001b3u;
}

void hash_text(const char *s) { hash(s, strlen(s) + 1); }

fx_status described(fx_status (*describe)(fx_description *, const char *), const char *spec)
{
    fx_description d = {.size = sizeof d, .name = MARK};

    call_begin();
    fx_status s = call_end(describe(&d, spec));
    if (s < 0)
        expect(d.name == MARK, "the description changed although the call failed");
    else
        hash_text(d.name);
    return s;
}

void hash_table(const fx_table *t)
{
    hash(&t->rows, sizeof t->rows);
    hash(&t->cols, sizeof t->cols);
    hash(&t->classes, sizeof t->classes);
    if (t->label)
        hash(t->label, t->rows * sizeof *t->label);
    if (t->qid)
        hash(t->qid, t->rows * sizeof *t->qid);
    if (t->weight)
        hash(t->weight, t->rows * sizeof *t->weight);
    for (size_t i = 0; i < t->classes; i++)
        hash_text(t->class_name[i]);
    for (size_t j = 0; t->name && j < t->cols; j++)
        hash_text(t->name[j]);
    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *X = &t->block[b];
        size_t size = X->type == FX_F32 ? sizeof(float) : sizeof(double);
        if (X->ptr) {
            size_t first = (size_t)X->ptr[0], n = (size_t)X->ptr[X->rows] - first;
            hash(X->ptr, (X->rows + 1) * sizeof *X->ptr);
            hash((const char *)X->val + first * size, n * size);
            size = X->wide ? sizeof(int64_t) : sizeof(int32_t);
            hash((const char *)X->col + first * size, n * size);
        } else {
            for (size_t i = 0; i < X->rows; i++)
                hash((const char *)X->val + i * X->stride * size, X->cols * size);
        }
    }
}

fx_status got_data(fx_data *d, fx_status s)
{
    if (s < 0)
        expect(d == MARK, "an output changed although the call failed");
    else {
        fx_table t = fx_data_table(d);
        hash_table(&t);
        hash_text(fx_data_planted(d));
        fx_data_free(d);
    }
    return s;
}

/* Text labels, integers and fractions, qid, comments. */
const char *svmlight(size_t rows)
{
    static char text[1 << 20];
    static size_t written;

    if (rows != written)
        for (size_t i = 0, n = 0; i < rows; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s qid:%zu %zu:1 %zu:%g # row\n",
                                  i % 3 ? "yes" : "no", i / 10, i % 7 + 1, i % 11 + 10,
                                  (double)(i % 1000) / 7);
    written = rows;
    return text;
}

static const char csv[] = "a,b,label\n1,2.5,x\n3,4,y\n,0.1,x\n";
static const char people[] = "age,city,w,y\n31,Paris,1,2\n42,Rome,0.5,3\n0.1,Paris,2,4\n"
                             "7,Oslo,1,5\n";
static const char lines[] = "pos the cat sat on the mat\nneg the dog\npos a cat the cat sat\n";

/* What a spec can read. */
const char *text_of(const char *spec)
{
    return !strncmp(spec, "text", 4)                  ? lines
           : strstr(spec, "cat=") || strstr(spec, "age") ? people
           : !strncmp(spec, "csv", 3)                 ? csv
                                                      : svmlight(FEW);
}

fx_data *parsed(const char *spec, const char *text)
{
    fx_data *d;

    prepared(fx_data_parse(&d, spec, "text", text, strlen(text), NULL), spec);
    return d;
}

fx_data *made(const char *spec)
{
    fx_data *d;

    prepared(fx_data_make(&d, spec, 1, NULL), spec);
    return d;
}

memory file;

int to_memory(void *ctx, const void *bytes, size_t len)
{
    memory *m = ctx;

    if (len > sizeof m->bytes - m->len)
        return 1;
    memcpy(m->bytes + m->len, bytes, len);
    m->len += len;
    return 0;
}

static int new_member(void *ctx, const char *name, uint64_t size)
{
    memory *m = ctx;

    (void)size;
    if (m->members == 8)
        return 1;
    m->start[m->members] = m->len;
    snprintf(m->name[m->members++], sizeof m->name[0], "%s", name);
    return 0;
}

fx_status write_file(const char *spec, const fx_table *t, const fx_run *run)
{
    const fx_sink sink = {
        .size = sizeof(fx_sink), .write = to_memory, .member = new_member, .ctx = &file};

    file.len = file.members = 0;
    return fx_data_write(&sink, spec, t, run);
}

bool scenario_once(uint64_t *got, const scenario *c, wrap_what what, long n, uint64_t want)
{
    static const char *kinds[] = {"nothing", "allocation", "allocations from", "thread"};
    long live = wrap_live();

    failing = what;
    failing_at = n;
    result = 0xcbf29ce484222325u;
    problem = NULL;
    fx_status s = c->run(c->spec);
    if (s != FX_OK && s != FX_ENOMEM)
        problem = "neither FX_OK nor FX_ENOMEM";
    if (s == FX_ENOMEM && (!reached || what == WRAP_THREAD))
        problem = "FX_ENOMEM without a failing allocation";
    if (s == FX_OK && want && result != want)
        problem = "another result than the undisturbed run";
    if (wrap_live() != live)
        problem = "memory is left behind";
    if (problem) {
        fprintf(stderr, "%s %s, failing %s %ld: %s (status %s: %s)\n", c->function,
                c->spec, kinds[what], n, problem, fx_status_name(s), fx_error_detail());
        exit(1);
    }
    *got = result;
    return reached;
}

bool scenario_refuses(const scenario *c)
{
    unsized = true;
    c->run(c->spec);
    unsized = false;
    return refused;
}
