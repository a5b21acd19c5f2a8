/* Memory outside the processor: the board's L2 (direct mapped, write-through, without allocation on writes) and DRAM with
 * one open page. They determine how many bus clocks a read takes. Other cycles have times of their own (bus.c) and
 * change neither the L2 nor the open page: writes, which the chipset posts, locked reads, and reads of video memory. */
#ifndef CORE_BUS_BOARD_H
#define CORE_BUS_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "core/model/model.h"

/* Bus clocks of a read. `first`: from the clock of ADS# to that of the first BRDY#, both included. `next`: for each further
 * BRDY#. */
typedef struct board_time {
    uint32_t first, next;
} board_time;

/* Where a read is served from. */
typedef enum board_place {
    BOARD_L2,
    BOARD_PAGE_HIT,    /* DRAM; the open page is that of the read */
    BOARD_PAGE_CLOSED, /* DRAM; no page is open */
    BOARD_PAGE_MISS,   /* DRAM; another page is open */
    BOARD_PLACES       /* the number of places */
} board_place;

typedef struct board {
    const p5_model *model;
    /* The L2's entries, each for one line: number of the line (address / 32) + 1; 0 = invalid. NULL without an L2. */
    uint32_t *l2_tag;
    uint32_t l2_lines;  /* number of entries, a power of two; 0 without an L2 */
    uint32_t l2_bytes;  /* bytes of memory that it may cache, from address 0 on; 0 without an L2 */
    uint32_t page_bits; /* number of address bits within a DRAM page */
    board_time time[BOARD_PLACES];
    uint32_t open_page; /* number of the open DRAM page + 1, 0 = none */
    uint64_t dram_free; /* bus clock after the end of DRAM's last read */
} board;

/* Makes a board with an empty L2 and no open page. Returns false if memory runs out. `model` must outlive the board. */
bool board_init(board *b, const p5_model *model);
/* Frees the L2. May also be called after board_init has failed. */
void board_free(board *b);
/* Empties the L2 and closes the DRAM page. */
void board_reset(board *b);
/* The snapshot tables of one tag of the L2 and of the other members. */
extern const snapshot_table l2_state, board_state;
/* Saves or restores the L2's tags. */
void board_transfer_l2(board *b, snapshot *s);

/* Reads a line (`line`) or up to 8 bytes through the L2. Returns true for a hit. After a miss the L2 has the line, if
 * its memory is cacheable and the board's L2 allocates for such a read. */
static inline bool board_l2_read(board *b, uint32_t physical, bool line)
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

/* Reads a line (`line`) or up to 8 bytes, with ADS# in bus clock `at`. Returns where from, which is the index of its time in
 * b->time, and updates L2 and open page. */
static inline board_place board_read(board *b, uint32_t physical, bool line, uint64_t at)
{
    if (board_l2_read(b, physical, line))
        return BOARD_L2;
    uint32_t page = (physical >> b->page_bits) + 1, idle = b->model->dram.close_idle;
    bool closed = b->open_page == 0 || (idle != 0 && at >= b->dram_free + idle);
    board_place place = closed ? BOARD_PAGE_CLOSED : b->open_page == page ? BOARD_PAGE_HIT : BOARD_PAGE_MISS;
    b->open_page = page;
    const board_time time = b->time[place];
    b->dram_free = at + (line ? model_burst(time.first, time.next) : time.first);
    return place;
}

#endif
