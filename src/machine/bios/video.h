/* Declarations shared by the services of INT 10h. */
#ifndef MACHINE_BIOS_VIDEO_H
#define MACHINE_BIOS_VIDEO_H

#include "machine/bios/bios.h"
#include "machine/board/devices.h"

enum { VIDEO_ALL_PLANES = 4 * 0x10000 }; /* bytes */
enum { VIDEO_TEXT_MEMORY = 0x8000 };     /* bytes of all text pages */
enum { VIDEO_PAGES = 8 };
enum { VIDEO_MOST_COLUMNS = 132 }; /* of characters */
/* Offsets in the ROM: the table to which the information of AH = 1Bh points, and the fonts. */
enum { VIDEO_FUNCTIONALITY = 0x0f00 };
enum { VIDEO_FONT_8 = 0x1000, VIDEO_FONT_14 = 0x2000, VIDEO_FONT_16 = 0x3000 };

/* A bit of BDA_VIDEO_INFORMATION that AH = 12h changes; setting a mode clears it. */
enum { VIDEO_CURSOR_AS_IS = 1 };
/* Bits of BDA_VIDEO_OPTIONS that AH = 12h changes; they are kept when a mode is set. Text modes have 350 lines if neither
 * VIDEO_LINES_400 nor VIDEO_LINES_200 is set. */
enum { VIDEO_GREYS = 2, VIDEO_COLOURS_KEPT = 8, VIDEO_LINES_400 = 0x10, VIDEO_LINES_200 = 0x80 };

/* Memory layout of pixels or characters. */
typedef enum video_kind {
    VIDEO_TEXT,
    VIDEO_CGA4,   /* 4 colours, so 2 bits per pixel; at B8000h, with odd lines at offset 2000h */
    VIDEO_CGA2,   /* 2 colours, so 1 bit per pixel; otherwise the same */
    VIDEO_PLANAR, /* at A0000h; a bit of each pixel in each of four planes */
    VIDEO_PACKED  /* at A0000h; a byte per pixel */
} video_kind;

typedef struct video_mode {
    uint8_t number;         /* AL of AH = 00h */
    uint8_t kind;           /* video_kind */
    uint16_t width, height; /* pixels */
    uint8_t columns;        /* of characters */
    uint8_t glyph_height;   /* of a character, in pixels */
    uint16_t page_bytes;    /* from the start of a page to that of the next; in planar modes, in each plane */
    video_registers registers;
} video_mode;

/* --- video.c, video_mode.c and video_information.c --- */

/* Returns the mode with this number, or NULL. */
const video_mode *video_mode_find(unsigned number);
/* Returns the current mode. During a VESA mode, this is a VIDEO_PACKED of 0 x 0 pixels, so nothing is drawn. */
const video_mode *video_mode_now(const bios *b);
/* Returns the address of the mode's memory. */
static inline uint32_t video_base(const video_mode *mode)
{
    if (mode->kind == VIDEO_PLANAR || mode->kind == VIDEO_PACKED)
        return 0xa0000;
    /* The bit is set in colour modes: it selects the ports at 3D4h. */
    return (mode->registers.miscellaneous & 1) != 0 ? 0xb8000 : 0xb0000;
}
/* Returns the number of rows of characters, from the data area, where programs may change it. */
unsigned video_rows(const bios *b);
/* Returns the number of lines that are shown; a line that the monitor shows twice counts once. */
unsigned video_lines(const bios *b);
/* Sets registers, colours, fonts and data area for a mode. A text mode gets the number of lines that AH = 12h has
 * selected. Clears the screen's memory unless `keep`. */
void video_set_mode(bios *b, const video_mode *mode, bool keep);
/* Sets the 256 colours of the DAC to the defaults of a mode. */
void video_set_colours(bios *b, const video_mode *mode);
/* Loads `count` glyphs of `height` lines, for the characters from `first` on, into a font block (0-7) of text modes. */
void video_load_font(bios *b, unsigned block, const uint8_t *glyphs, unsigned height, unsigned first,
                     unsigned count);
/* Serves AH = 12h, by BL:
 *   10h  returns the configuration: colour or monochrome, 256 KB
 *   30h  selects 200, 350 or 400 lines (AL = 0 to 2) for text modes that are set from then on
 *   31h  whether setting a mode sets colours: AL = 0 yes, 1 no
 *   33h  whether colours that are set become grey: AL = 0 yes, 1 no
 *   34h  whether cursor shapes are converted: AL = 0 yes, 1 no
 * 32h, 35h and 36h switch features that cannot be switched here; they succeed without effect. */
void video_alternate(bios *b);
/* Serves AH = 1Bh: stores 64 bytes of state information at ES:DI, from the data area and the mode. BX is 0, the only kind
 * of information. */
void video_information(bios *b);

/* --- video_font.c --- */

/* Writes the fonts and the table of VIDEO_FUNCTIONALITY into the ROM. */
void video_rom(uint8_t *rom);
/* Makes graphics modes use the font at this offset (VIDEO_FONT_*). */
void video_set_font(bios *b, uint16_t offset);
void video_fonts(bios *b); /* serves AH = 11h */

/* --- video_draw.c: graphics modes --- */

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

/* A request to scroll a rectangle of characters on a page by some rows. */
typedef struct video_scrolled {
    bool up;
    unsigned rows;                     /* 0: clear the rectangle */
    uint8_t attribute;                 /* of the new rows; in graphics modes, their colour */
    unsigned top, left, bottom, right; /* the first and last row and column of the rectangle */
    unsigned page;
} video_scrolled;
void video_scroll_graphics(bios *b, const video_scrolled *request);

/* --- video_palette.c --- */

/* Converts `count` of the DAC's colours, from `first` on, to greys of the same brightness. */
void video_greys(bios *b, unsigned first, unsigned count);
void video_palette(bios *b);     /* serves AH = 10h */
void video_cga_palette(bios *b); /* serves AH = 0Bh */

/* --- vesa.c --- */

void video_vesa_service(bios *b); /* serves AH = 4Fh */
/* Serves AH = 1Ch and AX = 4F04h: `what` = 0 returns the size of the video state in blocks of 64 bytes in BX, 1 saves
 * the state to ES:BX, 2 restores it. Returns false for another value. */
bool video_serve_state(bios *b, uint8_t what);
/* The number of the vector whose stub in the ROM serves VESA's far routine instead of an interrupt (bios.c). */
enum { VESA_WINDOW_SLOT = 0xf2 };
/* Serves VESA's far routine, which moves the window at A0000h. */
void vesa_window(bios *b);
/* Writes the name of the maker, the list of modes and the routines for protected mode into the ROM. */
void vesa_rom(uint8_t *rom);

#endif
