/* SPDX-License-Identifier: BSD-3-Clause
 * model_file.c - model files: read whole, checked by the library. */

#include "models.h"

#include <stdlib.h>
#include <string.h>

/* A pipe is not checked, because bytes that are read from it are gone. */
bool model_file_is(const char *path)
{
    unsigned char head[10];

    return format_is_model(head, input_peek(path, head, sizeof head));
}

int model_file_load(fx_model **out, size_t *bytes, const char *path)
{
    input s;
    char *text = NULL;
    size_t n = 0;
    int status = input_open(&s, path);

    if (status)
        return status;
    progress_begin("load", "B", (double)s.size);
    if (!s.zip)
        status = input_bytes(&text, &n, &s, cli.max_memory);
    fx_status st = status ? FX_OK : fx_model_parse(out, text ? text : "", n, &cli.run);
    progress_end();
    if (st)
        status = st == FX_EFORMAT ? say_error("%s: %s", s.name, fx_error_detail())
                                  : say_failure(st);
    if (bytes)
        *bytes = n;
    input_close(&s);
    free(text);
    return status;
}

int model_file_first(fx_model **out, const char *path, const char *data)
{
    if (data && !strcmp(path, "-") && !strcmp(data, "-"))
        return say_error("the model and the rows cannot both come from standard input");
    int status = model_file_load(out, NULL, path);
    if (data && status == EXIT_USAGE && !model_file_is(path) && model_file_is(data))
        say_hint("%s is a model; the model comes first", data);
    return status;
}

size_t model_file_pair(size_t *second, const fx_model_info *c, size_t i)
{
    size_t a = 0;

    for (; c->pairs && i >= c->classes - 1 - a; a++)
        i -= c->classes - 1 - a;
    *second = c->pairs ? a + 1 + i : c->outputs == 1 ? 1 : i;
    return a;
}

const char *model_file_output(char buf[256], const fx_model_info *c, size_t i)
{
    size_t second;

    if (!c->classes)
        return "";
    size_t first = model_file_pair(&second, c, i);
    if (!c->pairs)
        return c->class_name[second];
    snprintf(buf, 256, "%.120s/%.120s", c->class_name[first], c->class_name[second]);
    return buf;
}

json_t *model_file_classes(const fx_model_info *c)
{
    json_t *list = json_array();

    for (size_t i = 0; i < c->classes; i++)
        list = say_append(list, say_text(c->class_name[i]));
    return list;
}

static load_options as_trained(const fx_model_info *c, load_options how)
{
    how.base = c->base;
    how.reader = c->reader;
    how.name = c->name;
    how.names = c->inputs;
    return how;
}

int model_file_rows(loaded *out, const char *path, const fx_model_info *c, load_options how)
{
    how = as_trained(c, how);
    return load_as(out, path, &how);
}

int model_file_batches(loaded *out, const char *path, const fx_model_info *c, load_options how,
                       int (*use)(void *ctx, loaded *l), void *ctx)
{
    how = as_trained(c, how);
    return batches_read(out, path, &how, use, ctx);
}

/* Otherwise rows of features would be taken for short rows of kernel values. */
int model_file_fits(const fx_model_info *c, const loaded *l)
{
    if (!kernel_precomputed(c->kernel) || l->table.cols == c->cols)
        return 0;
    return say_error(
        "%s: rows of %zu columns; the model wants kernel values with all %zu rows that it "
        "was trained on, as featcross gram NEW TRAINED writes them",
        l->name, l->table.cols, c->rows);
}
