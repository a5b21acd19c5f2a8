/* Descriptions of data references and of their results. */
#ifndef CORE_MEMORY_DATA_ANSWER_H
#define CORE_MEMORY_DATA_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

/* Locked read-modify-writes (a read, then a write), by the source of the value that is written. */
enum {
    LOCK_NONE,
    LOCK_MODIFY,  /* EX computes it from the value read */
    LOCK_EXCHANGE /* a register (XCHG): the bus unit has it before the read ends */
};

/* Properties of a reference besides its address:
 *
 *     6    5   4     3    2       0
 *   | lock  | mmx | V   | partner |
 *
 * mmx: the reference counts in the MMX-only events. V: the instruction is in the V pipe, which on the P54C has a
 * write buffer of its own. The partner is an earlier reference that the same instruction or the other one of the
 * pair makes in the same clock: an event that both signal is asserted for one clock, although it counts two
 * (p5_counts_asserted). */
enum {
    PARTNER = 1,           /* there is a partner */
    PARTNER_SAME_KIND = 2, /* the partner is also a read, or also a write */
    PARTNER_MISSED = 4,    /* the partner missed */
    TRAIT_PARTNER = 7,     /* mask of the three bits above */
    TRAIT_V_PIPE = 8,
    TRAIT_MMX = 16,
    TRAIT_LOCK = 32 /* multiplied by LOCK_* */
};

/* The result of one data reference. The 16-bit numbers are stall clocks, for which the pipe is held beyond the
 * reference's own EX clock, by cause. They add up to the clocks from the request to `done`, unless one of
 * them is too long for its field and is stored as UINT16_MAX. */
typedef struct data_answer {
    uint64_t done; /* core clock at which the reference's EX clock may end */
    /* word1 and word2 serve to compare and store results. */
    union {
        uint64_t word1;
        struct {
            uint16_t tlb;          /* walk after a data TLB miss, or update of a dirty bit */
            uint16_t read;         /* data from the bus, or a pending line fill */
            uint16_t misaligned;   /* second half of a misaligned reference */
            uint16_t write_buffer; /* free write buffer */
        };
    };
    union {
        uint64_t word2;
        struct {
            uint16_t write_order; /* older writes, before a write to an E or M line */
            uint16_t locked;      /* cycles of a locked reference */
            uint16_t io;          /* cycles of a port reference */
            bool hit;             /* L1 hit (for events 3, 4, 5) */
            bool is_misaligned;
        };
    };
} data_answer;

/* A result in a word:
 *
 *    63  62              61    60      56 55  42 41         28 27          14 13   0
 *   | 1 | is_misaligned | hit | misaligned |  tlb | write_order | write_buffer | read |
 *
 * The last five fields are clocks that were waited, as in data_answer. */
#define DATA_IN_WORD (1ull << 63)
enum { DATA_CLOCK_BITS = 14 };
/* Results without DATA_IN_WORD. */
enum {
    DATA_LONG, /* the result does not fit into a word; it is in a data_answer */
    DATA_USUAL /* an L1 hit without waiting */
};

/* Clocks that a reference waited, by cause, as in data_answer. */
typedef struct data_waits {
    uint64_t read, write_buffer, write_order, tlb, misaligned;
} data_waits;

/* Packs a result into a word. The clocks must fit into their fields. */
static inline uint64_t data_in_word(const data_waits *waited, bool hit, bool is_misaligned)
{
    return waited->read | waited->write_buffer << DATA_CLOCK_BITS |
           waited->write_order << 2 * DATA_CLOCK_BITS | waited->tlb << 3 * DATA_CLOCK_BITS |
           waited->misaligned << 4 * DATA_CLOCK_BITS | (uint64_t)hit << 61 | (uint64_t)is_misaligned << 62 |
           DATA_IN_WORD;
}

static inline bool data_word_hit(uint64_t word)
{
    return (word >> 61 & 1) != 0;
}

static inline bool data_word_is_misaligned(uint64_t word)
{
    return (word >> 62 & 1) != 0;
}

static inline uint32_t data_word_misaligned_clocks(uint64_t word)
{
    return word >> 4 * DATA_CLOCK_BITS & 31;
}

/* Returns the clocks of another cause than misalignment: field number `cause` of the picture above, counted from
 * the right (0 is `read`). */
static inline uint32_t data_word_clocks(uint64_t word, unsigned cause)
{
    return word >> cause * DATA_CLOCK_BITS & ((1u << DATA_CLOCK_BITS) - 1);
}

/* Returns whether a result is a hit. `word` may be DATA_USUAL or DATA_LONG; for DATA_LONG, `answer` is the
 * result. */
static inline bool data_hit(uint64_t word, const data_answer *answer)
{
    return word == DATA_LONG ? answer->hit : word == DATA_USUAL || data_word_hit(word);
}

/* Returns whether a result other than DATA_USUAL was a misaligned reference. */
static inline bool data_is_misaligned(uint64_t word, const data_answer *answer)
{
    return word == DATA_LONG ? answer->is_misaligned : data_word_is_misaligned(word);
}

/* Unpacks the result of a reference that was requested at `asked`. `word` has DATA_IN_WORD. */
static inline void data_out_of_word(uint64_t word, uint64_t asked, data_answer *a)
{
    a->read = (uint16_t)data_word_clocks(word, 0);
    a->write_buffer = (uint16_t)data_word_clocks(word, 1);
    a->write_order = (uint16_t)data_word_clocks(word, 2);
    a->tlb = (uint16_t)data_word_clocks(word, 3);
    a->misaligned = (uint16_t)data_word_misaligned_clocks(word);
    a->locked = a->io = 0;
    a->hit = data_word_hit(word);
    a->is_misaligned = data_word_is_misaligned(word);
    a->done = asked + a->read + a->write_buffer + a->write_order + a->tlb + a->misaligned;
}

#endif
