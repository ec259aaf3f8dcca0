/* SPDX-License-Identifier: BSD-3-Clause
 * datasets.c - named data sets: the table of them, and the parts that were made last.
 *
 * Consecutive cases of a recipe mostly share their data, and two cases that are compared may each
 * have their own, so the last two sets are cached. */

#include "dataset.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const dataset_kind table[] = {
    {.name = "make", .own = {.name = "kind", .fallback = "pairs"}, .keys = dataset_make_keys,
     .help = "synthetic rows, as `featcross make` has them; kind=normal: numbers N(0, 1), "
             "kind=ball: rows even in the unit ball",
     .valid = 0.1, .test = 0.2, .read = dataset_make_read},
    {.name = "ml-100k", .help = "ml-100k/u.data, u.user, u.item: who gave which movie five stars, "
                                "49 + 29 columns, 21,200 rows to train, 1,000 and 20,202",
     .own_valid = true, .own_test = true, .read = dataset_movielens_read,
     .file = {"ml-100k/u.data", "ml-100k/u.user", "ml-100k/u.item"}},
    {.name = "ml-100k-links", .own = {.name = "pairs", .fallback = "all", .values = "all|sample"},
     .help = "the same files: half of the links and as many other pairs to train, all other pairs, "
             "1,564,926, to test, or the other links and as many",
     .valid = 0.2, .own_test = true, .read = dataset_movielens_links,
     .file = {"ml-100k/u.data", "ml-100k/u.user", "ml-100k/u.item"}},
    {.name = "nips-links", .help = "nips12/nips.corpus, nips.authors: who wrote a paper with whom, "
                                   "13,649 words of each; to test, the other links and as many "
                                   "other pairs",
     .valid = 0.2, .own_test = true, .read = dataset_nips_read,
     .file = {"nips12/nips.corpus", "nips12/nips.authors"}},
    {.name = "ml-1m", .help = "ml-1m/ratings.dat or ratings_notime.dat: 1,000,209 ratings, a "
                              "column for each user and movie",
     .valid = 0.1, .test = 0.25, .regress = true, .read = dataset_ratings_movielens,
     .file = {"ml-1m/ratings.dat"}, .otherwise = "ml-1m/ratings_notime.dat"},
    {.name = "lastfm", .own = {.name = "target", .fallback = "count", .values = "count|log"},
     .help = "lastfm-2k/user_artists.dat, user_taggedartists.dat: how often 108,437 tags were "
             "given to artists, a column for each artist and tag",
     .valid = 0.1, .test = 0.25, .regress = true, .read = dataset_ratings_lastfm,
     .file = {"lastfm-2k/user_artists.dat", "lastfm-2k/user_taggedartists.dat"}},
    {.name = "phishing", .help = "phishing/phishing: 11,055 rows, 68 columns",
     .valid = 0.1, .test = 0.2, .read = dataset_plain_read, .file = {"phishing/phishing"}},
    {.name = "ijcnn1", .help = "ijcnn1/ijcnn1, ijcnn1.t: 49,990 rows and 91,701 to test, 22 "
                               "columns",
     .valid = 0.1, .own_test = true, .read = dataset_plain_read,
     .file = {"ijcnn1/ijcnn1", "ijcnn1/ijcnn1.t"}},
    {.name = "adult", .help = "adult/a9a, a9a.t: 32,561 rows and 16,281 to test, 123 columns",
     .valid = 0.1, .own_test = true, .read = dataset_plain_read,
     .file = {"adult/a9a", "adult/a9a.t"}},
    {.name = "nursery", .own = {.name = "form", .fallback = "onehot", .values = "onehot|ordinal"},
     .help = "nursery/nursery.libsvm: 12,960 rows, 5 classes, 27 columns of ones, or the 8 "
             "attributes as numbers from 0 to 1",
     .valid = 0.1, .test = 0.2, .read = dataset_plain_nursery,
     .file = {"nursery/nursery.libsvm"}},
    {.name = "cod-rna", .help = "cod-rna/cod-rna: 59,535 rows, 8 columns",
     .valid = 0.1, .test = 0.2, .read = dataset_plain_read, .file = {"cod-rna/cod-rna"}},
    {.name = "covtype", .help = "covtype/covtype.data: 581,012 rows, 54 columns, class 2 against "
                                "the others (positive=none: 7 classes)",
     .valid = 0.1, .test = 0.2, .read = dataset_plain_covtype, .file = {"covtype/covtype.data"},
     .positive = "2"},
    {.name = "dna", .help = "dna/dna.scale: 2,000 rows, 180 columns, class 3 against the others",
     .valid = 0.1, .test = 0.2, .read = dataset_plain_read, .file = {"dna/dna.scale"},
     .positive = "3"},
    {.name = "splice", .help = "splice/splice: 1,000 rows, 60 letters, a column for each of four "
                               "values",
     .valid = 0.1, .test = 0.2, .read = dataset_plain_splice, .file = {"splice/splice"}},
    {.name = "mushrooms", .help = "extras/mushrooms: 8,124 rows, 112 columns",
     .valid = 0.1, .test = 0.2, .read = dataset_plain_read, .file = {"extras/mushrooms"}},
    {.name = "w8a", .help = "extras/w8a: 49,749 rows, 300 columns", .valid = 0.1, .test = 0.2,
     .read = dataset_plain_read, .file = {"extras/w8a"}},
};
enum { KINDS = sizeof table / sizeof *table, CACHED = 2 };

