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
                          [BOARD_HIT] = {dram->hit, dram->next},
                          [BOARD_CLOSED] = {dram->closed, dram->next},
                          [BOARD_MISS] = {dram->miss, dram->next}}};
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
