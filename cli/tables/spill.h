/* SPDX-License-Identifier: BSD-3-Clause
 * spill.h - between the files of a spill: spill_write.c makes it, of the share that
 * spill_share.c gives a process, spill_file.c ends one that is
 * kept and opens it again, spill_answer.c answers passes from it. */
#ifndef SPILL_H
#define SPILL_H
#include "tables.h"
#include "team/team.h"

/* ---- spill.c -------------------------------------------------------------------------------- */
int spill_damaged(const spill *s, const char *detail);  /* a part is not what was written */
int spill_read(const spill *s, const spill_part *part, char *buf);      /* its bytes; or errno */
/* Has the part from row `first` on as many rows as it must have, and no more columns than all?
 * False of a file that was made to deceive: other rows, or names, would be looked for. */
bool spill_is_part(const spill *s, uint64_t first, const fx_table *t);
const spill_part *spill_part_at(const spill *s, uint64_t first);        /* that begins there */

/* ---- spill_rows.c --------------------------------------------------------------------------- */
typedef struct spill_buffer { char *at; size_t n, capacity; } spill_buffer;  /* zeros; free(at) */
int spill_reserve(spill_buffer *b, size_t n);
int spill_fetch(spill_buffer *b, const spill *s, const spill_part *part);       /* its bytes */
/* A part of the rows: a view of what b holds then. */
int spill_unpack(fx_data **out, spill_buffer *b, const spill *s, const spill_part *part);
/* The position of label i of t among the classes of `all`, of which t's are some; -1: none. */
double spill_label(const fx_table *all, const fx_table *t, size_t i);

/* ---- spill_share.c -------------------------------------------------------------------------- */
int spill_share_begin(spill *s, const loaded *l);       /* by the first rows: chooses groups */
bool spill_share_has(const spill *s);   /* the next block? */
int spill_share_say(const spill *s, const loaded *l);   /* where it is; 0 */
/* Process 0 asks for blocks [begin, end) and then takes each of them, in their order. */
int spill_share_ask(uint64_t begin, uint64_t end);
int spill_share_take(spill_buffer *b, const spill *s, uint64_t block);
/* Others: if that was the request, they give their blocks. */
bool spill_share_asked(const void *request, size_t bytes);
int spill_share_give(const spill *s, const void *request);

/* ---- spill_answer.c ------------------------------------------------------------------------- */
void spill_answer_free(spill *s);

/* ---- spill_file.c --------------------------------------------------------------------------- */
enum { SPILL_HEAD = 32 };               /* bytes before the first part of one that is kept */
extern const char spill_head[SPILL_HEAD + 1];
/* What follows its parts: all that a fit and its report need of the rows, index, checksum. */
int spill_file_end(strbuf *out, const spill *s, const loaded *l);
#endif