struct datasets {
    char *directory;                    /* or NULL */
    struct cached {
        char *spec;                     /* NULL: nothing here */
        uint64_t seed;                  /* of the split; that of the cell if seed=each */
        uint64_t used;                  /* when */
        parts parts;
    } cached[CACHED];
    uint64_t clock;
};

int datasets_open(datasets **out, const char *directory)
{
    struct stat st;
    datasets *s = calloc(1, sizeof *s);

    if (!s || (directory && !(s->directory = strdup(directory)))) {
        free(s);
        return say_no_memory("data sets");
    }
    if (directory && (stat(directory, &st) < 0 || !S_ISDIR(st.st_mode))) {
        say_error("--data %s: %s", directory,
                  stat(directory, &st) < 0 ? strerror(errno) : "not a directory");
        datasets_close(s);
        return EXIT_USAGE;
    }
    *out = s;
    return 0;
}

static void clear(struct cached *k)
{
    parts_free(&k->parts);
    free(k->spec);
    *k = (struct cached){0};
}

/* Reports what was read, with -v. */
static void say(const parts *p, const char *spec, double seconds)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < p->train.rows && p->train.label; i++) {
        low = fmin(low, p->train.label[i]);
        high = fmax(high, p->train.label[i]);
    }
    if (cli.verbose)
        say_note("%s: %zu rows to train, %zu to choose, %zu to test, %zu columns, labels from %g "
                 "to %g, %.2f s", spec, p->train.rows, p->valid.rows, p->test.rows, p->train.cols,
                 low, high, seconds);
}

static int make(struct cached *k, const dataset_spec *w, const char *spec)
{
    dataset_rows r[DATASET_PARTS] = {{0}};
    double start = say_clock();
    int status = w->kind->read(r, w);

    if (!status)
        status = dataset_parts_make(&k->parts, r, w);
    for (int i = 0; i < DATASET_PARTS; i++)
        dataset_parts_drop(&r[i]);
    if (!status && !(k->spec = strdup(spec)))
        status = say_no_memory("data sets");
    if (status)
        clear(k);
    else
        say(&k->parts, spec, say_clock() - start);
    return status;
}

int datasets_get(parts **out, datasets *s, const char *spec, uint64_t seed)
{
    dataset_spec w = {.directory = s->directory};
    struct cached *oldest = &s->cached[0];
    int status = dataset_spec_parse(&w, table, KINDS, spec, seed);

    for (int i = 0; i < CACHED && !status; i++) {
        struct cached *k = &s->cached[i];
        if (k->spec && !strcmp(k->spec, spec) && k->seed == w.seed) {
            k->used = ++s->clock;
            *out = &k->parts;
            return 0;
        }
        if (k->used < oldest->used)
            oldest = k;
    }
    if (status)
        return status;
    clear(oldest);
    if (!(status = make(oldest, &w, spec))) {
        oldest->seed = w.seed;
        oldest->used = ++s->clock;
        *out = &oldest->parts;
    }
    return status;
}

int datasets_check(const datasets *s, const char *spec)
{
    dataset_spec w = {.directory = s->directory};
    int status = dataset_spec_parse(&w, table, KINDS, spec, 1);

    return status ? status : dataset_files_check(&w);
}

void datasets_close(datasets *s)
{
    if (!s)
        return;
    for (int i = 0; i < CACHED; i++)
        clear(&s->cached[i]);
    free(s->directory);
    free(s);
}
