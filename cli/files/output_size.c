/* SPDX-License-Identifier: BSD-3-Clause
 * output_size.c - is there room for an output that is written as a whole array?
 *
 * A few bytes of sparse text can name a very large column number, and a dense array stores all
 * columns up to it. */

#include "output_file.h"
#include "options/options.h"
#include "terminal/terminal.h"

#include <math.h>
#include <string.h>
#include <sys/statvfs.h>

static const double GIGABYTE = 1 << 30;

/* The minimum size of a number: in text a digit and a separator, in precomputed also the column
 * number. 0: the format leaves zeros out. */
static double bytes_of(const fx_description *format, fx_type type)
{
    return !format->dense          ? 0
           : format->binary        ? (type == FX_F64 ? 8 : 4)
           : format->precomputed   ? 4
                                   : 2;
}

/* "16.0 GiB (17179869184 bytes)" */
static const char *size_text(char out[64], double bytes)
{
    char size[32];

    snprintf(out, 64, bytes < 1024 ? "%s" : "%s (%.0f bytes)", say_bytes(size, bytes), bytes);
    return out;
}

/* The line of names that csv and tsv begin with, if these are x1, x2, .. */
static double head_bytes(const fx_description *format, size_t cols)
{
    double bytes = 0, digits = 1;

    if (!spec_key(format, "header"))
        return 0;
    for (double first = 1; first <= (double)cols; first *= 10, digits++)
        bytes += (digits + 2) * (fmin((double)cols + 1, 10 * first) - first);
    return bytes;
}

/* With its line of names. */
static double size_of(const fx_description *d, fx_type type, size_t rows, size_t cols)
{
    double bytes = bytes_of(d, type) * (double)rows * (double)cols;

    return bytes > 0 ? bytes + head_bytes(d, cols) : 0;
}

static const char *name_of(const output *o)
{
    return output_is_stdout(o->path) ? "stdout" : o->path;
}

int output_size_check(const output *o, const char *format, fx_type type, size_t rows, size_t cols)
{
    fx_description d = spec_line(fx_data_write_describe, format);
    double bytes = size_of(&d, type, rows, cols);
    struct statvfs fs;
    char need[64], have[64];

    if (o->direct || fstatvfs(o->fd, &fs) < 0)
        return 0;
    double space = (double)fs.f_bavail * (double)fs.f_frsize;
    if (bytes <= space)
        return 0;
    return say_error("%s: %zu x %zu numbers take %s%s, the file system has %s free", name_of(o),
                     rows, cols, d.binary ? "" : "at least ", size_text(need, bytes),
                     size_text(have, space));
}

void output_shape_add(output_shape *s, const fx_table *t)
{
    s->rows += t->rows;
    s->cols = t->cols;
    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *X = &t->block[b];
        s->type = X->type == FX_F64 ? FX_F64 : s->type;
        s->sparse |= X->ptr != NULL;
        s->entries += X->ptr ? (double)(X->ptr[X->rows] - X->ptr[0])
                             : (double)X->rows * (double)X->cols;
    }
}

/* Sparse rows as an array: more than --max-memory, or a gigabyte or more where hardly one number in
 * a thousand is not 0, is probably a mistake.  If --max-memory is given, it alone decides. */
static int spread_out(const output *o, const fx_description *d, const output_shape *s)
{
    double bytes = s->sparse ? size_of(d, s->type, s->rows, s->cols) : 0;
    char need[64], have[64];
    uint64_t limit;

    if (bytes >= GIGABYTE && s->entries <= (double)s->rows * (double)s->cols / 1000
        && opt_size(&limit, "80%") && cli.max_memory == limit) {
        say_error("%s: %zu x %zu numbers take %s, and all but %.0f of them are 0", o->path, s->rows,
                  s->cols, size_text(need, bytes), s->entries);
        say_hint("--max-memory SIZE allows it");
        return EXIT_MEMORY;
    }
    if (bytes <= (double)cli.max_memory)
        return 0;
    say_error("%s: %zu x %zu numbers take %s%s, the limit is %s", name_of(o), s->rows, s->cols,
              d->binary ? "" : "at least ", size_text(need, bytes),
              size_text(have, (double)cli.max_memory));
    say_hint("--max-memory SIZE raises the limit");
    return EXIT_MEMORY;
}

int output_size_check_shape(const output *o, const char *spec, const output_shape *s)
{
    fx_description d = spec_line(fx_data_write_describe, spec);
    int status = spread_out(o, &d, s);

    if (!status)
        status = output_size_check(o, spec, s->type, s->rows, s->cols);
    if (status && s->sparse)
        say_hint("formats svmlight and npz leave zeros out");
    return status;
}

int output_size_check_table(const output *o, const char *spec, const fx_table *t)
{
    output_shape s = {.type = FX_F32};

    output_shape_add(&s, t);
    return output_size_check_shape(o, spec, &s);
}
