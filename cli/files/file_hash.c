/* SPDX-License-Identifier: BSD-3-Clause
 * file_hash.c - 64 bits that tell whether a file is the same: the CRC-64 of its bytes, by liblzma,
 * which has it for xz files. */

#include "files.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

uint64_t file_hash_add(uint64_t hash, const void *bytes, size_t n)
{
    return lzma_crc64(bytes, n, hash);
}

int file_hash(uint64_t *hash, const char *path)
{
    unsigned char buf[PIECE];
    ssize_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    *hash = 0;
    while (fd >= 0 && !progress_interrupted()
           && ((n = read(fd, buf, sizeof buf)) > 0 || (n < 0 && errno == EINTR)))
        *hash = n > 0 ? file_hash_add(*hash, buf, (size_t)n) : *hash;
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (progress_interrupted())
        return progress_stop();
    return fd < 0 || n < 0 ? say_error("%s: %s", path, strerror(error)) : 0;
}
