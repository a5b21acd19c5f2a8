/* The board's L2 and DRAM: opening, RESET and snapshots. board.h has the reads. */
#include "core/bus/board.h"

#include <stdlib.h>
#include <string.h>

bool board_init(board *b, const p5_model *model)
{
    const model_l2 *l2 = &model->l2;
    const model_dram *dram = &model->dram;
    *b = (board){.model = model,
                 .l2_lines = l2->bytes / 32,
                 .l2_bytes = l2->bytes > 0 ? l2->cacheable_bytes : 0,
                 .time = {[BOARD_L2] = {l2->first, l2->next},
                          [BOARD_PAGE_HIT] = {dram->hit, dram->next},
                          [BOARD_PAGE_CLOSED] = {dram->closed, dram->next},
                          [BOARD_PAGE_MISS] = {dram->miss, dram->next}}};
    while (1u << b->page_bits < dram->page_bytes)
        b->page_bits++;
    if (b->l2_lines > 0)
        b->l2_tag = calloc(b->l2_lines, sizeof *b->l2_tag);
    return b->l2_lines == 0 || b->l2_tag != NULL;
}

void board_free(board *b)
{
    free(b->l2_tag);
    b->l2_tag = NULL;
}

void board_reset(board *b)
{
    if (b->l2_tag != NULL)
        memset(b->l2_tag, 0, b->l2_lines * sizeof *b->l2_tag);
    b->open_page = 0;
    b->dram_free = 0;
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* FIELD_DERIVED names members that are not saved because the model or others determine them. */
const snapshot_table board_state = {
    SNAPSHOT(board, "board", FIELD_DERIVED(model, l2_tag, l2_lines, l2_bytes, page_bits, time),
             FIELD_ANY(open_page), FIELD_TIME(dram_free))};

/* An element of board.l2_tag as a struct, which snapshot tables need. */
typedef struct l2_line {
    uint32_t tag;
} l2_line;
const snapshot_table l2_state = {SNAPSHOT(l2_line, "l2", FIELD_ANY(tag))};

void board_transfer_l2(board *b, snapshot *s)
{
    snapshot_states(s, &l2_state, b->l2_tag, b->l2_lines);
    /* a loaded tag must select its own entry, and its line must begin in the memory that the L2 caches */
    for (uint32_t i = 0; s->loading && s->status == P5_OK && i < b->l2_lines; i++)
        if (b->l2_tag[i] != 0 && (((b->l2_tag[i] - 1) & (b->l2_lines - 1)) != i ||
                                  (b->l2_tag[i] - 1) * UINT64_C(32) >= b->l2_bytes))
            snapshot_refuse(s, "l2.tag[%u]: line %Xh does not belong there", i, b->l2_tag[i] - 1);
}
