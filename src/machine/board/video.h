/* The registers of a VGA (video.c). */
#ifndef MACHINE_BOARD_VIDEO_H
#define MACHINE_BOARD_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

typedef struct video {
    uint8_t miscellaneous, dac_mask;
    uint8_t crtc_index, sequencer_index, graphics_index, attribute_index;
    bool attribute_data; /* the next write to the attribute controller is data */
    uint8_t crtc[32], sequencer[8], graphics[16], attribute[32];
    uint8_t dac_read, dac_write, dac_part; /* entries, and red, green or blue of it */
    uint8_t dac[256 * 3];
} video;

extern const snapshot_table video_state;

#endif
