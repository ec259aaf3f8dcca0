/* SPDX-License-Identifier: BSD-3-Clause
 * make.c - wrote the models beside it: `make_golden_models DIRECTORY [NAME ...]`, all if no name is
 * given.  NAME.fx is a model, NAME.json rows that it was asked about and what it answered.  A model
 * that stands here is never written again: later versions must read it as it is. */

#include "featcross.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 48, COLS = 9, NEVER = 3, MOST = 64 }; /* column NEVER is 0 in training */

typedef enum labels { SIGNS, WORDS, BYTES, TARGETS, GRAM } labels; /* GRAM: signs, rows of K */
#define PLAN .size = sizeof(fx_plan)
static const struct { const char *name; labels kind; const char *reader; fx_plan plan; }
models[] = {
    {"svm", SIGNS, "svmlight", {PLAN, .model = "svm", .scale = "std"}},
    {"svm-unit", SIGNS, "svmlight:base=0", {PLAN, .model = "svm-l2:C=0.5", .scale = "unit-l2"}},
    {"svm-calibrated", SIGNS, "svmlight", {PLAN, .model = "svm:calibrate=yes", .scale = "maxabs"}},
    {"svm-words", WORDS, "svmlight", {PLAN, .model = "svm:intercept=none", .scale = "unit-l1"}},
    {"svr", TARGETS, "svmlight", {PLAN, .model = "svr:epsilon=0.05", .scale = "maxabs"}},
    {"ridge", TARGETS, "svmlight", {PLAN, .model = "ridge:intercept=appended", .scale = "maxabs"}},
    {"perceptron", WORDS, "svmlight", {PLAN, .model = "perceptron"}},
    {"logistic-l1", SIGNS, "svmlight", {PLAN, .model = "logistic:C=0.7,penalty=l1"}},
    {"svm-bytes", BYTES, "svmlight", {PLAN, .model = "svm-l2"}},
    {"names", WORDS, "csv:label=first", {PLAN, .model = "logistic"}},
    {"categories", SIGNS, "csv:label=first,cat=colour", {PLAN, .model = "svm", .scale = "std"}},
    {"rk-hadamard", WORDS, "svmlight",
     {PLAN, .model = "logistic", .scale = "maxabs", .map = "rk:projection=hadamard",
      .kernel = "anova:order=2", .features = 100, .seed = 7}},
    {"rk-folded", SIGNS, "svmlight",
     {PLAN, .model = "logistic", .map = "rk:projection=hadamard", .kernel = "anova:order=2",
      .features = 3}},
    {"rk-packed",
     SIGNS,
     "svmlight",
     {PLAN, .model = "svm", .scale = "maxabs", .map = "rk:projection=packed",
      .kernel = "all-subsets", .features = 70, .seed = 1234567890123}},
    {"rk-subsets",
     SIGNS,
     "svmlight",
     {PLAN, .model = "svm", .scale = "unit-l2", .map = "rk:projection=hadamard",
      .kernel = "all-subsets", .features = 64, .seed = 9}},
    {"rk-itemset", SIGNS, "svmlight",
     {PLAN, .model = "svm-l2", .map = "rk", .kernel = "itemset:file=sets.txt",
      .family = "1 2\n2 5 6\n7 8 9\n", .features = 32}},
    {"rff", SIGNS, "svmlight",
     {PLAN, .model = "svm", .map = "rff", .kernel = "rbf:gamma=0.5", .features = 32, .seed = 3}},
    {"rm", TARGETS, "svmlight",
     {PLAN, .model = "ridge", .scale = "unit-l2", .map = "rm:h01=yes", .kernel = "poly:degree=3",
      .features = 32, .seed = 3}},
    {"explicit", SIGNS, "svmlight",
     {PLAN, .model = "svm", .map = "explicit", .kernel = "poly:degree=2"}},
    {"explicit-upto", WORDS, "svmlight",
     {PLAN, .model = "svm-l2:C=0.03", .scale = "maxabs", .map = "explicit",
      .kernel = "anova-upto:order=3"}},
    {"rk-upto", SIGNS, "svmlight",
     {PLAN, .model = "svm-l2:C=0.1", .map = "rk", .kernel = "anova-upto:order=3,theta=1/0.5/0.25",
      .features = 40, .seed = 5}},
    {"kernel-svm", SIGNS, "svmlight",
     {PLAN, .model = "kernel-svm:C=0.5,collapse=no", .kernel = "rbf:gamma=0.1"}},
    {"kernel-svm-dense", SIGNS, "csv:label=first",
     {PLAN, .model = "kernel-svm:collapse=no,calibrate=yes", .kernel = "poly:degree=2,coef0=1"}},
    {"kernel-svm-classes", WORDS, "svmlight:base=0",
     {PLAN, .model = "kernel-svm", .scale = "maxabs", .kernel = "rbf"}},
    {"kernel-svm-pairs", WORDS, "svmlight",
     {PLAN, .model = "kernel-svm:calibrate=yes", .scale = "unit-l2", .kernel = "all-subsets"}},
    {"kernel-svm-itemset", BYTES, "svmlight",
     {PLAN, .model = "kernel-svm:collapse=no", .scale = "maxabs", .kernel = "itemset:file=sets.txt",
      .family = "1 2\n2 5 6\n7 8 9\n"}},
    {"kernel-svm-collapsed", SIGNS, "svmlight",
     {PLAN, .model = "kernel-svm:collapse=yes", .kernel = "anova:order=2", .scale = "maxabs"}},
    {"kernel-svr", TARGETS, "svmlight",
     {PLAN, .model = "kernel-svr:epsilon=0.05,collapse=no", .scale = "maxabs",
      .kernel = "anova:order=2"}},
    {"kernel-ridge",
     TARGETS,
     "svmlight",
     {PLAN, .model = "kernel-ridge:collapse=no", .scale = "std",
      .kernel = "poly:degree=2,coef0=1"}},
    {"kernel-perceptron",
     WORDS,
     "svmlight",
     {PLAN, .model = "kernel-perceptron:budget=20", .kernel = "rbf:gamma=0.2"}},
    {"pca", TARGETS, "svmlight", {PLAN, .model = "pca:k=3", .scale = "std"}},
    {"pca-map", SIGNS, "svmlight",
     {PLAN, .model = "pca:k=2", .scale = "maxabs", .map = "rk:projection=hadamard",
      .kernel = "anova:order=2", .features = 40, .seed = 11}},
    {"kernel-pca", SIGNS, "svmlight",
     {PLAN, .model = "kernel-pca:k=3", .scale = "unit-l2", .kernel = "poly:degree=2"}},
    {"precomputed", GRAM, "svmlight", {PLAN, .model = "kernel-svm", .kernel = "precomputed"}},
    {"fm", SIGNS, "svmlight", {PLAN, .model = "fm:rank=2", .scale = "maxabs"}},
    {"fm-clipped", TARGETS, "svmlight",
     {PLAN, .model = "fm:task=regress,rank=3,sd=0.3,clip=train,solver=adagrad,max-iter=20"}},
    {"fm-rank", TARGETS, "svmlight",
     {PLAN, .model = "fm:task=rank,rank=2,sd=0.1,linear=no,max-iter=20", .scale = "unit-l2"}},
    {"fm-groups", WORDS, "svmlight",
     {PLAN, .model = "fm:rank=2,sd=0.3,max-iter=20,lambda=learned", .kernel = "groups:file=g.txt",
      .family = "a: 1 2 3\nb: 5 6 # and others\n"}},
    {"fm-cross",
     SIGNS,
     "svmlight:base=0",
     {PLAN, .model = "fm:rank=2,sd=0.3,max-iter=20,loss=squared-hinge",
      .kernel = "cross:file=g.txt", .family = "a b\na: 1 2 3\nb: 5, 6\nc: 4\n"}},
    {"hofm",
     WORDS,
     "svmlight",
     {PLAN, .model = "hofm:order=4,rank=2,sd=0.5,beta=1e-6,lambda=signs,max-iter=20",
      .scale = "maxabs"}},
    {"hofm-shared", SIGNS, "svmlight",
     {PLAN, .model = "hofm-shared:order=3,rank=2,sd=0.3,max-iter=20,solver=lbfgs"}},
    {"hofm-simplex", TARGETS, "svmlight",
     {PLAN, .model = "hofm-simplex:order=3,task=regress,rank=2,sd=0.3,max-iter=20"}},
    {"all-subsets", SIGNS, "svmlight",
     {PLAN, .model = "all-subsets:rank=2,sd=0.3,max-iter=20,intercept=none", .scale = "maxabs"}},
    {"poly-net", SIGNS, "svmlight",
     {PLAN, .model = "poly-net:degree=3,rank=2,sd=0.3,max-iter=20", .scale = "maxabs"}},
    {"poly-net-uv", TARGETS, "svmlight",
     {PLAN, .model = "poly-net-uv:task=regress,rank=2,sd=0.3,max-iter=20", .scale = "std"}},
    {"bilinear", SIGNS, "svmlight", {PLAN, .model = "bilinear:split=4,rank=2,sd=0.3,max-iter=20"}},
    {"missing-mean", SIGNS, "csv:label=first",
     {PLAN, .model = "logistic", .scale = "std", .missing = "mean,indicator"}},
    {"missing-median", TARGETS, "svmlight",
     {PLAN, .model = "kernel-ridge:collapse=no", .kernel = "rbf:gamma=0.1", .missing = "median"}},
};

