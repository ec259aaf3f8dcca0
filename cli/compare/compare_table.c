/* SPDX-License-Identifier: BSD-3-Clause
 * compare_table.c - the comparison as a table, best first, and its numbers. */

#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WRAP = 80 };

/* ---- Numbers ------------------------------------------------------------------------------ */
static double value_of(const trial *t, const char *what)
{
    return !strcmp(what, "train_seconds")  ? t->train_seconds
           : !strcmp(what, "test_seconds") ? t->test_seconds
           : !strcmp(what, "bytes")        ? (double)t->bytes
           : !strcmp(what, "memory")       ? (double)t->memory
                                           : metric_of(&t->test, what);
}

spread compare_spread(const method *m, const char *what)
{
    spread s = {NAN, NAN, m->done};
    double sum = 0, squares = 0;

    for (size_t i = 0; i < m->done; i++)
        sum += value_of(&m->trial[i], what);
    if (m->done)
        s.mean = sum / (double)m->done;
    for (size_t i = 0; i < m->done; i++) {
        double x = value_of(&m->trial[i], what) - s.mean;
        squares += x * x;
    }
    if (m->done > 1)
        s.sd = sqrt(squares / (double)(m->done - 1));
    return s;
}

/* True if a comes before b.  A method that failed comes last, because its scores are of fewer seeds
 * than those of the others; so does a score that is not a number. */
static bool is_before(const method *a, const method *b, const char *metric)
{
    double sign = metric_falls(metric) ? 1 : -1;
    double x = sign * compare_spread(a, metric).mean, y = sign * compare_spread(b, metric).mean;

    if (!*a->failed != !*b->failed)
        return !*a->failed;
    return x < y || (isnan(y) && !isnan(x));
}

const method **compare_ranking(const comparison *c, size_t *n)
{
    const method **list = malloc((c->n ? c->n : 1) * sizeof *list);

    *n = 0;
    for (const method *m = c->list; list && m < c->list + c->n; m++) {
        size_t at = *n;
        if (!m->done)
            continue;
        for (; at > 0 && is_before(m, list[at - 1], c->metric); at--)
            list[at] = list[at - 1];
        list[at] = m;
        ++*n;
    }
    return list;
}

size_t compare_remarked(const method *m, fx_status s)
{
    size_t n = 0;

    for (size_t i = 0; i < m->done; i++)
        n += m->trial[i].status == s;
    return n;
}

size_t compare_ends(const method *m, size_t seeds)
{
    size_t n = 0, end = model_penalty_grows(m->model) ? 0 : m->tries - 1;

    for (size_t i = 0; i < seeds && m->tries > 1; i++)
        n += m->trial[i].C == m->choose[end];
    return n;
}

/* ---- The table ---------------------------------------------------------------------------- */
/* Targets may have any magnitude; shares are between 0 and 1. */
static const char *mean_text(char buf[64], const comparison *c, const method *m)
{
    spread s = compare_spread(m, c->metric);
    int n = snprintf(buf, 64, c->regress ? "%.4g" : "%.4f", s.mean);

    if (!isnan(s.sd))
        snprintf(buf + n, 64 - (size_t)n, c->regress ? " +- %.2g" : " +- %.4f", s.sd);
    return buf;
}

static const char *bytes_text(char buf[32], double bytes)
{
    if (bytes > 0)
        return say_bytes(buf, bytes);
    snprintf(buf, 32, "-");
    return buf;
}

/* A separate column, in addition to the metric that decides. */
static bool has_auc(const comparison *c) { return !c->regress && strcmp(c->metric, "auc") != 0; }

/* "2 seeds, failed not converged (1 of 2)": remarks that the numbers of the row do not show. */
static void add_remarks(strbuf *t, const comparison *c, const method *m)
{
    size_t slow = compare_remarked(m, FX_NOT_CONVERGED), wild = compare_remarked(m, FX_DIVERGED);
    size_t end = compare_ends(m, m->done);
    const char *gap = "";

    if (m->done < c->seeds) {
        strbuf_add(t, "%zu seed%s%s", m->done, m->done == 1 ? "" : "s",
                   *m->failed ? ", failed" : "");
        gap = "  ";
    }
    if (slow) {
        strbuf_add(t, "%snot converged (%zu of %zu)", gap, slow, m->done);
        gap = "  ";
    }
    if (wild) {
        strbuf_add(t, "%sdiverged (%zu of %zu)", gap, wild, m->done);
        gap = "  ";
    }
    if (2 * end > m->done)
        strbuf_add(t, "%s%s %s (%zu of %zu)", gap,
                   model_penalty_grows(m->model) ? "least" : "largest", model_about(m->model).path,
                   end, m->done);
}

