/* SPDX-License-Identifier: BSD-3-Clause
 * spill_answer.c - answers the passes of a fit from the rows of a spill.
 *
 * Workers, one per thread, take parts as they come: each reads, unpacks and adds them to its own
 * pass, and in the end the answers are merged, with those of other processes, if mpirun started
 * some.  A pass that needs its rows in an order of its own has one worker, and a second thread
 * reads ahead. */

#include "spill.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A part that is being read; by a thread of its own when it is read ahead. */
typedef struct fetch {
    const spill *s;
    const spill_part *part;
    char *buf;
    size_t capacity;
    fx_data *data;
    int error;                          /* errno of a read that failed */
    fx_status status;
    char detail[512];                   /* of the library, which knows its last error by thread */
    pthread_t thread;
    bool started;
} fetch;

struct spill_worker {
    struct spill *s;
    const void *request;
    size_t bytes;
    fx_pass *pass;
    int threads;                        /* of the pass */
    fetch part[2];
    fx_status status;
    pthread_t thread;
};

struct spill_work {                     /* what the workers of a pass share */
    atomic_size_t next;
    atomic_ullong done;                 /* bytes */
    atomic_bool stop;
};

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_part(const fetch *f)
{
    fx_table t = fx_data_table(f->data);

    return spill_is_part(f->s, f->part->first, &t);
}

static void *fetch_part(void *ctx)
{
    fetch *f = ctx;

    f->data = NULL;
    f->status = FX_OK;
    f->error = 0;
    if (f->capacity < f->part->bytes) {
        char *more = realloc(f->buf, f->part->bytes);
        if (!more) {
            f->error = ENOMEM;
            return NULL;
        }
        f->buf = more;
        f->capacity = f->part->bytes;
    }
    if (!(f->error = spill_read(f->s, f->part, f->buf)))
        f->status = fx_data_unpack(&f->data, f->buf, f->part->bytes, NULL);
    if (f->status)
        snprintf(f->detail, sizeof f->detail, "%s", fx_error_detail());
    else if (!f->error && !is_part(f)) {
        f->status = FX_EFORMAT;
        snprintf(f->detail, sizeof f->detail, "a part has other rows or columns");
    }
    return NULL;
}

static void fetch_begin(fetch *f, const spill_part *part)
{
    f->part = part;
    f->started = progress_threads() > 1 && !pthread_create(&f->thread, NULL, fetch_part, f);
    if (!f->started)
        fetch_part(f);
}

static bool fetch_end(fetch *f)
{
    if (f->started)
        pthread_join(f->thread, NULL);
    f->started = false;
    return !f->error && !f->status;
}

static void fetch_clear(fetch *f)
{
    fetch_end(f);
    fx_data_free(f->data);
    f->data = NULL;
}

/* Prints why, and sets the status of the program. */
static fx_status fetch_failed(spill *s, const fetch *f)
{
    errno = f->error;
    if (f->error == ENOMEM)
        s->status = say_no_memory("a part of the rows");
    else if (f->error)
        s->status = spill_failed(s, "reading");
    else
        s->status = f->status == FX_ENOMEM ? say_no_memory("a part of the rows")
                                           : spill_damaged(s, f->detail);
    return FX_ECANCELLED;
}

/* ---- Workers --------------------------------------------------------------------------------- */

static int poll(void *ctx, double done)
{
    const struct spill_work *w = ctx;

    (void)done;
    return progress_interrupted() || atomic_load(&w->stop);
}

static fx_status add_part(struct spill_worker *w, fetch *f)
{
    fx_table t = fx_data_table(f->data);

    t.name = w->s->name;
    fx_status st = fx_model_pass_add(w->pass, &t, f->part->first);
    atomic_fetch_add(&w->s->work->done, f->part->bytes);
    fx_data_free(f->data);
    f->data = NULL;
    return st;
}

/* The first worker that fails prints why: the library knows its last error by thread. */
static void stop_all(struct spill_worker *w)
{
    const fetch *f = &w->part[0];

    if (atomic_exchange(&w->s->work->stop, true))
        return;
    if (f->error || f->status)
        fetch_failed(w->s, f);
    else if (w->status != FX_ECANCELLED)
        w->s->status = say_failure_from(w->status, (size_t)f->part->first);
    w->status = FX_ECANCELLED;
}

