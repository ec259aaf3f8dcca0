/* SPDX-License-Identifier: BSD-3-Clause
 * reading.c - options of reading, as the spec string of the library's reader. */

#include "load.h"
#include "files/files.h"

#include <string.h>

#define HEX "0123456789abcdefABCDEF"

const char *reading_format;
static const char *index_base, *nan_values, *label, *cat, *num, *weight_column, *ml_part;
static const char *drop, *query, *id, *na, *decimal;
static uint64_t hash_bits, ngram;
static bool sort, sum_duplicates, ignore_fields, header, no_header;

static const opt reading[] = {
    {"format", 'f', READING_FORMATS, OPT_CHOICE, &reading_format, "auto",
     "format of the input; auto detects it from its first bytes, its name and its first line",
     0, 0},
    {"index-base", 0, "0|1|auto", OPT_CHOICE, &index_base, NULL,
     "svmlight: number of the first column; auto: as in the model; without a model, 0 if index 0 "
     "occurs, otherwise 1 (default auto)", 0, 0},
    {"sort", 0, NULL, OPT_FLAG, &sort, NULL,
     "svmlight: accept indices that are not in ascending order", 0, 0},
    {"sum-duplicates", 0, NULL, OPT_FLAG, &sum_duplicates, NULL,
     "svmlight: add up the values of an index that is repeated in a row", 0, 0},
    {"ignore-fields", 0, NULL, OPT_FLAG, &ignore_fields, NULL,
     "svmlight: accept field:index:value and ignore the field", 0, 0},
    {"nan", 0, ROWS_MISSING, OPT_TEXT, &nan_values, NULL,
     "what to do with missing numbers: drop the row (predict prints NA), fill in 0 or the mean or "
     "median of the column; mean,indicator (also zero, median) adds a column that is 1 where the "
     "number was missing; category: mean,indicator, and an empty field of a column of categories "
     "becomes a category (default error)", 0, 0},
    {"na", 0, "LIST", OPT_TEXT, &na, NULL,
     "csv, tsv: more words that mean a missing number, separated by commas (always included: an "
     "empty field, NA, N/A, nan, null, none, ?)", 0, 0},
    {"decimal", 0, "point|comma", OPT_CHOICE, &decimal, NULL,
     "csv, tsv: decimal sign, 3.14 or 3,14 (default point)", 0, 0},
    {"label", 0, "NAME|first|last|none", OPT_TEXT, &label, NULL,
     "csv, tsv: column of the labels (default last; write %6Cast for a column named last); text: "
     "first or none (default first)", 0, 0},
    {"header", 0, NULL, OPT_FLAG, &header, NULL,
     "csv, tsv: the first line holds column names", 0, 0},
    {"no-header", 0, NULL, OPT_FLAG, &no_header, NULL,
     "csv, tsv: the first line holds data (default: detected)", 0, 0},
    {"cat", 0, "LIST|+LIST|auto|all|none", OPT_TEXT, &cat, NULL,
     "csv, tsv: columns of categories, separated by commas (%2C for a comma in a name); each "
     "value becomes a feature; auto: columns of words; +LIST: these as well (default auto)", 0, 0},
    {"num", 0, "LIST", OPT_TEXT, &num, NULL,
     "csv, tsv: columns of numbers; other columns are ignored unless they are categories", 0, 0},
    {"drop", 0, "LIST", OPT_TEXT, &drop, NULL, "csv, tsv: columns to ignore", 0, 0},
    {"weight-column", 0, "NAME", OPT_TEXT, &weight_column, NULL,
     "csv, tsv: column of row weights", 0, 0},
    {"query", 0, "NAME", OPT_TEXT, &query, NULL,
     "csv, tsv: column of queries, for rankings (--task rank); no feature, unless --cat names it",
     0, 0},
    {"id", 0, "NAME", OPT_TEXT, &id, NULL,
     "csv, tsv: column that identifies rows; not used as a feature, printed next to predictions",
     0, 0},
    {"hash-bits", 0, "N", OPT_COUNT, &hash_bits, NULL,
     "csv, tsv, text: hash feature names to 2^N columns", 1, 24},
    {"ngram", 0, "N", OPT_COUNT, &ngram, NULL,
     "text: features of up to N successive words (default 1)", 1, 5},
    {"part", 0, "train|valid|test|sample|all|given", OPT_CHOICE, &ml_part, NULL,
     "which rows of a MovieLens directory (train, valid, test, all; default all) or of --links "
     "(train, test, sample, all, given) to use", 0, 0},
    {0},
};
const opt_group reading_options = {"Reading options", reading};
const opt_group reading_but_format = {"Reading options", reading + 1};

/* ---- The reader's spec -------------------------------------------------------------------- */
static void add_key(strbuf *t, const char *key)
{
    strbuf_add(t, "%c%s=", t->s && strchr(t->s, ':') ? ',' : ':', key);
}

/* A value as the spec has it, of names %28 for (; in a list commas stand between names, where the
 * spec has slashes, and %2C is one of a name. */
