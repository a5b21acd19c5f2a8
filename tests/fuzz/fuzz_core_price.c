/* Prices any code, retired in any stretches with any accesses. Every clock has an owner, and the memo's prices are
 * those of the exact path. */
#include <string.h>

#include "fuzz.h"
#include "isa/isa.h"
#include "p5tool/core.h"
#include "p5scope/model.h"

enum { BLOCKS = 4, CODE = 0x10000, STRETCHES = 64, ACCESSES_MAX = 4096 };

typedef struct twin {
    p5_core *core;
    p5_block *blocks[BLOCKS];
} twin;

static p5_model *model;

static void twin_open(twin *t, bool memo, const uint8_t *code, size_t size)
{
    p5_error error;
    LAW(p5_core_open(model, NULL, &t->core, &error) == P5_OK);
    p5_core_set_memo(t->core, memo);
    for (unsigned i = 0; i < BLOCKS; i++) {
        size_t begin = size * i / BLOCKS;
        uint32_t address = CODE + 0x100 * i + (uint32_t)(begin & 31);
        t->blocks[i] =
            p5_block_make(t->core, &(p5_code){code + begin, size - begin, address, address, true}, 16);
    }
}

static void twin_close(twin *t)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (t->blocks[i] != NULL)
            p5_block_release(t->core, t->blocks[i]);
    }
    p5_core_close(t->core);
}

/* Retires the stretches that the input chooses, the same ones for both twins. */
static void feed(twin *t, fuzz_input input)
{
    static p5_access accesses[ACCESSES_MAX];
    p5_value values[16];
    memset(values, 0, sizeof values);
    for (int n = 0; n < STRETCHES && input.size > 0; n++) {
        uint8_t what = fuzz_byte(&input);
        p5_block *block = t->blocks[what % BLOCKS];
        if (block == NULL || p5_block_count(block) == 0)
            continue;
        unsigned count = p5_block_count(block), access_count = 0;
        unsigned first = what & 0x40 ? fuzz_byte(&input) % count : 0;
        uint32_t at = fuzz_word(&input) & 0x3ffff;
        for (unsigned i = first; i < count; i++) {
            for (unsigned k = p5_block_accesses(block, i); k > 0 && access_count < ACCESSES_MAX;
                 k--, at += what >> 4 & 7)
                accesses[access_count++] = (p5_access){
                    .linear = at, .physical = at, .size = 4, .flags = k == 1 ? P5_ACCESS_WRITE : 0};
        }
        p5_retired retired = {
            .size = sizeof retired,
            .block = block,
            .first = (uint16_t)first,
            .count = (uint16_t)(count - first),
            .access_count = access_count,
            .accesses = accesses,
            .value_count = 16,
            .values = values,
            .next = CODE + 0x100u * (fuzz_byte(&input) % BLOCKS),
            .repeats = 1,
            .cpl = what & 0x80 ? 3 : 0,
            .cpl_after = what & 0x80 ? 3 : 0,
            .mode = P5_MODE_PROTECTED,
        };
        p5_core_retire(t->core, &retired);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static p5_counts with, without;
    p5_error error;
    if (size < 16 || (model == NULL && p5_model_open("p55c-200", &model, &error) != P5_OK))
        return 0;
    twin exact, memo;
    size_t code = size / 2;
    twin_open(&exact, false, data, code);
    twin_open(&memo, true, data, code);
    feed(&exact, (fuzz_input){data + code, size - code});
    feed(&memo, (fuzz_input){data + code, size - code});
    memset(&with, 0, sizeof with);
    memset(&without, 0, sizeof without);
    p5_core_counts(memo.core, &with);
    p5_core_counts(exact.core, &without);
    LAW(p5_core_clock(memo.core) == p5_core_clock(exact.core));
    LAW(memcmp(&with, &without, sizeof with) == 0);
    for (int cpl = 0; cpl < P5_CPL_CLASSES; cpl++) {
        uint64_t owned = 0;
        for (int cause = 0; cause < P5_STALL_COUNT; cause++)
            owned += with.stalls[cause][cpl];
        LAW(owned == with.clocks[cpl]);
    }
    twin_close(&exact);
    twin_close(&memo);
    return 0;
}
