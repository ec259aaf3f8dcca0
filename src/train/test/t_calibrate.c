/* SPDX-License-Identifier: BSD-3-Clause
 * t_calibrate.c - the sigmoid is the minimum of its loss; probabilities of held-out rows. */
#include "model/test/fixture.h"
#include "train/train.h"

/* The gradient of the calibration loss vanishes at the sigmoid. */
static void is_a_minimum(void)
{
    enum { N = 80 };
    double y[N], f[2 * N], w[N], ab[2];

    for (int t = 0; t < test_cases(50); t++) {
        double n1 = 0, n0 = 0, ga = 0, gb = 0, size = 0;
        double apart = (double)test_below(3) * 10, scale = pow(10, (double)test_below(7) - 3);
        for (size_t i = 0; i < N; i++) {
            y[i] = (double)test_below(3);
            w[i] = test_unit();
            f[2 * i] = scale * (2 * test_unit() - 1 + apart * (y[i] == 2));
            *(y[i] == 2 ? &n1 : &n0) += w[i];
        }
        fxi_train_calibrate_sigmoid(ab, y, 2, f, 2, w, N, NULL);
        CHECK(isfinite(ab[0]) && isfinite(ab[1]));
        for (size_t i = 0; i < N; i++) {
            double target = y[i] == 2 ? (n1 + 1) / (n1 + 2) : 1 / (n0 + 2);
            double g = w[i] * (target - 1 / (1 + exp(ab[0] * f[2 * i] + ab[1])));
            ga += g * f[2 * i] / scale;
            gb += g;
            size += w[i];
        }
        CHECK_NEAR(ga, 0, 1e-4 * size * (1 + apart));
        CHECK_NEAR(gb, 0, 1e-4 * size);
    }
}

/* Rows sum to 1, the label is the first largest, and probabilities are about frequencies. */
static void gives_probabilities(const char *model, size_t classes)
{
    fx_data *d = made("fields:n=1200,fields=3,levels=6,noise=0.2");
    fx_table t = fx_data_table(d);
    double *label = malloc(t.rows * sizeof *label), mean = 0, share = 0;

    CHECK(label);
    for (size_t i = 0; i < t.rows; i++)
        label[i] = t.label[i] > 0 ? 1 : classes == 3 ? (double)(i % 2) * 4 : 0;
    t.label = label;
    fx_model *m = fitted(&(fx_plan){PLAN, .model = model, .seed = 2}, &t, NULL);
    CHECK(fx_model_width(m, FX_PROBA) == classes);
    double *p = predicted(m, FX_PROBA, t.block, NULL), *l = predicted(m, FX_LABEL, t.block, NULL);
    for (size_t i = 0; i < t.rows; i++) {
        double sum = 0;
        size_t best = 0;
        for (size_t k = 0; k < classes; k++) {
            double q = p[i * classes + k];
            CHECK(q >= 0 && q <= 1);
            sum += q;
            best = q > p[i * classes + best] ? k : best;
        }
        CHECK_NEAR(sum, 1, 1e-15 * (double)classes);
        CHECK(l[i] == (double)best);
        mean += p[i * classes + 1] / (double)t.rows;
        share += (label[i] == 1) / (double)t.rows;
    }
    CHECK_NEAR(mean, share, 0.1);
    free(p);
    free(l);
    free(label);
    fx_model_free(m);
    fx_data_free(d);
}

/* Sigmoids and scores so large that their products overflow: numbers all the same. */
static void is_never_nan(void)
{
    static const double ab[] = {-1e200, 3, 1e200, -3, -1e150, 1};
    fx_model_info c = {.classes = 3, .outputs = 3, .sigmoid = ab};
    double p[3];

    for (int t = 0; t < 27; t++) {
        double score[] = {(t % 3 - 1) * 1e300, (t / 3 % 3 - 1) * 1e300, (t / 9 - 1) * 1e300};
        for (c.classes = 2; c.classes < 4; c.classes++) {
            double sum = 0;
            fxi_model_predict_proba(p, &c, score, NULL, NULL);
            for (size_t k = 0; k < c.classes; k++) {
                sum += p[k];
                CHECK(isfinite(fxi_model_predict_log(&c, score, k, NULL, NULL)));
            }
            CHECK_NEAR(sum, 1, 1e-15);
        }
    }
}

static void rejects(void)
{
    fx_data *d = parsed("1 1:1\n2 1:2\n2 1:3\n2 1:4\n");
    fx_data *e = parsed("1 1:1\n2 1:2\n1 1:3\n2 1:4\n");
    fx_table t = fx_data_table(d), u = fx_data_table(e);
    fx_model *m = NULL;
    double out[8];

    CHECK(fx_model_fit(&m, &(fx_plan){PLAN, .model = "svm:calibrate=yes"}, &t, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "class 1") && !m);
    m = fitted(&(fx_plan){PLAN, .model = "svm:calibrate=yes"}, &u, NULL);
    CHECK(fx_model_predict(out, NULL, m, FX_PROBA, u.block, NULL) == FX_OK);
    fx_model_free(m);
    m = fitted(&(fx_plan){PLAN, .model = "svm"}, &u, NULL);
    CHECK(fx_model_width(m, FX_PROBA) == 0);
    CHECK(fx_model_predict(out, NULL, m, FX_PROBA, u.block, NULL) == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "calibrate=yes"));
    fx_model_free(m);
    fx_data_free(d);
    fx_data_free(e);
}

int main(void)
{
    test_init();
    is_a_minimum();
    gives_probabilities("svm:calibrate=yes", 2);
    gives_probabilities("svm-l2:calibrate=yes", 3);
    gives_probabilities("perceptron:calibrate=yes", 2);
    gives_probabilities("logistic", 2);
    gives_probabilities("logistic", 3);
    is_never_nan();
    rejects();
    return 0;
}
