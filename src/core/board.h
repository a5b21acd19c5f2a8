/* Memory behind the processor's pins: the board's L2 (direct mapped, written through, allocating on reads)
 * and DRAM with one open page. Answers how many bus clocks a read takes; writes are posted by the chipset and
 * take a fixed time (bus.c). */
#ifndef CORE_BOARD_H
#define CORE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model.h"

typedef struct board {
    const p5_model *model;
    uint32_t *l2_tag; /* line number + 1 of each line, 0 = invalid; NULL without an L2 */
    uint32_t l2_lines;
    uint32_t open_page; /* DRAM page number + 1, 0 = none */
    uint64_t dram_free; /* bus clock in which DRAM was last busy, + 1 */
} board;

/* Bus clocks of a read, ADS# to first BRDY#, and between further ones. */
typedef struct board_time {
    uint32_t first, next;
} board_time;

bool board_init(board *b, const p5_model *model);
void board_free(board *b);
void board_reset(board *b);
/* A read whose ADS# is in bus clock `at`: of a line, or of up to 8 bytes. */
board_time board_read(board *b, uint32_t physical, bool line, uint64_t at);

#endif
