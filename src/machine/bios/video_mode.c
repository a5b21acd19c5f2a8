/* INT 10h AH = 00h: VGA modes. The register values of each mode are from IBM's VGA technical reference,
 * "Default mode values". */
#include <string.h>

#include "machine/bios/bios_internal.h"
#include "machine/bios/font.h"
#include "machine/bios/video.h"

/* A mode's values are in the order of video_mode (video.h): kind, width and height, columns, lines of a
 * character, bytes of a page, and the registers: miscellaneous, sequencer, CRT controller, graphics controller,
 * attribute controller. */

/* Palette registers of modes with 16 of 64 colours, and of those with the colours of a CGA. */
#define COLOURS_EGA                                                                                          \
    0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x14, 0x07, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f
#define COLOURS_CGA                                                                                          \
    0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17

#define MODE(number, kind, width, height, columns, character, page_bytes, ...)                               \
    {                                                                                                        \
        number, kind, width, height, columns, character, page_bytes,                                         \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
/* Two modes that differ only in their number. On a composite monitor one of them shows no colours; a VGA shows
 * both alike. */
#define MODES(first, second, ...) MODE(first, __VA_ARGS__), MODE(second, __VA_ARGS__)
static const video_mode modes[] = {
    MODES(0x00, 0x01, VIDEO_TEXT, 360, 400, 40, 16, 0x800, 0x67, {0x03, 0x08, 0x03, 0x00, 0x02},
          {0x2d, 0x27, 0x28, 0x90, 0x2b, 0xa0, 0xbf, 0x1f, 0x00, 0x4f, 0x0d, 0x0e, 0x00,
           0x00, 0x00, 0x00, 0x9c, 0x8e, 0x8f, 0x14, 0x1f, 0x96, 0xb9, 0xa3, 0xff},
          {0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x0e, 0x0f, 0xff},
          {COLOURS_EGA, 0x0c, 0x00, 0x0f, 0x08, 0x00}),
    MODES(0x02, 0x03, VIDEO_TEXT, 720, 400, 80, 16, 0x1000, 0x67, {0x03, 0x00, 0x03, 0x00, 0x02},
          {0x5f, 0x4f, 0x50, 0x82, 0x55, 0x81, 0xbf, 0x1f, 0x00, 0x4f, 0x0d, 0x0e, 0x00,
           0x00, 0x00, 0x00, 0x9c, 0x8e, 0x8f, 0x28, 0x1f, 0x96, 0xb9, 0xa3, 0xff},
          {0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x0e, 0x0f, 0xff},
          {COLOURS_EGA, 0x0c, 0x00, 0x0f, 0x08, 0x00}),
    MODES(0x04, 0x05, VIDEO_CGA4, 320, 200, 40, 8, 0x4000, 0x63, {0x03, 0x09, 0x03, 0x00, 0x02},
          {0x2d, 0x27, 0x28, 0x90, 0x2b, 0x80, 0xbf, 0x1f, 0x00, 0xc1, 0x00, 0x00, 0x00,
           0x00, 0x00, 0x00, 0x9c, 0x8e, 0x8f, 0x14, 0x00, 0x96, 0xb9, 0xa2, 0xff},
          {0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x0f, 0x0f, 0xff},
          {0x00, 0x13, 0x15, 0x17, 0x02, 0x04, 0x06, 0x07, 0x10, 0x11, 0x12,
           0x13, 0x14, 0x15, 0x16, 0x17, 0x01, 0x00, 0x0f, 0x00, 0x00}),
    MODE(0x06, VIDEO_CGA2, 640, 200, 80, 8, 0x4000, 0x63, {0x03, 0x09, 0x01, 0x00, 0x06},
         {0x5f, 0x4f, 0x50, 0x82, 0x54, 0x80, 0xbf, 0x1f, 0x00, 0xc1, 0x00, 0x00, 0x00,
          0x00, 0x00, 0x00, 0x9c, 0x8e, 0x8f, 0x28, 0x00, 0x96, 0xb9, 0xc2, 0xff},
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0f, 0x0f, 0xff},
         {0x00, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17, 0x17,
          0x17, 0x17, 0x17, 0x17, 0x17, 0x01, 0x00, 0x01, 0x00, 0x00}),
    MODE(0x07, VIDEO_TEXT, 720, 400, 80, 16, 0x1000, 0x66, {0x03, 0x00, 0x03, 0x00, 0x02},
         {0x5f, 0x4f, 0x50, 0x82, 0x55, 0x81, 0xbf, 0x1f, 0x00, 0x4f, 0x0d, 0x0e, 0x00,
          0x00, 0x00, 0x00, 0x9c, 0x8e, 0x8f, 0x28, 0x0f, 0x96, 0xb9, 0xa3, 0xff},
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x0a, 0x0f, 0xff},
         {0x00, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x10, 0x18, 0x18,
          0x18, 0x18, 0x18, 0x18, 0x18, 0x0c, 0x00, 0x0f, 0x08, 0x00}),
    MODE(0x0d, VIDEO_PLANAR, 320, 200, 40, 8, 0x2000, 0x63, {0x03, 0x09, 0x0f, 0x00, 0x06},
         {0x2d, 0x27, 0x28, 0x90, 0x2b, 0x80, 0xbf, 0x1f, 0x00, 0xc0, 0x00, 0x00, 0x00,
          0x00, 0x00, 0x00, 0x9c, 0x8e, 0x8f, 0x14, 0x00, 0x96, 0xb9, 0xe3, 0xff},
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x0f, 0xff}, {COLOURS_CGA, 0x01, 0x00, 0x0f, 0x00, 0x00}),
    MODE(0x0e, VIDEO_PLANAR, 640, 200, 80, 8, 0x4000, 0x63, {0x03, 0x01, 0x0f, 0x00, 0x06},
         {0x5f, 0x4f, 0x50, 0x82, 0x54, 0x80, 0xbf, 0x1f, 0x00, 0xc0, 0x00, 0x00, 0x00,
          0x00, 0x00, 0x00, 0x9c, 0x8e, 0x8f, 0x28, 0x00, 0x96, 0xb9, 0xe3, 0xff},
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x0f, 0xff}, {COLOURS_CGA, 0x01, 0x00, 0x0f, 0x00, 0x00}),
    MODE(0x0f, VIDEO_PLANAR, 640, 350, 80, 14, 0x8000, 0xa2, {0x03, 0x01, 0x0f, 0x00, 0x06},
         {0x5f, 0x4f, 0x50, 0x82, 0x54, 0x80, 0xbf, 0x1f, 0x00, 0x40, 0x00, 0x00, 0x00,
          0x00, 0x00, 0x00, 0x83, 0x85, 0x5d, 0x28, 0x0f, 0x63, 0xba, 0xe3, 0xff},
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x0f, 0xff},
         {0x00, 0x08, 0x00, 0x00, 0x18, 0x18, 0x00, 0x00, 0x00, 0x08, 0x00,
          0x00, 0x00, 0x18, 0x00, 0x00, 0x0b, 0x00, 0x0f, 0x00, 0x00}),
    MODE(0x10, VIDEO_PLANAR, 640, 350, 80, 14, 0x8000, 0xa3, {0x03, 0x01, 0x0f, 0x00, 0x06},
         {0x5f, 0x4f, 0x50, 0x82, 0x54, 0x80, 0xbf, 0x1f, 0x00, 0x40, 0x00, 0x00, 0x00,
          0x00, 0x00, 0x00, 0x83, 0x85, 0x5d, 0x28, 0x0f, 0x63, 0xba, 0xe3, 0xff},
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x0f, 0xff}, {COLOURS_EGA, 0x01, 0x00, 0x0f, 0x00, 0x00}),
    MODE(0x11, VIDEO_PLANAR, 640, 480, 80, 16, 0xa000, 0xe3, {0x03, 0x01, 0x0f, 0x00, 0x06},
         {0x5f, 0x4f, 0x50, 0x82, 0x54, 0x80, 0x0b, 0x3e, 0x00, 0x40, 0x00, 0x00, 0x00,
          0x00, 0x00, 0x00, 0xea, 0x8c, 0xdf, 0x28, 0x00, 0xe7, 0x04, 0xc3, 0xff},
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x0f, 0xff},
         {0x00, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f,
          0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x01, 0x00, 0x0f, 0x00, 0x00}),
    MODE(0x12, VIDEO_PLANAR, 640, 480, 80, 16, 0xa000, 0xe3, {0x03, 0x01, 0x0f, 0x00, 0x06},
         {0x5f, 0x4f, 0x50, 0x82, 0x54, 0x80, 0x0b, 0x3e, 0x00, 0x40, 0x00, 0x00, 0x00,
          0x00, 0x00, 0x00, 0xea, 0x8c, 0xdf, 0x28, 0x00, 0xe7, 0x04, 0xe3, 0xff},
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x0f, 0xff}, {COLOURS_EGA, 0x01, 0x00, 0x0f, 0x00, 0x00}),
    MODE(0x13, VIDEO_PACKED, 320, 200, 40, 8, 0x2000, 0x63, {0x03, 0x01, 0x0f, 0x00, 0x0e},
         {0x5f, 0x4f, 0x50, 0x82, 0x54, 0x80, 0xbf, 0x1f, 0x00, 0x41, 0x00, 0x00, 0x00,
          0x00, 0x00, 0x00, 0x9c, 0x8e, 0x8f, 0x28, 0x40, 0x96, 0xb9, 0xa3, 0xff},
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x05, 0x0f, 0xff},
         {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a,
          0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x41, 0x00, 0x0f, 0x00, 0x00}),
};

