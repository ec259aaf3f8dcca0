/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_recommend.c - featcross recommend: the best items for each user.
 *
 * Users are read in batches, and each batch is answered before the next one is read: so memory
 * does not grow with the users, and a user from a pipe is answered as soon as the line has
 * arrived. */

#include "commands.h"
#include "models/models.h"
#include "recommend_lines.h"

#include <stdlib.h>
#include <string.h>

static const char *for_path, *among, *without, *output_path, *class_option, *form;
static uint64_t top, reasons;

static const opt options[] = {
    {"for", 0, "FILE", OPT_TEXT, &for_path, "-",
     "users: rows of the first side; - is standard input, where each line is answered as it "
     "arrives",
     0, 0},
    {"among", 0, "FILE", OPT_TEXT, &among, NULL, "items: rows of the second side", 0, 0},
    {"without", 0, "FILE", OPT_TEXT, &without, NULL,
     "leave out items that users have seen: lines `user item`", 0, 0},
    {"top", 'k', "N", OPT_COUNT, &top, "10", "number of items for each user", 1, 1000000000},
    {"explain", 0, "N", OPT_COUNT, &reasons, "0",
     "add the N combinations that speak most for each item: those with the largest positive "
     "contributions to its score that hold a column of the item", 0, 100},
    {"output", 0, "CLASS", OPT_TEXT, &class_option, NULL,
     "with several classes, the class whose score decides", 0, 0},
    {"out", 'o', "FILE", OPT_TEXT, &output_path, "-",
     "write the items to FILE; - is standard output", 0, 0},
    {"format", 0, "csv|jsonl", OPT_CHOICE, &form, NULL,
     "format of the output: csv, a table; jsonl, one JSON object per line (default: by the "
     "extension "
     "of -o, else csv; with --json jsonl)", 0, 0},
    {"input-format", 'f', READING_FORMATS, OPT_CHOICE, &reading_format, "auto",
     "format of users and items; auto detects it from the first bytes, the name and the first line",
     0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct job {
    fx_model *model;
    const fx_model_info *c;
    size_t output;                      /* number of the score */
    size_t k;                           /* items for each user: not more than there are */
    side_rows items, users;
    char **item_name;
    fx_recommender *recommender;
    seen_items seen;
    recommend_lines lines;
    output *o;
    size_t *item, *from;                /* [rows][k], [rows + 1] of a batch */
    double *score;
    size_t capacity;                    /* rows */
    uint64_t rows, unseen;
} job;

/* ---- Items -------------------------------------------------------------------------------- */
static int name_items(job *j)
{
    size_t n = j->items.X.rows;
    char buf[32];

    if (!(j->item_name = calloc(n + 1, sizeof *j->item_name)))
        return say_no_memory("names of items");
    for (size_t i = 0; i < n; i++)
        if (!(j->item_name[i] = strdup(side_rows_name(buf, &j->items, i))))
            return say_no_memory("names of items");
    return 0;
}

static void warn_unseen(const side_rows *s, uint64_t unseen)
{
    unseen += s->unseen + s->in.reading.unseen;
    if (unseen)
        say_warning("%s: %llu entr%s of columns that training never saw %s left out", s->in.name,
                    (unsigned long long)unseen, unseen == 1 ? "y" : "ies",
                    unseen == 1 ? "was" : "were");
}

static int read_items(job *j)
{
    int status = side_rows_open(&j->items, among, j->c, FX_SECOND,
                                (load_options){.unlabelled = true});

    if (status || (status = name_items(j)))
        return status;
    fx_status s = fx_model_recommender_new(&j->recommender, j->model, j->output, &j->items.X,
                                           &cli.run);
    if (s)
        return load_failed(&j->items.in, s);
    warn_unseen(&j->items, 0);
    j->k = top < j->items.X.rows ? (size_t)top : j->items.X.rows;
    if (without
        && (status = seen_items_read(&j->seen, without, (const char *const *)j->item_name,
                                     j->items.X.rows)))
        return status;
    if (j->seen.unknown && (!j->seen.n || cli.verbose))
        say_warning("%s: %zu lines have items that are not in %s", without, j->seen.unknown, among);
    return 0;
}

/* ---- Users -------------------------------------------------------------------------------- */
static int reserve(job *j, size_t rows)
{
    size_t k = j->k;

    if (rows <= j->capacity && j->from)
        return 0;
    int status = say_limit(16 * (double)rows * (double)k, "%zu items for each of %zu users need", k,
                           rows);
    if (status)
        return status;
    free(j->item);
    free(j->score);
    free(j->from);
    j->item = malloc(rows * k * sizeof *j->item + 1);
    j->score = malloc(rows * k * sizeof *j->score + 1);
    j->from = malloc((rows + 1) * sizeof *j->from);
    j->capacity = rows;
    return j->item && j->score && j->from ? 0 : say_no_memory("recommendations");
}

static int flush(job *j)
{
    strbuf *t = &j->lines.text;
    size_t n = t->n;

    t->n = 0;
    return t->failed ? say_no_memory("lines") : output_bytes(j->o, t->s, n);
}

static int write_user(job *j, size_t i)
{
    char buf[32];
    int status = 0;

    j->lines.user = side_rows_name(buf, &j->users, i);
    for (size_t r = 0; r < j->k && !status; r++) {
        size_t item = j->item[i * j->k + r];
        if (item == SIZE_MAX)
            break;
        j->lines.item = j->item_name[item];
        status = recommend_lines_add(
            &j->lines, r + 1, j->score[i * j->k + r],
            recommend_reasons_pair(&j->lines.reasons, &j->users.X, i, &j->items.X, item));
    }
    return status;
}

static int answer(job *j)
{
    const fx_matrix *X = &j->users.X;
    uint64_t unseen = 0;
    int status = reserve(j, X->rows);

    if (!status && without)
        status = seen_items_of(&j->seen, j->from, &j->users);
    if (status)
        return status;
    progress_begin("recommend", "users", (double)X->rows);
    fx_status s = fx_model_recommender_best(j->item, j->score, &unseen, j->recommender, X,
                                            j->k, without ? j->from : NULL, j->seen.seen,
                                            &cli.run);
    progress_end();
    if (s)
        return load_failed(&j->users.in, s);
    j->unseen += unseen;
    j->rows += X->rows;
    for (size_t i = 0; i < X->rows && !status; i++)
        if (!(status = write_user(j, i)) && (j->lines.text.n > 1 << 16 || i + 1 == X->rows))
            status = flush(j);
    return status;
}

static int recommend(job *j)
{
    double start = say_clock();
    int status = side_rows_output(&j->output, "recommend", j->c, class_option);

    if (status || (status = read_items(j))
        || (status = output_open(&j->o, output_path, OUTPUT_TEXT)))
        return status;
    j->lines.c = j->c;
    j->lines.reasons = (recommend_reasons){
        .model = j->model, .output = j->output, .n = (size_t)reasons};
    recommend_lines_begin(&j->lines);
    status = side_rows_open(&j->users, for_path, j->c, FX_FIRST,
                            (load_options){.unlabelled = true, .streamed = true});
    while (!status && j->users.X.rows && !(status = answer(j)))
        status = side_rows_next(&j->users);
    if (!status)
        status = flush(j);
    if (status || (status = output_close(j->o)))
        return status;
    warn_unseen(&j->users, j->unseen);
    if (cli.verbose)
        say_note("%s: %llu users, %zu items, %.3f seconds", j->users.in.name,
                 (unsigned long long)j->rows, j->items.X.rows, say_clock() - start);
    return 0;
}

static int run(int n, char **operand)
{
    job j = {0};
    const char *by_name = extension_format(output_path);
    int status;

    (void)n;
    if (!among)
        return say_error("recommend: --among FILE is needed: the items");
    if (!strcmp(for_path, "-") && !strcmp(among, "-"))
        return say_error("recommend: users and items cannot both come from standard input");
    if (cli.json && form && *form == 'c')
        return say_error("recommend: --json gives lines of JSON; leave out --format csv");
    j.lines.json = cli.json
                   || (form ? *form == 'j' : !by_name && recommend_lines_named(output_path));
    if (!(status = model_file_first(&j.model, operand[0], for_path))) {
        j.c = fx_model_inspect(j.model);
        status = recommend(&j);
    }
    for (size_t i = 0; j.item_name && i < j.items.X.rows; i++)
        free(j.item_name[i]);
    free(j.item_name);
    side_rows_close(&j.items);
    side_rows_close(&j.users);
    fx_model_recommender_free(j.recommender);
    fx_model_free(j.model);
    seen_items_free(&j.seen);
    recommend_lines_free(&j.lines);
    free(j.item);
    free(j.score);
    free(j.from);
    return status;
}

const command cmd_recommend = {
    .name = "recommend",
    .operands = "MODEL --for USERS --among ITEMS [options]",
    .summary = "find the best items for each user",
    .text = "Prints the items with the highest scores for each user, one per line: user, rank, "
            "item, score and, with two classes, the predicted label. Of items with equal scores "
            "the one that comes first in ITEMS wins. All pairs are scored, as inner products of "
            "vectors (see vectors, which says for which models), so the result is exact.\n"
            "\n"
            "Rows have the columns of the model, those of the other side left out. The two sides "
            "of a model that was trained with --links, or of bilinear, have files of their own, "
            "whose columns count from the first. Users and items are called by their --id, else by "
            "their label, else by their number from 1.\n"
            "\n"
            "Users are read in batches. From a pipe or a terminal, each line is answered as soon "
            "as it arrives: a program may keep recommend running, write a line for each user and "
            "read the answers.",
    .examples = "recommend m.fx --for users.svm --among items.svm --without seen.txt\n"
                "recommend m.fx --for users.svm --among items.svm --explain 3 --json\n"
                "recommend m.fx --among items.svm -k 5 < users.svm > best.csv",
    .groups = {&group, &reading_but_format, &common_options},
    .min_operands = 1, .max_operands = 1,
    .run = run,
};
