/* SPDX-License-Identifier: BSD-3-Clause
 * data.c - tables that own their memory, and rows. */

#include "data/data.h"

#include <stdlib.h>

fx_data *fxi_data_new(void) { return fxi_zalloc(1, sizeof(fx_data)); }

fx_status fxi_data_own(fx_data *d, void *p)
{
    if (!p)
        return FX_ENOMEM;
    if ((d->owns & (d->owns - 1)) == 0) {       /* reserve the next power of two */
        void **more = fxi_realloc(d->owned, d->owns ? 2 * d->owns : 1, sizeof *more);
        if (!more) {
            free(p);
            return FX_ENOMEM;
        }
        d->owned = more;
    }
    d->owned[d->owns++] = p;
    return FX_OK;
}

void *fxi_data_alloc(fx_data *d, size_t n, size_t size)
{
    void *p = fxi_alloc(n, size);

    return fxi_data_own(d, p) ? NULL : p;
}

void fx_data_free(fx_data *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->owns; i++)
        free(d->owned[i]);
    free(d->owned);
    free(d);
}

fx_table fx_data_table(const fx_data *d) { return d->table; }

const char *fx_data_planted(const fx_data *d) { return d->planted ? d->planted : ""; }

fxi_row fxi_data_row(const fx_matrix *X, size_t i)
{
    size_t first = X->ptr ? (size_t)X->ptr[i] : i * X->stride;
    fxi_row r = {.n = X->ptr ? (size_t)X->ptr[i + 1] - first : X->cols};

    if (r.n == 0)                       /* val and col may be NULL then */
        return r;
    if (X->type == FX_F32)
        r.f32 = (const float *)X->val + first;
    else
        r.f64 = (const double *)X->val + first;
    if (X->ptr && X->wide)
        r.col64 = (const int64_t *)X->col + first;
    else if (X->ptr)
        r.col32 = (const int32_t *)X->col + first;
    return r;
}
