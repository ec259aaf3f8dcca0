/* SPDX-License-Identifier: BSD-3-Clause
 * reproduce.c - one experiment: what is not there yet is measured, then come the CSV file, the
 * figure, the page, the checks.
 *
 * A cell is on disk as soon as it is measured, and a later run goes on behind it. */

#include "reproduce.h"
#include "store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CLAIMS = 257 };                  /* one more than there may be */

typedef struct job {
    const recipe *r;
    const reproduce_options *how;
    store s;
    bool image;
    char path[4096], page_path[4096], image_path[4096]; /* path: without an end */
    claim claim[CLAIMS];
    size_t claims;
    double seconds;
} job;

int reproduce_data(const recipe *r, const datasets *s)
{
    const char *last = NULL;
    int status = 0;

    for (size_t i = 0; i < r->cells && !status; i++) {
        const char *spec = recipe_field(r, i, "data");
        if (spec && (!last || strcmp(spec, last)))
            status = datasets_check(s, spec);
        last = spec;
    }
    return status;
}

/* ---- Before ------------------------------------------------------------------------------- */
static int name_all(job *j)
{
    char *const file[] = {j->path, j->page_path, j->image_path};
    const char *const end[] = {"", ".md", ".svg"};
    struct stat st;

    for (size_t i = 0; i < 3; i++) {
        bool fits = (size_t)snprintf(file[i], sizeof j->path, "%s/%s%s", j->how->directory,
                                     j->r->name, end[i]) < sizeof j->path - 16;
        if (!fits || (i && stat(file[i], &st) == 0 && S_ISDIR(st.st_mode)))
            return say_error("%s: %s", file[i], strerror(fits ? EISDIR : ENAMETOOLONG));
    }
    return 0;
}

/* If this file can be created, so can the others, which are opened only when everything is
 * measured.  So a process that is killed in the hours before leaves no other files. */
static int open_store(job *j, bool restart)
{
    int status = name_all(j);

    return status ? status : store_open(&j->s, j->r, cli.seed, j->path, restart);
}

/* ---- Measuring ---------------------------------------------------------------------------- */
static int measure_cells(job *j, datasets *known)
{
    store *s = &j->s;
    measure_context l = {
        .r = s->r, .known = &s->known, .sets = known, .emit = store_emit, .ctx = s};
    size_t first = s->done;
    int status = 0;

    progress_begin(s->r->name, "cells", (double)(s->cells - first));
    while (s->done < s->cells && !status) {
        size_t cell, next;
        uint64_t seed;
        store_cell(s, s->done, &cell, &l.seed);
        if (progress_at((double)(s->done - first))) {
            status = progress_stop();
            break;
        }
        progress_hold(true);
        status = s->r->measure->run(&l, cell);
        progress_hold(false);
        if (!status)
            status = store_save(s);
        if (s->done < s->cells)
            store_cell(s, s->done, &next, &seed);
        if (!status && (s->done == s->cells || next > cell)) {
            progress_now(NULL);
            reproduce_note(s->r, &s->known, cell);
            progress_now(s->r->name);
        }
    }
    progress_end();
    return status;
}

static int measure_rest(job *j, datasets *known)
{
    store *s = &j->s;

    if (s->fd < 0) {
        say_note("%s: was measured by %s; page and picture are made anew (--restart measures)",
                 s->path, s->known.origin);
        return 0;
    }
    if (s->done)
        say_note("%s: %zu of %zu cells are there, by %s", s->part, s->done, s->cells,
                 s->known.origin);
    double start = say_clock();
    int status = measure_cells(j, known);
    j->seconds = say_clock() - start;
    if (!status)
        status = store_finish(s);
    if (status && s->done)
        say_hint("%zu of %zu cells are kept in %s; run again to go on", s->done, s->cells, s->part);
    return status;
}

/* ---- After -------------------------------------------------------------------------------- */
static bool reads_data(const recipe *r)
{
    bool made = true;

    for (size_t i = 0; i < r->cells && made; i++)
        made = spec_says(recipe_field(r, i, "data"), "", "make");
    return !made;
}

