/* What the services of INT 10h share. */
#ifndef MACHINE_BIOS_VIDEO_H
#define MACHINE_BIOS_VIDEO_H

#include "machine/bios/bios.h"
#include "machine/board/devices.h"

enum { VIDEO_ALL_PLANES = 4 * 0x10000 };
enum { VIDEO_FUNCTIONALITY = 0x0f00 }; /* in the ROM: what AH = 1Bh can do */

/* How pixels, or characters, stand in memory. */
typedef enum video_kind {
    VIDEO_TEXT,
    VIDEO_CGA4,   /* four pixels a byte, at B8000h; odd lines 2000h behind the even ones */
    VIDEO_CGA2,   /* eight */
    VIDEO_PLANAR, /* a bit in each of four planes */
    VIDEO_PACKED  /* a byte each */
} video_kind;

typedef struct video_mode {
    uint8_t number;
    uint8_t kind;
    uint16_t width, height;
    uint8_t columns, character; /* height of a character */
    uint16_t page_bytes;
    video_registers registers;
} video_mode;

/* The mode of that number; NULL: there is none. */
const video_mode *video_mode_find(unsigned number);
/* The one that is set. In a VESA mode it is one without pixels: nothing is drawn. */
const video_mode *video_mode_now(const bios *b);
/* Where its memory begins. */
static inline uint32_t video_base(const video_mode *mode)
{
    if (mode->kind == VIDEO_PLANAR || mode->kind == VIDEO_PACKED)
        return 0xa0000;
    return (mode->registers.miscellaneous & 1) != 0 ? 0xb8000 : 0xb0000;
}
void video_set_mode(bios *b, const video_mode *mode, bool keep);
void video_set_colours(bios *b, const video_mode *mode);
/* Glyphs of `height` lines into a block of the memory that text modes show. */
void video_load_font(bios *b, unsigned block, const uint8_t *glyphs, unsigned height, unsigned first,
                     unsigned count);

/* video_font.c: the fonts in ROM, and the one that graphics modes use. */
enum {
    VIDEO_FONT_8 = 0x1000,
    VIDEO_FONT_14 = 0x2000,
    VIDEO_FONT_16 = 0x3000
}; /* offsets in the ROM's segment */
void video_rom(uint8_t *rom);
void video_set_font(bios *b, uint16_t offset);
void video_fonts(bios *b); /* AH = 11h */

/* video_draw.c: graphics. */
typedef struct video_glyph {
    uint8_t character, colour, background;
    bool exclusive; /* is drawn over what is there by exclusive or */
    unsigned page, row, column;
} video_glyph;
void video_draw_glyph(bios *b, const video_glyph *glyph);
/* The character whose glyph is there; 0: none is. */
uint8_t video_read_glyph(bios *b, unsigned page, unsigned row, unsigned column);
void video_put_pixel(bios *b, unsigned page, unsigned x, unsigned y, uint8_t colour);
uint8_t video_get_pixel(bios *b, unsigned page, unsigned x, unsigned y);

/* A window of characters on the current page whose lines move. */
typedef struct video_scrolled {
    bool up;
    unsigned lines; /* 0: all are cleared */
    uint8_t attribute;
    unsigned top, left, bottom, right;
} video_scrolled;
void video_scroll_graphics(bios *b, const video_scrolled *window);

void video_palette(bios *b);      /* video_palette.c: AH = 10h */
void video_cga_palette(bios *b);  /* AH = 0Bh */
void video_vesa_service(bios *b); /* vesa.c: AH = 4Fh */
enum { VESA_WINDOW_SLOT = 0xf2 }; /* in the place of that vector's stub: the far routine of a window */
void vesa_rom(uint8_t *rom);
void vesa_window(bios *b);

#endif
