/* SPDX-License-Identifier: BSD-3-Clause
 * missing.c - what a model does with missing values, in its file: the strings `missing`, `inputs`
 * and the counts of training, the arrays `fill` and `indicators`.  Files of other models have none
 * of them, whatever their format. */

#include "file/file.h"

void fxi_file_missing_dump_header(fxi_dumping *d)
{
    const fx_model_info *c = &d->m->c;

    fxi_file_dump_header_text(d, "missing", c->missing);
    fxi_file_dump_header_count(d, "inputs", c->inputs);
    fxi_file_dump_header_count(d, "missing_values", c->missing_values);
    fxi_file_dump_header_count(d, "missing_cols", c->missing_cols);
    fxi_file_dump_header_count(d, "missing_rows", c->missing_rows);
}

void fxi_file_missing_dump_arrays(fxi_dumping *d)
{
    const fx_model_info *c = &d->m->c;

    fxi_file_dump_array(d, "fill", "F64", c->fill, c->inputs, 0);
    fxi_file_dump_array(d, "indicators", "I64", c->indicator, c->cols - c->inputs, 0);
}

fx_status fxi_file_missing_header(fxi_parsing *p, uint64_t format)
{
    fx_model_info *c = &p->m->c;
    const char *spec;
    fxi_missing m;
    uint64_t inputs, cols, rows;
    fx_status st;

    c->inputs = c->cols;
    if (format < FXI_FORMAT_MISSING || !fxi_json_get(p->meta, "missing"))
        return FX_OK;
    if ((st = fxi_file_header_text(&spec, p, "missing")) != 0
        || (st = fxi_file_header_error(fxi_data_missing_read(&m, spec))) != 0
        || (st = fxi_file_header_count(&inputs, p, "inputs", c->cols)) != 0
        || (st = fxi_file_header_count(&c->missing_values, p, "missing_values", UINT64_MAX)) != 0
        || (st = fxi_file_header_count(&cols, p, "missing_cols", inputs)) != 0
        || (st = fxi_file_header_count(&rows, p, "missing_rows", SIZE_MAX)) != 0)
        return st;
    if (!m.how || (!m.marked && inputs < c->cols))
        return fxi_error(FX_EFORMAT, "model: missing values '%s' with %llu inputs and %zu columns",
                         spec, (unsigned long long)inputs, c->cols);
    c->missing = m.spec;
    c->inputs = (size_t)inputs;
    c->missing_cols = (size_t)cols;
    c->missing_rows = (size_t)rows;
    return FX_OK;
}

/* Ascending columns of the inputs. */
static fx_status check_indicators(const fx_model_info *c)
{
    for (size_t k = 0; k < c->cols - c->inputs; k++)
        if (c->indicator[k] < 0 || (uint64_t)c->indicator[k] >= c->inputs
            || (k && c->indicator[k] <= c->indicator[k - 1]))
            return fxi_error(FX_EFORMAT, "model: number %zu of `indicators` is %lld", k,
                             (long long)c->indicator[k]);
    return FX_OK;
}

fx_status fxi_file_missing_arrays(fxi_parsing *p)
{
    fx_model_info *c = &p->m->c;
    fxi_missing m = fxi_model_missing(c);
    const void *indicator = NULL;
    fx_status st = FX_OK;

    if (m.how == FXI_MISSING_MEAN || m.how == FXI_MISSING_MEDIAN)
        st = fxi_file_array_doubles(&c->fill, p, "fill", c->inputs, 0);
    if (st || !m.indicators)
        return st;
    if ((st = fxi_file_array(&indicator, p, "indicators", "I64", m.indicators, 0)) != 0)
        return st;
    c->indicator = indicator;
    return check_indicators(c);
}