/* Run from where the page is, it makes the page again. */
static void add_command(strbuf *t, const job *j)
{
    strbuf_add(t, "featcross reproduce %s%s%s", j->r->file, reads_data(j->r) ? " --data DIR" : "",
               j->r->quick ? " --quick" : "");
    if (j->how->seeds)
        strbuf_add(t, " --seeds %llu", (unsigned long long)j->how->seeds);
    if (cli.seed != 1)
        strbuf_add(t, " --seed %llu", (unsigned long long)cli.seed);
}

static int draw(const job *j)
{
    plot p = {0};
    int status = plot_open(&p, j->image_path);

    return status ? status : page_figure(&p, j->image_path, j->r, &j->s.known);
}

static int write_all(job *j)
{
    strbuf how = {0};
    output *page = NULL;
    int status = claims_run(j->claim, &j->claims, CLAIMS, j->r, &j->s.known);

    add_command(&how, j);
    if (!status && how.failed)
        status = say_no_memory("the page");
    if (!status && j->image)
        status = draw(j);
    if (!status && !(status = output_open(&page, j->page_path, OUTPUT_TEXT)))
        status = page_write(page, j->r, &j->s.known, j->claim, j->claims, how.s,
                            j->image ? strrchr(j->image_path, '/') + 1 : NULL);
    strbuf_free(&how);
    return status;
}

static json_t *as_json(const job *j)
{
    json_t *checks = json_array(), *files = json_array();

    for (size_t i = 0; i < j->claims; i++)
        checks = say_append(
            checks, json_pack("{s:o, s:o}", "met",
                              j->claim[i].left_out ? json_null() : json_boolean(j->claim[i].passed),
                              "text", say_text(j->claim[i].text)));
    files = say_append(files, say_text(j->s.path));
    files = say_append(files, say_text(j->page_path));
    if (j->image)
        files = say_append(files, say_text(j->image_path));
    return json_pack("{s:o, s:s, s:I, s:f, s:o, s:o}", "name", say_text(j->r->name), "mode",
                     j->r->quick ? "quick" : "full", "cells", (json_int_t)j->s.cells, "seconds",
                     j->seconds, "checks", checks, "files", files);
}

static int report(const job *j, json_t **result)
{
    bool passed = true;

    for (size_t i = 0; i < j->claims; i++)
        passed &= j->claim[i].passed || j->claim[i].left_out;
    if (cli.json) {
        if (!(*result = as_json(j)))
            return say_no_memory("the JSON object");
    } else {
        int status = reproduce_print(j->r, &j->s.known);
        if (status)
            return status;
        for (size_t i = 0; i < j->claims; i++)
            safe_print(stdout, "%s  %s%s\n",
                       j->claim[i].left_out ? "-  "
                       : j->claim[i].passed ? "yes"
                                            : "NO ",
                       j->claim[i].text, j->claim[i].left_out ? " (left out by --quick)" : "");
        safe_print(stdout, "%s, %s", j->s.path, j->page_path);
        safe_print(stdout, j->image ? ", %s\n" : "\n", j->image_path);
        if ((status = say_flush()))
            return status;
    }
    return passed ? 0 : EXIT_NO;
}

static job *new_job(const recipe *r, const reproduce_options *how)
{
    job *j = calloc(1, sizeof *j);

    if (j)
        *j = (job){.r = r, .how = how, .s = {.fd = -1}, .image = how->image && r->plots};
    else
        say_no_memory("an experiment");
    return j;
}

int reproduce_place(const recipe *r, const reproduce_options *how)
{
    job *j = new_job(r, how);

    if (!j)
        return EXIT_MEMORY;
    int status = how->restart ? name_all(j) : open_store(j, false);
    store_close(&j->s);
    free(j);
    return status;
}

int reproduce_run(json_t **result, const recipe *r, datasets *known, const reproduce_options *how)
{
    job *j = new_job(r, how);

    if (!j)
        return EXIT_MEMORY;
    int status;
    if (!(status = open_store(j, how->restart)) && !(status = measure_rest(j, known))
        && !(status = write_all(j)))
        status = report(j, result);
    store_close(&j->s);
    free(j);
    return status;
}