static void must(fx_status s, const char *what)
{
    if (s < 0) {
        fprintf(stderr, "%s: %s\n", what, fx_error_detail());
        exit(1);
    }
}

static uint64_t state;                  /* of a model: what is made does not depend on others */

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static double value(void) { return (draw(2) ? (int)draw(300) - 100 : 0) / 100.0; }

static void write_label(char **to, labels kind, const double *row)
{
    static const char *const word[] = {"ost", "s\303\274d", "west"};
    static const char *const bytes[] = {"ost", "s\374d", "west"};
    double score = row[0] * row[1] + row[2] - row[4] + row[5] * row[6];

    if (kind == SIGNS || kind == GRAM)
        *to += sprintf(*to, "%s", score > 0 ? "+1" : "-1");
    else if (kind == WORDS || kind == BYTES)
        *to += sprintf(*to, "%s", (kind == WORDS ? word : bytes)[score > 0.3    ? 2
                                                                 : score < -0.3 ? 0
                                                                                : 1]);
    else
        *to += sprintf(*to, "%.3f", score);
}

/* Numbers of two digits, half of them 0. */
static void make_rows(char *text, labels kind, const char *reader)
{
    static const char *const colour[] = {"red", "green", "blue, or not", ""};
    bool csv = !strncmp(reader, "csv", 3), colours = strstr(reader, "cat=") != NULL;
    int base = !strstr(reader, "base=0");

    if (csv)
        text += sprintf(text, "direction,a,\"b, or c\",\"\xce\xb3\",never,e,f=1,f=2,f=3,%s\n",
                        colours ? "colour" : "i");
    for (int i = 0; i < ROWS; i++) {
        double x[COLS];
        for (int j = 0; j < COLS; j++)
            x[j] = j == NEVER ? 0 : value();
        write_label(&text, kind, x);
        for (int j = 0; j < COLS; j++)
            if (colours && j == COLS - 1)
                text += sprintf(text, ",\"%s\"", colour[draw(4)]);
            else if (csv)
                text += sprintf(text, ",%g", x[j]);
            else if (x[j] != 0 || (i == 0 && j == COLS - 1))
                text += sprintf(text, " %d:%g", j + base, x[j]);
        text += sprintf(text, "\n");
    }
}

