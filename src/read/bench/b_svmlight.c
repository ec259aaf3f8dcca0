/* SPDX-License-Identifier: BSD-3-Clause
 * b_svmlight.c - speed of the svmlight reader on one thread.
 *
 *   bench.read.svmlight           three kinds of generated text, best of several runs:
 *                                 kind  MB  MB/s
 *   bench.read.svmlight FILE      reads FILE as the program does, in batches of whole lines:
 *                                 seconds in the reader  bytes  CSR bytes  peak resident bytes
 * The second form is one line for bench/read.py; its peak includes the batch and the program. */

#include "base/test.h"
#include "featcross.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 8 << 20 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(fx_status s)
{
    if (s < 0) {
        fprintf(stderr, "%s: %s\n", fx_status_name(s), fx_error_detail());
        exit(2);
    }
}

static char *generate(size_t *len, int kind)
{
    const size_t rows = 20000, pairs = 60;
    char *text = malloc(rows * (pairs * 40 + 4)), *p = text;

    for (size_t i = 0; text && i < rows; i++) {
        p += sprintf(p, "%s", test_below(2) ? "1" : "-1");
        for (size_t q = 0, j = 0; q < pairs; q++) {
            j += 1 + test_below(500);
            p += kind == 0 ? sprintf(p, " %zu:1", j)
                 : kind == 1 ? sprintf(p, " %zu:%.4f", j, test_unit())
                             : sprintf(p, " %zu:%.17g", j, test_unit());
        }
        *p++ = '\n';
    }
    *len = (size_t)(p - text);
    return text;
}

static void generated(void)
{
    static const char *kinds[] = {"binary", "4 digits", "17 digits"};
    fx_run one = {.size = sizeof(fx_run), .threads = 1};

    for (int kind = 0; kind < 3; kind++) {
        size_t len;
        char *text = generate(&len, kind);
        double best = INFINITY;
        for (int run = 0; text && run < 7; run++) {
            fx_data *d;
            double t = now();
            check(fx_data_parse(&d, "svmlight", "generated", text, len, &one));
            best = fmin(best, now() - t);
            fx_data_free(d);
        }
        printf("%-9s %6.1f %7.1f\n", kinds[kind], 1e-6 * (double)len, 1e-6 * (double)len / best);
        free(text);
    }
}

static size_t csr_bytes(const fx_table *t)
{
    size_t bytes = t->rows * sizeof *t->label;

    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *m = &t->block[b];
        bytes += (m->rows + 1) * sizeof *m->ptr
                 + (size_t)m->ptr[m->rows] * (m->type == FX_F32 ? 8 : 12);
    }
    return bytes;
}

/* Not getrusage: its peak is inherited from the process that started this one. */
static unsigned long long peak_bytes(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    unsigned long long kib = 0;

    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "VmHWM:", 6))
            kib = strtoull(line + 6, NULL, 10);
    if (f)
        fclose(f);
    return 1024 * kib;
}

static void from_file(const char *path)
{
    int fd = open(path, O_RDONLY);
    char *batch = malloc(BATCH);
    size_t held = 0;
    ssize_t got;
    double spent = 0;
    fx_reader *r;
    fx_data *d;
    fx_run one = {.size = sizeof(fx_run), .threads = 1};

    if (fd < 0 || !batch) {
        perror(path);
        exit(2);
    }
    check(fx_data_reader_new(&r, "svmlight", path));
    while ((got = read(fd, batch + held, BATCH - held)) > 0) {
        size_t whole = held + (size_t)got;
        while (whole && batch[whole - 1] != '\n')
            whole--;
        double t = now();
        check(fx_data_reader_feed(r, batch, whole, &one));
        spent += now() - t;
        held += (size_t)got - whole;
        memmove(batch, batch + whole, held);
    }
    double t = now();
    check(fx_data_reader_feed(r, batch, held, &one));
    check(fx_data_reader_take(&d, r, 1, NULL));
    spent += now() - t;
    fx_table table = fx_data_table(d);
    fx_read_counts counts = FX_INIT(fx_read_counts);
    check(fx_data_reader_counts(&counts, r));
    printf("%.6f %llu %zu %llu\n", spent, (unsigned long long)counts.bytes, csr_bytes(&table),
           peak_bytes());
    fx_data_free(d);
    fx_data_reader_free(r);
    free(batch);
    close(fd);
}

int main(int argc, char **argv)
{
    test_init();
    if (argc > 1)
        from_file(argv[1]);
    else
        generated();
    return 0;
}
