/* SPDX-License-Identifier: BSD-3-Clause
 * t_factors_file.c - files of factorization machines that are not what they should be. */

#include "factors.h"
#include "file/test/hostile.h"

/* A number of the model changed, then written: refused. */
static void check_number(fx_model *m, const double *at, double x, const char *why)
{
    double *to = (double *)(uintptr_t)at, was = *to;

    *to = x;
    file f = dumped(m);
    rejected(&f, FX_EFORMAT, why);
    free(f.bytes);
    *to = was;
}

/* Any byte may be another one, under a good CRC: what is read then is a model, or refused. */
static void check_bytes(const fx_model *m)
{
    file f = dumped(m);

    for (size_t i = 0; i < f.len - 4; i++) {
        unsigned char was = f.bytes[i];
        fx_model *back = NULL;
        f.bytes[i] ^= (unsigned char)(1 + test_below(255));
        fix_crc(&f);
        if (!fx_model_parse(&back, f.bytes, f.len, &(fx_run){RUN, .max_memory = 1 << 20}))
            fx_model_free(back);
        f.bytes[i] = was;
    }
    free(f.bytes);
}

int main(void)
{
    static const change for_fm[] = {
        {"\"factors_2\"", "\"factors_9\"", "`factors_2` is missing"},
        {"\"lambda_2\"", "\"lambda_9\"", "`lambda_2` is missing"},
        {"rank=2", "rank=3", "`factors_2` has another shape"},
        {"rank=2", "rank=2147483647", "`factors_2` has another shape"},
        {"rank=2", "rank=0", "rank=0"},
        {"\"model\":\"fm:", "\"model\":\"hofm:order=3,", "missing"},
        {"\"model\":\"fm:", "\"model\":\"hofm-shared:order=2,", "another shape"},
        {"\"model\":\"fm:", "\"model\":\"poly-net-uv:", "another shape"},
        {"\"model\":\"fm:", "\"model\":\"bilinear:split=7,", "split=7"},
        {"\"model\":\"fm:", "\"model\":\"hofm-simplex:order=2,", "`theta_2` is missing"},
        {"\"low\":", "\"lower\":", "`low` is missing"},
        {"\"high\":\"", "\"high\":\"-9", "targets from"},
        {"solver=adagrad", "solver=lbfgs", "`seen` does not lie"},
        {"linear=yes", "linear=no", "`state` has another shape"},
        {"task=regress", "task=rank", "not squared"},
        {"task=regress", "task=classify", "clip is for targets"},
        {"\"map\":\"\"", "\"map\":\"rk\"", "with map rk"},
        {"\"kernel\":\"\"", "\"kernel\":\"anova:order=2\"", "anova:order=2"},
        {"\"kernel\":\"\"", "\"kernel\":\"cross\"", "begins with a line of group names"},
        {"\"cols\":\"7\"", "\"cols\":\"8\"", "7 weights, 8 columns"},
        {NULL, NULL, NULL}};
    static rows r;
    fx_plan plan = {PLAN, .model = "fm:task=regress,rank=2,clip=train,solver=adagrad,max-iter=2"};

    test_init();
    make_rows(&r);
    fx_model *m = fitted(&plan, labelled(&r, 0), NULL);
    check_bytes(m);
    check_number(m, &m->c.factors[0].P[3], NAN, "number 3 of `factors_2` is not finite");
    check_number(m, &m->c.factors[0].lambda[1], INFINITY, "number 1 of `lambda_2` is not finite");
    check_number(m, &((fxi_factors *)m->own)->state[9], -1, "number 9 of `state` is negative");
    check_number(m, &((fxi_factors *)m->own)->state[2], 2, "`state` of output 0");
    check_number(m, &((fxi_factors *)m->own)->state[3], 1e300, "`state` of output 0");
    check_changes(m, for_fm);

    plan.model = "hofm-simplex:task=regress,rank=2,linear=no,intercept=none,max-iter=2";
    m = fitted(&plan, &r.t, NULL);
    check_bytes(m);
    check_number(m, &m->c.factors[0].theta[0], 2, "`theta_3` of output 0 is not on the simplex");
    check_number(m, &m->c.factors[0].theta[2], -0.1, "`theta_3` of output 0 is not on the simplex");
    check_number(m, &m->c.weights[1], 1, "with a linear term");
    check_number(m, &m->c.intercepts[0], 1, "with an intercept");
    fx_model_free(m);
    return 0;
}
