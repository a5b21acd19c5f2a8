/* Renders the VGA screen: the CRT controller addresses memory; attribute controller and DAC give the colours.
 * IBM's VGA technical reference, "CRT controller". */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/engine.h"
#include "machine/board/board_internal.h"
#include "machine/state.h"

enum {
    TEXT_MEMORY = 0x18000, /* B8000h relative to A0000h */
    MONO_MEMORY = 0x10000,
    TEXT_BYTES = 0x8000,
    ODD_LINES = 0x2000,
    PRESET_ROW_SCAN = 8, /* CRT controller registers */
    MAX_SCAN,
    CURSOR_BEGIN = 0x0a,
    CURSOR_END = 0x0b,
    OFFSET = 0x13,
    UNDERLINE = 0x14,
    MODE = 0x17,
    MODE_CONTROL = 0x10, /* attribute controller registers */
    PLANE_ENABLE = 0x12,
    PANNING = 0x13,
    COLOUR_SELECT = 0x14
};

/* State of a rendering. */
typedef struct view {
    const video *v;
    const uint8_t *ram; /* 128 KB of guest RAM at A0000h */
    p5_picture *picture;
    uint32_t lines; /* scan lines of the monitor */
    uint32_t twice; /* double scanning: 2 scan lines of the monitor for each of the CRT controller; else 1 */
    uint32_t row_lines; /* the CRT controller's scan lines per row of characters or pixels */
    uint32_t start;     /* first address of the screen, in the CRT controller's units */
    uint32_t pitch;     /* distance of rows, in the same units */
    uint32_t split;     /* line compare: after this scan line, addresses begin at 0 */
    uint32_t preset;    /* the first row of the screen begins with this line */
} view;

/* --- colours --- */

/* Sets a pixel of the picture to a colour of the DAC, unless it is outside; to the left of it, x has wrapped around. */
static void put_colour(const view *w, unsigned x, unsigned y, unsigned index)
{
    const uint8_t *colour = w->v->dac + (index & w->v->dac_mask) * 3u;
    if (x >= w->picture->width || y >= w->picture->height)
        return;
    unsigned char *to = w->picture->rgb + ((size_t)y * w->picture->width + x) * 3;
    for (unsigned i = 0; i < 3; i++)
        to[i] = (unsigned char)(colour[i] << 2 | colour[i] >> 4);
}

/* Returns the DAC index of one of 16 colours, from the palette and colour select registers. */
static unsigned of_16(const view *w, unsigned index)
{
    const uint8_t *a = w->v->attribute;
    unsigned palette = a[index & a[PLANE_ENABLE] & 15];
    if ((a[MODE_CONTROL] & 0x80) != 0)
        return (palette & 0x0f) | (a[COLOUR_SELECT] & 0x0fu) << 4;
    return (palette & 0x3f) | (a[COLOUR_SELECT] & 0x0cu) << 4;
}

/* --- memory --- */

/* Converts a CRT controller address to bytes of a plane: its unit is 1, 2 or 4 bytes. */
static uint32_t in_bytes(const view *w, uint32_t address)
{
    const uint8_t *c = w->v->crtc;
    return address * ((c[UNDERLINE] & 0x40) != 0 ? 4 : (c[MODE] & 0x40) != 0 ? 1 : 2);
}

static uint8_t plane_byte(const view *w, uint32_t offset, unsigned plane)
{
    offset &= VIDEO_PLANE_BYTES - 1;
    if (w->v->chained && (offset & 3) == 0) /* in guest RAM, in linear order */
        return w->ram[offset | plane];
    return w->v->memory[offset * VIDEO_PLANES + plane];
}

/* Returns the memory at B0000h or B8000h. */
static const uint8_t *text_memory(const view *w)
{
    return w->ram + ((w->v->graphics[6] & 0x0c) == 8 ? MONO_MEMORY : TEXT_MEMORY);
}

/* A scan line of the CRT controller. */
typedef struct scan_line {
    uint32_t address; /* of its first character or pixels, in the CRT controller's units */
    uint32_t scan;    /* number of the line within its row */
    uint32_t panning; /* pixel panning: where the screen begins in what the address holds */
} scan_line;

/* Returns the scan line `y`. Panning and preset row do not concern the lines after the split: the row counter begins at 0
 * there, and so does panning if bit 5 of the mode control register is set. */
static scan_line line_at(const view *w, uint32_t y)
{
    enum { PANS_ABOVE_SPLIT = 0x20 };
    const uint8_t *a = w->v->attribute;
    uint32_t split = (w->split + 1) / w->twice;
    bool below = w->split < w->lines && y >= split;
    bool pans = !below || (a[MODE_CONTROL] & PANS_ABOVE_SPLIT) == 0;
    uint32_t line = below ? y - split : y + w->preset, bytes = w->v->crtc[PRESET_ROW_SCAN] >> 5 & 3;
    return (scan_line){.address =
                           (below ? 0 : w->start) + line / w->row_lines * w->pitch + (pans ? bytes : 0),
                       .scan = line % w->row_lines,
                       .panning = pans ? a[PANNING] & 15u : 0};
}

