/* SPDX-License-Identifier: BSD-3-Clause
 * serve.c - a model in a program that answers requests: mapped from a file, made a scorer once,
 * asked by several threads and by a process that was forked afterwards.
 * cc serve.c $(pkg-config --cflags --libs featcross) -pthread && ./a.out */

#include <featcross.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REQUESTS = 1000, THREADS = 4 };

static void must(fx_status s)
{
    if (s == FX_OK)
        return;
    fprintf(stderr, "%s: %s\n", fx_status_name(s), fx_error_detail());
    exit(1);
}

static int put(void *file, const void *bytes, size_t len)
{
    return fwrite(bytes, 1, len, file) != len;
}

/* A file that holds a model: here a new one, otherwise that of `featcross train`. */
static FILE *model_file(void)
{
    static const char text[] = "same 1:1 2:1\nsame 1:-1 2:-1\nother 1:1 2:-1\nother 1:-1 2:1\n";
    const fx_plan plan = {.size = sizeof(fx_plan), .model = "fm:rank=2,sd=0.5,tol=1e-2",
                          .seed = 1};
    fx_data *data;
    fx_model *model;
    FILE *f = tmpfile();
    const fx_sink sink = {.size = sizeof(fx_sink), .write = put, .ctx = f};

    if (!f)
        exit(1);
    must(fx_data_parse(&data, "svmlight", "example", text, strlen(text), NULL));
    const fx_table rows = fx_data_table(data);
    must(fx_model_fit(&model, &plan, &rows, NULL));
    must(fx_model_dump(&sink, model));
    fx_model_free(model);
    fx_data_free(data);
    fflush(f);
    return f;
}

/* The bytes of the file are needed only while they are parsed. */
static fx_scorer *open_scorer(int file)
{
    struct stat st;
    fx_model *model;
    fx_scorer *scorer;

    if (fstat(file, &st) < 0)
        exit(1);
    void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        exit(1);
    must(fx_model_parse(&model, bytes, (size_t)st.st_size, NULL));
    munmap(bytes, (size_t)st.st_size);
    must(fx_scorer_new(&scorer, model, NULL));
    fx_model_free(model);                       /* the scorer keeps what it needs */
    return scorer;
}

/* The probability of the second class; run: one thread, the caller's. */
static double answer(const fx_scorer *scorer, double a, double b)
{
    const fx_run run = {.size = sizeof(fx_run), .threads = 1};
    const double x[] = {a, b};
    const fx_matrix row = {.rows = 1, .cols = 2, .stride = 2, .type = FX_F64, .val = x};
    double p[2];

    must(fx_scorer_predict(p, NULL, scorer, FX_PROBA, &row, &run));
    return p[1];
}

static void *serve(void *scorer)
{
    static const double wanted = 0.5;
    size_t right = 0;

    for (int i = 0; i < REQUESTS; i++)
        right += (answer(scorer, i % 2 ? 1 : -1, 1) > wanted) == i % 2;
    return right == REQUESTS ? scorer : NULL;   /* NULL: an answer was wrong */
}

int main(void)
{
    FILE *f = model_file();
    fx_scorer *scorer = open_scorer(fileno(f));
    pthread_t thread[THREADS];
    int right = 0, status = 1;
    void *done;

    fclose(f);
    printf("(1, 1) is %s\n", answer(scorer, 1, 1) > 0.5 ? "same" : "other");
    printf("(-1, 1) is %s\n", answer(scorer, -1, 1) > 0.5 ? "same" : "other");
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, serve, scorer))
            return 1;
    for (int i = 0; i < THREADS; i++)
        right += pthread_join(thread[i], &done) == 0 && done;
    printf("%d threads, %d requests each: %d right\n", THREADS, REQUESTS, right);
    fflush(stdout);

    pid_t child = fork();                       /* no thread is inside a call */
    if (child == 0)
        _exit(serve(scorer) ? 0 : 1);
    waitpid(child, &status, 0);
    printf("a forked process: %s\n", status == 0 ? "right" : "wrong");
    fx_scorer_free(scorer);
    return right == THREADS && status == 0 ? 0 : 1;
}
