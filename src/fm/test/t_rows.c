/* SPDX-License-Identifier: BSD-3-Clause
 * t_rows.c - rows as blocks see them, from every form of rows, from the middle of a matrix, empty
 * ones too; that their types stay; limits. (t_row.c has the numbers of random rows.) */

#include "fm/test/made.h"

static fxi_fm make(fxi_fm_kind kind, size_t given)
{
    fxi_fm_shape want = {.kind = kind, .order = 3, .given = given, .rank = 2, .split = 1};
    fxi_fm fm;

    CHECK(fxi_fm_new(&fm, &want) == FX_OK);
    return fm;
}

/* The numbers of a view, as text. */
static void show(char *out, const fx_matrix *X)
{
    for (size_t i = 0; i < X->rows; i++) {
        fxi_row r = fxi_data_row(X, i);
        for (size_t q = 0; q < r.n; q++)
            out += sprintf(out, "%lld:%g ", (long long)fxi_row_column(r, q), fxi_row_value(r, q));
        out += sprintf(out, "/");
    }
}

static void check(fxi_fm_kind kind, const fx_matrix *X, const char *want)
{
    fxi_fm fm = make(kind, X->cols);
    fx_matrix view;
    fx_data *own = NULL;
    char got[512] = "";

    CHECK(fxi_fm_rows(&view, &own, &fm, X, NULL) == FX_OK);
    CHECK(view.rows == X->rows && view.cols == fm.cols && view.type == X->type);
    CHECK(!view.ptr == !X->ptr && (own != NULL) == (fm.front > 0));
    CHECK(fxi_data_check(&view, "view", NULL) == FX_OK);
    show(got, &view);
    if (strcmp(got, want))
        fprintf(stderr, "got %s\nwant %s\n", got, want);
    CHECK(!strcmp(got, want));
    fx_data_free(own);
    fxi_fm_free(&fm);
}

static void check_limits(const fx_matrix *X)
{
    fxi_fm fm = make(FXI_FM_POWER, X->cols), other = make(FXI_FM_POWER, X->cols + 1);
    fx_run small = {RUN, .max_memory = 8};
    fx_matrix view;
    fx_data *own = NULL;

    CHECK(fxi_fm_rows(&view, &own, &fm, X, &small) == FX_ELIMIT && !own);
    CHECK(fxi_fm_rows(&view, &own, &other, X, NULL) == FX_ESHAPE && !own);
    fxi_fm_free(&fm);
    fxi_fm_free(&other);
}

int main(void)
{
    static const double dense[] = {1, 2, 9, 0, 4, 9}, val[] = {7, 1, 2, 4};
    static const float narrow[] = {7, 1, 2, 4};
    static const int64_t ptr[] = {1, 3, 3, 4}, wide[] = {0, 0, 1, 1};
    static const int32_t col[] = {0, 0, 1, 1};
    fx_matrix D = {.rows = 2, .cols = 2, .stride = 3, .type = FX_F64, .val = dense};
    fx_matrix S = {.rows = 3, .cols = 2, .type = FX_F64, .val = val, .ptr = ptr, .col = col};
    fx_matrix F = S, none = {.rows = 0, .cols = 2, .stride = 2, .type = FX_F32};

    test_init();
    F.type = FX_F32;
    F.val = narrow;
    F.wide = 1;
    F.col = wide;
    check(FXI_FM_HOFM, &D, "0:1 1:2 /0:0 1:4 /");
    check(FXI_FM_POWER, &D, "0:1 1:1 2:2 /0:1 1:0 2:4 /");
    check(FXI_FM_SHARED, &D, "0:1 1:1 2:1 3:2 /0:1 1:1 2:0 3:4 /");
    check(FXI_FM_UV, &D, "0:1 1:1 2:2 3:1 4:1 5:2 /0:1 1:0 2:4 3:1 4:0 5:4 /");
    check(FXI_FM_BILINEAR, &S, "0:1 1:2 //1:4 /");
    check(FXI_FM_POWER, &S, "0:1 1:1 2:2 /0:1 /0:1 2:4 /");
    check(FXI_FM_SHARED, &F, "0:1 1:1 2:1 3:2 /0:1 1:1 /0:1 1:1 3:4 /");
    check(FXI_FM_UV, &F, "0:1 1:1 2:2 3:1 4:1 5:2 /0:1 3:1 /0:1 2:4 3:1 5:4 /");
    check(FXI_FM_UV, &none, "");
    check_limits(&D);
    check_limits(&F);
    return 0;
}
