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
static void add_key(strbuf *t, const char *key)
{
    strbuf_add(t, "%c%s=", t->s && strchr(t->s, ':') ? ',' : ':', key);
}

static void add(strbuf *t, const char *key, const char *value, size_t len)
{
    add_key(t, key);
    strbuf_add(t, "%.*s", (int)len, value);
}

static void add_text(strbuf *t, const char *key, const char *value)
{
    if (value)
        add(t, key, value, strlen(value));
}

static void add_count(strbuf *t, const char *key, uint64_t n)
{
    add_key(t, key);
    strbuf_add(t, "%llu", (unsigned long long)n);
}

/* A name as the spec has it, %28 for (; in a list commas stand between names, where the spec has
 * slashes, and %2C is one of a name. */
static void add_name(strbuf *t, const char *key, const char *name, bool list)
{
    add_key(t, key);
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

/* What the options leave open is as in the other spec, if that is one of the same format. */
static void inherit(strbuf *t, const fx_description *d, const char *reader)
{
    for (size_t i = 0; i < d->keys && spec_says(reader, "", d->name) && !t->failed; i++) {
        const char *key = d->key[i].name;
        spec_part v = spec_get(reader, key);
        if (v.p && !spec_get(t->s, key).p)
            add(t, key, v.p, v.n);
    }
}

/* ---- Which options a format has ----------------------------------------------------------- */
/* tsv is csv with tabs. */
static const char *kind_name(size_t i)
{
    static const char *const names[] = {"svmlight", "csv", "tsv", "text", "npy", "npz", NULL};

    return names[i];
}

static fx_status kind_about(fx_description *d, const char *kind)
{
    return fx_data_reader_describe(d, strcmp(kind, "tsv") ? kind : "csv");
}

static bool has_key(const fx_description *d, const char *key) { return spec_key(d, key); }

static int check(const fx_description *d, const char *kind)
{
    const struct { const char *option, *key; bool given; } options[] = {
        {"index-base", "base", index_base}, {"sort", "sort", sort},
        {"sum-duplicates", "duplicates", sum_duplicates},
        {"ignore-fields", "fields", ignore_fields}, {"label", "label", label},
        {"header", "header", header}, {"no-header", "header", no_header}, {"cat", "cat", cat},
        {"num", "num", num}, {"weight-column", "weight", weight_column}, {"nan", "nan", nan_values},
        {"hash-bits", "hash-bits", hash_bits}, {"ngram", "ngram", ngram},
        {"part", NULL, ml_part && !link_rows_given()}};
    char list[SPEC_LIST] = "a MovieLens directory and --links";

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *key = options[i].key;
        if (!options[i].given || (key && spec_key(d, key)))
            continue;
        if (key)
            spec_list(list, kind_name, kind_about, has_key, key, "and");
        say_error("--%s is for %s, but the input is %s", options[i].option, list, kind);
        return EXIT_USAGE;
    }
    if (header && no_header) {
        say_error("--header and --no-header contradict each other");
        return EXIT_USAGE;
    }
    return 0;
}

int reading_make(strbuf *t, const char *kind, const load_options *like, const char *bytes,
                 size_t len)
{
    int base = like ? like->base : -1;
    fx_description d;
    fx_status failed = kind_about(&d, kind);
    int status = failed ? say_failure(failed) : check(&d, kind);

    if (status)
        return status;
    strbuf_add(t, "%s", d.name);
    if (index_base && strcmp(index_base, "auto") != 0)
        add_text(t, "base", index_base);
    else if (spec_key(&d, "base") && base >= 0)
        add_text(t, "base", base ? "1" : "0");
    add_text(t, "sort", sort ? "yes" : NULL);
    add_text(t, "duplicates", sum_duplicates ? "sum" : NULL);
    add_text(t, "fields", ignore_fields ? "ignore" : NULL);
    add_text(t, "nan", nan_values);
    if (spec_key(&d, "separator")) {
        format_line l = format_first_line(bytes, bytes + len);
        bool tab = !strcmp(kind, "tsv");
        add_text(t, "separator",
                 !tab && format_has(l, ',')   ? "comma"
                 : !tab && format_has(l, ';') ? "semicolon"
                 : tab || format_has(l, '\t') ? "tab"
                                              : "comma");
    }
    if (label)
        add_name(t, "label", label, false);
    add_text(t, "header", header ? "yes" : no_header ? "no" : NULL);
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
    if (like && like->unlabelled && spec_key(&d, "labels"))
        add_text(t, "labels", "auto");
    if (like)
        inherit(t, &d, like->reader);
    if (spec_key(&d, "cat") && !t->failed && !spec_get(t->s, "cat").p)
        add_text(t, "cat", "auto");
    return t->failed ? say_no_memory("the reader") : 0;
}

const char *reading_part(const char *otherwise) { return ml_part ? ml_part : otherwise; }
