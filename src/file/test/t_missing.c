/* SPDX-License-Identifier: BSD-3-Clause
 * t_missing.c - what files say of missing values: format 4 for models that know them and for no
 * others; sizes, columns and numbers that do not go together are refused. */

#include "hostile.h"

/* 4 columns and indicators of the first and the third. */
static fx_model *filled(const char *spec)
{
    fx_model *m = built((fx_model_info){.spec = "ridge",
                                     .missing = spec,
                                     .cols = 6,
                                     .inputs = 4,
                                     .missing_values = 7,
                                     .missing_cols = 2,
                                     .missing_rows = 0});
    int64_t *indicator = owned(m, fxi_alloc(2, sizeof *indicator));

    indicator[0] = 0;
    indicator[1] = 2;
    m->c.indicator = indicator;
    if (strncmp(spec, "zero", 4) != 0)
        m->c.fill = numbers(m, 4);
    return m;
}

static void round_trip(const char *spec)
{
    fx_model *m = filled(spec), *back = NULL;
    file f = dumped(m), g;

    CHECK(strstr((const char *)f.bytes + 8, "\"format_version\":\"4\""));
    CHECK(fx_model_parse(&back, f.bytes, f.len, NULL) == FX_OK);
    CHECK(!strcmp(back->c.missing, spec) && back->c.inputs == 4 && back->c.cols == 6);
    CHECK(back->c.indicator[0] == 0 && back->c.indicator[1] == 2);
    CHECK(!m->c.fill == !back->c.fill);
    CHECK(!m->c.fill || !memcmp(m->c.fill, back->c.fill, 4 * sizeof(double)));
    CHECK(back->c.missing_values == 7 && back->c.missing_cols == 2 && back->c.missing_rows == 0);
    g = dumped(back);
    CHECK(f.len == g.len && !memcmp(f.bytes, g.bytes, f.len));
    fx_model_free(m);
    fx_model_free(back);
    free(f.bytes);
    free(g.bytes);
}

/* Other models are written as before, and inputs are their columns. */
static void without(void)
{
    fx_model *m = built((fx_model_info){.spec = "ridge", .cols = 3}), *back = NULL;
    file f = dumped(m);

    CHECK(strstr((const char *)f.bytes + 8, "\"format_version\":\"1\""));
    CHECK(!strstr((const char *)f.bytes + 8, "missing"));
    CHECK(fx_model_parse(&back, f.bytes, f.len, NULL) == FX_OK);
    CHECK(back->c.inputs == 3 && !strcmp(back->c.missing, "") && !back->c.fill);
    fx_model_free(back);
    /* a key that format 1 does not know is ignored, as the format says */
    file g = edited(&f, "\"seed\":\"0\"", "\"seed\":\"0\",\"missing\":\"mean\"");
    CHECK(fx_model_parse(&back, g.bytes, g.len, NULL) == FX_OK && !strcmp(back->c.missing, ""));
    fx_model_free(back);
    free(g.bytes);
    fx_model_free(m);
    free(f.bytes);
}

static void check_hostile(void)
{
    static const change changes[] = {
        {"\"missing\":\"mean,indicator\"", "\"missing\":\"mode\"", "no 'mode'"},
        {"\"missing\":\"mean,indicator\"", "\"missing\":\"error\"", "with 4 inputs"},
        {"\"missing\":\"mean,indicator\"", "\"missing\":\"mean\"", "with 4 inputs and 6 columns"},
        {"\"missing\":\"mean,indicator\"", "\"missing\":\"drop\"", "with 4 inputs and 6 columns"},
        {"\"missing\":\"mean,indicator\"", "\"missing\":\"zero,indicator\"",
         "`indicators` does not lie where it should"},
        {"\"missing\":\"mean,indicator\"", "\"missing\":1", "`missing` is no string"},
        {"\"missing\":\"mean,indicator\",", "", "`crc` does not lie where it should"},
        {"\"inputs\":\"4\"", "\"inputs\":\"7\"", "`inputs` is no number up to 6"},
        {"\"inputs\":\"4\"", "\"inputs\":\"5\"", "`fill` has another shape than 5"},
        {"\"inputs\":\"4\"", "\"inputs\":\"0\"", "`missing_cols` is no number up to 0"},
        {"\"inputs\":\"4\",", "", "`inputs` is missing"},
        {"\"missing_cols\":\"2\"", "\"missing_cols\":\"5\"", "`missing_cols` is no number up to 4"},
        {"\"missing_values\":\"7\"", "\"missing_values\":\"x\"", "`missing_values` is no number"},
        {"\"missing_rows\":\"0\"", "\"missing_rows\":\"-1\"", "`missing_rows` is no number"},
        {"\"format_version\":\"4\"", "\"format_version\":\"3\"", "`crc` does not lie"},
        {"\"fill\":", "\"full\":", "`fill` is missing"},
        {"\"indicators\":", "\"indices\":", "`indicators` is missing"},
        {"\"dtype\":\"I64\"", "\"dtype\":\"F64\"", "`indicators` is no array of I64"},
        {NULL, NULL, NULL}};

    check_changes(filled("mean,indicator"), changes);
}

/* Numbers of the arrays, under a good CRC. */
static void check_numbers(void)
{
    fx_model *m = filled("median,indicator");
    file f = dumped(m);
    uint64_t header;
    static const double not_finite[] = {NAN, INFINITY, -INFINITY};
    static const int64_t wrong[][2] = {{-1, 2}, {0, 4}, {2, 2}, {2, 0}, {0, INT64_MAX},
                                       {INT64_MIN, 1}};

    memcpy(&header, f.bytes, 8);
    unsigned char *fill = f.bytes + 8 + header + 7 * sizeof(double);     /* weights, intercept */
    unsigned char *indicator = fill + 4 * sizeof(double);
    for (size_t k = 0; k < 3; k++) {
        memcpy(fill + 8, &not_finite[k], 8);
        fix_crc(&f);
        rejected(&f, FX_EFORMAT, "number 1 of `fill` is not finite");
    }
    memcpy(fill + 8, &(double){1}, 8);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        memcpy(indicator, wrong[k], sizeof *wrong);
        fix_crc(&f);
        rejected(&f, FX_EFORMAT, "of `indicators` is");
    }
    memcpy(indicator, (int64_t[]){1, 3}, 16);
    fix_crc(&f);
    fx_model *back = NULL;
    CHECK(fx_model_parse(&back, f.bytes, f.len, NULL) == FX_OK && back->c.indicator[1] == 3);
    fx_model_free(back);
    size_t len = f.len;
    for (f.len = 0; f.len < len; f.len++)
        rejected(&f, FX_EFORMAT, "");
    fx_model_free(m);
    free(f.bytes);
}

int main(void)
{
    test_init();
    round_trip("zero,indicator");
    round_trip("mean,indicator");
    round_trip("median,indicator");
    without();
    check_hostile();
    check_numbers();
    return 0;
}
