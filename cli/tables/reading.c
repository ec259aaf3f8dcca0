/* SPDX-License-Identifier: BSD-3-Clause
 * reading.c - options of reading, as the spec string of the library's reader. */

#include "load.h"

#include <string.h>

#define HEX "0123456789abcdefABCDEF"

const char *reading_format;
static const char *index_base, *nan_values, *label, *cat, *num, *weight_column, *ml_part;
static uint64_t hash_bits, ngram;
static bool sort, sum_duplicates, ignore_fields, header, no_header;

static const opt reading[] = {
    {"format", 'f', READING_FORMATS, OPT_CHOICE, &reading_format, "auto",
     "format of the input; auto looks at its first bytes, its name and its first line", 0, 0},
    {"index-base", 0, "0|1|auto", OPT_CHOICE, &index_base, NULL,
     "svmlight: number of the first feature; auto: as in the model, without one 0 if index 0 "
     "occurs, else 1 (default auto)",
     0, 0},
    {"sort", 0, NULL, OPT_FLAG, &sort, NULL, "svmlight: accept indices out of order", 0, 0},
    {"sum-duplicates", 0, NULL, OPT_FLAG, &sum_duplicates, NULL,
     "svmlight: add up values of an index that is repeated in a row", 0, 0},
    {"ignore-fields", 0, NULL, OPT_FLAG, &ignore_fields, NULL,
     "svmlight: accept field:index:value and leave the field out", 0, 0},
    {"nan", 0, "error|drop", OPT_CHOICE, &nan_values, NULL,
     "text: what to do with values that are not finite (default error)", 0, 0},
    {"label", 0, "NAME|first|last|none", OPT_TEXT, &label, NULL,
     "csv, tsv: column of the label (default last; %6Cast is one that is called last); text: first "
     "or none (default first)", 0, 0},
    {"header", 0, NULL, OPT_FLAG, &header, NULL, "csv, tsv: the first line holds names", 0, 0},
    {"no-header", 0, NULL, OPT_FLAG, &no_header, NULL,
     "csv, tsv: the first line holds data (default: decided by looking)", 0, 0},
    {"cat", 0, "LIST|auto|none", OPT_TEXT, &cat, NULL,
     "csv, tsv: all columns of categories, one feature a value, commas between them (%2C: one in a "
     "name); auto: those with text in the first row (default auto)", 0, 0},
    {"num", 0, "LIST", OPT_TEXT, &num, NULL,
     "csv, tsv: columns of numbers; all others that are not categories are left out", 0, 0},
    {"weight-column", 0, "NAME", OPT_TEXT, &weight_column, NULL,
     "csv, tsv: column of weights of rows", 0, 0},
    {"hash-bits", 0, "N", OPT_COUNT, &hash_bits, NULL,
     "csv, tsv, text: names of features hashed to 2^N columns", 1, 24},
    {"ngram", 0, "N", OPT_COUNT, &ngram, NULL, "text: features of up to N words (default 1)", 1, 5},
    {"part", 0, "train|valid|test|sample|all", OPT_CHOICE, &ml_part, NULL,
     "which examples of a MovieLens directory (train, valid, test, all; default all) or of --links "
     "(train, test, sample, all)", 0, 0},
    {0},
};
const opt_group reading_options = {"Reading options", reading};
const opt_group reading_but_format = {"Reading options", reading + 1};

/* ---- The reader's spec -------------------------------------------------------------------- */
static void add_key(strbuf *t, const char *key, size_t len)
{
    strbuf_add(t, "%c%.*s=", t->s && strchr(t->s, ':') ? ',' : ':', (int)len, key);
}

static void add(strbuf *t, const char *key, const char *value)
{
    add_key(t, key, strlen(key));
    strbuf_add(t, "%s", value);
}

static void add_count(strbuf *t, const char *key, uint64_t n)
{
    char number[24];

    snprintf(number, sizeof number, "%llu", (unsigned long long)n);
    add(t, key, number);
}

/* A name as the spec has it, %28 for (; in a list commas stand between names, where the spec has
 * slashes, and %2C is one of a name. */
static void add_name(strbuf *t, const char *key, const char *name, bool list)
{
    add_key(t, key, strlen(key));
    while (*name) {
        size_t plain = strcspn(name, ",()/");
        strbuf_add(t, "%.*s", (int)plain, name);
        name += plain;
        if (list && *name == ',')
            strbuf_add(t, "/");
        else if (*name)
            strbuf_add(t, "%%%02X", (unsigned)*name);
        name += *name != '\0';
    }
}

