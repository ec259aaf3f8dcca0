/* SPDX-License-Identifier: BSD-3-Clause
 * load_files.c - several files as one source of rows, one after the other. */

#include "load.h"
#include "team/team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int look(uint64_t *size, bool *known, const char *path)
{
    struct stat st;

    if (!strcmp(path, "-")) {
        *known = false;
        return 0;
    }
    if (stat(path, &st) < 0 || access(path, R_OK) < 0)
        return say_error("%s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return say_error("%s is a directory, which cannot be one of several files", path);
    *known &= S_ISREG(st.st_mode);
    *size += (uint64_t)st.st_size;
    return same_file_read(path, &st);
}

int load_files_check(loaded *l, uint64_t *size, const char *path, const load_options *like)
{
    size_t stdins = !strcmp(path, "-");
    bool known = true;
    int status = like->mores ? look(size, &known, path) : 0;

    for (size_t k = 0; k < like->mores && !status; k++) {
        stdins += !strcmp(like->more[k], "-");
        status = look(size, &known, like->more[k]);
    }
    if (status || !like->mores)
        return status;
    if (stdins > 1)
        return say_error("standard input (-) can be one of the files only");
    if (!known)
        *size = 0;
    size_t room = strlen(path) + 48;
    if (!(l->names = malloc(room)))
        return say_no_memory("names of files");
    snprintf(l->names, room, "%s and %zu more file%s", stdins && *path == '-' ? "stdin" : path,
             like->mores, like->mores == 1 ? "" : "s");
    return 0;
}

int load_files_next(input *in, const char *path)
{
    uint64_t before = in->before + in->taken;
    int status;

    input_close(in);
    if (!strcmp(reading_format, "auto") && (status = format_foreign(path)))
        return status;
    if ((status = input_open(in, path)))
        return status;
    in->before = before;
    return in->zip ? say_error("%s is a zip file; several files must be text", in->name) : 0;
}

int load_files_now(load_source *out, const char *path)
{
    struct stat st;

    *out = (load_source){.path = path, .once = true};
    if (!strcmp(path, "-"))
        return 0;
    if (stat(path, &st) < 0)
        return say_error("%s: %s", path, strerror(errno));
    out->once = !S_ISREG(st.st_mode);
    out->size = (uint64_t)st.st_size;
    out->seconds = (int64_t)st.st_mtim.tv_sec;
    out->nanoseconds = (int64_t)st.st_mtim.tv_nsec;
    return 0;
}

int load_files_shared(const char *path)
{
    struct stat st;
    bool once = !strcmp(path, "-") || (stat(path, &st) == 0 && S_ISFIFO(st.st_mode));

    return once && team_ranks() > 1
               ? say_error("%s can be read only once, but under mpirun each process reads it; "
                           "write the rows to a file", path)
               : 0;
}

int load_files_opened(loaded *l, input *in, const char *path)
{
    load_source *more = realloc(l->source, (l->sources + 1) * sizeof *more);

    if (!more)
        return say_no_memory("names of files");
    l->source = more;
    input_hash(in);
    return load_files_now(&more[l->sources++], path);
}

int load_files_read(loaded *l, const input *in)
{
    load_source *now = &l->source[l->sources - 1];

    now->hash = in->hash;
    return now->once || in->taken == now->size
               ? 0
               : say_error("%s has changed while it was read", in->name);
}