/* --- graphics --- */

/* Draws a mode with 256 colours: four pixels at each address, one in each plane. */
static void draw_256(const view *w)
{
    for (unsigned y = 0; y < w->picture->height; y++) {
        const scan_line line = line_at(w, y * w->row_lines);
        for (unsigned x = 0; x < w->picture->width; x++) {
            unsigned from = x + (line.panning / 2 & 3);
            put_colour(w, x, y, plane_byte(w, in_bytes(w, line.address + from / 4), from % 4));
        }
    }
}

/* Draws a planar mode: eight pixels at each address, a bit of each in each plane. */
static void draw_16(const view *w)
{
    for (unsigned y = 0; y < w->picture->height; y++) {
        const scan_line line = line_at(w, y * w->row_lines);
        for (unsigned x = 0; x < w->picture->width; x++) {
            unsigned from = x + (line.panning & 7), index = 0, bit = 7 - from % 8;
            uint32_t offset = in_bytes(w, line.address + from / 8);
            for (unsigned plane = 0; plane < VIDEO_PLANES; plane++)
                index |= ((unsigned)plane_byte(w, offset, plane) >> bit & 1) << plane;
            put_colour(w, x, y, of_16(w, index));
        }
    }
}

/* Draws a CGA mode: pixels have `depth` bits, and odd lines are at offset 2000h. */
static void draw_cga(const view *w, unsigned depth)
{
    const uint8_t *memory = text_memory(w);
    for (unsigned y = 0; y < w->picture->height; y++) {
        const scan_line line = line_at(w, y);
        uint32_t at = in_bytes(w, line.address) + (line.scan & 1) * ODD_LINES;
        for (unsigned x = 0; x < w->picture->width; x++) {
            unsigned bit = (x + (line.panning & 7)) * depth;
            uint8_t byte = memory[(at + bit / 8) % TEXT_BYTES];
            put_colour(w, x, y, of_16(w, (unsigned)byte >> (8 - depth - bit % 8) & ((1u << depth) - 1)));
        }
    }
}

/* --- text --- */

/* Returns a line of a glyph from plane 2. Attribute bit 3 selects one of two font blocks. */
static uint8_t glyph_line(const view *w, uint8_t character, uint8_t attribute, unsigned line)
{
    unsigned map = w->v->sequencer[3];
    unsigned block = (attribute & 8) != 0 ? (map >> 2 & 3) | (map >> 3 & 4) : (map & 3) | (map >> 2 & 4);
    return w->v->memory[(video_font_block(block) + character * 32u + line % 32) * VIDEO_PLANES + 2];
}

/* Returns true if the cursor covers a line of the character at address `cell`. In a picture, it does not blink. */
static bool cursor_on(const view *w, uint32_t cell, unsigned line)
{
    const uint8_t *c = w->v->crtc;
    uint32_t at = (uint32_t)c[VIDEO_CURSOR] << 8 | c[VIDEO_CURSOR + 1];
    return cell == at && (c[CURSOR_BEGIN] & 0x20) == 0 && line >= (c[CURSOR_BEGIN] & 31u) &&
           line <= (c[CURSOR_END] & 31u);
}

/* Draws a text mode. Characters that are 9 pixels wide repeat the eighth one if they are line graphics. With them, panning
 * of 8 means that the screen begins with the first pixel of a character, and 0 with the second. */
static void draw_text(const view *w)
{
    unsigned width = (w->v->sequencer[1] & 1) != 0 ? 8 : 9, columns = w->picture->width / width;
    bool blinks = (w->v->attribute[MODE_CONTROL] & 8) != 0,
         graphic = (w->v->attribute[MODE_CONTROL] & 4) != 0;
    const uint8_t *memory = text_memory(w);
    for (unsigned y = 0; y < w->picture->height; y++) {
        const scan_line line = line_at(w, y);
        unsigned panning = width == 8 ? line.panning & 7 : line.panning < 8 ? line.panning + 1 : 0;
        for (unsigned column = 0; column <= columns; column++) {
            uint32_t cell = line.address + column;
            const uint8_t *code = memory + cell * 2 % TEXT_BYTES;
            unsigned background = code[1] >> 4 & (blinks ? 7 : 15);
            uint8_t bits = cursor_on(w, cell, line.scan) ? 0xff : glyph_line(w, code[0], code[1], line.scan);
            for (unsigned x = 0; x < width; x++) {
                bool ninth = x == 8 && (bits & 1) != 0 && graphic && code[0] >= 0xc0 && code[0] <= 0xdf;
                bool set = x < 8 ? (bits >> (7 - x) & 1) != 0 : ninth;
                put_colour(w, column * width + x - panning, y, of_16(w, set ? code[1] & 15u : background));
            }
        }
    }
}

