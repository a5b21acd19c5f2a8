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
 * mmx: the reference counts in the MMX-only events. V: the P54C's write buffers belong to pipes. The partner
 * is an earlier reference of the same group in the same clock: an event that it has signalled is asserted for
 * one clock, however many references it counts (p5_counts.asserted). */
enum {
    PARTNER = 1,           /* there is a partner */
    PARTNER_SAME_KIND = 2, /* the partner is also a read, or also a write */
    PARTNER_MISSED = 4,    /* the partner missed */
    TRAIT_PARTNER = 7,
    TRAIT_V_PIPE = 8,
    TRAIT_MMX = 16,
    TRAIT_LOCK = 32 /* multiplied by LOCK_* */
};

/* The result of one data reference. The stall clocks are those for which the pipe is held beyond the
 * reference's own EX clock, by cause. They add up to the clocks from the request to `done`, unless one of
 * them is too long for its field. */
typedef struct data_answer {
    uint64_t done; /* core clock at which the reference's EX clock may end */
    /* word1 and word2 serve to compare and store results. */
    union {
        uint64_t word1;
        struct {
            uint16_t tlb, read, misaligned, write_buffer;
        };
    };
    union {
        uint64_t word2;
        struct {
            uint16_t write_order, locked, io;
            bool hit; /* L1 hit (for events 3, 4, 5) */
            bool is_misaligned;
        };
    };
} data_answer;

/* A result in a word:
 *
 *    63  62              61    60      56 55  42 41         28 27          14 13   0
 *   | 1 | is_misaligned | hit | misaligned |  tlb | write_order | write_buffer | read |
 *
 * The last five fields are clocks that were waited, as in data_answer. The other values are: */
enum {
    DATA_LONG, /* the result does not fit into a word */
    DATA_USUAL /* an L1 hit without waiting */
};
enum { DATA_CLOCK_BITS = 14 };
#define DATA_IN_WORD (1ull << 63)

/* Clocks that a reference waited, by cause. */
typedef struct data_waits {
    uint64_t read, write_buffer, write_order, tlb, misaligned;
} data_waits;

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

/* Returns the clocks of another cause than misalignment, counted from the right in the picture above. */
static inline uint32_t data_word_clocks(uint64_t word, unsigned cause)
{
    return word >> cause * DATA_CLOCK_BITS & ((1u << DATA_CLOCK_BITS) - 1);
}

/* Returns whether any result is a hit. `answer` is the result for DATA_LONG. */
static inline bool data_hit(uint64_t word, const data_answer *answer)
{
    return word == DATA_LONG ? answer->hit : word == DATA_USUAL || data_word_hit(word);
}

/* Returns whether a result other than DATA_USUAL was a misaligned reference. */
static inline bool data_is_misaligned(uint64_t word, const data_answer *answer)
{
    return word == DATA_LONG ? answer->is_misaligned : data_word_is_misaligned(word);
}

/* Unpacks the result of a reference that was requested at `asked`. */
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
