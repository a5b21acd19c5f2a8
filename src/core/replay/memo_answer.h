/* Answers of the caches, TLBs and the branch predictor to questions of the pipe, packed into a memo_answer: four
 * words that are equal exactly if the pipe cannot tell the answers apart. The memo compares and stores them. Clocks
 * are relative, so that they are the same whenever the code runs.
 *
 * The last word is the whole answer if it has MEMO_ONE_WORD. Otherwise all four count. */
#ifndef CORE_REPLAY_MEMO_ANSWER_H
#define CORE_REPLAY_MEMO_ANSWER_H

#include "core/branch/branch.h"
#include "core/memo.h"
#include "core/memory/memory_system.h"

/* Number of words before the last. */
enum { MEMO_REST = 3 };
/* Flag in the last word: the other words are 0. It is that of a data reference's result in a word. */
#define MEMO_ONE_WORD DATA_IN_WORD

/* ---- data references ---- */

/* Packs the result `word` that memory_ask just returned for a reference requested at clock `asked`. The last word is
 * that result: DATA_USUAL, a word with its own flag, or DATA_LONG, for which the other words hold the data_answer. */
static inline memo_answer memo_pack_data(const memory *m, uint64_t word, uint64_t asked)
{
    if (word != DATA_LONG)
        return (memo_answer){{0, 0, 0, word}};
    const data_answer *a = memory_long_answer(m);
    return (memo_answer){{a->done - asked, a->word1, a->word2, 0}};
}

/* Returns the packed form of a result that fits into a word. */
static inline memo_answer memo_one_word(uint64_t word)
{
    return (memo_answer){{0, 0, 0, word}};
}

/* Returns the result of a reference requested at `asked`, as memory_ask does. For DATA_LONG it fills `*a`. */
static inline uint64_t memo_unpack_data(const memo_answer *from, uint64_t asked, data_answer *a)
{
    const uint64_t *w = from->word;
    if (w[3] == DATA_LONG) {
        *a = (data_answer){.done = asked + w[0]};
        a->word1 = w[1];
        a->word2 = w[2];
    }
    return w[3];
}

/* ---- code lines ---- */

/* Packs the answer to a code line that was requested at clock `asked`, which is at most `latest`. Each 8-byte part
 * that arrives later than `asked` becomes the number 2 * n + 1, where the part arrives n clocks after
 * latest - MEMO_EARLY, or 1 if it arrives earlier, which the pipe cannot tell apart; other parts become 0. The four
 * numbers go into the last word, MEMO_PART_BITS each, unless one is too large; then each has a word. */
enum { MEMO_PART_BITS = 15, MEMO_PART = (1 << MEMO_PART_BITS) - 1, MEMO_EARLY = 1 << 12 };
static inline memo_answer memo_pack_code(const code_answer *a, uint64_t asked, uint64_t latest)
{
    memo_answer packed;
    const uint64_t early = latest - MEMO_EARLY;
    uint64_t all = 0, one = MEMO_ONE_WORD;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t ready = a->ready[i], after = (int64_t)(ready - early) > 0 ? ready - early : 0;
        const uint64_t part = packed.word[i] = ready > asked ? after << 1 | 1 : 0;
        all |= part;
        one |= part << (i * MEMO_PART_BITS);
    }
    return all >> MEMO_PART_BITS == 0 ? (memo_answer){{0, 0, 0, one}} : packed;
}

/* Unpacks the answer to a code line that was requested at `asked`, at most `latest`. It was not the usual one. */
static inline void memo_unpack_code(const memo_answer *from, uint64_t asked, uint64_t latest, code_answer *a)
{
    const uint64_t *word = from->word;
    *a = (code_answer){.hit = false};
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t part = word[3] & MEMO_ONE_WORD ? word[3] >> (i * MEMO_PART_BITS) & MEMO_PART : word[i];
        a->ready[i] = part & 1 ? latest + (part >> 1) - MEMO_EARLY : asked;
    }
}

/* ---- branches ---- */

/* Packs a branch's outcome. The direction is included, because nothing else in an answer distinguishes executions
 * by it. */
static inline memo_answer memo_pack_branch(const branch_answer *a, bool taken)
{
    return (memo_answer){{(uint64_t)a->hit | (uint64_t)a->predicted_taken << 1 | (uint64_t)a->right << 2 |
                          (uint64_t)a->false_entry << 3 | (uint64_t)a->return_predicted << 4 |
                          (uint64_t)a->return_right << 5 | (uint64_t)taken << 6}};
}

/* Unpacks what the predictor said about a branch, without the direction. */
static inline void memo_unpack_branch(const memo_answer *from, branch_answer *a)
{
    uint64_t w = from->word[0];
    *a = (branch_answer){.hit = w & 1,
                         .predicted_taken = w >> 1 & 1,
                         .right = w >> 2 & 1,
                         .false_entry = w >> 3 & 1,
                         .return_predicted = w >> 4 & 1,
                         .return_right = w >> 5 & 1};
}

/* Packs the answer to a question of the P54C that is answered by yes or no. */
static inline memo_answer memo_pack_bool(bool answer)
{
    return (memo_answer){{answer}};
}

#endif