const video_mode *video_mode_find(unsigned number)
{
    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (modes[i].number == number)
            return &modes[i];
    return NULL;
}

unsigned video_lines(const bios *b)
{
    enum { TWICE = 0x80 };
    const uint8_t *crtc = video_vga_of(b->machine->devices).crtc;
    return (crtc[9] & TWICE) != 0 ? video_lines_of(crtc) / 2 : video_lines_of(crtc);
}

/* Changes a text mode to 200 or 350 lines if AH = 12h with BL = 30h has selected them. Monochrome text has no 200 lines.
 * The values are those of IBM's modes 0, 0*, 2, 2* and 7*, apart from the palette, which shows the same colours. */
static video_mode with_lines(const bios *b, const video_mode *mode)
{
    enum {
        DOT_CLOCK_25 = 4,
        EIGHT_DOTS = 1,
        COLOUR = 1,
        LINES_350 = 0x80,
        MODE_CONTROL = 16,
        LINE_GRAPHICS = 4
    };
    static const struct {
        uint8_t at, of_200, of_350;
    } crtc[] = {{0x09, 0xc7, 0x4d}, {0x0a, 0x06, 0x0b}, {0x0b, 0x07, 0x0c}, {0x10, 0x9c, 0x83},
                {0x11, 0x8e, 0x85}, {0x12, 0x8f, 0x5d}, {0x15, 0x96, 0x63}, {0x16, 0xb9, 0xba}};
    const unsigned options = bios_load(b, BDA_VIDEO_OPTIONS, 1);
    const bool colour = (mode->registers.miscellaneous & COLOUR) != 0,
               lines_200 = (options & VIDEO_LINES_200) != 0;
    video_mode is = *mode;
    if (mode->kind != VIDEO_TEXT || (options & VIDEO_LINES_400) != 0 || (lines_200 && !colour))
        return is;
    is.height = lines_200 ? 200 : 350;
    is.glyph_height = lines_200 ? 8 : 14;
    for (unsigned i = 0; i < sizeof crtc / sizeof crtc[0]; i++)
        is.registers.crtc[crtc[i].at] = lines_200 ? crtc[i].of_200 : crtc[i].of_350;
    if (!lines_200)
        is.registers.miscellaneous = (is.registers.miscellaneous & 0x3f) | LINES_350;
    if (colour) {
        is.width = (uint16_t)(is.columns * 8);
        is.registers.miscellaneous &= (uint8_t)~DOT_CLOCK_25;
        is.registers.sequencer[1] |= EIGHT_DOTS;
        is.registers.attribute[MODE_CONTROL] &= (uint8_t)~LINE_GRAPHICS;
    }
    return is;
}

