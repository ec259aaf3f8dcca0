/* SPDX-License-Identifier: BSD-3-Clause
 * link_rows.c - pairs of nodes as rows: a file of links, a file or two with the columns of nodes.
 *
 * The rows are made in memory and never written, unless convert is asked to. */

#include "tables.h"
#include "files/files.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

static const char *link_path, *nodes, *nodes_b;
static uint64_t negatives;

static const opt options[] = {
    {"links", 0, "FILE", OPT_TEXT, &link_path, NULL,
     "use pairs of nodes as rows: +1 for each link `a b` in FILE (one per line), -1 for other "
     "pairs, sampled with --seed; --part selects which", 0, 0},
    {"nodes", 0, "FILE", OPT_TEXT, &nodes, NULL,
     "features of the nodes; a node is named by its label, or by its row number from 1 if there "
     "are no labels", 0, 0},
    {"nodes-b", 0, "FILE", OPT_TEXT, &nodes_b, NULL,
     "nodes at the second end of links (default: those of --nodes, and links have no direction)",
     0, 0},
    {"negatives", 0, "N", OPT_COUNT, &negatives, "1",
     "parts train and all: number of -1 rows per link", 0, 1000000},
    {0},
};
const opt_group link_rows_options = {"Links", options};

bool link_rows_given(void) { return link_path != NULL; }
const char *link_rows_path(void) { return link_path; }

int link_rows_check(const char *who, int operands)
{
    for (const opt *o = options; !link_path && o->name; o++)
        if (opt_given(o))
            return say_error("%s: --%s is for --links", who, o->name);
    if (link_path && !nodes)
        return say_error("%s: --links %s needs --nodes FILE, the rows of the nodes", who,
                         link_path);
    if (link_path && operands)
        return say_error("%s: rows come from --links or from a file, not from both", who);
    if (!link_path && !operands)
        return say_error("%s: no rows: give a file, or --links and --nodes", who);
    return 0;
}

const char *link_rows_nodes(fx_side side) { return side == FX_FIRST ? nodes : nodes_b; }

int link_rows_pairs(loaded *l, const char *part, const fx_table *A, const fx_table *B,
                    const load_options *like)
{
    char *text = NULL;
    double start = say_clock();
    int status = input_slurp(&text, link_path);

    *l = (loaded){.name = link_path, .format = "links", .part = reading_part(part),
                  .split = A->cols};
    if (!status) {
        progress_begin("pairs", "rows", 0);
        fx_status s = fx_data_links(&l->data, A, B, text, l->part, (size_t)negatives, cli.seed,
                                    &cli.run);
        progress_end();
        status = s ? say_file_error(link_path, "links", s) : 0;
    }
    free(text);
    if (!status && !(status = rows_made(l, start)))
        status = rows_missing_settle(l, like);
    if (status)
        load_free(l);
    return status;
}

/* What nodes will be read by. */
static int keep_sides(loaded *l, const loaded *a, const loaded *b)
{
    l->node_spec[0] = strdup(a->spec);
    l->node_spec[1] = strdup(b->spec);
    return l->node_spec[0] && l->node_spec[1] ? 0 : say_no_memory("reading");
}

int link_rows_load(loaded *l, const char *part, const load_options *like)
{
    const load_options unlabelled = {.base = -1, .unlabelled = true, .filled = like->filled,
                                     .kept = like->kept, .nodes = true};
    loaded A = {0}, B = {0};
    double start = say_clock();
    int status = load_as(&A, nodes, &unlabelled);

    if (!status) {
        load_say(&A);
        if (nodes_b && !(status = load_as(&B, nodes_b, &unlabelled)))
            load_say(&B);
    }
    if (!status && !(status = link_rows_pairs(l, part, &A.table, nodes_b ? &B.table : NULL, like))
        && (status = keep_sides(l, &A, nodes_b ? &B : &A)))
        load_free(l);
    l->seconds = say_clock() - start;
    load_free(&A);
    load_free(&B);
    return status;
}