/* Parts as they come; the first worker also draws the bar. */
static void *take_parts(void *ctx)
{
    struct spill_worker *w = ctx;
    struct spill_work *all = w->s->work;
    size_t k;

    while (!w->status && !atomic_load(&all->stop)
           && (k = atomic_fetch_add(&all->next, 1)) < w->s->parts) {
        fetch *f = &w->part[0];
        f->part = &w->s->part[k];
        fetch_part(f);
        w->status = f->error || f->status ? FX_ECANCELLED : add_part(w, f);
        if (w == w->s->worker && !w->status && progress_at((double)atomic_load(&all->done)))
            w->status = FX_ECANCELLED;
    }
    if (w->status)
        stop_all(w);
    return NULL;
}

/* The part after `done` of them, and `ahead` more, in the order that the pass asks for; NULL: there
 * are no more.  A share of the rows is in their own order, which is all that its passes need. */
static const spill_part *part_in_order(const struct spill_worker *w, size_t done, size_t ahead)
{
    const spill *s = w->s;

    if (team_ranks() > 1)
        return done + ahead < s->parts ? &s->part[done + ahead] : NULL;
    uint64_t first = fx_model_pass_next(w->pass, ahead);
    return first < s->rows ? spill_part_at(s, first) : NULL;
}

/* Parts in that order, the next one read ahead. */
static fx_status take_in_order(struct spill_worker *w)
{
    spill *s = w->s;
    const spill_part *part = part_in_order(w, 0, 0), *next;
    fx_status st = FX_OK;

    if (part)
        fetch_begin(&w->part[0], part);
    for (size_t k = 0; !st && part; k++, part = part_in_order(w, k, 0)) {
        fetch *now = &w->part[k % 2], *ahead = &w->part[(k + 1) % 2];
        if (!fetch_end(now))
            return fetch_failed(s, now);
        if ((next = part_in_order(w, k, 1)))
            fetch_begin(ahead, next);
        st = add_part(w, now);
        if (!st && progress_at((double)atomic_load(&s->work->done)))
            st = FX_ECANCELLED;
    }
    return st;
}

/* Prints why, if it fails: a sink cannot tell who fills it. */
static int collect(void *ctx, const void *bytes, size_t len)
{
    spill *s = ctx;
    fx_status st = fx_model_pass_merge(s->worker[0].pass, bytes, len);

    if (st)
        s->status = say_failure(st);
    return st != FX_OK;
}

/* Each worker with a pass of its own; the answers go to the first. */
static fx_status divide(spill *s, size_t workers)
{
    size_t started = 1;
    fx_status st = FX_OK;

    while (started < workers
           && !pthread_create(&s->worker[started].thread, NULL, take_parts, &s->worker[started]))
        started++;
    take_parts(&s->worker[0]);
    for (size_t k = 1; k < started; k++)
        pthread_join(s->worker[k].thread, NULL);
    if (atomic_load(&s->work->stop))
        return FX_ECANCELLED;
    for (size_t k = 1; k < started && !st; k++)
        st = fx_model_pass_end(&(fx_sink){sizeof(fx_sink), collect, NULL, s}, s->worker[k].pass);
    return st;
}

/* ---- A pass ---------------------------------------------------------------------------------- */

static bool make_workers(spill *s)
{
    size_t n = (size_t)progress_threads();

    if (s->worker)
        return true;
    s->work = calloc(1, sizeof *s->work);
    s->worker = calloc(n, sizeof *s->worker);
    if (!s->work || !s->worker)
        return false;
    s->workers = n;
    for (size_t k = 0; k < n; k++) {
        s->worker[k].s = s;
        s->worker[k].part[0].s = s->worker[k].part[1].s = s;
    }
    return true;
}

static fx_status begin_pass(struct spill_worker *w, int threads)
{
    fx_run run = cli.run;
    fx_status st = FX_OK;

    if (w->threads != threads) {
        fx_model_pass_free(w->pass);
        w->pass = NULL;
    }
    w->threads = run.threads = threads;
    run.progress = poll;
    run.ctx = w->s->work;
    w->status = FX_OK;
    if (!w->pass)
        st = fx_model_pass_new(&w->pass, &run);
    return st ? st : fx_model_pass_begin(w->pass, w->request, w->bytes);
}

/* The passes of all workers, or of the first alone, which then has all threads; kept for later
 * requests. */
