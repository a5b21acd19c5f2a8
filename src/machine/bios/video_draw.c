/* INT 10h in graphics modes: pixels, characters and scrolling. Planar modes are changed in the VGA's planes
 * (video_planes), other modes through guest memory. A program may have given a planar mode a linear byte order, in
 * which the planes are kept in guest RAM: video_planes moves them out of it, and video_map moves them
 * back. Each service calls the latter once after its changes. */
#include <assert.h>
#include <string.h>

#include "machine/bios/bios_internal.h"
#include "machine/bios/video.h"

/* LINE_CGA: bytes of a line. ODD_LINES: offset of the odd lines. */
enum { LINE_CGA = 80, ODD_LINES = 0x2000, PLANES = 4 };

/* Returns the offset of a screen line in the mode's memory. */
static uint32_t line_start(const video_mode *mode, unsigned page, unsigned y)
{
    switch (mode->kind) {
    case VIDEO_PACKED:
        return y * mode->width;
    case VIDEO_PLANAR:
        return page * mode->page_bytes + y * (mode->width / 8u);
    default:
        return y / 2 * LINE_CGA + (y & 1) * ODD_LINES;
    }
}

/* Returns the bits of a pixel in a byte of memory; in planar modes, of each plane. */
static unsigned depth_of(const video_mode *mode)
{
    return mode->kind == VIDEO_PACKED ? 8 : mode->kind == VIDEO_CGA4 ? 2 : 1;
}

/* Returns the address of a byte in a plane. */
static uint8_t *plane_byte(uint8_t *planes, uint32_t offset, unsigned plane)
{
    return planes + (offset & 0xffff) * PLANES + plane;
}

/* Some of eight adjacent pixels to be painted, as bits of `mask`, bit 7 leftmost. Those of them in `bits` get
 * `colour`, the others `background`. */
typedef struct painted {
    unsigned page, x, y; /* of the leftmost of the eight pixels; x is a multiple of 8 */
    uint8_t mask, bits, colour, background;
    bool exclusive; /* combines the colour with the screen by exclusive or, and paints no background */
} painted;

static void paint_planes(bios *b, const video_mode *mode, const painted *p)
{
    uint8_t *planes = video_planes(b->machine->devices);
    uint32_t offset = line_start(mode, p->page, p->y) + p->x / 8;
    for (unsigned plane = 0; plane < PLANES; plane++) {
        uint8_t *to = plane_byte(planes, offset, plane);
        uint8_t on = (p->colour >> plane & 1) != 0 ? p->bits : 0;
        uint8_t off = (p->background >> plane & 1) != 0 ? (uint8_t)(p->mask & ~p->bits) : 0;
        *to = p->exclusive ? *to ^ on : (uint8_t)((*to & ~p->mask) | on | off);
    }
}

static void paint_bytes(bios *b, const video_mode *mode, const painted *p)
{
    unsigned depth = depth_of(mode);
    uint32_t at = video_base(mode) + line_start(mode, p->page, p->y) + p->x * depth / 8;
    uint8_t bytes[8], most = (uint8_t)((1u << depth) - 1);
    engine_read_linear(b->machine->engine, at, bytes, depth);
    for (unsigned i = 0; i < 8; i++) {
        if ((p->mask >> (7 - i) & 1) == 0)
            continue;
        bool set = (p->bits >> (7 - i) & 1) != 0;
        unsigned shift = 8 - depth - i * depth % 8;
        uint8_t *to = &bytes[i * depth / 8], colour = (uint8_t)((set ? p->colour : p->background) & most);
        if (p->exclusive)
            *to = (uint8_t)(*to ^ (set ? colour << shift : 0));
        else
            *to = (uint8_t)((*to & ~(most << shift)) | colour << shift);
    }
    engine_write_linear(b->machine->engine, at, bytes, depth);
}

/* Paints the pixels unless they are outside the screen. */
static void paint(bios *b, const painted *p)
{
    const video_mode *mode = video_mode_now(b);
    if (p->x >= mode->width || p->y >= mode->height)
        return;
    if (mode->kind == VIDEO_PLANAR)
        paint_planes(b, mode, p);
    else
        paint_bytes(b, mode, p);
}

/* Sets a pixel. Bit 7 of the colour selects exclusive or, except in modes with 256 colours. */
void video_put_pixel(bios *b, unsigned page, unsigned x, unsigned y, uint8_t colour)
{
    uint8_t bit = (uint8_t)(0x80 >> (x & 7));
    bool is_packed = video_mode_now(b)->kind == VIDEO_PACKED;
    paint(b, &(painted){.page = page,
                        .x = x & ~7u,
                        .y = y,
                        .mask = bit,
                        .bits = bit,
                        .colour = is_packed ? colour : colour & 0x7f,
                        .exclusive = !is_packed && (colour & 0x80) != 0});
    video_map(b->machine->devices);
}

