/* How a data reference is asked for, and what it came to. */
#ifndef CORE_MEMORY_DATA_ANSWER_H
#define CORE_MEMORY_DATA_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

/* Locked read-modify-writes (read first, then write), by where the value to be written comes from. */
enum {
    LOCK_NONE,
    LOCK_MODIFY,  /* out of EX, from what was read */
    LOCK_EXCHANGE /* a register: the bus unit has it before the read ends (XCHG) */
};

/* What the memory side wants to know of a reference beside its address:
 *
 *     6    5   4     3    2       0
 *   | lock  | mmx | V   | partner |
 *
 * mmx: counts in the MMX-only events; V: the P54C's write buffers belong to pipes. The partner is a reference
 * of the same clock, made before by the same group: events that it has signalled are on for one clock,
 * however many references they count (p5_counts.asserted). */
enum {
    PARTNER = 1,           /* there is one */
    PARTNER_SAME_KIND = 2, /* ... a read like this one, or a write */
    PARTNER_MISSED = 4,    /* ... that missed */
    HOW_PARTNER = 7,
    HOW_V_PIPE = 8,
    HOW_MMX = 16,
    HOW_LOCK = 32 /* times LOCK_* */
};

/* What one data reference came to. The stall clocks are those that the pipe is held beyond the reference's
 * own EX clock, by cause; they add up to what is between the clock at which it was asked for and `done`, if
 * none of them is too long for its field. */
typedef struct data_answer {
    uint64_t done; /* core clock at which the reference's EX clock may end */
    /* The words are for those who compare and keep answers. */
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

/* An answer in a word:
 *
 *    63  62         61   60      56 55  42 41       28 27        14 13   0
 *   | 1 | misaligned|hit| for that |  tlb | write order|write buffer| read |     the last five in clocks
 *
 * or one of these. */
enum {
    DATA_LONG, /* it does not fit */
    DATA_USUAL /* a hit with nothing in the way */
};
enum { DATA_CLOCK_BITS = 14 };
#define DATA_IN_WORD (1ull << 63)

static inline uint64_t data_in_word(uint64_t read, uint64_t write_buffer, uint64_t write_order, uint64_t page,
                                    uint64_t misaligned, bool hit, bool is_misaligned)
{
    return read | write_buffer << DATA_CLOCK_BITS | write_order << 2 * DATA_CLOCK_BITS |
           page << 3 * DATA_CLOCK_BITS | misaligned << 4 * DATA_CLOCK_BITS | (uint64_t)hit << 61 |
           (uint64_t)is_misaligned << 62 | DATA_IN_WORD;
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

/* Of the causes but that one, from the right. */
static inline uint32_t data_word_clocks(uint64_t word, unsigned cause)
{
    return word >> cause * DATA_CLOCK_BITS & ((1u << DATA_CLOCK_BITS) - 1);
}

/* Of any answer. `answer`: that of DATA_LONG. */
static inline bool data_hit(uint64_t word, const data_answer *answer)
{
    return word == DATA_LONG ? answer->hit : word == DATA_USUAL || data_word_hit(word);
}

/* ... of one that is not DATA_USUAL. */
static inline bool data_is_misaligned(uint64_t word, const data_answer *answer)
{
    return word == DATA_LONG ? answer->is_misaligned : data_word_is_misaligned(word);
}

/* The same of a reference that was asked for at `asked`. */
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
