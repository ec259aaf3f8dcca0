/* SPDX-License-Identifier: BSD-3-Clause
 * survey_bytes.c - a survey as part of a message: counts, the range of targets and of each column,
 * what is missing there, the classes, the names of columns. */

#include "train/train.h"

#include <math.h>

void fxi_train_survey_bytes(fxi_message *m, const fxi_survey *s)
{
    const uint64_t head[] = {s->rows, s->numbers, s->sparse, s->doubles, s->labelled, s->texts,
                             s->weighty, (uint64_t)(int64_t)s->base, s->classes, s->named, s->holes,
                             s->targets};

    fxi_pass_message_put(m, head, sizeof head);
    fxi_pass_message_number(m, s->least);
    fxi_pass_message_number(m, s->most);
    fxi_pass_message_numbers(m, s->low, s->cols);
    fxi_pass_message_numbers(m, s->high, s->cols);
    fxi_pass_message_numbers(m, s->missing, s->cols);
    fxi_pass_message_numbers(m, s->missing_all, s->cols);
    for (size_t k = 0; k < s->classes && s->texts; k++)
        fxi_pass_message_text(m, s->class[k].name);
    for (size_t k = 0; k < s->classes && !s->texts; k++)
        fxi_pass_message_number(m, s->class[k].x);
    for (size_t j = 0; j < s->named; j++)
        fxi_pass_message_text(m, s->name[j]);
}

static const uint64_t ROWS_AT_MOST = UINT64_C(1) << 53; /* which doubles count, too */

static fx_status merge_classes(fxi_survey *s, fxi_reading *r, uint64_t classes, bool texts)
{
    fx_status st = FX_OK;

    for (uint64_t k = 0; k < classes && !r->bad && !st; k++) {
        const char *name = texts ? fxi_pass_message_read_text(r) : NULL;
        double x = texts ? 0 : fxi_pass_message_read_number(r);
        r->bad |= texts && !name;
        if (!r->bad)
            st = fxi_train_survey_add_class(s, name, x);
    }
    return st;
}

static fx_status merge_names(fxi_survey *s, fxi_reading *r, uint64_t named)
{
    const char **name = named <= r->left / 8 ? fxi_alloc((size_t)named, sizeof *name) : NULL;
    fx_status st = FX_OK;

    if (!name) {
        r->bad |= named > r->left / 8;
        return r->bad ? FX_OK : FX_ENOMEM;
    }
    for (uint64_t j = 0; j < named; j++) {
        name[j] = fxi_pass_message_read_text(r);
        r->bad |= !name[j];
    }
    if (!r->bad && named > s->named)
        st = fxi_train_survey_names(s, name, (size_t)named);
    fxi_free(name);
    return st;
}

fx_status fxi_train_survey_bytes_merge(fxi_survey *s, fxi_reading *r, const fx_run *run)
{
    enum { ROWS, NUMBERS, SPARSE, DOUBLES, LABELLED, TEXTS, WEIGHTY, BASE, CLASSES, NAMED, HOLES,
           TARGETS, ALL };
    const uint64_t *head = fxi_pass_message_read_take(r, ALL * sizeof *head);
    double least = fxi_pass_message_read_number(r), most = fxi_pass_message_read_number(r);
    enum { LOW, HIGH, MISSING, MISSING_ALL, ARRAYS };
    const double *array[ARRAYS];
    size_t n[ARRAYS], cols;
    fx_status st;

    for (size_t k = 0; k < ARRAYS; k++)
        array[k] = fxi_pass_message_read_numbers(r, &n[k]);
    cols = n[LOW];

    const size_t holes = head && head[HOLES] ? cols : 0;
    r->bad |= n[HIGH] != cols || n[MISSING] != holes || n[MISSING_ALL] != holes
              || (head && s->rows && head[ROWS] && s->holes != (head[HOLES] != 0))
              || (head && (head[ROWS] > ROWS_AT_MOST || (head[CLASSES] && !head[LABELLED])));
    if (r->bad)
        return fxi_error(FX_EFORMAT, "survey: bytes that do not belong together");
    const fxi_survey_look look = {.sparse = head[SPARSE], .labelled = head[LABELLED],
                                  .texts = head[TEXTS], .base = (int)(int64_t)head[BASE],
                                  .cols = cols};
    if (head[ROWS] == 0)
        return FX_OK;
    s->holes = head[HOLES];
    if ((st = fxi_train_survey_alike(s, &look)) || (st = fxi_train_survey_widen(s, cols, run)))
        return st;
    for (size_t j = 0; j < cols; j++) {
        s->low[j] = fmin(s->low[j], array[LOW][j]);
        s->high[j] = fmax(s->high[j], array[HIGH][j]);
    }
    for (size_t j = 0; j < holes; j++) {
        double rows = (double)head[ROWS];
        r->bad |= !(array[MISSING][j] >= 0 && array[MISSING][j] <= rows
                    && array[MISSING_ALL][j] >= 0 && array[MISSING_ALL][j] <= rows);
        s->missing[j] += array[MISSING][j];
        s->missing_all[j] += array[MISSING_ALL][j];
    }
    if ((st = merge_classes(s, r, head[CLASSES], head[TEXTS]))
        || (st = merge_names(s, r, head[NAMED])))
        return st;
    if (head[TARGETS]) {
        fxi_train_survey_add_target(s, least);
        fxi_train_survey_add_target(s, most);
    }
    s->rows += head[ROWS];
    s->numbers += head[NUMBERS];
    s->doubles |= head[DOUBLES] != 0;
    s->weighty |= head[WEIGHTY] != 0;
    return r->bad ? fxi_error(FX_EFORMAT, "survey: bytes that do not belong together") : FX_OK;
}