uint8_t video_get_pixel(bios *b, unsigned page, unsigned x, unsigned y)
{
    const video_mode *mode = video_mode_now(b);
    if (mode->kind == VIDEO_TEXT || x >= mode->width || y >= mode->height)
        return 0;
    uint32_t line = line_start(mode, page, y);
    if (mode->kind == VIDEO_PLANAR) {
        uint8_t *planes = video_planes(b->machine->devices), colour = 0;
        for (unsigned plane = 0; plane < PLANES; plane++)
            colour |= (uint8_t)((*plane_byte(planes, line + x / 8, plane) >> (7 - (x & 7)) & 1) << plane);
        video_map(b->machine->devices); /* video_planes may have moved the planes out of guest RAM */
        return colour;
    }
    unsigned depth = depth_of(mode);
    uint32_t byte = bios_load(b, video_base(mode) + line + x * depth / 8, 1);
    return (uint8_t)(byte >> (8 - depth - x * depth % 8) & ((1u << depth) - 1));
}

/* --- characters --- */

/* Reads the lines of a character's glyph in the current font, and returns how many there are. CGA modes have a
 * separate font for the upper 128 characters. */
static unsigned glyph_lines(bios *b, const video_mode *mode, uint8_t character, uint8_t lines[32])
{
    enum { UPPER = 128, VECTOR_UPPER = 0x1f, VECTOR_FONT = 0x43 };
    unsigned height = bios_load(b, BDA_CHARACTER, 1) & 31;
    bool upper = character >= UPPER && (mode->kind == VIDEO_CGA4 || mode->kind == VIDEO_CGA2);
    uint32_t pointer = bios_load(b, (upper ? VECTOR_UPPER : VECTOR_FONT) * 4, 4);
    uint32_t at =
        (pointer >> 16) * 16 + (pointer & 0xffff) + (upper ? character - UPPER : character) * height;
    engine_read_linear(b->machine->engine, at, lines, height);
    return height;
}

void video_draw_glyph(bios *b, const video_glyph *glyph)
{
    const video_mode *mode = video_mode_now(b);
    uint8_t lines[32];
    unsigned height = glyph_lines(b, mode, glyph->character, lines);
    uint8_t colour = mode->kind == VIDEO_CGA2 ? 1 : glyph->colour; /* CGA2 has one colour only */
    for (unsigned i = 0; i < height; i++)
        paint(b, &(painted){.page = glyph->page,
                            .x = glyph->column * 8,
                            .y = glyph->row * height + i,
                            .mask = 0xff,
                            .bits = lines[i],
                            .colour = colour,
                            .background = glyph->background,
                            .exclusive = glyph->exclusive});
    video_map(b->machine->devices);
}

uint8_t video_read_glyph(bios *b, unsigned page, unsigned row, unsigned column)
{
    const video_mode *mode = video_mode_now(b);
    uint8_t shown[32] = {0}, lines[32];
    unsigned height = bios_load(b, BDA_CHARACTER, 1) & 31;
    for (unsigned i = 0; i < height * 8; i++)
        if (video_get_pixel(b, page, column * 8 + i % 8, row * height + i / 8) != 0)
            shown[i / 8] |= (uint8_t)(0x80 >> i % 8);
    for (unsigned character = 0; character < 256; character++)
        if (glyph_lines(b, mode, (uint8_t)character, lines) == height && memcmp(lines, shown, height) == 0)
            return (uint8_t)character;
    return 0;
}

/* --- scrolling --- */

/* Copies the rectangle's part of pixel line `from` to line `to`. */
static void move_line(bios *b, const video_mode *mode, unsigned from, unsigned to, const video_scrolled *w)
{
    uint8_t bytes[VIDEO_MOST_COLUMNS * 8];
    unsigned column_bytes = depth_of(mode); /* of a line; a character has 8 pixels */
    unsigned left = w->left * column_bytes, size = (w->right - w->left + 1) * column_bytes;
    uint32_t source = line_start(mode, w->page, from) + left, target = line_start(mode, w->page, to) + left;
    if (mode->kind == VIDEO_PLANAR) {
        uint8_t *planes = video_planes(b->machine->devices);
        for (unsigned i = 0; i < size; i++)
            memcpy(plane_byte(planes, target + i, 0), plane_byte(planes, source + i, 0), PLANES);
        return;
    }
    assert(size <= sizeof bytes);
    engine_read_linear(b->machine->engine, video_base(mode) + source, bytes, size);
    engine_write_linear(b->machine->engine, video_base(mode) + target, bytes, size);
}

void video_scroll_graphics(bios *b, const video_scrolled *request)
{
    const video_mode *mode = video_mode_now(b);
    unsigned glyph_height = bios_load(b, BDA_CHARACTER, 1) & 31;
    unsigned height = (request->bottom - request->top + 1) * glyph_height;
    unsigned moved =
        request->rows == 0 || request->rows * glyph_height > height ? height : request->rows * glyph_height;
    uint8_t colour = request->attribute;
    for (unsigned i = 0; i < height; i++) {
        unsigned y = request->top * glyph_height + (request->up ? i : height - 1 - i);
        if (y >= mode->height)
            continue;
        if (i + moved < height) {
            move_line(b, mode, request->up ? y + moved : y - moved, y, request);
            continue;
        }
        for (unsigned column = request->left; column <= request->right; column++)
            paint(b, &(painted){.page = request->page,
                                .x = column * 8,
                                .y = y,
                                .mask = 0xff,
                                .bits = 0xff,
                                .colour = colour});
    }
    video_map(b->machine->devices);
}
