/* SPDX-License-Identifier: BSD-3-Clause
 * loss.h - inside the library: what a wrong score costs.
 *
 * y is +1 or -1, or a target where `regress` says so; f the score; epsilon is used by the
 * epsilon-insensitive loss alone.  Each loss has one file, which begins with its formula, and one
 * line in loss.def.
 *
 * With weight c the problem  min_w 0.5 |w|^2 + sum_i c_i loss(y_i, <w, z_i>)  has the dual
 *
 *   max_beta  -0.5 |sum_i beta_i z_i|^2 - sum_i conjugate(y_i, beta_i, c_i),   w = sum_i beta_i z_i
 *
 * where conjugate(y, beta, c) = sup_f (-beta f - c loss(y, f)), infinite outside the domain. */
#ifndef FXI_LOSS_H
#define FXI_LOSS_H
#include "base/base.h"

typedef struct fxi_loss {
    const char *name;
    bool regress;                       /* y is a target, else +1 or -1 */
    double (*value)(double y, double f, double epsilon);
    double (*slope)(double y, double f, double epsilon);     /* d/df, one-sided at a kink */
    /* d2/df2, of one side where it jumps; NULL where it is 0 almost everywhere: not for Newton. */
    double (*curve)(double y, double f, double epsilon);
    double (*conjugate)(double y, double beta, double c, double epsilon);  /* NULL: rounded */
    /* The beta that maximises the dual over this coordinate, exactly: f is the score by the present
     * w (beta included), q = |z|^2 > 0.  NULL: no dual solver. */
    double (*step)(double y, double beta, double f, double q, double c, double epsilon);
    /* The loss that fit/proximal.c uses instead; NULL: the second derivative does not jump, so
     * Newton's method needs none. */
    const struct fxi_loss *rounded;
} fxi_loss;

#define LOSS(name) extern const fxi_loss fxi_loss_##name;
#define LINEAR(name, model, help, keys) LOSS(name)
#include "loss/loss.def"
#endif