/* LIBSVM's text of the kernel (1 + <x, y>)^2. */
static void make_gram(char *text)
{
    double x[ROWS][COLS];

    for (int i = 0; i < ROWS * COLS; i++)
        x[i / COLS][i % COLS] = value() / 2;
    for (int i = 0; i < ROWS; i++) {
        write_label(&text, GRAM, x[i]);
        text += sprintf(text, " 0:%d", i + 1);
        for (int j = 0; j < ROWS; j++) {
            double dot = 1;
            for (int k = 0; k < COLS; k++)
                dot += x[i][k] * x[j][k];
            text += sprintf(text, " %d:%.6f", j + 1, dot * dot);
        }
        text += sprintf(text, "\n");
    }
}

static void print_numbers(FILE *f, const double *v, size_t n)
{
    char number[32];

    fprintf(f, "[");
    for (size_t i = 0; i < n; i++) {
        fx_data_number(number, v[i]);
        fprintf(f, "%s%s", i ? ", " : "", number);
    }
    fprintf(f, "]");
}

/* NaN for some numbers of two columns. */
static void lose(const fx_table *t)
{
    const fx_matrix *X = t->block;

    for (size_t i = 0; i < X->rows; i += 5)
        for (size_t q = 0, n = X->ptr ? (size_t)(X->ptr[i + 1] - X->ptr[i]) : X->cols; q < n; q++) {
            size_t at = X->ptr ? (size_t)X->ptr[i] + q : i * X->stride + q;
            int j = X->ptr ? ((const int32_t *)X->col)[at] : (int)q;
            if ((j == 1 || j == 6) && X->type == FX_F64)
                ((double *)(uintptr_t)X->val)[at] = NAN;
            else if (j == 1 || j == 6)
                ((float *)(uintptr_t)X->val)[at] = NAN;
        }
}

