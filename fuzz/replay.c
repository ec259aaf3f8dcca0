/* SPDX-License-Identifier: BSD-3-Clause
 * replay.c - runs a target on every file of the folders named, without a fuzzer. */

#include "fuzz.h"

#include <dirent.h>

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long size = -1;

    if (f && !fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET))
        bytes = malloc((size_t)size + !size);   /* exact: a byte too far is seen */
    bool well = bytes && fread(bytes, 1, (size_t)size, f) == (size_t)size;
    if (well)
        LLVMFuzzerTestOneInput(bytes, (size_t)size);
    else
        perror(path);
    if (f)
        fclose(f);
    free(bytes);
    return !well;
}

int main(int argc, char **argv)
{
    int files = 0, failed = 0;

    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (!folder) {
            perror(argv[i]);
            return 1;
        }
        for (struct dirent *e; (e = readdir(folder));) {
            char path[4096];
            if (e->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
            failed |= replay_file(path);
            files++;
        }
        closedir(folder);
    }
    printf("%d inputs\n", files);
    return failed || files == 0;
}