/* --- default colours of the modes --- */

enum { DIM = 0x15, BRIGHT = 0x2a, MOST = 0x3f }; /* a third, two thirds and all of the DAC's 6 bits */

/* Converts a 6-bit colour: bits 5-3 are red, green, blue at one third intensity, bits 2-0 at two thirds. */
static void colour_of_6_bits(unsigned bits, uint8_t colour[3])
{
    for (unsigned i = 0; i < 3; i++)
        colour[i] =
            (uint8_t)(((bits >> (2 - i) & 1) != 0 ? BRIGHT : 0) + ((bits >> (5 - i) & 1) != 0 ? DIM : 0));
}

/* Converts a 4-bit colour: intensity, red, green, blue. Dark yellow becomes brown. */
static void colour_of_4_bits(unsigned bits, uint8_t colour[3])
{
    enum { BROWN = 6 };
    colour_of_6_bits((bits & 7) | ((bits & 8) != 0 ? 0x38u : 0), colour);
    if (bits == BROWN)
        colour[1] = DIM;
}

/* Makes a circle of 24 hues, from blue over red, yellow and green back to blue. `low` and `high` are the least
 * and the greatest value of a primary colour. */
static void colour_circle(uint8_t *colours, unsigned low, unsigned high)
{
    for (unsigned hue = 0; hue < 24; hue++) {
        unsigned step = hue % 4, side = hue / 4;
        uint8_t rising = (uint8_t)((4 * low + (high - low) * step + 1) / 4);
        uint8_t falling = (uint8_t)((4 * low + (high - low) * (4 - step) + 1) / 4);
        /* for each of the six segments: the primary colour that is high, and the one that changes */
        static const uint8_t is_high[6] = {2, 0, 0, 1, 1, 2}, changes[6] = {0, 2, 1, 0, 2, 1};
        uint8_t *colour = colours + hue * 3;
        memset(colour, (int)low, 3);
        colour[is_high[side]] = (uint8_t)high;
        colour[changes[side]] = (side & 1) == 0 ? rising : falling;
    }
}

