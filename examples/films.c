/* SPDX-License-Identifier: BSD-3-Clause
 * films.c - people, films and who liked what: a model of pairs, the best films for everyone, and a
 * new person who is learnt while all else stays.
 * cc films.c $(pkg-config --cflags --libs featcross) && ./a.out */

#include <featcross.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 3, PEOPLE = 12, FILMS = 15, BEST = 2 };

static void must(fx_status s)
{
    if (s >= FX_OK)                     /* above: a remark, such as FX_NOT_CONVERGED */
        return;
    fprintf(stderr, "%s: %s\n", fx_status_name(s), fx_error_detail());
    exit(1);
}

static fx_data *parse(const char *text)
{
    fx_data *d;

    must(fx_data_parse(&d, "svmlight:base=1", "nodes", text, strlen(text), NULL));
    return d;
}

/* Lines of a name, columns 1 .. KINDS of its kind and a column of its own. */
static fx_data *nodes(const char *what, int n)
{
    char text[4096], *p = text;

    for (int i = 0; i < n; i++)
        p += sprintf(p, "%s%d %d:1 %d:1\n", what, i, 1 + i % KINDS, 1 + KINDS + i);
    return parse(text);
}

/* Rows: the liked pairs, and twice as many others. */
static fx_data *pairs(const fx_table *people, const fx_table *films, const char *liked)
{
    fx_data *d;

    must(fx_data_links(&d, people, films, liked, "all", 2, 1, NULL));
    return d;
}

/* Rows of one side alone, in the columns of the model. */
static fx_data *side(const fx_table *t, size_t before, size_t cols)
{
    const fx_matrix *X = t->block;      /* sparse, and a single block, as all text is */
    int32_t *col = malloc((size_t)X->ptr[X->rows] * sizeof *col);
    fx_matrix moved = *X;
    fx_data *d;

    if (!col)
        exit(1);
    for (int64_t k = 0; k < X->ptr[X->rows]; k++)
        col[k] = (int32_t)before + ((const int32_t *)X->col)[k];
    moved.cols = cols;
    moved.col = col;
    const fx_table all = {.rows = X->rows, .cols = cols, .blocks = 1, .block = &moved};
    must(fx_data_select(&d, &all, NULL, 0, NULL));
    free(col);
    return d;
}

static void recommend(const fx_model *m, const fx_table *person, const fx_table *films)
{
    const fx_model_info *c = fx_model_inspect(m);
    fx_data *users = side(person, 0, c->inputs), *items = side(films, c->split, c->inputs);
    const fx_table u = fx_data_table(users), v = fx_data_table(items);
    fx_recommender *r;
    size_t item[BEST];
    double score[BEST];

    must(fx_model_recommender_new(&r, m, 0, v.block, NULL));
    must(fx_model_recommender_best(item, score, NULL, r, u.block, BEST, NULL, NULL, NULL));
    printf("%s: films of kind", person->class_name[0]);
    for (size_t k = 0; k < BEST; k++)
        printf(" %zu", item[k] % KINDS);
    printf("\n");
    fx_model_recommender_free(r);
    fx_data_free(users);
    fx_data_free(items);
}

int main(void)
{
    char liked[4096], *p = liked;
    fx_model *model, *wider;

    for (int i = 0; i < PEOPLE; i++)
        for (int k = i % KINDS; k < FILMS; k += KINDS)
            p += sprintf(p, "person%d film%d\n", i, k);
    fx_data *people = nodes("person", PEOPLE), *films = nodes("film", FILMS);
    const fx_table a = fx_data_table(people), b = fx_data_table(films);
    fx_data *rows = pairs(&a, &b, liked);
    const fx_table t = fx_data_table(rows);
    const fx_plan plan = {.size = sizeof plan, .model = "fm:rank=4,beta=1e-4,sd=0.1", .seed = 1,
                          .split = t.split};
    must(fx_model_fit(&model, &plan, &t, NULL));

    char line[64];
    snprintf(line, sizeof line, "person4 2:1 %d:1\n", 1 + KINDS + 4);
    fx_data *one = parse(line);
    const fx_table known = fx_data_table(one);
    recommend(model, &known, &b);

    snprintf(line, sizeof line, "newcomer %d:1\n", 1 + KINDS + PEOPLE);        /* of no kind */
    fx_data *other = parse(line);
    const fx_table newcomer = fx_data_table(other);
    fx_data *more = pairs(&newcomer, &b, "newcomer film2\nnewcomer film5\nnewcomer film8\n");
    const fx_table x = fx_data_table(more);
    must(fx_model_fold_in(&wider, model, &x, NULL));
    recommend(wider, &newcomer, &b);

    fx_data *all[] = {people, films, rows, one, other, more};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        fx_data_free(all[i]);
    fx_model_free(model);
    fx_model_free(wider);
    return 0;
}
