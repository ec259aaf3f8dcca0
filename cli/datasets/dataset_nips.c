/* SPDX-License-Identifier: BSD-3-Clause
 * dataset_nips.c - authors of NIPS papers: a node has a 1 for each word in its papers, and a link
 * joins two authors who wrote a paper together. */

#include "dataset.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

enum { CORPUS, AUTHORS, MAX_ID = 10000000 };            /* files, as in the table; an id */

typedef struct list {
    uint64_t *x;
    size_t n, capacity;
} list;

static int add(list *l, uint64_t x)
{
    if (l->n == l->capacity) {
        size_t more = l->capacity ? 2 * l->capacity : 1024;
        uint64_t *grown = realloc(l->x, more * sizeof *grown);
        if (!grown)
            return say_no_memory("papers");
        l->x = grown;
        l->capacity = more;
    }
    l->x[l->n++] = x;
    return 0;
}

static void sort_unique(list *l)
{
    size_t n = 0;

    if (l->n)
        qsort(l->x, l->n, sizeof *l->x, ascending_integers);
    for (size_t i = 0; i < l->n; i++)
        if (n == 0 || l->x[i] != l->x[n - 1])
            l->x[n++] = l->x[i];
    l->n = n;
}

/* ---- Papers -------------------------------------------------------------------------------- */
typedef struct papers {
    list word, first;                   /* of paper p: word[first[p]] .. word[first[p + 1]] */
    list wrote, pair;                   /* author << 32 | paper; author << 32 | author */
    uint64_t words;                     /* different ones */
} papers;

/* n word:count word:count .. */
static int read_words(papers *s, const dataset_spec *w, const char *text)
{
    dataset_line l = {0};
    int status = add(&s->first, 0);

    while (!status && dataset_files_line(&l, &text)) {
        uint64_t n = 0, x, count;
        bool good = l.p == l.end || dataset_files_count(&n, &l);
        for (uint64_t k = 0; k < n && good && !status; k++) {
            good = dataset_files_count(&x, &l) && dataset_files_count(&count, &l) && x <= MAX_ID;
            if (good)
                status = add(&s->word, x);
            if (good && x >= s->words)
                s->words = x + 1;
        }
        if (!good)
            return dataset_files_error(w, CORPUS, &l, "n word:count ..");
        if (!status)
            status = add(&s->first, s->word.n);
    }
    return status;
}

/* author author .. */
static int read_authors(papers *s, const dataset_spec *w, const char *text)
{
    dataset_line l = {0};
    int status = 0;

    while (!status && dataset_files_line(&l, &text)) {
        uint64_t x;
        size_t begin = s->wrote.n;
        if (l.number >= s->first.n)
            return dataset_files_error(w, AUTHORS, &l, "a paper that nips.corpus has");
        while (!status && dataset_files_count(&x, &l)) {
            if (x > MAX_ID)
                return dataset_files_error(w, AUTHORS, &l, "authors");
            for (size_t i = begin; i < s->wrote.n && !status; i++) {
                uint64_t other = s->wrote.x[i] >> 32;
                if (other != x)
                    status = add(&s->pair, other < x ? other << 32 | x : x << 32 | other);
            }
            if (!status)
                status = add(&s->wrote, x << 32 | (l.number - 1));
        }
    }
    sort_unique(&s->wrote);
    sort_unique(&s->pair);
    return status;
}

/* ---- Nodes and links ----------------------------------------------------------------------- */
/* Author after author, ascending: ends of rows, words, ids as labels. */
static int unite(const papers *s, list *end, list *word, list *id)
{
    int status = add(end, 0);

    for (size_t i = 0, next; i < s->wrote.n && !status; i = next) {
        uint64_t author = s->wrote.x[i] >> 32;
        list own = {0};
        for (next = i; next < s->wrote.n && s->wrote.x[next] >> 32 == author; next++) {
            size_t p = (uint32_t)s->wrote.x[next];
            for (uint64_t q = s->first.x[p]; q < s->first.x[p + 1] && !status; q++)
                status = add(&own, s->word.x[q]);
        }
        sort_unique(&own);
        for (size_t k = 0; k < own.n && !status; k++)
            status = add(word, own.x[k]);
        free(own.x);
        if (!status && !(status = add(end, word->n)))
            status = add(id, author);
    }
    return status;
}

static int nodes(dataset_rows *out, const papers *s)
{
    list end = {0}, word = {0}, id = {0};
    int status = unite(s, &end, &word, &id);
    size_t n = word.n;
    float *val = malloc((n + 1) * sizeof *val);
    double *label = malloc((id.n + 1) * sizeof *label);

    if (!status && !(val && label))
        status = say_no_memory("authors");
    if (!status) {
        for (size_t i = 0; i < n; i++)
            val[i] = 1;
        for (size_t i = 0; i < id.n; i++)
            label[i] = (double)id.x[i];
        fx_matrix X = {.rows = id.n, .cols = s->words, .type = FX_F32, .wide = 1, .val = val,
                       .ptr = (const int64_t *)end.x, .col = word.x};
        status = dataset_files_take(out, &(fx_table){.rows = id.n, .cols = s->words, .blocks = 1,
                                                  .block = &X, .label = label, .base = 1});
    }
    free(val);
    free(label);
    free(end.x);
    free(word.x);
    free(id.x);
    return status;
}

static char *links(const papers *s)     /* as text */
{
    char *text = malloc(24 * s->pair.n + 1), *p = text;

    if (text)
        *p = '\0';
    for (size_t i = 0; i < s->pair.n && text; i++)
        p += sprintf(p, "%u %u\n", (unsigned)(s->pair.x[i] >> 32), (unsigned)s->pair.x[i]);
    return text;
}

int dataset_nips_read(dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    char *words = NULL, *authors = NULL, *text = NULL;
    papers s = {.words = 0};
    dataset_rows A = {0};
    int status;

    if (!(status = dataset_files_slurp(&words, w, CORPUS))
        && !(status = dataset_files_slurp(&authors, w, AUTHORS))
        && !(status = read_words(&s, w, words)) && !(status = read_authors(&s, w, authors))
        && !(status = nodes(&A, &s)) && !(text = links(&s)))
        status = say_no_memory("links");
    if (!status)                        /* all pairs would be 26 GB of rows */
        status = dataset_files_links(r, w, &A.table, NULL, text, "sample");
    dataset_parts_drop(&A);
    free(words);
    free(authors);
    free(text);
    free(s.word.x);
    free(s.first.x);
    free(s.wrote.x);
    free(s.pair.x);
    return status;
}
