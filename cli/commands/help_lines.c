/* SPDX-License-Identifier: BSD-3-Clause
 * help_lines.c - a table of the library as lines of help: what each is, and its keys with
 * defaults and choices. */

#include "commands.h"
#include "terminal/terminal.h"

#include <string.h>

/* "order=2", "sort=no|yes", "k="; words that are allowed in addition to other values come last. */
static void add_key(strbuf *t, const fx_key *k)
{
    const char *first = k->fallback ? k->fallback : "";
    size_t n = strlen(first);
    bool led = k->values && !strncmp(k->values, first, n) && strchr("|", k->values[n]);

    strbuf_add(t, "%s=%s", k->name, led ? k->values : first);
    if (k->values && !led)
        strbuf_add(t, "|%s", k->values);
}

/* If the last keys of d are those of `like`: the number of keys before them; else the number of
 * all. */
static size_t own_keys(const fx_description *d, const fx_description *like)
{
    size_t n = d->keys - like->keys;

    if (like->keys < 2 || d->keys < like->keys)
        return d->keys;
    for (size_t i = 0; i < like->keys; i++)
        if (strcmp(d->key[n + i].name, like->key[i].name)
            || strcmp(d->key[n + i].help, like->key[i].help))
            return d->keys;
    return n;
}

/* Adds the description of a line, its kernels and its keys. *like: an earlier line whose keys need
 * not be listed again. */
static void add_line(strbuf *t, const fx_description *d, fx_description *like)
{
    size_t own = own_keys(d, like);

    strbuf_add(t, "%s", d->help);
    for (size_t i = 0; d->kernels && d->kernels[i]; i++)
        strbuf_add(t, "%s%s", i ? ", " : "; for ", d->kernels[i]);
    strbuf_add(t, "%s", d->composed ? ", also around other kernels" : "");
    for (size_t i = 0; i < own; i++) {
        strbuf_add(t, "%s", i ? ", " : ": ");
        add_key(t, &d->key[i]);
    }
    if (own < d->keys)
        strbuf_add(t, "%s as %s", own ? ", others" : ": keys", like->name);
    else
        *like = *d;
}

int help_lines(FILE *f, spec_names *name, spec_describes *about, help_show *show)
{
    fx_description d = FX_INIT(fx_description), like = FX_INIT(fx_description);
    size_t width = 0;
    int status = 0;

    for (size_t i = 0; name(i); i++)
        width = strlen(name(i)) > width ? strlen(name(i)) : width;
    for (size_t i = 0; name(i) && !status; i++) {
        strbuf t = {0};
        fx_status s = about(&d, name(i));
        if (!s)
            add_line(&t, &d, &like);
        status = s ? say_failure(s) : t.failed ? say_no_memory("the help") : 0;
        if (!status)
            show(f, width, d.name, t.s);
        strbuf_free(&t);
    }
    return status;
}
