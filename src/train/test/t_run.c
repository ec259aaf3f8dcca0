/* SPDX-License-Identifier: BSD-3-Clause
 * t_run.c - how calls run: stopped soon, within memory, several at once on one model.
 * Covers: fit.c, path.c, src/model/predict.c, src/model/evaluate.c */
#include "model/test/fixture.h"

#include <pthread.h>
#include <time.h>

enum { N = 1000 };

typedef struct stopping {
    double cancelled_at;
    int calls, after;
} stopping;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int stop(void *ctx, double done)
{
    stopping *s = ctx;

    CHECK(done >= 0 && done <= 1);
    if (s->calls++ < s->after)
        return 0;
    s->cancelled_at = now();
    return 1;
}

typedef struct call {
    fx_plan plan;
    fx_table t;
    const fx_model *m;
    int32_t *fold;
    double *out;
} call;

static fx_status calls(int which, call *c, const fx_run *run)
{
    static const double C[] = {0.1, 1, 10, 100};
    fx_metrics measured[20] = {FX_INIT(fx_metrics)};
    fx_model *m = NULL;
    fx_status s;

    switch (which) {
    case 0: return fx_model_predict(c->out, NULL, c->m, FX_PROBA, c->t.block, run);
    case 1: return fx_model_evaluate(measured, NULL, c->m, &c->t, run);
    case 2: return fx_model_path(measured, &c->plan, C, 4, &c->t, c->fold, 5, run);
    default:
        s = fx_model_fit(&m, &c->plan, &c->t, run);
        CHECK((s >= 0) == (m != NULL));
        fx_model_free(m);
        return s;
    }
}

/* At the first question and at later ones. */
static void can_be_stopped(call *c)
{
    double slow = getenv("FX_TEST_SLOW") ? atof(getenv("FX_TEST_SLOW")) : 1;

    for (int which = 0; which < 4; which++) {
        int stopped = 0;
        for (int threads = 1; threads < 4; threads += 2)
            for (int after = 0; after < 5; after += 2) {
                stopping s = {.after = after};
                fx_run run = {RUN, .threads = threads, .progress = stop, .ctx = &s};
                fx_status st = calls(which, c, &run);
                if (s.calls <= after)   /* done before it was cancelled */
                    continue;
                double took = now() - s.cancelled_at;
                CHECK(st == FX_ECANCELLED);
                if (took > 0.1 * slow)
                    fprintf(stderr, "call %d: stopped after %g s\n", which, took);
                CHECK(took < 0.1 * slow * 3);   /* a busy machine */
                stopped++;
            }
        CHECK(stopped >= 4);            /* of 6 */
    }
}

/* Too little memory is said with how much is needed; that much, step by step, is enough. */
static void states_needed_memory(call *c)
{
    for (int which = 0; which < 4; which++) {
        fx_run run = {RUN, .threads = 2, .max_memory = 2000};
        int steps = 0;
        fx_status st;
        while ((st = calls(which, c, &run)) == FX_ELIMIT) {
            const char *needs = strstr(fx_error_detail(), " needs ");
            CHECK(needs && ++steps < 20);
            uint64_t bytes = strtoull(needs + 7, NULL, 10);
            CHECK(bytes > run.max_memory);
            run.max_memory = bytes;
        }
        CHECK(st >= 0 && steps > 0);
    }
}

static void *predict(void *ctx)
{
    call *c = ctx;

    for (int i = 0; i < 3; i++)
        CHECK(calls(0, c, &(fx_run){RUN, .threads = 2}) == FX_OK);
    return NULL;
}

