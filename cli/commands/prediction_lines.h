/* SPDX-License-Identifier: BSD-3-Clause
 * prediction_lines.h - predictions as lines of text: what predict prints for one row. */
#ifndef PREDICTION_LINES_H
#define PREDICTION_LINES_H
#include "models/models.h"

typedef enum prediction_form {          /* as --format names them */
    PREDICTION_TEXT,                    /* values, spaces between them */
    PREDICTION_CSV,                     /* a header; id, label and values */
    PREDICTION_JSONL,                   /* an object for each row */
    PREDICTION_JSON                     /* these objects as a list inside one object */
} prediction_form;

typedef struct prediction_lines {
    const fx_model_info *c;
    fx_prediction what;
    prediction_form form;
    size_t width;                       /* values per row */
    const char *id;                     /* of the next row; NULL: its number, from 1 */
    char **name;                        /* [width] of the values as the form quotes them, or NULL */
    uint64_t rows;                      /* that were added */
    strbuf text;                        /* lines that wait to be written */
} prediction_lines;

/* The first lines, if the form has any; 0 or EXIT_MEMORY. */
int prediction_lines_begin(prediction_lines *p);
/* One row: value[width]; label, the predicted one, is used by csv alone. */
void prediction_lines_row(prediction_lines *p, const double *value, double label);
void prediction_lines_free(prediction_lines *p);
/* Name of value i: a class, a pair of classes (whose score is positive for the second), or "". */
const char *prediction_lines_name(char buf[256], const prediction_lines *p, size_t i);
/* True if each value has a name: probabilities, scores of pairs of classes. */
bool prediction_lines_are_named(const prediction_lines *p);
#endif