static fx_status begin_passes(spill *s, const void *request, size_t bytes, bool *divided)
{
    struct spill_worker *w = s->worker;
    fx_status st;

    for (size_t k = 0; k < s->workers; k++) {
        w[k].request = request;
        w[k].bytes = bytes;
    }
    if ((st = begin_pass(w, w->threads ? w->threads : 1)))
        return st;
    *divided = fx_model_pass_divisible(w->pass);
    if (w->threads != (*divided ? 1 : progress_threads()))
        st = begin_pass(w, *divided ? 1 : progress_threads());
    for (size_t k = 1; k < s->workers && *divided && !st; k++)
        st = begin_pass(&w[k], 1);
    return st;
}

/* The answer of this process and of those that it collects from. */
static fx_status answer(spill *s, const void *request, size_t bytes, const fx_sink *to)
{
    bool divided = false;
    fx_status st = begin_passes(s, request, bytes, &divided);

    if (!st)
        st = divided ? divide(s, s->workers) : take_in_order(&s->worker[0]);
    for (size_t k = 0; k < s->workers; k++)
        for (int i = 0; i < 2; i++)
            fetch_clear(&s->worker[k].part[i]);
    if (!st)
        st = team_collect(s->worker[0].pass);
    return st ? st : fx_model_pass_end(to, s->worker[0].pass);
}

static void count(spill *s, double seconds)
{
    if (s->passes == 1)
        s->first_seconds = seconds;
    else {
        s->other_seconds += seconds;
        if (s->passes == 2 || seconds < s->least_seconds)
            s->least_seconds = seconds;
    }
}

fx_status spill_answer(void *ctx, const void *request, size_t bytes, const fx_sink *to)
{
    spill *s = ctx;
    double start = say_clock();

    if (!make_workers(s)) {
        s->status = say_no_memory("a pass over the rows");
        return FX_ECANCELLED;
    }
    s->passes++;
    progress_pass(s->passes, s->rows, (double)s->bytes);
    atomic_store(&s->work->next, 0);
    atomic_store(&s->work->done, 0);
    atomic_store(&s->work->stop, false);
    fx_status st = team_rank() || team_ask(request, bytes)
                       ? answer(s, request, bytes, to)
                       : FX_ECANCELLED;
    count(s, say_clock() - start);
    return st;
}

/* A sink: to the process that collects from this one. */
static int send_on(void *ctx, const void *bytes, size_t len)
{
    (void)ctx;
    return !team_answer(bytes, len);
}

int spill_assist(spill *s)
{
    const fx_sink sink = {sizeof sink, send_on, NULL, NULL};
    const void *request;
    size_t bytes;
    fx_status st = FX_OK;

    while (!st && !s->status && team_asked(&request, &bytes))
        if (spill_share_asked(request, bytes))
            s->status = spill_share_give(s, request);
        else
            st = spill_answer(s, request, bytes, &sink);
    return s->status ? s->status : st ? say_failure(st) : progress_stop();
}

/* ---- Rows themselves ------------------------------------------------------------------------- */

static fx_status give(const spill *s, const fetch *f, fx_rows_take *take, void *to)
{
    fx_table t = fx_data_table(f->data);

    t.name = s->name;
    return take(to, &t);
}

fx_status spill_visit(void *ctx, fx_rows_take *take, void *to)
{
    spill *s = ctx;
    fetch f[2] = {{.s = s}, {.s = s}};
    fx_status st = FX_OK;

    if (s->parts)
        fetch_begin(&f[0], &s->part[0]);
    for (size_t k = 0; k < s->parts && !st; k++) {
        fetch *now = &f[k % 2], *ahead = &f[(k + 1) % 2];
        if (!fetch_end(now))
            st = fetch_failed(s, now);
        if (!st && k + 1 < s->parts)
            fetch_begin(ahead, &s->part[k + 1]);
        if (!st)
            st = progress_interrupted() ? FX_ECANCELLED : give(s, now, take, to);
        fx_data_free(now->data);
        now->data = NULL;
    }
    for (int k = 0; k < 2; k++) {
        fetch_clear(&f[k]);
        free(f[k].buf);
    }
    return st;
}

void spill_answer_free(spill *s)
{
    for (size_t k = 0; k < s->workers; k++) {
        fx_model_pass_free(s->worker[k].pass);
        for (int i = 0; i < 2; i++)
            free(s->worker[k].part[i].buf);
    }
    free(s->worker);
    free(s->work);
    s->worker = NULL;
    s->work = NULL;
    s->workers = 0;
}
