/* A Sound Blaster 16 at 220h, IRQ 7, DMA channels 1 and 5. Transfers take their time and raise interrupts, but it
 * makes no sound. Creative's Sound Blaster Series Hardware Programming Guide. */
#ifndef MACHINE_BOARD_SOUND_BLASTER_H
#define MACHINE_BOARD_SOUND_BLASTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

enum { SOUND_PARAMETERS = 3, SOUND_ANSWERS = 64 };

/* A transfer: units of the DMA channel at a rate, an interrupt after each block. */
typedef struct sound_transfer {
    bool active, paused, repeats;
    bool words;          /* by channel 5; else bytes by channel 1 */
    bool silent;         /* command 80h: time passes without DMA */
    bool last_block;     /* a repeating one ends after this block */
    uint32_t block;      /* units of a block */
    uint32_t moved;      /* of the present block */
    uint32_t millihertz; /* units in 1000 seconds */
    uint64_t since;      /* the clock at which it began or was continued */
    uint64_t counted;    /* units moved since then */
} sound_transfer;

typedef struct sound_blaster {
    bool resetting;
    uint8_t answers[SOUND_ANSWERS]; /* ring buffer of the bytes that can be read from the DSP */
    uint8_t answer_at, answer_count;
    uint8_t command, parameters[SOUND_PARAMETERS], parameter_count;
    bool in_command;       /* parameters of `command` are still to come */
    uint8_t test_register; /* written and read by commands E4h and E8h */
    bool speaker;
    bool interrupt8, interrupt16; /* pending interrupts of transfers by channel 1 and by channel 5 */
    uint8_t mixer_index;
    uint8_t mixer[256];
    uint32_t rate_hz;        /* of commands 41h, 42h; 0: by the time constant */
    uint8_t time_constant;   /* of command 40h */
    uint16_t block_less_one; /* of command 48h: bytes */
    sound_transfer transfer;
} sound_blaster;

extern const snapshot_table sound_state;

#endif
