/* SPDX-License-Identifier: BSD-3-Clause
 * plot.h - what figures share: plot_gram.c and figure.c write a script, plot.c has it drawn. */
#ifndef PLOT_H
#define PLOT_H
#include "figures.h"
#include "terminal/terminal.h"

/* As strings of gnuplot's: a text to be shown, the label of a tic (with a maximum number of bytes),
 * and the name of a file. */
void plot_quoted(strbuf *t, const char *s);
void plot_tic(strbuf *t, const char *s, size_t max_bytes);
void plot_file(strbuf *t, const char *path);
/* The same, in two lines if it is longer than that. */
void plot_wrapped(strbuf *t, const char *s, size_t columns);
/* The script's beginning: terminal and output. */
void plot_begin(strbuf *t, const char *path, size_t width, size_t height);
/* Writes data (NULL: it has been written) and script, then draws. */
int plot_finish(plot *p, const char *path, const strbuf *script, const strbuf *data);
#endif
