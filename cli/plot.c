/* SPDX-License-Identifier: BSD-3-Clause
 * plot.c - pictures drawn by gnuplot: a Gram matrix as a heat map, errors as curves.
 *
 * Of a Gram matrix, rows are sorted by label, so that classes that the kernel sees show as
 * blocks.  A square matrix is drawn normalised, K(x,y) / sqrt(K(x,x) K(y,y)), where its diagonal
 * is positive; colours end at the 1st and 99th percentile off the diagonal, which would otherwise
 * outshine the rest.  Curves have logarithmic axes, the colours of Okabe and Ito, which the
 * colour-blind tell apart, and marks of different shape.  PICTURE.gnuplot and PICTURE.data stay
 * beside the picture PICTURE, to be changed and drawn again. */

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SIDE = 400, CLASSES = 12 };      /* pixels are wasted on more rows; names on more classes */

static const char *terminal(const char *path)
{
    size_t n = strlen(path);

    if (n > 4 && !strcmp(path + n - 4, ".svg"))
        return "svg size 800,720 dynamic noenhanced";
    return n > 4 && !strcmp(path + n - 4, ".png") ? "pngcairo size 800,720 noenhanced" : NULL;
}

/* ---- gnuplot ------------------------------------------------------------------------------ */
/* Runs gnuplot, which must not write to our standard output.  0: done; -1: failed; else errno. */
static int gnuplot(char *const *args)
{
    posix_spawn_file_actions_t quiet;
    pid_t pid;
    int status = 0, error = posix_spawn_file_actions_init(&quiet);

    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawnp(&pid, args[0], &quiet, NULL, args, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (error)
        return error;
    pid_t ended;
    while ((ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
        if (progress_interrupted())
            kill(pid, SIGTERM);
    return ended == pid && status == 0 ? 0 : -1;
}

int plot_open(plot *p, const char *path, const char *const *input, size_t n)
{
    const char *const written[] = {path, p->script_path, p->data_path};
    char *const version[] = {(char[]){"gnuplot"}, (char[]){"--version"}, NULL};

    if (!terminal(path) || strlen(path) + sizeof ".gnuplot" > sizeof p->script_path) {
        say_error("--plot %s: the name must end with .png or .svg", path);
        return EXIT_USAGE;
    }
    snprintf(p->script_path, sizeof p->script_path, "%s.gnuplot", path);
    snprintf(p->data_path, sizeof p->data_path, "%s.data", path);
    int status = 0;
    for (size_t i = 0; i < 3 && !status; i++)
        status = source_spare(written[i], input, n, "--plot");
    if (!status)
        status = output_open(&p->picture, path, "svg");
    if (!status)
        status = output_open(&p->script, p->script_path, "gnuplot");
    if (!status)
        status = output_open(&p->data, p->data_path, "tsv");
    if (status)
        return status;
    int error = gnuplot(version);
    if (error) {
        say_error("gnuplot: %s", error > 0 ? strerror(error) : "does not run");
        say_hint("--plot needs gnuplot (Debian: gnuplot-nox)");
    }
    return error ? EXIT_USAGE : 0;
}

/* ---- Which rows --------------------------------------------------------------------------- */
typedef struct place {
    double label;
    size_t row;
} place;

static int by_label(const void *a, const void *b)
{
    const place *p = a, *q = b;

    return p->label != q->label ? (p->label > q->label) - (p->label < q->label)
                                : (p->row > q->row) - (p->row < q->row);
}

static place *arrange(const fx_table *t, size_t *shown)
{
    size_t n = t->rows, m = n < SIDE ? n : SIDE;
    place *p = malloc(n * sizeof *p);

    if (!p)
        return NULL;
    for (size_t i = 0; i < n; i++)
        p[i] = (place){t->label ? t->label[i] : 0, i};
    qsort(p, n, sizeof *p, by_label);
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

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
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
    qsort(scratch, n, sizeof *scratch, ascending);
    *low = scratch[n / 100];
    *high = scratch[n - 1 - n / 100];
    if (!(*high > *low))
        *low -= 1, *high += 1;
}

/* ---- The script --------------------------------------------------------------------------- */
typedef struct text {
    char *s;
    size_t n, room;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int n = vsnprintf(t->s + t->n, t->room - t->n, format, args);
    va_end(args);
    if (n > 0)
        t->n += (size_t)n < t->room - t->n ? (size_t)n : t->room - t->n - 1;
}

static void add_quoted(text *t, const char *s)  /* gnuplot doubles a quote inside quotes */
{
    add(t, "'");
    for (; *s; s++)
        add(t, *s == '\'' ? "''" : "%c", *s);
    add(t, "'");
}

/* Tics in the middle of each class, lines between classes. */
static void add_classes(text *t, char axis, const place *p, size_t n, const fx_table *table)
{
    size_t classes = n > 0;
    char name[32];

    for (size_t i = 1; i < n; i++)
        classes += p[i].label != p[i - 1].label;
    if (!table->label || classes > CLASSES) {
        add(t, "unset %ctics\n", axis);
        return;
    }
    add(t, "set %ctics scale 0 (", axis);
    for (size_t i = 0, first = 0; i < n; i++)
        if (i + 1 == n || p[i + 1].label != p[i].label) {
            add(t, "%s", first ? ", " : "");
            const char *label = table->classes ? table->class_name[(size_t)p[i].label]
                                               : say_number(name, p[i].label);
            char shown[61];             /* no axis has room for more */
            snprintf(shown, sizeof shown, "%s", label);
            add_quoted(t, shown);
            add(t, " %g", (double)(first + i) / 2);
            first = i + 1;
        }
    add(t, ")\n");
    for (size_t i = 0; i + 1 < n; i++)
        if (p[i + 1].label != p[i].label)
            add(t,
                axis == 'x' ? "set arrow from first %g, graph 0 to first %g, graph 1 nohead front "
                              "lc 'white'\n"
                            : "set arrow from graph 0, first %g to graph 1, first %g nohead front "
                              "lc 'white'\n",
                (double)i + 0.5, (double)i + 0.5);
}

typedef struct figure {
    size_t rows, cols;
    place *row, *col;
    double *M;                          /* rows x cols, what is drawn */
    double low, high;
    bool normalised;
} figure;

static bool choose(figure *f, const double *K, size_t cols, const fx_table *X, const fx_table *Z)
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

/* The picture's name can be given from outside, so that we draw into a temporary file. */
static void write_script(text *t, const figure *f, const char *path, const char *data,
                         const char *title, const fx_table *X, const fx_table *Z)
{
    add(t, "if (!exists('picture')) picture = ");
    add_quoted(t, path);
    add(t, "\nset terminal %s\nset output picture\nset title ", terminal(path));
    add_quoted(t, title);
    add(t, "\nset cblabel '%s'\nset cbrange [%.6g:%.6g]\n",
        f->normalised ? "K(x,y) / sqrt(K(x,x) K(y,y))" : "K(x,y)", f->low, f->high);
    add(t,
        "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21908d', 3 '#5dc963', 4 '#fde725')\n"
        "set size square\nset yrange [%g:-0.5]\nset xrange [-0.5:%g]\n"
        "set xlabel 'rows of %s, by label'\nset ylabel 'rows of X, by label'\n",
        (double)f->rows - 0.5, (double)f->cols - 0.5, Z ? "Y" : "X");
    add_classes(t, 'x', f->col, f->cols, Z ? Z : X);
    add_classes(t, 'y', f->row, f->rows, X);
    add(t, "plot ");
    add_quoted(t, data);
    add(t, " matrix with image notitle\n");
}

static int draw(plot *p, const char *path, text *t)
{
    char *const args[] = {(char[]){"gnuplot"}, (char[]){"-e"}, t->s, p->script_path, NULL};

    t->n = 0;
    add(t, "picture = ");
    add_quoted(t, output_name(p->picture));
    if (gnuplot(args) == 0 && !progress_interrupted())
        return output_close(p->picture);
    if (progress_interrupted())
        return progress_stop();
    say_error("gnuplot could not draw %s from %s", path, p->script_path);
    return EXIT_USAGE;
}

/* Script and data are written, then the picture is drawn. */
static int finish(plot *p, const char *path, text *script)
{
    int status = output_close(p->data);

    if (!status)
        status = output_text(p->script, script->s);
    if (!status)
        status = output_close(p->script);
    return status ? status : draw(p, path, script);
}

int plot_gram(plot *p, const char *path, const char *title, const double *K, size_t cols,
              const fx_table *X, const fx_table *Z)
{
    figure f = {0};
    text t = {.room = 1 << 16};
    int status = 0;

    t.s = calloc(t.room, 1);
    if (!t.s || !choose(&f, K, cols, X, Z))
        status = say_no_memory("the picture");
    if (!status) {
        fx_matrix block = {f.rows, f.cols, f.cols, FX_F64, 0, f.M, NULL, NULL};
        fx_table shown = {.rows = f.rows, .cols = f.cols, .blocks = 1, .block = &block};
        write_script(&t, &f, path, p->data_path, title, X, Z);
        status = output_table(p->data, "tsv:header=no", &shown);
    }
    if (!status)
        status = finish(p, path, &t);
    free(t.s);
    free(f.row);
    free(f.col);
    free(f.M);
    return status;
}

/* ---- Curves ------------------------------------------------------------------------------- */
static const double ROUNDING = 1e-6;     /* of floats: what is exact has no place on this axis */

static void add_curves(text *t, const plot *p, const curve *c, size_t curves)
{
    static const struct { const char *colour; int mark; } look[] = {
        {"#0072b2", 7}, {"#d55e00", 5}, {"#009e73", 9}, {"#cc79a7", 11}, {"#e69f00", 13},
        {"#56b4e9", 6}, {"#000000", 4}, {"#999999", 8}};
    size_t looks = sizeof look / sizeof *look;

    for (size_t i = 0; i < curves; i++) {
        add(t, i ? ", \\\n     " : "plot ");
        add_quoted(t, p->data_path);
        add(t, " index %zu using 1:2:3:4 with yerrorlines lc rgb '%s' pt %d ps 1.3 lw 2 title ", i,
            look[i % looks].colour, look[i % looks].mark);
        add_quoted(t, c[i].name);
    }
}

/* Tics at 1, 2, 5 of every power of ten, at the powers alone if there are many. */
static void add_axis(text *t, double low, double high)
{
    int from = (int)floor(log10(low)), to = (int)ceil(log10(high));
    static const double of[] = {1, 2, 5};

    add(t, "set yrange [%.6g:%.6g]\nset ytics (", low, high);
    for (int e = from; e <= to; e++)
        for (size_t i = 0; i < (to - from > 4 ? 1 : 3); i++)
            add(t, "%s%g", e > from || i ? ", " : "", of[i] * pow(10, e));
    add(t, ")\n");
}

static void curve_script(text *t, const plot *p, const char *path, const char *title,
                         const char *key, const curve *c, size_t curves, size_t points)
{
    double low = INFINITY, high = 0, first = INFINITY;

    for (size_t i = 0; i < curves; i++)
        for (size_t q = 0; q < points; q++)
            if (c[i].point[q].mean > ROUNDING) {
                low = fmin(low, c[i].point[q].low);
                high = fmax(high, c[i].point[q].high);
                if (q == 0)
                    first = fmin(first, c[i].point[q].mean);
            }
    add(t, "if (!exists('picture')) picture = ");
    add_quoted(t, path);
    add(t, "\nset terminal %s\nset output picture\nset title ", terminal(path));
    add_quoted(t, title);
    add(t, "\nset key title ");
    add_quoted(t, key);
    add(t, "\nset xlabel 'features D (columns of Z)'\n"
           "set ylabel 'RMSE of <Z(x), Z(y)> / RMS of K(x, y)'\n"
           "set logscale xy\nset border 3\nset tics nomirror\nset grid lt 1 lc rgb '#dddddd' lw 1\n"
           "set key top right reverse Left samplen 2 spacing 1.2\nset bmargin 5\nset xtics (");
    for (size_t q = 0; q < points; q++)
        add(t, "%s%.0f", q ? ", " : "", c[0].point[q].D);
    add(t, ")\nset xrange [%.6g:%.6g]\n", c[0].point[0].D / 1.2, c[0].point[points - 1].D * 1.2);
    if (high > 0 && low > 0)
        add_axis(t, low / 2, high * 2);
    add_curves(t, p, c, curves);
    if (isfinite(first))                /* for the eye, below the lowest curve */
        add(t, ", \\\n     %.6g / sqrt(x) lc rgb '#666666' lw 2 dt 2 title 'slope of 1/sqrt(D)'",
            first * sqrt(c[0].point[0].D) / 1.4);
    add(t, "\n");
}

int plot_curves(plot *p, const char *path, const char *title, const char *key, const curve *c,
                size_t curves, size_t points)
{
    text t = {.room = 1 << 16}, data = {.room = 1 << 16};
    int status = 0;

    t.s = calloc(t.room, 1);
    data.s = calloc(data.room, 1);
    if (!t.s || !data.s)
        status = say_no_memory("the picture");
    for (size_t i = 0; !status && i < curves; i++) {
        add(&data, "%s# %s: D, relative RMSE, best and worst seed\n", i ? "\n\n" : "", c[i].name);
        for (size_t q = 0; q < points; q++)
            if (c[i].point[q].mean > ROUNDING)
                add(&data, "%.0f\t%.6g\t%.6g\t%.6g\n", c[i].point[q].D, c[i].point[q].mean,
                    c[i].point[q].low, c[i].point[q].high);
    }
    if (!status) {
        curve_script(&t, p, path, title, key, c, curves, points);
        status = output_text(p->data, data.s);
    }
    if (!status)
        status = finish(p, path, &t);
    free(t.s);
    free(data.s);
    return status;
}
