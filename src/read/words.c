/* SPDX-License-Identifier: BSD-3-Clause
 * words.c - the format `text`: lines of words, each line a row:  label, space or tab, text
 *
 * Words are runs of ASCII letters, digits and bytes from 0x80 on (so UTF-8 stays whole), ASCII
 * letters in lower case.  Features are the n-grams of up to ngram= successive words of a line,
 * joined by a space; values how often they occur (value=count) or 1.  label=none: the whole line is
 * text.  Lines without anything but spaces are skipped; a label alone is a row of zeros.
 * One pass that counts words, one that reads them; columns by names.c. */

#include "read/read.h"

#include <stdlib.h>

enum { GRAMS = 5 };
static const fx_key keys[] = {
    {"ngram", "1", FXI_COUNT(1, GRAMS), "features are runs of up to so many words"},
    {"value", "binary", FXI_CHOICE("binary|count"), "1 for each feature, or how often it occurs"},
    {"label", "first", FXI_CHOICE("first|none"), "the first word, or the whole line is text"},
    {FXI_HASH_KEY}, {0}};

typedef struct options {
    uint64_t ngram;
    int unlabelled;                     /* label=none */
} options;

static fx_status open_words(fx_reader *r, const fxi_spec *s)
{
    fx_status st = fxi_read_state(r, sizeof(options));
    uint64_t bits;
    int count;

    if (st)
        return st;
    options *o = r->state;
    if ((st = fxi_key_count(&o->ngram, s, keys, "ngram"))
        || (st = fxi_key_choice(&count, s, keys, "value"))
        || (st = fxi_key_choice(&o->unlabelled, s, keys, "label"))
        || (st = fxi_key_count(&bits, s, keys, "hash-bits")))
        return st;
    r->mark = ' ';
    r->names.used = true;
    r->names.binary = !count;
    r->names.bits = (unsigned)bits;
    return FX_OK;
}

/* ---- One chunk ------------------------------------------------------------------------------ */
typedef struct scan {
    fxi_read_chunk *c;
    const fx_reader *r;
    const options *o;
    const char *line, *stop;
    char *text;                         /* words of a line, one space between them */
    fxi_read_sparse rows;
} scan;

static inline bool in_word(char b)
{
    return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9')
           || (unsigned char)b >= 0x80;
}

static size_t count_words(const char *p, const char *end)
{
    size_t n = 0;

    for (bool before = false; p < end; p++) {
        bool here = in_word(*p);
        n += here && !before;
        before = here;
    }
    return n;
}

/* All n-grams that end with each word, short ones first. */
static fx_status read_words(scan *s, const char *p)
{
    size_t start[GRAMS] = {0}, n = 0, words = 0;    /* start: of the last words, in turn */
    fx_status st = FX_OK;

    while (!st) {
        while (p < s->stop && !in_word(*p))
            p++;
        if (p == s->stop)
            break;
        start[words++ % GRAMS] = n;
        for (; p < s->stop && in_word(*p); p++)
            s->text[n++] = (char)(*p >= 'A' && *p <= 'Z' ? *p + ('a' - 'A') : *p);
        for (size_t k = 1; k <= s->o->ngram && k <= words && !st; k++) {
            size_t from = start[(words - k) % GRAMS];
            st = fxi_read_names_value(&s->rows, s->r, s->c, s->text + from, n - from, 1);
        }
        s->text[n++] = ' ';
        if (!st && words % 4096 == 0 && fxi_parallel_cancelled(s->c->team))
            st = FX_ECANCELLED;
    }
    return st;
}

static fx_status read_line(scan *s)
{
    fxi_read_chunk *c = s->c;
    const char *p = s->line, *byte, *odd;

    while (p < s->stop && fxi_data_text_space(*p))
        p++;
    if (p == s->stop) {
        c->count.blank++;
        return FX_OK;
    }
    if ((odd = fxi_data_text_odd(&byte, s->line, (size_t)(s->stop - s->line))))
        return fxi_read_fail(c, s->line, byte, "%s", odd);
    fx_status st = FX_OK;
    if (!s->o->unlabelled) {
        const char *label = p;
        while (p < s->stop && !fxi_data_text_space(*p))
            p++;
        st = fxi_read_label(c, s->line, label, label, (size_t)(p - label));
    }
    if (!st)
        st = read_words(s, p);
    return st ? st : fxi_read_names_row(&s->rows, s->r, c, s->line);
}

static fx_status parse_words(const fx_reader *r, fxi_read_chunk *c)
{
    scan s = {.c = c, .r = r, .o = r->state};
    const char *p = c->text;
    const size_t len = (size_t)(c->end - c->text);
    size_t entries;

    c->unlabelled = s.o->unlabelled;
    if (!fxi_size_mul(&entries, count_words(c->text, c->end), (size_t)s.o->ngram))
        return FX_ENOMEM;
    s.text = fxi_alloc(len + 1, 1);
    fx_status st = s.text ? fxi_read_sparse_open(&s.rows, c->lines, entries) : FX_ENOMEM;
    while (!st && fxi_data_text_line(&s.line, &s.stop, &p, c->end)) {
        c->count.lines++;
        st = read_line(&s);
        if (!st && c->count.lines % 256 == 0 && fxi_parallel_cancelled(c->team))
            st = FX_ECANCELLED;
    }
    free(s.text);
    fxi_read_sparse_close(&s.rows, c, !st);
    return st;
}

static fx_status take_words(fx_reader *r, bool end, const fx_run *run)
{
    (void)end;
    return fxi_read_names_take(r, run);
}

const fxi_read_format fxi_read_words = {
    .about = {.name = "text", .help = "lines of words, each line a row", .key = keys, .names = 1},
    .open = open_words,
    .parse = parse_words,
    .take = take_words};
