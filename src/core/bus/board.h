/* Memory outside the processor: the board's L2 (direct mapped, write-through, allocating on reads) and DRAM
 * with one open page. This file determines how many bus clocks a read takes. bus.c has the times of other cycles:
 * writes, which the chipset posts in a fixed time, locked reads, and reads of video memory. */
#ifndef CORE_BUS_BOARD_H
#define CORE_BUS_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "core/model/model.h"

/* Bus clocks of a read: from that of ADS# to that of the first BRDY#, both counted, and for each further BRDY#. */
typedef struct board_time {
    uint32_t first, next;
} board_time;

/* Where a read is served from: L2, or DRAM with the right page open, no page open, or another page open. */
typedef enum board_place { BOARD_L2, BOARD_HIT, BOARD_CLOSED, BOARD_MISS, BOARD_PLACES } board_place;

typedef struct board {
    const p5_model *model;
    /* For each entry: number of its line (address / 32) + 1, 0 = invalid; NULL without an L2. */
    uint32_t *l2_tag;
    uint32_t l2_lines;  /* number of entries, a power of two; 0 without an L2 */
    uint32_t l2_bytes;  /* bytes of memory that it may cache, from address 0 on; 0 without an L2 */
    uint32_t page_bits; /* number of address bits within a DRAM page */
    board_time time[BOARD_PLACES];
    uint32_t open_page; /* number of the open DRAM page + 1, 0 = none */
    uint64_t dram_free; /* bus clock after the last one in which DRAM was busy */
} board;

/* Sets the state after RESET. Returns false if memory runs out. `model` must outlive the board. */
bool board_init(board *b, const p5_model *model);
void board_free(board *b);
/* Empties the L2 and closes the DRAM page. */
void board_reset(board *b);
extern const snapshot_table board_state, l2_state;
/* Saves or restores the L2's tags, each by l2_state. board_state is for the other members. */
void board_transfer_l2(board *b, snapshot *s);

/* Returns whether the L2 has the line of `physical`. If not, allocates it if such a read allocates. `line`: the whole
 * line is read, otherwise up to 8 bytes. */
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

/* Returns where a read of a line or of up to 8 bytes is served from, as an index of `time`, and updates L2 and open
 * page. Its ADS# is in bus clock `at`. */
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
