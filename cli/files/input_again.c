/* SPDX-License-Identifier: BSD-3-Clause
 * input_again.c - an input that is read more than once.  A pipe is copied to an unnamed temporary
 * file first, packed if it is, and opened from there. */

#include "input_file.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {                         /* one is enough: of standard input, or of a named pipe */
    char path[4096];
    FILE *file;
} copy;

static int failed(void)
{
    int error = errno;

    if (progress_interrupted())
        return progress_stop();
    say_error("a temporary file: %s", strerror(error));
    return error == ENOMEM ? EXIT_MEMORY : EXIT_USAGE;
}

int input_again(const char *path)
{
    struct stat st;
    input s = {.name = !strcmp(path, "-") ? "stdin" : path};
    bool is_stdin = !strcmp(path, "-");
    char buf[1 << 16];
    ssize_t n = 0;

    if (copy.file || strlen(path) >= sizeof copy.path
        || (!is_stdin && (stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))))
        return 0;                       /* or input_open says what is wrong */
    s.fd = is_stdin ? 0 : open(path, O_RDONLY | O_CLOEXEC);
    if (s.fd < 0)
        return 0;
    if (!(copy.file = tmpfile()))
        return failed();
    while ((n = input_fill(&s, buf, sizeof buf)) > 0)
        if (fwrite(buf, 1, (size_t)n, copy.file) != (size_t)n)
            return failed();
    if (n < 0)
        return input_failed(&s);
    if (fflush(copy.file))
        return failed();
    if (!is_stdin)
        close(s.fd);
    memcpy(copy.path, path, strlen(path) + 1);
    return 0;
}

int input_again_open(const char *path)
{
    if (!copy.file || strcmp(path, copy.path) != 0)
        return -1;
    int fd = dup(fileno(copy.file));
    if (fd >= 0 && lseek(fd, 0, SEEK_SET) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}
