/* Memory behind the processor's pins: the board's L2 (direct mapped, written through, allocating on reads)
 * and DRAM with one open page. Answers how many bus clocks a read takes; writes are posted by the chipset and
 * take a fixed time (bus.c). */
#ifndef CORE_BUS_BOARD_H
#define CORE_BUS_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "core/model/model.h"

/* Bus clocks of a read, ADS# to first BRDY#, and between further ones. */
typedef struct board_time {
    uint32_t first, next;
} board_time;

/* Where a read is answered from: L2, or DRAM with the page open, no page open, another one open. */
typedef enum board_place { BOARD_L2, BOARD_HIT, BOARD_CLOSED, BOARD_MISS, BOARD_PLACES } board_place;

typedef struct board {
    const p5_model *model;
    uint32_t *l2_tag; /* line number + 1 of each line, 0 = invalid; NULL without an L2 */
    uint32_t l2_lines;
    uint32_t l2_bytes;  /* that it caches, from address 0 on; 0 without an L2 */
    uint32_t page_bits; /* of an address within a DRAM page */
    board_time time[BOARD_PLACES];
    uint32_t open_page; /* DRAM page number + 1, 0 = none */
    uint64_t dram_free; /* bus clock in which DRAM was last busy, + 1 */
} board;

bool board_init(board *b, const p5_model *model);
void board_free(board *b);
void board_reset(board *b);
extern const snapshot_table board_state, l2_state;
/* The second-level cache, in either direction. */
void board_transfer_l2(board *b, snapshot *s);

/* True if the L2 has the line; takes it in otherwise, if such a read allocates. */
static inline bool board_l2_hit(board *b, uint32_t physical, bool line)
{
    if (physical >= b->l2_bytes)
        return false;
    uint32_t number = physical / 32;
    uint32_t *tag = &b->l2_tag[number & (b->l2_lines - 1)];
    if (*tag == number + 1)
        return true;
    if (line || b->model->l2.allocate_single)
        *tag = number + 1;
    return false;
}

/* A read whose ADS# is in bus clock `at`, of a line or of up to 8 bytes: what `time` to look at. */
static inline board_place board_read(board *b, uint32_t physical, bool line, uint64_t at)
{
    if (board_l2_hit(b, physical, line))
        return BOARD_L2;
    uint32_t page = (physical >> b->page_bits) + 1, idle = b->model->dram.close_idle;
    bool closed = b->open_page == 0 || (idle != 0 && at >= b->dram_free + idle);
    board_place place = closed ? BOARD_CLOSED : b->open_page == page ? BOARD_HIT : BOARD_MISS;
    b->open_page = page;
    const board_time time = b->time[place];
    b->dram_free = at + (line ? model_burst(time.first, time.next) : time.first);
    return place;
}

#endif
