/* SPDX-License-Identifier: BSD-3-Clause
 * program.c - the program survives every failing allocation, those of its libraries included.
 *
 * Each command runs once undisturbed, then with its n-th allocation failing, each time in a new
 * process.  n goes over the first and the second allocation of every call stack that no command
 * before had; at the first, there is also a run in which all from the n-th on fail.  Each time:
 * exit status 4 and a message that speaks of memory, or status 0 and the undisturbed result (of
 * compare, also one that says what is missing); no temporary file; the output absent or complete;
 * with --json all of the document or nothing.  In text that is printed numbers may differ, since
 * some are seconds.
 *
 * The linker gives this file's main the place of the program's (--wrap=main).  Nothing is printed
 * through stdout here: its buffer is an allocation of the program. */

#define _GNU_SOURCE
#include "process.h"

#include <bzlib.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

enum { WORDS = 24, TEXT = 1 << 20, SECONDS = 60 };

/* Commands, of which o.* is the output; those in `before` prepare files and are not disturbed. */
static const char *const before[] = {
    "make pairs -n 60 -d 8 --nz 4 -k 2 -o x.svm -q --seed 3",
    "make pairs -n 20 -d 11 --nz 4 -k 2 -o wide.svm -q --seed 3",
    "convert x.svm x.csv -q", "convert x.svm x.tsv -q", "convert x.svm x.npy -q",
    "convert x.svm x.npz -q",
    "train x.svm -o linear.fx -q --model logistic -C 1 --scale none",
    "train x.svm -o map.fx -q --model svm --kernel anova:order=2 -D 64 -C 1 --scale none",
    "train x.svm -o kernel.fx -q --model kernel-svm --kernel anova:order=2 -C 1 --scale none",
    "train x.svm -o fm.fx -q --model fm --rank 2 --max-iter 3 --scale none",
    "train --links links.txt --nodes nodes.svm --nodes-b nodes.svm -o links.fx -q --model fm "
    "--rank 2 --max-iter 3 --scale none --part all",
    "train gaps.csv -o gaps.fx -q --id key --nan mean,indicator --model logistic -C 1",
    "train gaps.csv -o drop.fx -q --id key --nan drop --model logistic -C 1",
    NULL};
static const char *const commands[] = {
    "convert x.svm o.svm", "convert x.svm o.csv", "convert x.svm o.npz", "convert x.csv o.svm",
    "convert x.tsv o.npy", "convert x.npy o.csv", "convert x.npz o.tsv", "convert x.svm.gz o.svm",
    "convert x.svm.xz o.npz", "convert x.svm.zst o.npy", "convert x.svm.bz2 o.csv",
    "convert fm.fx o.txt --to libfm", "convert x.svm - --to npz",
    "info x.svm", "info x.svm.gz --json", "info words.csv --json",
    "info map.fx", "info fm.fx --json",
    "train x.svm -o o.fx --model svm -C 1 --calibrate",
    "train x.svm -o o.fx --model svm --kernel anova:order=2 -D 64 -C 1 --json",
    "train x.svm -o o.fx --model kernel-svm --kernel anova:order=2 -C 1",
    "train x.csv -o o.fx --model fm --rank 2 --max-iter 3 --json",
    "train wide.svm -o o.fx --init fm.fx --freeze --json",
    "train --links links.txt --nodes wide-nodes.svm --nodes-b nodes.svm -o o.fx --init links.fx "
    "--freeze --json",
    "predict links.fx --links links.txt --nodes wide-nodes.svm --nodes-b nodes.svm",
    "vectors links.fx --nodes nodes.svm --side second -o o.npy",
    "recommend links.fx --for nodes.svm --among nodes.svm --without links.txt -k 2 -o o.csv",
    "recommend links.fx --for nodes.svm --among nodes.svm --explain 1 --json",
    "train x.svm -o o.fx --spill o.spill -C auto --max-iter 2 --scale auto",
    "predict map.fx x.svm -o o.csv", "predict kernel.fx x.npz",
    "predict fm.fx x.svm --json -o o.tsv",
    "evaluate map.fx x.svm", "evaluate linear.fx x.svm.xz --json",
    "explain linear.fx", "explain fm.fx --json", "explain map.fx x.svm --json",
    "map x.svm --kernel anova:order=2 -D 16 -o o.npy", "map x.svm --kernel rbf -D 16 --json",
    "gram x.svm --kernel anova:order=2 -o o.npy", "gram x.svm x.npz --kernel rbf",
    "gram x.svm --kernel linear --json",
    "bound x.svm --kernel anova:order=2 --eps 0.5 --delta 0.1 --json",
    "tune x.svm --model logistic --json",
    "compare x.svm --methods linear --exact no --seeds 1 --json",
    "gram x.svm --kernel groups:file=fields.txt,order=2",
    "make pairs -n 20 -d 8 --nz 4 -k 2 -o o.npz", "help train", "--version",
    "train gaps.csv -o o.fx --id key --nan median,indicator --model logistic -C 1",
    "train gaps.csv -o o.fx --drop key --nan category --cat +b --model logistic -C 1",
    "predict gaps.fx gaps.csv -o o.csv", "predict drop.fx gaps.csv", "info gaps.csv --nan drop",
    "evaluate gaps.fx gaps.csv --metric f1,average-precision --json",
    "explain gaps.fx gaps.csv --by importance --csv", "convert gaps.csv o.npy --nan zero --id key",
    NULL};

