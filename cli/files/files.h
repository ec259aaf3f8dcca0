/* SPDX-License-Identifier: BSD-3-Clause
 * files.h - bytes in and out. */
#ifndef CLI_FILES_H
#define CLI_FILES_H
#include "cli.h"

#include <sys/stat.h>

/* ---- input_file.c: bytes in; input_packed.c: of packed files -------------------------------- */
typedef struct input input;
struct input {
    const char *name;                   /* for messages */
    /* As many bytes as are requested; fewer only at the end.  Live: at least one of them, and what
     * can be had without waiting; none at the end. */
    int (*read)(input *s, size_t *got, void *buf, size_t requested);
    int fd;
    bool regular, live;                 /* live: may be set by who reads a plain pipe or terminal */
    uint64_t size, taken;               /* of the file, 0 if unknown; bytes read from it */
    uint64_t before;                    /* bytes of inputs before this one, for the progress */
    bool hashed;                        /* since input_hash; hash: of the bytes that were read */
    uint64_t hash;
    const char *compression;            /* "gzip", ..., or NULL */
    bool zip;                           /* read member by member */
    struct decoder *decoder;            /* of a compressed stream, or NULL */
    struct zip_reader *members;         /* of a zip file, or NULL */
    uint64_t begin;                     /* of a zip file: its offset in the file */
    char *memory;                       /* .. that came by a pipe: all of it, or NULL */
    unsigned char head[8];              /* the first bytes, checked before the caller reads them */
    size_t head_len, head_used;
};
/* "-" is stdin.  Fails if an open output would replace the file (same_file.c). */
int input_open(input *s, const char *path);
/* input_again.c: makes sure that it can be opened more than once.  A pipe is copied for that. */
int input_again(const char *path);
void input_hash(input *s);              /* just after it was opened */
int input_member(input *s, const char **name);          /* zip: the next one, NULL at the end */
void input_close(input *s);
int input_slurp(char **text, const char *path);         /* a small text file, without its BOM */
/* Reads the rest of the input and adds a NUL; fails if it is more than `max_bytes`. free() it. */
int input_bytes(char **bytes, size_t *len, input *s, uint64_t max_bytes);
/* The first n bytes of a file, or all if it has fewer, without consuming them; none for a pipe. */
size_t input_peek(const char *path, void *buf, size_t n);
/* The i-th library that decodes compressed files; false: no more. */
bool input_codec(const char **library, const char **version, size_t i);

/* ---- file_hash.c: 64 bits that tell whether a file is the same ------------------------------ */
uint64_t file_hash_add(uint64_t hash, const void *bytes, size_t n);     /* hash: 0 at first */
int file_hash(uint64_t *hash, const char *path);

/* ---- extension.c ---------------------------------------------------------------------------- */
const char *extension_format(const char *path);          /* "csv" of x.csv and x.csv.gz, or NULL */
const char *extension_unknown(const char *path);         /* ".odt" of x.odt; NULL: none, or known */
const char *extension_compression(const char *path);     /* ".gz" of x.csv.gz, or NULL */
/* The path of a file in the directory, plain or compressed; false: it is not there. */
bool extension_find(char path[4096], const char *directory, const char *name);

/* ---- output_file.c: bytes out, whole or not at all ------------------------------------------ */
typedef struct output output;
/* format: of OUTPUT_FORMATS, or NULL: by extension, without one `fallback`.  NULL: the extension is
 * unknown, and that is said. */
#define OUTPUT_FORMATS "svmlight|csv|tsv|npy|npz|precomputed"
const char *output_format(const char *path, const char *format, const char *fallback);
bool output_is_stdout(const char *path);
typedef enum output_kind { OUTPUT_TEXT, OUTPUT_BINARY, OUTPUT_ZIP } output_kind;
output_kind output_kind_of(const char *format);
/* No file is opened twice, and none that was read is replaced (same_file.c). */
int output_open(output **out, const char *path, output_kind kind);
bool output_takes(const char *path);    /* an open output gets this name */
const char *output_name(const output *o);       /* the file that another program may fill */
int output_table(output *o, const char *spec, const fx_table *t); /* the whole content */
int output_part(output *o, const char *spec, const fx_table *t);  /* the next rows of it */
int output_bytes(output *o, const void *bytes, size_t n);
int output_text(output *o, const char *text);
/* What precedes the numbers; cols 0: an array of one dimension. */
int output_npy(output *o, fx_type type, size_t rows, size_t cols);
int output_model(output *o, size_t *bytes, const fx_model *m, const char *format);
int output_close(output *o);            /* now the file is there */
void output_drop(void);                 /* remove everything unfinished; safe in a signal handler */

/* ---- output_size.c -------------------------------------------------------------------------- */
/* Before anything is written: rejects rows x cols numbers that exceed the free space at the place
 * of o; of sparse rows, also --max-memory.  Formats that leave zeros out are not checked. */
int output_size_check(const output *o, const char *format, fx_type type, size_t rows, size_t cols);
int output_size_check_table(const output *o, const char *spec, const fx_table *t);
typedef struct output_shape {           /* of a table */
    fx_type type;                       /* double if any block is */
    bool sparse;
    double entries;                     /* stored */
    size_t rows, cols;
} output_shape;
void output_shape_add(output_shape *s, const fx_table *t);       /* zeros: none yet */
int output_size_check_shape(const output *o, const char *spec, const output_shape *s);

/* ---- same_file.c -----------------------------------------------------------------------------
 * No output replaces an input of the same run. input_open registers every input, and output_open
 * every file that an output will replace.  If both are the same regular file, under whatever names
 * and links, the second call fails.  Each returns the exit status, after a message if it is not
 * 0. */
int same_file_read(const char *name, const struct stat *st);
/* owner: whatever same_file_release will name. */
int same_file_write(const void *owner, const char *path, const struct stat *st);
void same_file_release(const void *owner);
/* Allows that output to replace the input `path`, because it is the updated input. */
void same_file_update(const void *owner, const char *path);
#endif
