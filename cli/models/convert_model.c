/* SPDX-License-Identifier: BSD-3-Clause
 * convert_model.c - featcross convert on models: reads and writes libFM's text, and writes linear
 * models on a random map as factorization machines. */

#include "models.h"

#include <stdlib.h>
#include <string.h>

#define LIBFM "#global bias W0"         /* how libFM's files begin */

static bool is_libfm(const char *path)
{
    char head[sizeof LIBFM - 1];

    return input_peek(path, head, sizeof head) == sizeof head && !memcmp(head, LIBFM, sizeof head);
}

bool convert_is_model(const char *path) { return model_file_is(path) || is_libfm(path); }

static int read_libfm(fx_model **m, const char *path, const char *task)
{
    input s;
    char *text = NULL;
    size_t len = 0;
    int status = input_open(&s, path);

    if (status)
        return status;
    if (!task)
        say_note("%s: taken for a model of numbers; --task classify makes it one of classes -1 and "
                 "1", s.name);
    if (!(status = input_bytes(&text, &len, &s, cli.max_memory))) {
        fx_status st = fx_model_import(m, "libfm", task && !strcmp(task, "classify"), text, len,
                                       &cli.run);
        status = st ? say_file_error(s.name, "libfm", st) : 0;
    }
    input_close(&s);
    free(text);
    return status;
}

static int factorize(fx_model **m)
{
    fx_model *fm = NULL;
    fx_status s = fx_model_factorize(&fm, *m, &cli.run);

    if (s)
        return say_failure(s);
    fx_model_free(*m);
    *m = fm;
    return 0;
}

static int write_model(output *o, const fx_model *m, const char *in, const char *out, bool text)
{
    const fx_model_info *c = fx_model_inspect(m);
    size_t bytes;
    int status = output_model(o, &bytes, m, text ? "libfm" : NULL);

    if (!status)
        status = output_close(o);
    if (status)
        return status;
    say_note("%s: %s%s", out, c->spec, text ? ", as libFM's text" : "");
    return cli.json ? say_json(json_pack("{s:o, s:o, s:s, s:o, s:I, s:o}", "input",
                                         say_text(in), "output", say_text(out), "format",
                                         text ? "libfm" : "model", "model", say_text(c->spec),
                                         "bytes", (json_int_t)bytes, "norms", model_info_norms(c)))
                    : 0;
}

int convert_model(const char *in, const char *out, const char *to, const char *task)
{
    bool text = is_libfm(in), export = to && !strcmp(to, "libfm");
    fx_model *m = NULL;
    output *o = NULL;
    int status;

    if (to && !export && strcmp(to, "fm") != 0)
        return say_error("convert: %s is a model; --to %s is for rows, models become libfm or fm",
                         in, to);
    if (!text && !to)
        return say_error("%s is a model; rows of data are wanted here, or --to libfm or --to fm, "
                         "which says what the model is to become",
                         in);
    if (text && export)
        return say_error("convert: %s is libFM's text already", in);
    if (!text && task)
        return say_error("convert: --task is for libFM's text, which does not say it; %s does", in);
    if (export && cli.json && output_is_stdout(out))
        return say_error("convert: --json and the output - both want standard output");
    if (!(status = output_open(&o, out, export ? OUTPUT_TEXT : OUTPUT_BINARY))
        && !(status = text ? read_libfm(&m, in, task) : model_file_load(&m, NULL, in))
        && (text || export || !(status = factorize(&m))))
        status = write_model(o, m, in, out, export);
    fx_model_free(m);
    return status;
}