typedef struct text {
    char s[TEXT];
    size_t len;
} text;

typedef struct result {
    int status;                         /* of the process, as waitpid gives it */
    bool present;                       /* the output */
    text out, err, file;
} result;

static long problems;

static void bad(const char *command, const char *what, const char *kind, long n, const result *r)
{
    fprintf(stderr, "featcross %s\n%s %ld: %s (wait status 0x%x)\n%.2000s\n", command, kind, n,
            what, (unsigned)r->status, r->err.s);
    problems++;
}

/* ---- Files -------------------------------------------------------------------------------- */
static bool load(text *t, const char *path)
{
    FILE *f = fopen(path, "rb");

    t->len = f ? fread(t->s, 1, TEXT - 1, f) : 0;
    t->s[t->len] = '\0';
    if (f)
        fclose(f);
    return f != NULL;
}

static void save(const char *path, const void *bytes, size_t len)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(bytes, 1, len, f) != len || fclose(f)) {
        perror(path);
        exit(1);
    }
}

/* Missing numbers, categories, identifiers of rows. */
static void make_gaps(void)
{
    static const char gaps[] = "key,a,b,city,y\n\"r,1\",1,NA,Rome,0\nr2,2,3,,1\nr3,,4,Oslo,0\n"
                               "r4,5,5,Rome,1\nr5,1,2,Rome,0\nr6,7,NA,Oslo,1\n";

    save("gaps.csv", gaps, sizeof gaps - 1);
}

/* Nodes of pairs, with and without a column that the first ones lack. */
static void make_nodes(void)
{
    static const char nodes[] = "p 1:1\nq 2:1\nr 1:1 2:1\n", wide[] = "p 1:1\nq 2:1\nr 1:1 3:1\n",
                      links[] = "p p\nq q\nr p\n";

    save("nodes.svm", nodes, sizeof nodes - 1);
    save("wide-nodes.svm", wide, sizeof wide - 1);
    save("links.txt", links, sizeof links - 1);
}

static void make_files(void)
{
    static const char words[] = "a,b,label\n1,2.5,caf\xc3\xa9\n3,4,th\xc3\xa9\n0,0.1,caf\xc3\xa9\n";
    static text t, packed;
    size_t n = 0;
    unsigned bz = TEXT;

    save("words.csv", words, sizeof words - 1);
    save("fields.txt", "a: 1 2 3\nb: 4 5\n", 16);
    load(&t, "x.svm");
    gzFile g = gzopen("x.svm.gz", "wb");
    gzwrite(g, t.s, (unsigned)t.len);
    gzclose(g);
    lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, (uint8_t *)t.s, t.len, (uint8_t *)packed.s,
                            &n, TEXT);
    save("x.svm.xz", packed.s, n);
    ZSTD_CCtx *z = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    save("x.svm.zst", packed.s, ZSTD_compress2(z, packed.s, TEXT, t.s, t.len));
    ZSTD_freeCCtx(z);
    BZ2_bzBuffToBuffCompress(packed.s, &bz, t.s, (unsigned)t.len, 1, 0, 0);
    save("x.svm.bz2", packed.s, bz);
}

/* The output's name, or NULL. */
static const char *output_of(const char *command)
{
    static char name[32];
    const char *p = strstr(command, " o.");

    if (p)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p + 1, " "), p + 1);
    return p ? name : NULL;
}

/* Removes the files whose names have that in them; were there any? */
static bool removed(const char *part)
{
    DIR *d = opendir(".");
    bool found = false;

    for (const struct dirent *e; d && (e = readdir(d));)
        if (strstr(e->d_name, part) && e->d_type == DT_REG)
            found |= unlink(e->d_name) == 0;
    if (d)
        closedir(d);
    return found;
}

/* Numbers as #, so that seconds compare equal. */
static void without_numbers(text *t)
{
    size_t n = 0;

    for (const char *p = t->s; p < t->s + t->len;)
        if (*p >= '0' && *p <= '9') {
            p += strspn(p, "0123456789.e+-");
            t->s[n++] = '#';
        } else
            t->s[n++] = *p++;
    t->s[t->len = n] = '\0';
}

static bool same(const text *a, const text *b)
{
    return a->len == b->len && !memcmp(a->s, b->s, a->len);
}

/* ---- One run ------------------------------------------------------------------------------ */
static void redirect(const char *path, int flags, int fd)
{
    int opened = open(path, flags, 0644);

    if (opened < 0 || dup2(opened, fd) < 0)
        _exit(99);
    close(opened);
}