static void add_method(text_table *t, const comparison *c, const method *m)
{
    char text[64], size[32], memory[32];
    strbuf remarks = {0};

    text_table_cell(t, "%s", m->name);
    text_table_cell(t, "%s", mean_text(text, c, m));
    if (has_auc(c))
        text_table_cell(t, "%.4f", compare_spread(m, "auc").mean);
    else
        text_table_cell(t, "%s", "");
    text_table_cell(t, "%.3f", compare_spread(m, "train_seconds").mean);
    text_table_cell(t, "%.3f", compare_spread(m, "test_seconds").mean);
    text_table_cell(t, "%s", bytes_text(size, compare_spread(m, "bytes").mean));
    text_table_cell(t, "%s", bytes_text(memory, compare_spread(m, "memory").mean));
    add_remarks(&remarks, c, m);
    text_table_cell(t, "%s", remarks.s ? remarks.s : "");
    t->text.failed |= remarks.failed;
    strbuf_free(&remarks);
}

/* Lines that begin with a space are commands, which are printed unchanged so that they can be
 * copied. */
static void print_line(const char *p, const char *end)
{
    size_t column = 0;

    if (*p == ' ')
        safe_print(stdout, "%.*s", (int)(end - p), p);
    else
        while (p < end) {
            size_t n = strcspn(p, " \n");
            if (column && column + 1 + n > WRAP) {
                putchar('\n');
                column = 0;
            }
            column += (size_t)safe_print(stdout, "%s%.*s", column ? " " : "", (int)n, p);
            p += n + strspn(p + n, " ");
        }
    putchar('\n');
}

static void print_rows(const comparison *c)
{
    char text[512];

    snprintf(text, sizeof text,
             "%zu rows x %zu columns, scaling %s: %zu to train on, %zu to choose on, %zu to test "
             "on; %llu seed%s",
             c->rows, c->cols, c->scale, c->train, c->valid, c->tested,
             (unsigned long long)c->seeds, c->seeds == 1 ? "" : "s");
    print_line(text, text + strlen(text));
    if (c->interrupted)
        puts("INTERRUPTED: not all was measured");
    putchar('\n');
}

/* Methods that were not measured, or not to the end, and why. */
static void print_reasons(const comparison *c, bool failed)
{
    const char *title = failed ? "failed" : "left out";

    for (const method *m = c->list; m < c->list + c->n; m++) {
        const char *reason = failed ? m->failed : m->left_out;
        if (!*reason)
            continue;
        if (title)
            safe_print(stdout, "\n%s:\n", title);
        title = NULL;
        safe_print(stdout, "  %s", m->name);
        if (failed)
            safe_print(stdout, ", seed %llu", (unsigned long long)(cli.seed + m->done));
        safe_print(stdout, ": %s\n", reason);
    }
}

static void print_text(const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        print_line(text, text + n);
        text += n + (text[n] == '\n');
    }
}

int compare_print(const comparison *c, const char *advice)
{
    const text_table_column column[] = {{"method", true, 0, 12}, {c->metric, true, 0, 0},
                                   {"AUC", false, 1, 0},    {"train s", false, 0, 0},
                                   {"test s", false, 3, 0}, {"model", false, 2, 0},
                                   {"memory", false, 4, 0}};
    text_table t = {.column = column, .columns = sizeof column / sizeof *column};
    size_t n;
    const method **list = compare_ranking(c, &n);

    if (!list)
        return say_no_memory("the table");
    print_rows(c);
    for (size_t i = 0; i < n; i++)
        add_method(&t, c, list[i]);
    free(list);
    int status = text_table_print(stdout, &t);
    text_table_free(&t);
    print_reasons(c, false);
    print_reasons(c, true);
    putchar('\n');
    print_text(advice);
    return status ? status : say_flush();
}