/* Makes the colours of mode 13h: 16 of a CGA, 16 greys, and nine circles of less and less saturation and intensity. */
static void colours_of_256(uint8_t *dac)
{
    static const uint8_t greys[16] = {0, 5, 8, 11, 14, 17, 20, 24, 28, 32, 36, 40, 45, 50, 56, 63};
    static const uint8_t circles[9][2] = {{0, 63},  {31, 63}, {45, 63}, {0, 28}, {14, 28},
                                          {20, 28}, {0, 16},  {8, 16},  {11, 16}};
    for (unsigned i = 0; i < 16; i++) {
        colour_of_4_bits(i, dac + i * 3);
        memset(dac + (16 + i) * 3, greys[i], 3);
    }
    for (unsigned i = 0; i < 9; i++)
        colour_circle(dac + (32 + 24 * i) * 3, circles[i][0], circles[i][1]);
}

void video_set_colours(bios *b, const video_mode *mode)
{
    static const uint8_t monochrome[4] = {0, BRIGHT, BRIGHT, MOST};
    uint8_t *dac = video_vga_of(b->machine->devices).dac;
    /* few: the palette registers select the DAC's entries 0-7 and 10h-17h */
    bool mono = (mode->registers.miscellaneous & 1) == 0, few = mode->registers.attribute[8] == 0x10;
    memset(dac, 0, 256 * 3);
    if (mode->kind == VIDEO_PACKED) {
        colours_of_256(dac);
        return;
    }
    for (unsigned i = 0; i < 64; i++) {
        if (mono)
            memset(dac + i * 3, monochrome[i / 8 % 4], 3);
        else if (few || mode->kind == VIDEO_CGA2)
            colour_of_4_bits((i & 7) | (i & 16) / 2, dac + i * 3);
        else
            colour_of_6_bits(i, dac + i * 3);
    }
}

