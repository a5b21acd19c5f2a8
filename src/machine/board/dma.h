/* The two 8237A DMA controllers of a PC/AT and their page registers. Channels 0-3 move bytes, 5-7 words; 4 is the
 * cascade. Devices request transfers; memory-to-memory transfers are not implemented. Intel 8237A data sheet (231466). */
#ifndef MACHINE_BOARD_DMA_H
#define MACHINE_BOARD_DMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/snapshot.h"

enum { DMA_CHANNELS = 4, DMA_FLOPPY = 2 };

typedef struct dma_channel {
    uint16_t base_address, base_count; /* as written */
    uint16_t address, count;           /* current values; the count is one less than the transfers left */
    uint8_t mode;                      /* the mode register */
} dma_channel;

typedef struct dma_controller {
    dma_channel channels[DMA_CHANNELS];
    uint8_t masked;  /* bit n: channel n */
    uint8_t ended;   /* bit n: channel n has reached its terminal count since the status was read */
    uint8_t command; /* the command register */
    bool high_next;  /* the byte pointer: the next access to an address or count is to its high byte */
} dma_controller;

typedef struct dma {
    dma_controller controllers[2]; /* of bytes, of words */
    uint8_t pages[16];             /* 80h-8Fh as written; 81h-83h, 87h, 89h-8Bh belong to channels */
} dma;

extern const snapshot_table dma_state;

#endif
