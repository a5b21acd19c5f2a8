/* A VGA with 4 MB of memory: its registers (video.c) and what is written to its memory (video_memory.c). */
#ifndef MACHINE_BOARD_VIDEO_H
#define MACHINE_BOARD_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "p5scope/core.h"

enum {
    VIDEO_PLANES = 4,
    VIDEO_PLANE_BYTES = 0x10000,
    VIDEO_WINDOW_BYTES = 0x10000, /* at A0000h */
    VIDEO_WIDEST = 2048,          /* pixels, and lines, of a VESA mode at most */
    VIDEO_MEMORY = P5_VIDEO_LINEAR_BYTES
};

typedef struct video {
    uint8_t miscellaneous, dac_mask;
    uint8_t crtc_index, sequencer_index, graphics_index, attribute_index;
    bool attribute_data; /* the next write to the attribute controller is data */
    uint8_t crtc[32], sequencer[8], graphics[16], attribute[32];
    uint8_t dac_read, dac_write, dac_part; /* entries, and red, green or blue of it */
    uint8_t dac[256 * 3];
    uint8_t latch[VIDEO_PLANES];
    bool chained;  /* the first 64 KB of the planes, one byte behind the other (chain-4), are in the guest's
                      RAM at A0000h, not here */
    uint16_t vesa; /* the VESA mode, 0: a mode of the VGA; */
    uint16_t vesa_width, vesa_height;
    uint8_t vesa_bits; /* ... of a pixel */
    uint8_t vesa_index;
    uint32_t bank;   /* first byte of the memory that A0000h shows in a VESA mode, */
    uint32_t pitch;  /* ... bytes of a line of it, */
    uint32_t start;  /* ... and where the screen begins */
    uint8_t *memory; /* VIDEO_MEMORY bytes; those of the planes are the first, offset * 4 + plane */
} video;

extern const snapshot_table video_state;

/* A register, the VESA mode, or the bank has changed: A0000h shows what it has to show now. */
void video_map(struct devices *b);

#endif
