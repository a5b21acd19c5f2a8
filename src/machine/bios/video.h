/* Declarations shared by the services of INT 10h. */
#ifndef MACHINE_BIOS_VIDEO_H
#define MACHINE_BIOS_VIDEO_H

#include "machine/bios/bios.h"
#include "machine/board/devices.h"

enum { VIDEO_ALL_PLANES = 4 * 0x10000 }; /* bytes */
enum { VIDEO_TEXT_MEMORY = 0x8000 };     /* bytes of all text pages */
enum { VIDEO_PAGES = 8 };
enum { VIDEO_FUNCTIONALITY = 0x0f00 }; /* offset in the ROM: table for AH = 1Bh */

/* Bits of the data area that AH = 12h changes: the first in BDA_VIDEO_INFORMATION until a mode is set, the others in
 * BDA_VIDEO_OPTIONS. Text modes have 350 lines if neither VIDEO_LINES_400 nor VIDEO_LINES_200 is set. */
enum {
    VIDEO_CURSOR_AS_IS = 1,
    VIDEO_GREYS = 2,
    VIDEO_COLOURS_KEPT = 8,
    VIDEO_LINES_400 = 0x10,
    VIDEO_LINES_200 = 0x80
};

/* Memory layout of pixels or characters. */
typedef enum video_kind {
    VIDEO_TEXT,
    VIDEO_CGA4,   /* four pixels per byte, at B8000h; odd lines are at offset 2000h */
    VIDEO_CGA2,   /* the same with eight pixels per byte */
    VIDEO_PLANAR, /* at A0000h; a bit of each pixel in each of four planes */
    VIDEO_PACKED  /* at A0000h; a byte per pixel */
} video_kind;

typedef struct video_mode {
    uint8_t number;         /* AL of AH = 00h */
    uint8_t kind;           /* video_kind */
    uint16_t width, height; /* pixels */
    uint8_t columns;        /* of characters */
    uint8_t character;      /* height of a character in lines */
    uint16_t page_bytes;    /* distance of pages; in planar modes, in each plane */
    video_registers registers;
} video_mode;

/* Returns the mode with this number, or NULL. */
const video_mode *video_mode_find(unsigned number);
/* Returns the current mode. During a VESA mode, this is a mode without pixels, so nothing is drawn. */
const video_mode *video_mode_now(const bios *b);
/* Returns the linear address of the mode's memory. */
static inline uint32_t video_base(const video_mode *mode)
{
    if (mode->kind == VIDEO_PLANAR || mode->kind == VIDEO_PACKED)
        return 0xa0000;
    return (mode->registers.miscellaneous & 1) != 0 ? 0xb8000 : 0xb0000;
}
/* Returns the rows of characters, which programs may change in the data area. */
unsigned video_rows(const bios *b);
/* video_information.c: AH = 1Bh stores 64 bytes of state information at ES:DI, from the data area and the mode. BX is
 * 0, the only kind of information. */
void video_information(bios *b);
/* Returns the lines that are shown; a line that the monitor shows twice counts once. */
unsigned video_lines(const bios *b);
/* Sets registers, colours, fonts and data area for a mode. A text mode gets the number of lines that AH = 12h has
 * selected. Clears the screen's memory unless `keep`. */
void video_set_mode(bios *b, const video_mode *mode, bool keep);
/* Serves AH = 12h. BL = 10h returns the configuration, colour or monochrome with 256 KB. BL = 30h selects 200, 350 or
 * 400 lines (AL = 0 to 2) for text modes that are set from then on. AL = 0 turns on and AL = 1 turns off: that a mode
 * sets colours (BL = 31h), that colours become grey (33h), and that cursor shapes are converted (34h). 32h, 35h and 36h
 * select features that are fixed; they succeed without effect. */
void video_alternate(bios *b);
/* Sets the 256 colours of the DAC to the defaults of a mode. */
void video_set_colours(bios *b, const video_mode *mode);
/* Loads `count` glyphs of `height` lines, for the characters from `first` on, into a font block (0-7) of text modes. */
void video_load_font(bios *b, unsigned block, const uint8_t *glyphs, unsigned height, unsigned first,
                     unsigned count);

/* video_font.c: fonts. These are offsets in the ROM's segment. */
enum { VIDEO_FONT_8 = 0x1000, VIDEO_FONT_14 = 0x2000, VIDEO_FONT_16 = 0x3000 };
/* Writes the fonts and the table of VIDEO_FUNCTIONALITY into the ROM. */
void video_rom(uint8_t *rom);
/* Makes graphics modes use the font at this offset (VIDEO_FONT_*). */
void video_set_font(bios *b, uint16_t offset);
void video_fonts(bios *b); /* serves AH = 11h */

/* video_draw.c: graphics. */
typedef struct video_glyph {
    uint8_t character, colour, background;
    bool exclusive; /* combine with the screen by exclusive or; the background then changes nothing */
    unsigned page, row, column;
} video_glyph;
void video_draw_glyph(bios *b, const video_glyph *glyph);
/* Returns the character whose glyph is on the screen at this position, or 0. */
uint8_t video_read_glyph(bios *b, unsigned page, unsigned row, unsigned column);
void video_put_pixel(bios *b, unsigned page, unsigned x, unsigned y, uint8_t colour);
uint8_t video_get_pixel(bios *b, unsigned page, unsigned x, unsigned y);

/* A window of characters on a page to be scrolled. */
typedef struct video_scrolled {
    bool up;
    unsigned lines;                    /* rows of characters; 0: clear the window */
    uint8_t attribute;                 /* of the new rows; in graphics modes, their colour */
    unsigned top, left, bottom, right; /* rows and columns, all within the window */
    unsigned page;
} video_scrolled;
void video_scroll_graphics(bios *b, const video_scrolled *window);

/* video_palette.c. Converts `count` of the DAC's colours, from `first` on, to greys of the same brightness. */
void video_greys(bios *b, unsigned first, unsigned count);
void video_palette(bios *b);      /* serves AH = 10h */
void video_cga_palette(bios *b);  /* serves AH = 0Bh */
void video_vesa_service(bios *b); /* vesa.c: serves AH = 4Fh */
/* AH = 1Ch and AX = 4F04h: `what` = 0 returns the size of the video state in blocks of 64 bytes in BX, 1 saves
 * the state to ES:BX, 2 restores it. Returns false for another value. */
bool video_serve_state(bios *b, uint8_t what);
/* The vector whose stub in the ROM is VESA's far routine that moves the window (bios.c); it is no interrupt. */
enum { VESA_WINDOW_SLOT = 0xf2 };
/* Writes the name of the maker, the list of modes and the routines for protected mode into the ROM. */
void vesa_rom(uint8_t *rom);
/* Serves VESA's far routine. */
void vesa_window(bios *b);

#endif
