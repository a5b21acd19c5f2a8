#include "core/board.h"

#include <stdlib.h>
#include <string.h>

bool board_init(board *b, const p5_model *model)
{
    *b = (board){.model = model, .l2_lines = model->l2.bytes / 32};
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

/* True if the L2 has the line; takes it in otherwise, if such a read allocates. */
static bool l2_hit(board *b, uint32_t physical, bool line)
{
    const model_l2 *l2 = &b->model->l2;
    if (b->l2_tag == NULL || physical >= l2->cacheable_bytes)
        return false;
    uint32_t number = physical / 32;
    uint32_t *tag = &b->l2_tag[number & (b->l2_lines - 1)];
    if (*tag == number + 1)
        return true;
    if (line || l2->allocate_single)
        *tag = number + 1;
    return false;
}

board_time board_read(board *b, uint32_t physical, bool line, uint64_t at)
{
    const model_l2 *l2 = &b->model->l2;
    const model_dram *dram = &b->model->dram;
    if (l2_hit(b, physical, line))
        return (board_time){l2->first, l2->next};
    uint32_t page = physical / dram->page_bytes + 1;
    bool closed = b->open_page == 0 || (dram->close_idle != 0 && at >= b->dram_free + dram->close_idle);
    uint32_t first = closed ? dram->closed : b->open_page == page ? dram->hit : dram->miss;
    b->open_page = page;
    b->dram_free = at + first + (line ? 3 * dram->next : 0);
    return (board_time){first, dram->next};
}