/* --- VESA --- */

static void draw_vesa(const view *w)
{
    const video *v = w->v;
    unsigned bytes = v->vesa_bits <= 8 ? 1 : v->vesa_bits <= 16 ? 2 : 4;
    for (unsigned y = 0; y < w->picture->height; y++)
        for (unsigned x = 0; x < w->picture->width; x++) {
            uint64_t at = v->start + (uint64_t)y * v->pitch + x * bytes;
            unsigned char *to = w->picture->rgb + ((size_t)y * w->picture->width + x) * 3;
            uint32_t pixel = 0;
            if (at + bytes > VIDEO_MEMORY)
                continue;
            memcpy(&pixel, v->memory + at, bytes);
            if (bytes == 1) {
                put_colour(w, x, y, pixel);
            } else if (bytes == 4) {
                for (unsigned i = 0; i < 3; i++)
                    to[i] = (unsigned char)(pixel >> (16 - 8 * i));
            } else {
                unsigned greens = v->vesa_bits == 16 ? 6 : 5, green = pixel >> 5 & ((1u << greens) - 1);
                unsigned red = pixel >> (5 + greens) & 31, blue = pixel & 31;
                to[0] = (unsigned char)(red << 3 | red >> 2);
                to[1] = (unsigned char)(green << (8 - greens) | green >> (2 * greens - 8));
                to[2] = (unsigned char)(blue << 3 | blue >> 2);
            }
        }
}

/* --- the picture --- */

/* Computes the picture's size. Scan lines that repeat a line are not counted. */
static void measure(view *w, unsigned *width, unsigned *height)
{
    const video *v = w->v;
    const uint8_t *c = v->crtc;
    bool graphics = (v->graphics[6] & 1) != 0, cga = graphics && (v->graphics[6] & 8) != 0;
    unsigned characters = c[1] + 1u;
    w->lines = video_lines_of(c);
    w->twice = (c[MAX_SCAN] & 0x80) != 0 ? 2 : 1;
    w->row_lines = (c[MAX_SCAN] & 31u) + 1;
    w->preset = c[PRESET_ROW_SCAN] & 31u;
    w->start = (uint32_t)c[VIDEO_START] << 8 | c[VIDEO_START + 1];
    w->pitch = c[OFFSET] * 2u;
    w->split = c[0x18] | (c[7] & 0x10u) << 4 | (c[MAX_SCAN] & 0x40u) << 3;
    *height = w->lines / w->twice;
    if (graphics && !cga)
        *height /= w->row_lines;
    *width = characters * ((v->graphics[5] & 0x40) != 0 ? 4 : graphics || (v->sequencer[1] & 1) != 0 ? 8 : 9);
    if (v->vesa != 0) {
        *width = v->vesa_width;
        *height = v->vesa_height;
    }
    *width += *width == 0;
    *height += *height == 0;
}

/* Returns true if the screen is off: by the sequencer, or because the attribute controller's palette is open for the
 * processor. */
static bool is_off(const video *v)
{
    enum { SCREEN_OFF = 0x20, PALETTE_CLOSED = 0x20 };
    return (v->sequencer[1] & SCREEN_OFF) != 0 || (v->attribute_index & PALETTE_CLOSED) == 0;
}

p5_status video_picture(devices *b, p5_picture *picture, p5_error *error)
{
    const video *v = &b->video;
    view w = {.v = v, .picture = picture};
    *picture = (p5_picture){.size = sizeof(p5_picture), .text = v->vesa == 0 && (v->graphics[6] & 1) == 0};
    w.ram = engine_ram(b->machine->engine, P5_VIDEO_WINDOW, P5_VIDEO_WINDOW_BYTES);
    if (w.ram == NULL)
        return error_set(error, P5_ERR_STATE, "the guest has no memory at A0000h-BFFFFh for a screen");
    measure(&w, &picture->width, &picture->height);
    picture->rgb = calloc((size_t)picture->width * picture->height, 3);
    if (picture->rgb == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a picture");
    if (is_off(v))
        return P5_OK; /* black */
    if (v->vesa != 0)
        draw_vesa(&w);
    else if (picture->text)
        draw_text(&w);
    else if ((v->graphics[6] & 8) != 0)
        draw_cga(&w, (v->graphics[5] & 0x20) != 0 ? 2 : 1);
    else if ((v->graphics[5] & 0x40) != 0)
        draw_256(&w);
    else
        draw_16(&w);
    return P5_OK;
}
