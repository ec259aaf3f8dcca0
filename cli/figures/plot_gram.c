/* SPDX-License-Identifier: BSD-3-Clause
 * plot_gram.c - a Gram matrix as a heat map.
 *
 * Rows are sorted by label, so that classes that the kernel separates appear as blocks.  A square
 * matrix is drawn normalised, K(x,y) / sqrt(K(x,x) K(y,y)), where its diagonal is positive; the
 * colour range goes from the 1st to the 99th percentile of the values off the diagonal, which would
 * otherwise dominate it. */

#include "plot.h"
#include "tables/tables.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 400, CLASSES = 12 };      /* pixels are wasted on more rows; names on more classes */

/* ---- Which rows --------------------------------------------------------------------------- */
static labelled *arrange(const fx_table *t, size_t *shown)
{
    size_t n = t->rows, m = n < SIDE ? n : SIDE;
    labelled *p = malloc(n * sizeof *p);

    if (!p)
        return NULL;
    for (size_t i = 0; i < n; i++)
        p[i] = (labelled){t->label ? t->label[i] : 0, i};
    qsort(p, n, sizeof *p, ascending_labels);
    for (size_t i = 0; i < m; i++)      /* evenly spaced; i * n / m >= i */
        p[i] = p[i * n / m];
    *shown = m;
    return p;
}

/* ---- What is drawn ------------------------------------------------------------------------ */
static bool positive_diagonal(const double *K, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(K[i * n + i] > 0))
            return false;
    return true;
}

/* 1st and 99th percentile of M without its diagonal; scratch holds rows * cols. */
static void limits(double *low, double *high, const double *M, double *scratch, size_t rows,
                   size_t cols, bool square)
{
    size_t n = 0;

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            if (!square || i != j)
                scratch[n++] = M[i * cols + j];
    if (n == 0)
        scratch[n++] = M[0];
    qsort(scratch, n, sizeof *scratch, ascending_doubles);
    *low = scratch[n / 100];
    *high = scratch[n - 1 - n / 100];
    if (!(*high - *low > 1e-5 * fmax(fabs(*low), fabs(*high))))    /* the script has six digits */
        *low -= 1, *high += 1;
}

/* ---- The script --------------------------------------------------------------------------- */
/* Tics in the middle of each class, lines between classes. */
static void add_classes(strbuf *t, char axis, const labelled *p, size_t n, const fx_table *table)
{
    size_t classes = n > 0;
    char name[32];

    for (size_t i = 1; i < n; i++)
        classes += p[i].label != p[i - 1].label;
    if (!table->label || classes > CLASSES) {
        strbuf_add(t, "unset %ctics\n", axis);
        return;
    }
    strbuf_add(t, "set %ctics scale 0 (", axis);
    for (size_t i = 0, first = 0; i < n; i++)
        if (i + 1 == n || p[i + 1].label != p[i].label) {
            strbuf_add(t, "%s", first ? ", " : "");
            const char *label = table->classes ? table->class_name[(size_t)p[i].label]
                                               : say_number(name, p[i].label);
            plot_tic(t, label, 60);     /* no axis has room for more */
            strbuf_add(t, " %g", (double)(first + i) / 2);
            first = i + 1;
        }
    strbuf_add(t, ")\n");
    for (size_t i = 0; i + 1 < n; i++)
        if (p[i + 1].label != p[i].label)
            strbuf_add(t,
                       axis == 'x' ? "set arrow from first %g, graph 0 to first %g, graph 1 nohead "
                                     "front lc 'white'\n"
                                   : "set arrow from graph 0, first %g to graph 1, first %g nohead "
                                     "front lc 'white'\n",
                       (double)i + 0.5, (double)i + 0.5);
}

typedef struct heat {
    size_t rows, cols;
    labelled *row, *col;
    double *M;                          /* rows x cols, what is drawn */
    double low, high;
    bool normalised;
} heat;

static bool choose(heat *f, const double *K, size_t cols, const fx_table *X, const fx_table *Z)
{
    f->row = arrange(X, &f->rows);
    f->col = arrange(Z ? Z : X, &f->cols);
    if (!f->row || !f->col)
        return false;
    size_t n = f->rows * f->cols + 1;
    double *M = malloc(n * sizeof *M), *scratch = malloc(n * sizeof *scratch);
    bool done = M && scratch;
    if (done) {
        f->normalised = !Z && positive_diagonal(K, cols);
        for (size_t i = 0; i < f->rows; i++)
            for (size_t j = 0; j < f->cols; j++) {
                size_t a = f->row[i].row, b = f->col[j].row;
                double scale = f->normalised ? sqrt(K[a * cols + a]) * sqrt(K[b * cols + b]) : 1;
                M[i * f->cols + j] = K[a * cols + b] / scale;
            }
        limits(&f->low, &f->high, M, scratch, f->rows, f->cols, !Z);
    }
    free(scratch);
    f->M = M;
    return done;
}

static void write_script(strbuf *t, const heat *f, const char *path, const char *data,
                         const char *title, const fx_table *X, const fx_table *Z)
{
    plot_begin(t, path, 800, 720);
    strbuf_add(t, "set title ");
    plot_quoted(t, title);
    strbuf_add(t, "\nset cblabel '%s'\nset cbrange [%.6g:%.6g]\n",
               f->normalised ? "K(x,y) / sqrt(K(x,x) K(y,y))" : "K(x,y)", f->low, f->high);
    strbuf_add(t,
               "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21908d', 3 '#5dc963', "
               "4 '#fde725')\n"
               "set size square\nset yrange [%g:-0.5]\nset xrange [-0.5:%g]\n"
               "set xlabel 'rows of %s, by label'\nset ylabel 'rows of X, by label'\n",
               (double)f->rows - 0.5, (double)f->cols - 0.5, Z ? "Y" : "X");
    add_classes(t, 'x', f->col, f->cols, Z ? Z : X);
    add_classes(t, 'y', f->row, f->rows, X);
    strbuf_add(t, "plot ");
    plot_file(t, data);
    strbuf_add(t, " matrix with image notitle\n");
}

int plot_gram(plot *p, const char *path, const char *title, const double *K, size_t cols,
              const fx_table *X, const fx_table *Z)
{
    heat f = {0};
    strbuf t = {0};
    int status = choose(&f, K, cols, X, Z) ? 0 : say_no_memory("the picture");

    if (!status) {
        fx_matrix block = {f.rows, f.cols, f.cols, FX_F64, 0, f.M, NULL, NULL};
        fx_table shown = {.rows = f.rows, .cols = f.cols, .blocks = 1, .block = &block};
        write_script(&t, &f, path, p->data_path, title, X, Z);
        status = output_table(p->data, PLOT_MATRIX, &shown);
    }
    if (!status)
        status = plot_finish(p, path, &t, NULL);
    strbuf_free(&t);
    free(f.row);
    free(f.col);
    free(f.M);
    return status;
}
