/* SPDX-License-Identifier: BSD-3-Clause
 * same_file.c - no output replaces an input of the same run.
 *
 * Inputs are remembered until the end of the run, because results of an input may be written long
 * after it was closed.  Outputs are forgotten when they are closed: the replaced file is gone
 * then. */

#include "files.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

typedef struct file {
    dev_t dev;
    ino_t ino;
} file;
static struct opened {
    file id;
    char *name;
} * inputs;
static size_t input_count;

enum { WRITTEN = 16 };                  /* more than output_file.c and a store can have open */
static struct written {
    const void *owner;                  /* NULL: not in use */
    const char *path;                   /* the owner's */
    file id, updates;                   /* updates: the input that it may replace */
} written[WRITTEN];

static file id_of(const struct stat *st) { return (file){st->st_dev, st->st_ino}; }
static bool same(file a, file b) { return a.dev == b.dev && a.ino == b.ino; }

static int reject(const char *path, const char *name)
{
    say_error("%s would overwrite the input %s", path, name);
    say_hint("give the output another name");
    return EXIT_USAGE;
}

static int remember(const char *name, file id)
{
    struct opened *more = realloc(inputs, (input_count + 1) * sizeof *more);
    char *copy = strdup(name);

    inputs = more ? more : inputs;
    if (!more || !copy) {
        free(copy);
        return say_no_memory("the names of the inputs");
    }
    inputs[input_count++] = (struct opened){id, copy};
    return 0;
}

int same_file_read(const char *name, const struct stat *st)
{
    file id = id_of(st);

    if (!S_ISREG(st->st_mode))
        return 0;
    for (const struct written *w = written; w < written + WRITTEN; w++)
        if (w->owner && same(w->id, id) && !same(w->updates, id))
            return reject(w->path, name);
    for (size_t i = 0; i < input_count; i++)
        if (same(inputs[i].id, id))
            return 0;
    return remember(name, id);
}

int same_file_write(const void *owner, const char *path, const struct stat *st)
{
    struct written *w = written;

    if (!S_ISREG(st->st_mode))
        return 0;
    for (size_t i = 0; i < input_count; i++)
        if (same(inputs[i].id, id_of(st)))
            return reject(path, inputs[i].name);
    while (w->owner)
        w++;
    *w = (struct written){.owner = owner, .path = path, .id = id_of(st)};
    return 0;
}

void same_file_release(const void *owner)
{
    for (struct written *w = written; w < written + WRITTEN; w++)
        if (w->owner == owner)
            *w = (struct written){0};
}

void same_file_update(const void *owner, const char *path)
{
    struct stat st;

    for (struct written *w = written; w < written + WRITTEN; w++)
        if (w->owner == owner && stat(path, &st) == 0)
            w->updates = id_of(&st);
}