void reading_name(char *out, size_t capacity, const char *value, size_t len)
{
    size_t n = 0;
    unsigned byte;

    for (size_t i = 0; i < len && n + 1 < capacity; i++)
        if (value[i] == '%' && len - i > 2 && strspn(value + i + 1, HEX) >= 2
            && sscanf(value + i + 1, "%2x", &byte) == 1) {
            out[n++] = (char)byte;
            i += 2;
        } else
            out[n++] = value[i];
    out[n] = '\0';
}

static bool has_key(const char *spec, const char *key, size_t len)
{
    for (const char *p = strpbrk(spec, ":,"); p; p = strpbrk(p, ",")) {
        p++;
        if (!strncmp(p, key, len) && p[len] == '=')
            return true;
    }
    return false;
}

/* What the options leave open is as in the other spec, if that is one of the same format. */
static void inherit(strbuf *t, const char *reader)
{
    size_t n = strcspn(t->s, ":");
    const char *p = reader + strcspn(reader, ":");

    if (strncmp(t->s, reader, n) != 0 || reader + n != p)
        return;
    while (*p && !t->failed) {
        size_t len = strcspn(++p, ","), key = strcspn(p, "=");
        if (key < len && !has_key(t->s, p, key)) {
            add_key(t, p, key);
            strbuf_add(t, "%.*s", (int)(len - key - 1), p + key + 1);
        }
        p += len;
    }
}

static int misplaced(const char *option, const char *formats, const char *kind)
{
    say_error("--%s is for %s, but the input is %s", option, formats, kind);
    return EXIT_USAGE;
}

int reading_make(strbuf *t, const char *kind, const load_options *like, const char *bytes,
                 size_t len)
{
    bool svmlight = !strcmp(kind, "svmlight"), tsv = !strcmp(kind, "tsv");
    bool csv = tsv || !strcmp(kind, "csv"), words = !strcmp(kind, "text");
    const char *of_svmlight = index_base       ? "index-base"
                              : sort           ? "sort"
                              : sum_duplicates ? "sum-duplicates"
                              : ignore_fields  ? "ignore-fields"
                                               : NULL;
    const char *of_csv = label && !words  ? "label"
                         : header         ? "header"
                         : no_header      ? "no-header"
                         : cat            ? "cat"
                         : num            ? "num"
                         : weight_column  ? "weight-column"
                                          : NULL;

    if (of_svmlight && !svmlight)
        return misplaced(of_svmlight, "svmlight", kind);
    if (of_csv && !csv)
        return misplaced(of_csv, "csv and tsv", kind);
    if (nan_values && !csv && !svmlight)
        return misplaced("nan", "svmlight, csv and tsv", kind);
    if (hash_bits && !csv && !words)
        return misplaced("hash-bits", "csv, tsv and text", kind);
    if (ngram && !words)
        return misplaced("ngram", "text", kind);
    if (ml_part && !link_rows_given())
        return misplaced("part", "a MovieLens directory and --links", kind);
    if (header && no_header) {
        say_error("--header and --no-header contradict each other");
        return EXIT_USAGE;
    }
    strbuf_add(t, "%s", csv ? "csv" : kind);
    if (index_base && strcmp(index_base, "auto") != 0)
        add(t, "base", index_base);
    else if (svmlight && like->base >= 0)
        add(t, "base", like->base ? "1" : "0");
    if (sort)
        add(t, "sort", "yes");
    if (sum_duplicates)
        add(t, "duplicates", "sum");
    if (ignore_fields)
        add(t, "fields", "ignore");
    if (nan_values)
        add(t, "nan", nan_values);
    if (csv) {
        format_line l = format_first_line(bytes, bytes + len);
        add(t, "separator",
            tsv            ? "tab"
            : format_has(l, ',')  ? "comma"
            : format_has(l, ';')  ? "semicolon"
            : format_has(l, '\t') ? "tab"
                           : "comma");
    }
    if (label)
        add_name(t, "label", label, false);
    if (header || no_header)
        add(t, "header", header ? "yes" : "no");
    if (cat)
        add_name(t, "cat", cat, true);
    if (num)
        add_name(t, "num", num, true);
    if (weight_column)
        add_name(t, "weight", weight_column, false);
    if (hash_bits)
        add_count(t, "hash-bits", hash_bits);
    if (ngram)
        add_count(t, "ngram", ngram);
    if (svmlight && like->unlabelled)
        add(t, "labels", "auto");
    if (like->reader && !t->failed)
        inherit(t, like->reader);
    if (csv && !t->failed && !has_key(t->s, "cat", 3))
        add(t, "cat", "auto");
    return t->failed ? say_no_memory("the reader") : 0;
}

const char *reading_part(const char *otherwise) { return ml_part ? ml_part : otherwise; }