static void add(strbuf *t, const char *key, const char *name, bool list)
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

/* Keys that the options do not set are taken from the other spec, if it has the same format. */
static void inherit(strbuf *t, const fx_description *d, const char *reader)
{
    for (size_t i = 0; i < d->keys && spec_says(reader, "", d->name) && !t->failed; i++) {
        const char *key = d->key[i].name;
        spec_part v = spec_get(reader, key);
        if (v.p && !spec_get(t->s, key).p) {
            add_key(t, key);
            strbuf_add(t, "%.*s", (int)v.n, v.p);
        }
    }
}

/* ---- Which options a format has ----------------------------------------------------------- */
static const char *format_name(size_t i)
{
    static const char *const names[] = {READ_NAMES, NULL};

    return names[i];
}

fx_status reading_about(fx_description *d, const char *format)
{
    return fx_data_reader_describe(d, strcmp(format, READ_TABS) ? format : READ_TABS_AS);
}

static bool has_key(const fx_description *d, const char *key) { return spec_key(d, key); }

static int misplaced(const char *option, const char *formats, const char *format)
{
    return say_error("--%s is for %s, but the input is %s", option, formats, format);
}

/* Detects the separator by the first line; without any, it is the comma. */
static const char *separator(const char *format, format_line l)
{
    return !strcmp(format, READ_TABS) ? "tab"
           : format_has(l, ',')       ? "comma"
           : format_has(l, ';')       ? "semicolon"
           : format_has(l, '\t')      ? "tab"
                                      : "comma";
}

int reading_make(strbuf *t, const char *format, const fx_description *d, const load_options *like,
                 const char *bytes, size_t len)
{
    char bits[24], words[24], list[SPEC_LIST];
    bool any = spec_key(d, "base") && (!index_base || !strcmp(index_base, "auto"));
    const struct { const char *option, *key, *value; bool list; } keys[] = {
        {"index-base", "base",
         any && like->base >= 0 ? (like->base ? "1" : "0")
         : any && like->most > 0 ? "late"        /* rows may be taken before all are read */
                                : index_base,
         false},
        {"sort", "sort", sort ? "yes" : NULL, false},
        {"sum-duplicates", "duplicates", sum_duplicates ? "sum" : NULL, false},
        {"ignore-fields", "fields", ignore_fields ? "ignore" : NULL, false},
        {"label", "label", label, false}, {"header", "header", header ? "yes" : NULL, false},
        {"no-header", "header", no_header ? "no" : NULL, false}, {"cat", "cat", cat, true},
        {"num", "num", num, true}, {"drop", "drop", drop, true},
        {"weight-column", "weight", weight_column, false}, {"query", "query", query, false},
        {"id", "id", id, false}, {"na", "na", na, true}, {"decimal", "decimal", decimal, false},
        {"nan", "nan",
         nan_values || spec_key(d, "nan") ? rows_missing_reader(like, spec_key(d, "nan")) : NULL,
         false},
        {"hash-bits", "hash-bits", hash_bits ? bits : NULL, false},
        {"ngram", "ngram", ngram ? words : NULL, false}};

    if (ml_part && !link_rows_given())
        return misplaced("part", "a MovieLens directory and --links", format);
    if (header && no_header)
        return say_error("--header and --no-header contradict each other");
    snprintf(bits, sizeof bits, "%llu", (unsigned long long)hash_bits);
    snprintf(words, sizeof words, "%llu", (unsigned long long)ngram);
    strbuf_add(t, "%s", d->name);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].value && !spec_key(d, keys[i].key)) {
            spec_list(list, format_name, reading_about, has_key, keys[i].key, "and");
            return misplaced(keys[i].option, list, format);
        }
        if (keys[i].value)
            add(t, keys[i].key, keys[i].value, keys[i].list);
    }
    if (spec_key(d, "separator"))
        add(t, "separator", separator(format, format_first_line(bytes, bytes + len)), false);
    if (like->unlabelled && spec_key(d, "labels"))
        add(t, "labels", "auto", false);
    inherit(t, d, like->reader);
    if (spec_key(d, "cat") && !t->failed && !spec_get(t->s, "cat").p)
        add(t, "cat", "auto", false);
    return t->failed ? say_no_memory("the reader") : 0;
}

int reading_check(const loaded *l)
{
    const struct { const char *option, *column; bool there; } own[] = {
        {"id", id, l->table.id}, {"query", query, l->table.qid},
        {"weight-column", weight_column, l->table.weight}};

    for (size_t i = 0; i < sizeof own / sizeof *own && l->table.rows; i++)
        if (own[i].column && strcmp(own[i].column, "none") && !own[i].there)
            return say_error("%s: no column is named '%s' (--%s)", l->name, own[i].column,
                             own[i].option);
    return 0;
}

bool reading_listed(void) { return cat && strcmp(cat, "auto") != 0; }

const char *reading_nan(void) { return nan_values; }

const char *reading_part(const char *otherwise) { return ml_part ? ml_part : otherwise; }
