/* SPDX-License-Identifier: BSD-3-Clause
 * machine.c - an exact kernel machine: what it will take, its fit, its scores, its file.
 * cc machine.c $(pkg-config --cflags --libs featcross) && ./a.out */

#include <featcross.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 3, COLS = 2 };

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

int main(void)
{
    static const char text[] = "far  1:2\n"             /* a ring around what is near */
                               "far  2:2\n"
                               "far  1:-2\n"
                               "far  2:-2\n"
                               "near 1:0.5 2:0.5\n"
                               "near 1:-0.5 2:-0.5\n";
    static const double x[ROWS * COLS] = {0, 0, 2, -1, -0.4, 0.3};
    const fx_matrix X = {.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};
    fx_data *data = NULL;
    fx_model *model = NULL;
    fx_table rows;
    fx_estimate cost = FX_INIT(fx_estimate);
    double label[ROWS], score[ROWS];

    const fx_plan plan = {.size = sizeof(fx_plan),
                          .model = "kernel-svm:C=10,tol=1e-6",
                          .kernel = "rbf:gamma=0.5",
                          .class_weight = "balanced",
                          .cache = 10 << 20};
    fx_status s = say(fx_data_parse(&data, "svmlight", "text", text, strlen(text), NULL));
    if (!FX_FAILED(s)) {
        rows = fx_data_table(data);
        s = say(fx_model_estimate(&cost, &plan, &rows, NULL));
    }
    if (!FX_FAILED(s) && cost.seconds > 60)
        fprintf(stderr, "about %.0f minutes and %.0f MB\n", cost.seconds / 60,
                (double)cost.bytes / 1e6);
    if (!FX_FAILED(s))
        s = say(fx_model_fit(&model, &plan, &rows, NULL));
    if (!FX_FAILED(s))
        s = say(fx_model_predict(label, NULL, model, FX_LABEL, &X, NULL));
    if (!FX_FAILED(s))
        s = say(fx_model_predict(score, NULL, model, FX_SCORE, &X, NULL));
    if (!FX_FAILED(s))
        s = save("machine.fx", model);
    if (!FX_FAILED(s)) {
        const fx_model_info *c = fx_model_inspect(model);
        printf("%zu support vectors of %zu rows\n", c->support_vectors, c->rows);
        for (int i = 0; i < ROWS; i++)
            printf("(%g, %g) %s, score %.2f\n", x[COLS * i], x[COLS * i + 1],
                   c->class_name[(int)label[i]], score[i]);
    }

    fx_model_free(model);
    fx_data_free(data);
    return FX_FAILED(s);
}
