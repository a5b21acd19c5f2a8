/* What the memo keeps of a block: the pieces into which it is cut. It belongs to replay (replay/pieces.h) and no
 * folder below replay uses it. It is declared here because p5_block holds it by value, which saves the hot path
 * a load. */
#ifndef CORE_MEMO_BLOCK_H
#define CORE_MEMO_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/host_line.h"
#include "p5scope/core.h"

enum {
    PIECE_BANKS = 4,     /* most pairs of references of a piece that may use the same bank in one clock */
    PIECE_VALUES = 16,   /* most operand values of a piece */
    PIECE_MOST = 24,     /* most instructions of a piece */
    PIECE_ACCESSES = 12, /* most references of a piece, unless a single instruction makes more */
    PIECE_LINES = 2,     /* most code lines of a piece, unless a single instruction lies in more */
};

/* A part of a block whose outcome is remembered as a whole (replay/README.md), or a single instruction whose
 * outcome cannot be. */
typedef struct piece {
    BEGINS_LINE struct piece *next;     /* next piece of the block; NULL: this is the last */
    uint32_t page;                      /* of its code: tlb_key */
    uint16_t first, count;              /* instructions */
    uint16_t access_bytes, first_value; /* references and values as the engine supplies them */
    uint16_t block_bytes;               /* in the first piece: size of all references of the block */
    uint8_t value_count, bank_count;
    bool memo;           /* its outcome can be remembered */
    bool has_variants;   /* its outcome depends on bank conflicts, values, repeat count or direction */
    bool by_direction;   /* its clocks depend on the direction of its branch: LOOP */
    bool by_mode;        /* its clocks depend on mode or privilege: FNSAVE, RDTSC */
    bool only_saturates; /* its clocks depend on nothing but the direction; its values are saturation flags */
    bool repeats;        /* it is a REP string; its variants are by count */
    bool varies; /* it is a far transfer or loads a segment register; its variants are by its references and
                     by whether a descriptor is among them */
    uint8_t predicted; /* mask: UINT8_MAX if it ends in a branch that the BTB predicts, else 0. It clears the
                          predictions of other pieces */
    int16_t bank_first[PIECE_BANKS]; /* offset of a p5_access that may use the same bank in the same clock as
                                        the next one. It may belong to the piece before. */
    /* Not read at every execution: */
    p5_block *block;
    uint32_t paths;                   /* memo_paths */
    uint32_t generation;              /* memo.generation when the last of the paths was made */
    bool missed;                      /* memo_is_new */
    uint16_t value_ops[PIECE_VALUES]; /* instructions with an operand value */
} piece;
_Static_assert(offsetof(piece, block) <= HOST_LINE, "what is looked at every time");

typedef struct memo_block {
    piece first; /* its first piece, which memo_batch.c reads every time; the others follow it */
    bool fixed;  /* each of its pieces can be remembered and makes the same references each time, none of them
                    locked */
    bool mmx;    /* it has an MMX instruction */
    bool varies; /* its last piece `varies` */
} memo_block;

#endif
