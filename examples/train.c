/* SPDX-License-Identifier: BSD-3-Clause
 * train.c - a model that sees pairs of features: fitted, saved, loaded, asked about other rows.
 * cc train.c $(pkg-config --cflags --libs featcross) && ./a.out */

#include <featcross.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 3, COLS = 2, ROOM = 4096 };

/* Failures, and remarks such as that a model has not converged. */
static fx_status say(fx_status s)
{
    if (s != FX_OK)
        fprintf(stderr, "%s: %s\n", fx_status_name(s), fx_error_detail());
    return s;
}

static int put(void *file, const void *bytes, size_t len)
{
    return fwrite(bytes, 1, len, file) != len;
}

/* The library opens no files: it gives bytes to a function, and takes them from memory. */
static fx_status save(const char *path, const fx_model *model)
{
    FILE *f = fopen(path, "wb");
    const fx_sink sink = {.size = sizeof(fx_sink), .write = put, .ctx = f};
    fx_status s = f ? say(fx_model_dump(&sink, model)) : FX_EOUTPUT;

    if (!f || (fclose(f) != 0 && !s)) {
        perror(path);
        s = FX_EOUTPUT;
    }
    return s;
}

static fx_status load(fx_model **model, const char *path)
{
    static char bytes[ROOM];            /* this model is small */
    FILE *f = fopen(path, "rb");
    size_t len = f ? fread(bytes, 1, sizeof bytes, f) : 0;

    if (!f || ferror(f) || len == sizeof bytes) {
        fprintf(stderr, "%s cannot be read, or is too large\n", path);
        if (f)
            fclose(f);
        return FX_EFORMAT;
    }
    fclose(f);
    return say(fx_model_parse(model, bytes, len, NULL));
}

int main(void)
{
    static const char text[] = "same  1:2 2:1\n"        /* no weights of single columns tell */
                               "same  1:-1 2:-1\n"      /* these from those */
                               "other 1:1 2:-2\n"
                               "other 1:-1 2:1\n";
    static const double x[ROWS * COLS] = {3, 1, -1, 2, -2, -2};
    const fx_matrix X = {.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};
    fx_data *data = NULL;
    fx_model *model = NULL, *loaded = NULL;
    fx_table rows;
    double label[ROWS];

    fx_plan plan = FX_INIT(fx_plan);                    /* everything at its default */
    plan.model = "svm:C=1";
    plan.map = "explicit";
    plan.kernel = "anova:order=2";
    fx_status s = say(fx_data_parse(&data, "svmlight", "text", text, strlen(text), NULL));
    if (!FX_FAILED(s)) {                                /* say() prints failures and remarks */
        rows = fx_data_table(data);
        s = say(fx_model_fit(&model, &plan, &rows, NULL));
    }
    if (!FX_FAILED(s))
        s = save("model.fx", model);                    /* fx_model_dump */
    if (!FX_FAILED(s))
        s = load(&loaded, "model.fx");                  /* fx_model_parse */
    if (!FX_FAILED(s))
        s = say(fx_model_predict(label, NULL, loaded, FX_LABEL, &X, NULL));
    for (int i = 0; !FX_FAILED(s) && i < ROWS; i++)
        puts(fx_model_inspect(loaded)->class_name[(int)label[i]]);

    fx_model_free(loaded);
    fx_model_free(model);
    fx_data_free(data);
    return FX_FAILED(s);
}
