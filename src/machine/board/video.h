/* A VGA with 4 MB of memory: registers (video.c), memory (video_memory.c) and picture (video_picture.c). */
#ifndef MACHINE_BOARD_VIDEO_H
#define MACHINE_BOARD_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "p5tool/core.h"

enum {
    VIDEO_PLANES = 4,
    VIDEO_PLANE_BYTES = 0x10000,
    VIDEO_WINDOW_BYTES = 0x10000, /* at A0000h */
    VIDEO_WIDEST = 2048,          /* maximum width and height of a VESA mode in pixels */
    VIDEO_MEMORY = P5_VIDEO_LINEAR_BYTES
};

typedef struct video {
    uint8_t miscellaneous, dac_mask;
    uint8_t crtc_index, sequencer_index, graphics_index, attribute_index;
    bool attribute_data; /* the next write to the attribute controller is data */
    bool dac_reads;      /* the last address was one to read from */
    uint8_t crtc[32], sequencer[8], graphics[16], attribute[32]; /* registers by index */
    uint8_t dac_read, dac_write; /* the entries that the data port reads and writes */
    uint8_t dac_part;            /* the next component of the entry: 0 red, 1 green, 2 blue */
    uint8_t dac[256 * 3];        /* 6 bits each */
    uint8_t latch[VIDEO_PLANES]; /* of the graphics controller */
    bool chained;  /* chain-4: the first 64 KB are in guest RAM at A0000h in linear order, not in `memory` */
    uint16_t vesa; /* VESA mode; 0: a VGA mode */
    uint16_t vesa_width, vesa_height;
    uint8_t vesa_bits;  /* per pixel */
    uint8_t vesa_index; /* the register that port 1CFh writes */
    uint32_t bank;      /* VESA modes: first byte of memory that is mapped to A0000h */
    uint32_t pitch;     /* VESA modes: bytes per line */
    uint32_t start;     /* VESA modes: first byte on the screen */
    uint8_t *memory;    /* VIDEO_MEMORY bytes; planes are at offset * 4 + plane */
} video;

extern const snapshot_table video_state;

/* Accesses to a byte of the window at A0000h, through the graphics controller. */
uint8_t video_window_read(struct devices *b, uint32_t physical);
void video_window_write(struct devices *b, uint32_t physical, uint8_t byte);

#endif
