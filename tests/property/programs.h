/* Random instruction streams for laws about the pipe: blocks at random addresses, each ended by a conditional
 * branch, with what the structures will answer for them. */
#ifndef PROPERTY_PROGRAMS_H
#define PROPERTY_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/block.h"
#include "core/pipe/pipe.h"

typedef struct random_source {
    uint64_t state;
} random_source;
uint32_t random_next(random_source *r);
/* 0 <= result < n */
uint32_t random_below(random_source *r, uint32_t n);

enum { PROGRAM_BLOCKS = 6, PROGRAM_INSNS = 14, PROGRAM_BLOCK_BYTES = 256 };

/* What the structures answer for one data reference. */
typedef struct outcome {
    uint16_t read, misaligned;
} outcome;

typedef struct program {
    unsigned count; /* blocks, executed in this order */
    struct {
        p5_block *block;
        uint32_t next; /* address control goes to */
        bool taken, right;
        p5_access accesses[PROGRAM_INSNS * 2];
        outcome outcomes[PROGRAM_INSNS * 2];
        unsigned access_count;
    } blocks[PROGRAM_BLOCKS];
    bool lines_hit;                           /* all code lines do */
    uint16_t line_waits[PROGRAM_BLOCKS * 16]; /* per code line, in the order of requests */
} program;

/* Bytes of one block, at most PROGRAM_BLOCK_BYTES: random instructions, a short JZ at the end. `kinds`: which
 * parts of the menu it draws from. Answers their number. */
unsigned program_bytes(uint8_t *bytes, random_source *r, const timing *t, unsigned kinds);
/* Unusual outcomes (misses, misalignment, wrong predictions) in about `unusual` percent of the cases. */
void program_make(program *p, random_source *r, const timing *t, isa_decoder *decoder, unsigned unusual);
void program_free(program *p);

#endif