static void child(const char *command, process_what what, long n)
{
    static char copy[512];
    char *argv[WORDS + 1] = {"featcross"};
    int argc = 1;

    snprintf(copy, sizeof copy, "%s", command);
    for (char *p = strtok(copy, " "); p && argc < WORDS; p = strtok(NULL, " "))
        argv[argc++] = p;
    redirect("/dev/null", O_RDONLY, 0);
    redirect("out", O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect("err", O_WRONLY | O_CREAT | O_TRUNC, 2);
    alarm(SECONDS);
    process_fail(what, n);
    int status = __real_main(argc, argv);
    if (fflush(stdout))
        status = 98;
    process_fail(PROCESS_NOTHING, 0);
    exit(status);                       /* temporary files go at exit, whatever ended the program */
}

static void run(result *r, const char *command, process_what what, long n)
{
    const char *output = output_of(command);

    if (output)
        unlink(output);
    process_shared->n = 0;
    pid_t id = fork();
    if (id == 0)
        child(command, what, n);
    if (id < 0 || waitpid(id, &r->status, 0) < 0) {
        perror("fork");
        exit(1);
    }
    load(&r->out, "out");
    load(&r->err, "err");
    without_numbers(&r->out);
    r->present = output && load(&r->file, output);
}

/* What is wrong with that run, or NULL. */
static const char *wrong(const char *command, const result *r, const result *whole)
{
    int status = WEXITSTATUS(r->status);

    if (!WIFEXITED(r->status))
        return "the program ended by a signal";
    if (status != 0 && status != 4)
        return "neither exit status 0 nor 4";
    if (status == 4 && !strstr(r->err.s, "memory"))
        return "no message that speaks of memory";
    if (status == 0 && !same(&r->out, &whole->out)
        && (strncmp(command, "compare ", 8) != 0 || !strstr(r->out.s, "out of memory")))
        return "status 0, but it printed something else";
    if (status == 0 && !r->present && whole->present)
        return "status 0, but no output";
    if (r->present && !same(&r->file, &whole->file))
        return "the output is there, but not as it should be";
    if (status != 0 && strstr(command, "--json") && r->out.len)
        return "it failed, and printed something";
    return NULL;
}

static void check(const char *command, const char *kind, long n, const result *r,
                  const result *whole)
{
    const char *what = wrong(command, r, whole);

    if (removed(".tmp"))
        bad(command, "a temporary file was left behind", kind, n, r);
    if (what)
        bad(command, what, kind, n, r);
}

/* ---- All of them -------------------------------------------------------------------------- */
typedef struct seen {
    uint64_t hash[1 << 18];
    unsigned char times[1 << 18];
} seen;

/* How often this call stack has been tried, at most 2. */
static int times(seen *s, uint64_t hash)
{
    size_t at = hash & ((1 << 18) - 1);

    while (s->times[at] && s->hash[at] != hash)
        at = (at + 1) & ((1 << 18) - 1);
    s->hash[at] = hash;
    return s->times[at] >= 2 ? 2 : s->times[at]++;
}

static long disturb(const char *command, seen *s)
{
    static result whole, r;
    static uint64_t hash[PROCESS_SITES];
    static const char *kinds[] = {"", "without allocation", "without allocations from"};
    long tried = 0;

    run(&whole, command, PROCESS_LIST, 0);
    if (whole.status)
        bad(command, "fails", "undisturbed", 0, &whole);
    long n = process_shared->n < PROCESS_SITES ? process_shared->n : PROCESS_SITES;
    memcpy(hash, process_shared->hash, (size_t)n * sizeof *hash);
    for (long i = 0; i < n; i++) {
        int most = 2 - times(s, hash[i]);       /* all from there on: only the first time */
        for (process_what what = PROCESS_ONE; (int)what <= most; what++) {
            run(&r, command, what, i + 1);
            check(command, kinds[what], i + 1, &r, &whole);
            tried++;
        }
    }
    dprintf(1, "%5ld runs, %6ld allocations: featcross %s\n", tried, n, command);
    return tried;
}

int __wrap_main(int argc, char **argv)
{
    char directory[] = "/tmp/featcross.oomXXXXXX";
    static result r;
    seen *s = calloc(1, sizeof *s);
    long tried = 0;

    process_shared = mmap(NULL, sizeof *process_shared, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!s || process_shared == MAP_FAILED || !mkdtemp(directory) || chdir(directory) < 0) {
        perror(directory);
        return 1;
    }
    make_gaps();
    make_nodes();
    for (const char *const *c = before; *c; c++) {
        run(&r, *c, PROCESS_NOTHING, 0);
        if (r.status)
            bad(*c, "fails", "undisturbed", 0, &r);
    }
    make_files();
    for (const char *const *c = commands; *c; c++)
        if (argc < 2 || strstr(*c, argv[1]))
            tried += disturb(*c, s);
    dprintf(1, "%ld runs with failing allocations\n", tried);
    free(s);
    removed("");
    return tried && !problems && rmdir(directory) == 0 ? 0 : 1;
}