/* Any rows, one of zeros, one with a column that training never met and one beyond. */
static void ask(FILE *f, const fx_model *m)
{
    enum { ASKED = 8 };
    double val[ASKED * MOST], out[ASKED * 3];
    int32_t col[ASKED * MOST];
    int64_t ptr[ASKED + 1] = {0};
    int cols = (int)fx_model_inspect(m)->inputs;
    bool missing = *fx_model_inspect(m)->missing;
    uint64_t unseen;

    if (cols >= MOST)
        exit(1);
    fprintf(f, "{\"rows\": [\n");
    for (int i = 0, n = 0; i < ASKED; i++) {
        fprintf(f, "  [");
        for (int j = 0; j <= cols; j++) {
            double v = j == NEVER || j == cols ? (i == ASKED - 1) * 0.5 : value();
            if (missing && (j + i) % 4 == 1)
                v = NAN;
            if (v == 0 || i == ASKED - 2)
                continue;
            fprintf(f, isnan(v) ? "%s[%d, null]" : "%s[%d, %g]", n > ptr[i] ? ", " : "", j, v);
            col[n] = j, val[n++] = v;
        }
        ptr[i + 1] = n;
        fprintf(f, "]%s\n", i + 1 < ASKED ? "," : "");
    }
    fx_matrix X = {.rows = ASKED, .cols = (size_t)cols + 1, .type = FX_F64, .val = val, .ptr = ptr,
                   .col = col};
    static const char *const what[] = {"labels", "scores", "probabilities"};
    for (fx_prediction o = FX_LABEL; o <= FX_PROBA; o++) {
        size_t width = fx_model_width(m, o);
        if (!width)
            continue;
        must(fx_model_predict(out, &unseen, m, o, &X, NULL), what[o]);
        fprintf(f, "],\n\"%s\": [\n", what[o]);
        for (int i = 0; i < ASKED; i++) {
            fprintf(f, "  ");
            print_numbers(f, out + (size_t)i * width, width);
            fprintf(f, "%s\n", i + 1 < ASKED ? "," : "");
        }
    }
    fprintf(f, "],\n\"unseen\": %llu}\n", (unsigned long long)unseen);
}

static int to_file(void *ctx, const void *bytes, size_t len)
{
    return fwrite(bytes, 1, len, ctx) != len;
}

static FILE *opened(const char *directory, const char *name, const char *end)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s.%s", directory, name, end);
    FILE *f = fopen(path, "wbx");
    if (!f) {
        fprintf(stderr, "cannot write a new %s\n", path);
        exit(1);
    }
    return f;
}

static void make_model(const char *directory, size_t i)
{
    static char text[ROWS * (ROWS + 1) * 24];
    fx_data *d = NULL;
    fx_model *m = NULL;
    fx_plan plan = models[i].plan;

    state = i;
    if (models[i].kind == GRAM)
        make_gram(text);
    else
        make_rows(text, models[i].kind, models[i].reader);
    plan.reader = models[i].reader;
    must(fx_data_parse(&d, plan.reader, "rows", text, strlen(text), NULL), models[i].name);
    fx_table t = fx_data_table(d);
    if (plan.missing)
        lose(&t);
    fx_status s = fx_model_fit(&m, &plan, &t, NULL);
    must(s, models[i].name);
    if (s)
        fprintf(stderr, "%s: %s\n", models[i].name, fx_error_detail());
    FILE *f = opened(directory, models[i].name, "json");
    ask(f, m);
    fclose(f);
    f = opened(directory, models[i].name, "fx");
    must(fx_model_dump(&(fx_sink){.size = sizeof(fx_sink), .write = to_file, .ctx = f}, m),
         models[i].name);
    fclose(f);
    fx_model_free(m);
    fx_data_free(d);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "make_golden_models DIRECTORY [NAME ...]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        bool wanted = argc == 2;
        for (int a = 2; a < argc; a++)
            wanted |= !strcmp(argv[a], models[i].name);
        if (wanted)
            make_model(argv[1], i);
    }
    return 0;
}
