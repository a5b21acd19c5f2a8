/* Prices a loop with the core model alone: no emulator, no guest; the instruction stream is made by hand.
 *   cc price_loop.c $(pkg-config --cflags --libs p5core) */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <p5scope/core.h>
#include <p5scope/model.h>

static const uint8_t code[] = {
    0x83, 0xc0, 0x01, /* add eax, 1 */
    0x83, 0xc3, 0x01, /* add ebx, 1 */
    0x49,             /* dec ecx */
    0x75, 0xf7,       /* jnz back to the first */
};
enum { ADDRESS = 0x1000, TRIPS = 1000 };

static void require(p5_status status, const p5_error *error)
{
    if (status != P5_OK) {
        fprintf(stderr, "price_loop: %s\n", error->message);
        exit(1);
    }
}

int main(void)
{
    p5_error error;
    p5_model *model;
    p5_core *core;
    require(p5_model_open("p55c-200", &model, &error), &error);
    require(p5_core_open(model, NULL, &core, &error), &error);

    p5_block *block = p5_block_make(core, &(p5_code){code, sizeof code, ADDRESS, ADDRESS, true}, 16);
    if (block == NULL) {
        fprintf(stderr, "price_loop: the code does not decode\n");
        return 1;
    }
    for (int trip = 0; trip < TRIPS; trip++) {
        p5_retired retired = {
            .size = sizeof retired,
            .block = block,
            .count = (uint16_t)p5_block_count(block),
            .next = trip < TRIPS - 1 ? ADDRESS : ADDRESS + sizeof code,
            .cpl = 3,
            .cpl_after = 3,
            .mode = P5_MODE_PROTECTED,
        };
        p5_core_retire(core, &retired);
    }

    p5_counts *counts = p5_counts_new();
    if (counts == NULL)
        return 1;
    p5_core_counts(core, counts);
    printf("clocks        %" PRIu64 "\n", p5_counts_clocks(counts, P5_CPL_MASK_USER));
    printf("instructions  %" PRIu64 "\n",
           p5_counts_event(counts, P5_EVENT_INSTRUCTIONS_EXECUTED, P5_CPL_MASK_USER));
    printf("in the V pipe %" PRIu64 "\n",
           p5_counts_event(counts, P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE, P5_CPL_MASK_USER));

    p5_counts_free(counts);
    p5_block_release(core, block);
    p5_core_close(core);
    p5_model_close(model);
    return 0;
}