/* --- setting a mode --- */

/* Fills the mode's memory with spaces or black pixels. */
static void clear_memory(bios *b, const video_mode *mode)
{
    enum { BYTES = 0x8000 };
    static const uint16_t blank = 0x0720; /* a space, grey on black */
    uint16_t cells[BYTES / 2];
    for (unsigned i = 0; i < BYTES / 2; i++)
        cells[i] = mode->kind == VIDEO_TEXT ? blank : 0;
    if (mode->kind == VIDEO_PLANAR || mode->kind == VIDEO_PACKED)
        memset(video_planes(b->machine->devices), 0, VIDEO_ALL_PLANES);
    else
        engine_write_linear(b->machine->engine, video_base(mode), cells, sizeof cells);
}

/* Fills the data area for a mode. `kept`: the contents of the screen were kept. */
static void set_data_area(bios *b, const video_mode *mode, bool kept)
{
    /* INFORMATION: 256 KB. OPTIONS: a VGA is active; the display combination of AH = 1Ah. */
    enum { CURSOR_SHAPE = 0x0607, INFORMATION = 0x60, OPTIONS = 0x0801 };
    enum { KEPT = VIDEO_COLOURS_KEPT | VIDEO_GREYS | VIDEO_LINES_400 | VIDEO_LINES_200 };
    static const uint8_t cga_mode[] = {0x2c, 0x28, 0x2d, 0x29, 0x2a, 0x2e, 0x1e, 0x29};
    bios_store(b, BDA_VIDEO_MODE, 1, mode->number);
    bios_store(b, BDA_COLUMNS, 2, mode->columns);
    bios_store(b, BDA_PAGE_BYTES, 2, mode->page_bytes);
    bios_store(b, BDA_PAGE_START, 2, 0);
    for (unsigned page = 0; page < VIDEO_PAGES; page++)
        bios_store(b, BDA_CURSOR + page * 2, 2, 0);
    bios_store(b, BDA_CURSOR_SHAPE, 2, CURSOR_SHAPE);
    bios_store(b, BDA_PAGE, 1, 0);
    bios_store(b, BDA_CRTC, 2, (mode->registers.miscellaneous & 1) != 0 ? 0x3d4 : 0x3b4);
    bios_store(b, BDA_ROWS, 1, (uint32_t)mode->height / mode->glyph_height - 1);
    bios_store(b, BDA_CHARACTER, 2, mode->glyph_height);
    bios_store(b, BDA_VIDEO_INFORMATION, 1, INFORMATION | (kept ? 0x80u : 0));
    bios_store(b, BDA_VIDEO_OPTIONS, 2, OPTIONS | (bios_load(b, BDA_VIDEO_OPTIONS, 1) & KEPT));
    if (mode->number < sizeof cga_mode) {
        bios_store(b, BDA_CGA_MODE, 1, cga_mode[mode->number]);
        bios_store(b, BDA_CGA_COLOUR, 1, mode->number == 6 ? 0x3f : 0x30);
    }
}

/* Text modes take their font from a block of plane 2, with 32 bytes per character. */
void video_load_font(bios *b, unsigned block, const uint8_t *glyphs, unsigned height, unsigned first,
                     unsigned count)
{
    uint8_t *planes = video_planes(b->machine->devices);
    for (unsigned i = 0; i < count * height; i++) {
        unsigned character = (first + i / height) % FONT_CHARACTERS;
        planes[(video_font_block(block) + character * 32 + i % height) * 4 + 2] = glyphs[i];
    }
    video_map(b->machine->devices);
}

