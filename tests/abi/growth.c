/* SPDX-License-Identifier: BSD-3-Clause
 * growth.c - uses every struct that may grow, and prints what came out.  growth.py compiles it with
 * headers whose structs are shorter or longer than the library's, and compares.  Each struct ends
 * where readable memory ends: the library must not touch what lies behind. */

#define _DEFAULT_SOURCE
#include "featcross.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef SINCE                           /* sets a member that the library does not know */
#define SINCE(s) ((void)0)
#endif

/* A copy before a page that cannot be read. */
static void *at_end(const void *from, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED || mprotect(p + page, page, PROT_NONE))
        exit(3);
    return memcpy(p + page - size, from, size);
}

#define NEW(type) at_end(&(type)FX_INIT(type), sizeof(type))

static void must(fx_status s, const char *what)
{
    if (!FX_FAILED(s))
        return;
    printf("%s: %s: %s\n", what, fx_status_name(s), fx_error_detail());
    exit(2);
}

static int tick(void *ctx, double done)
{
    (void)ctx;
    return done < 0;
}

static int count(void *ctx, const void *bytes, size_t len)
{
    static size_t all;

    (void)ctx, (void)bytes;
    all += len;
    return all == 0;
}

static void describe_and_read(const fx_run *run)
{
    static const char text[] = "1 1:2 3:1\n-1 2:1\n";
    fx_description *d = NEW(fx_description);
    fx_read_counts *n = NEW(fx_read_counts);
    fx_reader *r = NULL;

    must(fx_model_describe(d, "kernel-svm"), "describe");
    printf("%s, %zu keys, task %d\n", d->name, d->keys, d->task);
    must(fx_data_reader_new(&r, "svmlight", "text"), "reader");
    must(fx_data_reader_feed(r, text, strlen(text), run), "feed");
    must(fx_data_reader_counts(n, r), "counts");
    printf("%d rows, %d entries\n", (int)n->rows, (int)n->entries);
    fx_data_reader_free(r);
}

static void measure_map(const fx_table *t, const fx_run *run)
{
    fx_deviation *a = NEW(fx_deviation);
    fx_kernel *k = NULL;
    fx_map *m = NULL;

    must(fx_kernel_parse(&k, "anova:order=2", NULL, 0), "kernel");
    must(fx_map_parse(&m, "rk", k, t->cols, 64, 1, NULL, run), "map");
    fx_kernel_free(k);                  /* the map needs it no more */
    must(fx_map_deviation(a, m, t->block, 100, 1, run), "accuracy");
    printf("%d pairs, rmse %.6f\n", (int)a->pairs, a->rmse);
    fx_map_free(m);
}

static void learn(const fx_table *t, fx_plan *plan, const fx_run *run)
{
    static const double C[] = {0.1, 1};
    const fx_metrics empty = FX_INIT(fx_metrics);
    fx_metrics *e = NEW(fx_metrics), *path;
    fx_estimate *cost = NEW(fx_estimate);
    fx_explain_options *o = NEW(fx_explain_options);
    fx_sink *sink = NEW(fx_sink);
    fx_explanation *x = NULL;
    fx_discover_options *how = NEW(fx_discover_options);
    fx_discovery *found = NULL;
    fx_model *m = NULL;
    int32_t *fold = malloc(t->rows * sizeof *fold);
    fx_metrics two[4] = {empty};

    if (!fold)
        exit(3);
    must(fx_model_fit(&m, plan, t, run), "fit");
    must(fx_model_evaluate(e, NULL, m, t, run), "evaluate");
    printf("accuracy %.4f of %d rows\n", e->accuracy, (int)e->rows);
    must(fx_data_folds(fold, t->rows, 2, t->label, 1), "folds");
    path = at_end(two, sizeof two);
    must(fx_model_path(path, plan, C, 2, t, fold, 2, run), "path");
    printf("accuracy %.4f, %.4f\n", path[0].accuracy, path[3].accuracy);
    must(fx_model_estimate(cost, plan, t, run), "estimate");
    printf("costs %s\n", cost->seconds > 0 ? "time" : "nothing");
    o->top = 3;
    must(fx_model_explain(&x, m, o, run), "explain");
    printf("%d combinations, the first of order %d\n", (int)x->n, (int)x->at[0].order);
    how->order = 2;
    how->splits = 3;
    must(fx_discover(&found, how, t, run), "discover");
    printf("%d halves, %d rows\n", (int)found->halves, (int)found->rows);
    sink->write = count;
    must(fx_model_dump(sink, m), "dump");
    fx_explanation_free(x);
    fx_discovery_free(found);
    fx_model_free(m);
    free(fold);
}

int main(void)
{
    fx_run *run = NEW(fx_run);
    fx_plan *plan = NEW(fx_plan);
    fx_data *data = NULL;

    run->threads = 2;
    run->progress = tick;
    SINCE(run);
    plan->model = "kernel-svm:C=0.1,tol=1e-5";
    plan->kernel = "anova:order=2";
    SINCE(plan);
    must(fx_data_make(&data, "pairs:n=200,d=20,nz=8,k=3", 1, run), "make");
    fx_table t = fx_data_table(data);
    describe_and_read(run);
    measure_map(&t, run);
    learn(&t, plan, run);
    fx_data_free(data);
    return 0;
}
