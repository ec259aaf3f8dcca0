/* SPDX-License-Identifier: BSD-3-Clause
 * output_target.c - where an output goes in the end. */

#define _XOPEN_SOURCE 700               /* realpath */
#define _DEFAULT_SOURCE
#include "output_target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, LINKS = 40 };  /* as many links in a row as Linux follows */

static bool fits(int n, size_t capacity)
{
    if (n >= 0 && (size_t)n < capacity)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

static size_t directory_length(const char *path)        /* with its slash */
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* path to what it finally points to, which need not be there. */
static bool follow(char path[PATH_SIZE])
{
    char link[PATH_SIZE], next[PATH_SIZE];

    for (int i = 0; i < LINKS; i++) {
        ssize_t n = readlink(path, link, sizeof link - 1);
        if (n < 0)
            return true;
        link[n] = '\0';
        size_t dir = *link == '/' ? 0 : directory_length(path);
        if (!fits(snprintf(next, sizeof next, "%.*s%s", (int)dir, path, link), sizeof next))
            return false;
        memcpy(path, next, sizeof next);
    }
    errno = ELOOP;
    return false;
}

bool output_target_resolve(char *target, size_t capacity, const char *path, bool exists)
{
    char to[PATH_SIZE], dir[PATH_SIZE];
    int n = 0;

    if (!fits(snprintf(to, sizeof to, "%s", path), sizeof to) || (!exists && !follow(to)))
        return false;
    size_t length = directory_length(to);
    snprintf(dir, sizeof dir, "%.*s", (int)length, to);
    char *place = realpath(length ? dir : ".", NULL);
    if (!place)
        return false;
    bool special = !strcmp(place, "/dev") || !strncmp(place, "/proc/", 6);
    char *real = exists && !special ? realpath(path, NULL) : NULL;
    if (exists && !special && !real) {  /* no memory: a link must not be replaced */
        free(place);
        return false;
    }
    *target = '\0';
    if (real)
        n = snprintf(target, capacity, "%s", real);
    else if (!special)
        n = snprintf(target, capacity, "%s/%s", strcmp(place, "/") ? place : "", to + length);
    free(real);
    free(place);
    return fits(n, capacity);
}

/* A directory that is writable but not readable cannot be synced, nor can directories on some file
 * systems.  The file itself is safe. */
int output_target_sync(const char *target)
{
    char dir[PATH_SIZE];
    size_t length = directory_length(target);

    snprintf(dir, sizeof dir, "%.*s", (int)length, target);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES ? 0 : errno;
    int error = fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP ? errno : 0;
    close(fd);
    return error;
}
