/* SPDX-License-Identifier: BSD-3-Clause
 * machine.c - where and from which sources figures were measured. */

#include "terminal.h"

#include <malloc.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* What follows the colon of the first line that begins with the key; NULL: there is none. */
static const char *find_line(char line[256], const char *path, const char *key)
{
    FILE *f = fopen(path, "r");
    const char *value = NULL;

    while (f && !value && fgets(line, 256, f))
        if (!strncmp(line, key, strlen(key)) && (value = strchr(line, ':')))
            value += strspn(value, ": \t");
    if (f)
        fclose(f);
    return value;
}

/* Not every processor says. */
static bool model_name(char *out, size_t capacity)
{
    char line[256];
    const char *name = find_line(line, "/proc/cpuinfo", "model name");

    if (name)
        snprintf(out, capacity, "%.*s", (int)strcspn(name, "\n"), name);
    return name && *out;
}

/* "AMD EPYC 7B13, 2 threads, avx512, 24 GiB" */
static const char *machine_name(char buf[128])
{
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    int threads = progress_threads();
    struct utsname system;
    char model[80];

    if (!model_name(model, sizeof model))
        snprintf(model, sizeof model, "%.70s", uname(&system) < 0 ? "?" : system.machine);
    snprintf(buf, 128, "%s, %d thread%s, %s, %.0f GiB", model, threads, threads == 1 ? "" : "s",
             fx_simd_target(), bytes / (1 << 30));
    return buf;
}

uint64_t machine_memory(const char *key)
{
    char line[256];
    const char *kib = find_line(line, "/proc/self/status", key);

    return kib ? 1024 * (uint64_t)strtoull(kib, NULL, 10) : 0;
}

/* Freed memory goes back first, so it neither counts nor stays.  AddressSanitizer adds memory that
 * other builds do not have, so builds with it count what the program itself usually holds. */
uint64_t machine_held(void)
{
#ifdef __SANITIZE_ADDRESS__
    return 8 << 20;
#else
    malloc_trim(0);
    return machine_memory("VmRSS");
#endif
}

/* What getrusage says includes the program that started this one. */
uint64_t machine_peak(void)
{
    uint64_t peak = machine_memory("VmHWM");
    struct rusage u;

    return peak || getrusage(RUSAGE_SELF, &u) ? peak : 1024 * (uint64_t)u.ru_maxrss;
}

const char *machine_version(char buf[32], int v)
{
    snprintf(buf, 32, "%d.%d.%d", v / 10000, v / 100 % 100, v % 100);
    return buf;
}

const char *machine_origin(char buf[256])
{
    char machine[128], version[32], day[16] = "";
    const char *commit = machine_commit();
    time_t now = time(NULL);
    struct tm utc;

    if (gmtime_r(&now, &utc))
        strftime(day, sizeof day, "%Y-%m-%d", &utc);
    snprintf(buf, 256, "featcross %s%s%.60s, on %s, %s", machine_version(version, fx_version()),
             *commit ? " at " : "", commit, machine_name(machine), day);
    return buf;
}