/* A model may be used by several threads at once. */
static void is_shared(const call *c)
{
    pthread_t id[4];
    call each[4];
    size_t width = fx_model_width(c->m, FX_PROBA), n = c->t.rows;
    double *expected = predicted(c->m, FX_PROBA, c->t.block, &(fx_run){RUN, .threads = 1});

    for (size_t k = 0; k < 4; k++) {
        each[k] = *c;
        each[k].out = malloc(n * width * sizeof(double));
        CHECK(each[k].out && !pthread_create(&id[k], NULL, predict, &each[k]));
    }
    for (size_t k = 0; k < 4; k++) {
        CHECK(!pthread_join(id[k], NULL) && same_bits(each[k].out, expected, n * width));
        free(each[k].out);
    }
    free(expected);
}

typedef struct nesting {
    const call *c;
    double *out;
    int calls;
} nesting;

static int predict_again(void *ctx, double done)
{
    nesting *x = ctx;

    (void)done;
    CHECK(!fx_model_predict(x->out, NULL, x->c->m, FX_PROBA, x->c->t.block, NULL));
    x->calls++;
    return 0;
}

/* A callback may call the library, with the object that is in use. */
static void may_be_nested(call *c)
{
    size_t n = c->t.rows * fx_model_width(c->m, FX_PROBA);
    double *expected = predicted(c->m, FX_PROBA, c->t.block, NULL);
    nesting x = {c, malloc(n * sizeof(double)), 0};

    CHECK(x.out);
    for (int which = 0; which < 4; which++) {
        x.calls = 0;
        CHECK(calls(which, c, &(fx_run){RUN, .threads = 2, .progress = predict_again, .ctx = &x})
              >= 0);
        CHECK(x.calls > 0 && same_bits(x.out, expected, n));
        CHECK(which || same_bits(c->out, expected, n));
    }
    free(x.out);
    free(expected);
}

/* What progress can show: a step of the history, of one output; alone, the last one.  With helpers,
 * these may have taken all outputs before the calling thread could: then it shows none. */
static void shows_steps(const call *c)
{
    for (int threads = 1; threads < 4; threads += 2) {
        fx_step step = {0};
        fx_model *m = fitted(&c->plan, &c->t, &(fx_run){RUN, .threads = threads, .step = &step});
        const fx_model_info *info = fx_model_inspect(m);
        size_t i = info->steps - 1;
        while (threads > 1 && i > 0 && memcmp(&step, &info->history[i], sizeof step))
            i--;
        if (threads == 1 || step.seconds != 0)
            CHECK(!memcmp(&step, &info->history[i], sizeof step) && step.seconds > 0);
        fx_model_free(m);
    }
}

int main(void)
{
    fx_data *d = made("pairs:n=1000,d=60,nz=12"), *few = made("pairs:n=240,d=60,nz=12");
    double label[N], *out = malloc(N * 3 * sizeof *out);
    int32_t fold[N];
    call c = {.t = fx_data_table(d), .fold = fold, .out = out,
              .plan = {PLAN, .model = "svm-l2:calibrate=yes", .scale = "unit-l2", .map = "rk",
                       .kernel = "anova", .features = 300}};

    CHECK(out);
    for (size_t i = 0; i < N; i++)
        label[i] = i % 4 == 3 ? 5 : c.t.label[i];
    c.t.label = label;
    CHECK(fx_data_folds(fold, N, 5, label, 1) == FX_OK);
    const fx_plan plans[] = {
        c.plan,
        {PLAN, .model = "kernel-svm:calibrate=yes,tol=0.1", .scale = "unit-l2", .kernel = "rbf"}};
    for (int k = 0; k < 2; k++) {
        c.plan = plans[k];
        if (k) {
            c.t = fx_data_table(few);
            c.t.label = label;          /* rows are the same for any number of them */
        }
        fx_model *m = fitted(&c.plan, &c.t, NULL);
        c.m = m;
        can_be_stopped(&c);
        shows_steps(&c);
        is_shared(&c);
        may_be_nested(&c);
        if (k == 0)
            c.plan.model = "svm-l2:calibrate=yes,tol=0.1";
        states_needed_memory(&c);
        fx_model_free(m);
    }
    fx_data_free(d);
    fx_data_free(few);
    free(out);
    return 0;
}
