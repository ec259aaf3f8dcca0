/* SPDX-License-Identifier: BSD-3-Clause
 * dataset_files.c - files of a set, found as they are or packed, to text and to rows. */

#include "dataset.h"
#include "files/files.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

static int find(char path[4096], const dataset_spec *w, int file)
{
    const char *name = w->kind->file[file], *other = file == 0 ? w->kind->otherwise : NULL;

    if (w->directory
        && (extension_find(path, w->directory, name)
            || (other && extension_find(path, w->directory, other))))
        return 0;
    if (w->directory)
        say_error("the data set %s lacks %s/%s%s%s (nor is it there with .xz, .gz, .zst or .bz2)",
                  w->kind->name, w->directory, name, other ? " or " : "", other ? other : "");
    else
        say_error("the data set %s is read from files: --data DIR says where %s is", w->kind->name,
                  name);
    say_hint("data sets are not part of featcross: fetch them from their sources, each under its "
             "terms");
    return EXIT_USAGE;
}

int dataset_files_check(const dataset_spec *w)
{
    char path[4096];
    int status = 0;

    for (int i = 0; i < 3 && w->kind->file[i] && !status; i++)
        status = find(path, w, i);
    return status;
}

int dataset_files_slurp(char **text, const dataset_spec *w, int file)
{
    char path[4096];
    int status = find(path, w, file);

    if (status)
        return status;
    progress_begin("read", "B", 0);
    status = input_slurp(text, path);
    progress_end();
    return status;
}

int dataset_files_made(dataset_rows *out, fx_status s)
{
    if (s)
        return say_failure(s);
    out->table = fx_data_table(out->data);
    return 0;
}

int dataset_files_parse(dataset_rows *out, const dataset_spec *w, int file, const char *text,
                        const char *reader)
{
    return dataset_files_made(
        out, fx_data_parse(&out->data, reader, w->kind->file[file], text, strlen(text), &cli.run));
}

int dataset_files_rows(dataset_rows *out, const dataset_spec *w, int file, const char *reader)
{
    char *text = NULL;
    int status = dataset_files_slurp(&text, w, file);

    if (!status)
        status = dataset_files_parse(out, w, file, text, reader);
    free(text);
    return status;
}

int dataset_files_take(dataset_rows *out, const fx_table *t)
{
    return dataset_files_made(out, fx_data_select(&out->data, t, NULL, 0, &cli.run));
}

/* ---- Lines -------------------------------------------------------------------------------- */
bool dataset_files_line(dataset_line *l, const char **at)
{
    size_t n = strcspn(*at, "\n");

    if (!**at)
        return false;
    l->number++;
    l->p = *at;
    l->end = *at + n;
    *at = l->end + (*l->end == '\n');
    if (l->end > l->p && l->end[-1] == '\r')
        l->end--;
    return true;
}

bool dataset_files_count(uint64_t *x, dataset_line *l)
{
    while (l->p < l->end && (*l->p < '0' || *l->p > '9'))
        l->p++;
    if (l->p == l->end)
        return false;
    for (*x = 0; l->p < l->end && *l->p >= '0' && *l->p <= '9' && *x <= UINT32_MAX; l->p++)
        *x = 10 * *x + (uint64_t)(*l->p - '0');
    return *x <= UINT32_MAX;
}

int dataset_files_error(const dataset_spec *w, int file, const dataset_line *l,
                        const char *expected)
{
    return say_error("%s:%zu: not a line of %s", w->kind->file[file], l->number, expected);
}

/* ---- Links -------------------------------------------------------------------------------- */
int dataset_files_links(dataset_rows r[DATASET_PARTS], const dataset_spec *w, const fx_table *A,
                        const fx_table *B, const char *links, const char *other)
{
    const char *const part[DATASET_PARTS] = {"train", NULL, other};
    int status = 0;

    for (int k = 0; k < DATASET_PARTS && !status; k += DATASET_TEST)
        status = dataset_files_made(
            &r[k], fx_data_links(&r[k].data, A, B, links, part[k], 1, w->seed, &cli.run));
    return status;
}
