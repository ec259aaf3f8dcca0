/* SPDX-License-Identifier: BSD-3-Clause
 * decode.h - compressed streams: gzip, xz, zstd, bzip2.
 *
 * A stream is one or more members, one behind the other (gzip calls them members, xz and bzip2
 * streams, zstd frames).  A format decodes one member and checks its checksum; decode.c goes from
 * member to member and rejects anything else.  A new format is one file and one line in the table
 * of decode.c.  Nothing here prints or opens files. */
#ifndef DECODE_H
#define DECODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum decode_result {
    DECODE_OK,
    DECODE_END,                         /* the member is complete and its checksum is right */
    DECODE_DAMAGED,                     /* truncated, changed, or followed by other bytes */
    DECODE_MEMORY,                      /* an allocation failed */
    DECODE_LIMIT,                       /* it needs more memory than is allowed */
    DECODE_READ                         /* reading failed; errno says why */
} decode_result;

typedef struct decode_step {            /* formats advance all four */
    const unsigned char *in;
    size_t in_len;
    unsigned char *out;
    size_t out_len;
    const char *reason;                 /* for DECODE_DAMAGED, or NULL */
    uint64_t limit, need;               /* bytes allowed; bytes needed, for DECODE_LIMIT */
    bool unchecked;                     /* set: this member holds no checksum of its content */
} decode_step;

typedef struct decode_format {
    const char *name, *extension;       /* "gzip", ".gz" */
    const char *library;                /* that decodes it */
    const char *(*version)(void);
    size_t head;                        /* bytes that `open` looks at, if the input has them */
    size_t padding;                     /* members may be followed by zero bytes, in multiples */
    bool (*begins)(const unsigned char *head, size_t len);
    decode_result (*open)(void **state, decode_step *s); /* s->in: the head, which stays there */
    /* DECODE_OK without progress: it needs input. */
    decode_result (*decode)(void *state, decode_step *s);
    void (*close)(void *state);
} decode_format;
extern const decode_format *const decode_formats[];      /* ends with NULL */
extern const decode_format decode_gzip, decode_xz, decode_zstd, decode_bzip2;
const decode_format *decode_find(const unsigned char *head, size_t len); /* or NULL */
/* True if these are all the bytes of the input, and the beginning of a magic number that no text
 * begins with. */
bool decode_is_cut(const unsigned char *head, size_t len);

/* At most `requested` bytes as read(2) gives them: 0 at the end, -1 with errno. */
typedef ssize_t decode_fill(void *ctx, void *buf, size_t requested);
enum { DECODE_ERROR = 256, DECODE_CHUNK = 1 << 17 };

typedef struct decoder {
    const decode_format *format;
    decode_fill *fill;
    void *ctx;
    uint64_t limit, need;
    bool unchecked;                     /* a member without a checksum was found */
    char error[DECODE_ERROR];           /* of DECODE_DAMAGED */
    /* the rest is decode.c's */
    void *member;                       /* NULL: between members */
    unsigned char *window;
    size_t at, have;                    /* of the window: used, filled */
    uint64_t offset;                    /* of the window's first byte in the input */
    uint64_t members;
    bool input_ended, done;
} decoder;
/* limit: bytes of memory that a member may take. */
decode_result decode_open(decoder *d, const decode_format *f, uint64_t limit, decode_fill *fill,
                          void *ctx);
/* Reads as many bytes as requested; fewer only at the end, when everything has been checked. */
decode_result decode_read(decoder *d, void *buf, size_t requested, size_t *got);
void decode_close(decoder *d);
#endif
