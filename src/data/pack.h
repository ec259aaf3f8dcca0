/* SPDX-License-Identifier: BSD-3-Clause
 * pack.h - between pack.c, which writes a table as bytes, and unpack.c, which reads it.
 *
 * A header, then arrays one after the other, each padded to 8 bytes, numbers as this machine has
 * them (little-endian):
 *
 *   labels      [rows] doubles          PACK_LABEL
 *   weights     [rows] doubles          PACK_WEIGHT
 *   queries     [rows] int64            PACK_QUERY
 *   lengths     [rows] uint32           PACK_SPARSE: entries of each row
 *   columns     [entries] int32         PACK_SPARSE; int64 with PACK_WIDE
 *   numbers     [entries] floats        doubles with PACK_DOUBLE; none with PACK_ONES: all are 1
 *   classes     texts, each with its 0  PACK_CLASSES
 *
 * Dense rows have rows x cols numbers as entries. */
#ifndef FXI_DATA_PACK_H
#define FXI_DATA_PACK_H
#include "data/data.h"

#define FXI_PACK_MAGIC "fxpart2\n"
enum {
    FXI_PACK_LABEL = 1, FXI_PACK_WEIGHT = 2, FXI_PACK_QUERY = 4, FXI_PACK_SPARSE = 8,
    FXI_PACK_WIDE = 16, FXI_PACK_DOUBLE = 32, FXI_PACK_ONES = 64, FXI_PACK_CLASSES = 128
};
typedef struct fxi_pack {
    char magic[8];
    uint64_t bytes;                     /* of all, the header included */
    uint64_t rows, cols, entries, classes, text;        /* text: bytes of the classes */
    uint32_t flags, base;
    uint64_t checksum;                  /* of all with this number 0 */
} fxi_pack;
static inline uint64_t fxi_pack_padded(uint64_t bytes) { return (bytes + 7) / 8 * 8; }
/* Sizes of the arrays, in their order; false: they do not fit into 64 bits. */
enum { FXI_PACK_ARRAYS = 7 };
bool fxi_data_pack_sizes(uint64_t size[FXI_PACK_ARRAYS], uint64_t *all, const fxi_pack *h);
#endif
