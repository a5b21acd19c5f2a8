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
    PIECE_BANKS = 4,     /* most pairs of references of a piece that may conflict for a bank in one clock */
    PIECE_VALUES = 16,   /* most operand values of a piece */
    PIECE_MOST = 24,     /* most instructions of a piece */
    PIECE_ACCESSES = 12, /* most references of a piece, unless a single instruction makes more */
    PIECE_LINES = 2,     /* most code lines of a piece, unless a single instruction lies in more */
};

/* A part of a block whose outcome is remembered as a whole (replay/README.md), or a single instruction whose
 * outcome cannot be. Executions of one piece whose clocks differ for other reasons than the pipe's state and its
 * lookups (bank conflicts, operand values) are its *variants*, which are remembered separately. */
typedef struct piece {
    BEGINS_LINE struct piece *next; /* next piece of the block; NULL: this is the last */
    uint32_t page;                  /* tlb_key of its code */
    uint16_t first, count;          /* index of its first instruction in the block; number of instructions */
    uint16_t access_bytes;          /* sizeof(p5_access) times the number of its references */
    uint16_t first_value;           /* index of its first operand value among those of the block */
    uint32_t block_bytes; /* in the first piece: sizeof(p5_access) times the references of the block */
    uint8_t value_count, bank_count; /* elements of value_ops and bank_first */
    bool memo;                       /* its outcome can be remembered */
    bool has_variants; /* its outcome depends on bank conflicts, values, mode, repeat count or direction */
    bool by_direction; /* its clocks depend on the direction of its branch: LOOP */
    bool by_mode;      /* its clocks depend on mode or privilege: FNSAVE, RDTSC */
    bool clocks_fixed; /* values and mode do not change its clocks; its values are saturation flags */
    bool repeats;      /* it is a REP string; its variants are by count */
    bool varies; /* it is a far transfer or loads a segment register; its variants are by its references and
                     by whether a descriptor is among them */
    /* Mask for the prediction of the block's branch: UINT8_MAX if this piece ends in a branch that the BTB predicts,
     * otherwise 0. */
    uint8_t predicted;
    /* Byte offsets, from the piece's first p5_access, of those that may use the same bank in the same clock as the
     * next one. The first offset may be -sizeof(p5_access), the last reference of the piece before. */
    int16_t bank_first[PIECE_BANKS];
    /* Not read at every execution: */
    p5_block *block;
    uint32_t paths;      /* number of the first of its paths in the memo; 0: none */
    uint32_t generation; /* memo.generation when `paths` was set; older paths were dropped */
    bool missed; /* something about it was missing since it was last learned; the next time, it is learned */
    uint16_t value_ops[PIECE_VALUES]; /* indices in the block of its instructions with an operand value */
} piece;
_Static_assert(offsetof(piece, block) <= HOST_LINE, "the members read at every execution are in one line");

/* The pieces of a block. */
typedef struct memo_block {
    piece first; /* its first piece, which memo_batch.c reads every time; the others follow it */
    bool fixed;  /* each of its pieces can be remembered, unless a breakpoint prevents it, and makes the same
                    references each time, none of them locked */
    bool mmx;    /* it has an MMX instruction */
    bool varies; /* its last piece `varies` */
} memo_block;

#endif