/* Sets the registers and colours. If AH = 12h with BL = 31h has turned default colours off, keeps the palette
 * registers, the border and the DAC. */
static void set_video(bios *b, const video_mode *mode)
{
    enum { PALETTE = 16, BORDER = 0x11 };
    devices *board = b->machine->devices;
    uint8_t *attribute = video_vga_of(board).attribute, palette[PALETTE], border = attribute[BORDER];
    unsigned options = bios_load(b, BDA_VIDEO_OPTIONS, 1);
    memcpy(palette, attribute, PALETTE);
    video_set_registers(board, &mode->registers);
    if ((options & VIDEO_COLOURS_KEPT) != 0) {
        memcpy(attribute, palette, PALETTE);
        attribute[BORDER] = border;
        return;
    }
    video_set_colours(b, mode);
    *video_vga_of(board).dac_mask = 0xff;
    if ((options & VIDEO_GREYS) != 0)
        video_greys(b, 0, 256);
}

void video_set_mode(bios *b, const video_mode *mode, bool keep)
{
    devices *board = b->machine->devices;
    const video_mode with = with_lines(b, mode);
    const unsigned height = with.glyph_height;
    set_video(b, &with);
    set_data_area(b, &with, keep);
    if (!keep)
        clear_memory(b, &with);
    if (with.kind == VIDEO_TEXT)
        video_load_font(b, 0,
                        height == 8    ? font_8[0]
                        : height == 14 ? font_14[0]
                                       : font_16[0],
                        height, 0, FONT_CHARACTERS);
    video_map(board);
    video_set_font(b, height == 14 ? VIDEO_FONT_14 : height == 16 ? VIDEO_FONT_16 : VIDEO_FONT_8);
}

/* Sets or clears a bit of a byte of the data area. */
static void set_option(bios *b, uint32_t at, unsigned bit, bool on)
{
    bios_store(b, at, 1, (bios_load(b, at, 1) & ~bit) | (on ? bit : 0));
}

/* BL = 30h: Selects the lines of text modes. The switches of the adapter then also say whether the monitor has 200
 * lines. */
static void select_lines(bios *b, uint8_t choice)
{
    static const uint8_t bits[] = {VIDEO_LINES_200, 0, VIDEO_LINES_400}, switches[] = {8, 9, 9};
    if (choice >= sizeof bits)
        return;
    uint32_t options = bios_load(b, BDA_VIDEO_OPTIONS, 1) & ~(uint32_t)(VIDEO_LINES_200 | VIDEO_LINES_400);
    bios_store(b, BDA_VIDEO_OPTIONS, 1, options | bits[choice]);
    bios_store(b, BDA_VIDEO_SWITCHES, 1, (bios_load(b, BDA_VIDEO_SWITCHES, 1) & 0xf0) | switches[choice]);
}

void video_alternate(bios *b)
{
    uint8_t bl = bios_low(b, ENGINE_EBX);
    bool off = (bios_low(b, ENGINE_EAX) & 1) != 0, colour = bios_load(b, BDA_CRTC, 2) == 0x3d4;
    if (bl == 0x10) {
        bios_set_word(b, ENGINE_EBX, colour ? 0x0003 : 0x0103);
        bios_set_word(b, ENGINE_ECX, 0x0009);
    }
    if (bl == 0x30)
        select_lines(b, bios_low(b, ENGINE_EAX));
    if (bl == 0x31)
        set_option(b, BDA_VIDEO_OPTIONS, VIDEO_COLOURS_KEPT, off);
    if (bl == 0x33)
        set_option(b, BDA_VIDEO_OPTIONS, VIDEO_GREYS, !off);
    if (bl == 0x34)
        set_option(b, BDA_VIDEO_INFORMATION, VIDEO_CURSOR_AS_IS, off);
    if (bl >= 0x30 && bl <= 0x36)
        bios_set_low(b, ENGINE_EAX, bl == 0x30 && bios_low(b, ENGINE_EAX) > 2 ? 0 : 0x12);
}
