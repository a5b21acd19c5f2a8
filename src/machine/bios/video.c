/* INT 10h: text in the memory at B8000h and, as it is written, to the user. */
#include "machine/base/notice.h"
#include "machine/bios/bios_internal.h"

#include <string.h>

enum {
    SCREEN = 0xb8000,
    COLUMNS = 80,
    ROWS = 25,
    CELL = 2,
    BLANK = 0x0720,
    NORMAL = 0x07,
    MODE_256 = 0x13,
    GRAPHICS = 0xa0000,
    PIXELS = 320 * 200
};

static uint32_t video_cell(unsigned row, unsigned column)
{
    return SCREEN + (row * COLUMNS + column) * CELL;
}

/* The cursor's place, row and column, where programs look for it and in the CRT controller. */
static void video_set_cursor(bios *b, uint32_t place)
{
    uint8_t *cursor = video_crtc(b->machine->devices) + VIDEO_CURSOR;
    uint32_t at = (place >> 8 & 255) * COLUMNS + (place & 255);
    bios_store(b, BDA_CURSOR, 2, place);
    cursor[0] = (uint8_t)(at >> 8);
    cursor[1] = (uint8_t)at;
}

void bios_video_clear(bios *b)
{
    for (unsigned i = 0; i < ROWS * COLUMNS; i++)
        bios_store(b, SCREEN + i * CELL, 2, BLANK);
    video_set_cursor(b, 0);
}

/* --- mode 13h: 320 x 200 bytes at A0000h --- */

static void video_set_mode(bios *b, uint8_t mode)
{
    bool keep = (mode & 0x80) != 0;
    mode &= 0x7f;
    if (mode > 3 && mode != 7 && mode != MODE_256) {
        notice_once(&b->machine->notices, NOTICE_OTHER, 0xb1000u | mode,
                    "BIOS: video mode %02Xh is not there; text (00h-03h) and 13h are", mode);
        return;
    }
    bios_store(b, BDA_VIDEO_MODE, 1, mode);
    bios_store(b, BDA_COLUMNS, 2, mode == MODE_256 ? 40 : COLUMNS);
    if (mode != MODE_256)
        bios_video_clear(b);
    else if (!keep)
        memset(engine_ram(b->machine->engine, GRAPHICS, PIXELS), 0, PIXELS);
}

/* AH = 0Ch, 0Dh: the pixel at CX, DX; NULL outside the screen. */
static uint8_t *video_pixel(const bios *b)
{
    uint32_t at = bios_word(b, ENGINE_EDX) * 320u + bios_word(b, ENGINE_ECX);
    return at < PIXELS ? engine_ram(b->machine->engine, GRAPHICS + at, 1) : NULL;
}

/* --- AH = 10h: palette and DAC, by the ports --- */

static void video_dac_block(bios *b, bool set)
{
    uint32_t at = bios_segment(b, ENGINE_ES) + bios_word(b, ENGINE_EDX);
    uint32_t first = bios_low(b, ENGINE_EBX) * 3u, count = bios_word(b, ENGINE_ECX) * 3u;
    uint8_t *dac = video_colours(b->machine->devices);
    for (uint32_t i = 0; i < count && first + i < 768; i++) {
        if (set)
            dac[first + i] = bios_load(b, at + i, 1) & 0x3f;
        else
            bios_store(b, at + i, 1, dac[first + i]);
    }
}

static void video_palette(bios *b)
{
    uint8_t *attribute = &video_attributes(b->machine->devices)[bios_low(b, ENGINE_EBX) & 31];
    uint8_t *entry = &video_colours(b->machine->devices)[bios_low(b, ENGINE_EBX) * 3u];
    switch (bios_low(b, ENGINE_EAX)) {
    case 0x00:
        *attribute = bios_high(b, ENGINE_EBX);
        break;
    case 0x07:
        bios_set_high(b, ENGINE_EBX, *attribute);
        break;
    case 0x10:
        entry[0] = bios_high(b, ENGINE_EDX) & 0x3f;
        entry[1] = bios_high(b, ENGINE_ECX) & 0x3f;
        entry[2] = bios_low(b, ENGINE_ECX) & 0x3f;
        break;
    case 0x12:
        video_dac_block(b, true);
        break;
    case 0x15:
        bios_set_high(b, ENGINE_EDX, entry[0]);
        bios_set_high(b, ENGINE_ECX, entry[1]);
        bios_set_low(b, ENGINE_ECX, entry[2]);
        break;
    case 0x17:
        video_dac_block(b, false);
        break;
    default:
        break;
    }
}

/* Moves the window's lines up or down by `lines`, 0 clears it. */
static void video_scroll(bios *b, bool up, unsigned lines, uint8_t attribute, uint16_t from, uint16_t to)
{
    unsigned top = from >> 8, left = from & 255, bottom = to >> 8, right = to & 255;
    bottom = bottom < ROWS ? bottom : ROWS - 1;
    right = right < COLUMNS ? right : COLUMNS - 1;
    if (top > bottom || left > right)
        return;
    unsigned height = bottom - top + 1;
    lines = lines == 0 || lines > height ? height : lines;
    for (unsigned i = 0; i < height; i++) {
        unsigned row = up ? top + i : bottom - i;
        for (unsigned column = left; column <= right; column++) {
            bool moved = i + lines < height;
            unsigned source = up ? row + lines : row - lines;
            uint32_t cell =
                moved ? bios_load(b, video_cell(source, column), 2) : (uint32_t)attribute << 8 | ' ';
            bios_store(b, video_cell(row, column), 2, cell);
        }
    }
}

void bios_video_put(bios *b, uint8_t character)
{
    unsigned cursor = bios_load(b, BDA_CURSOR, 2), row = cursor >> 8, column = cursor & 255;
    switch (character) {
    case 7:
        break;
    case '\b':
        column -= column > 0;
        break;
    case '\n':
        row++;
        break;
    case '\r':
        column = 0;
        break;
    default:
        if (row < ROWS && column < COLUMNS)
            bios_store(b, video_cell(row, column), 1, character);
        column++;
    }
    if (column >= COLUMNS) {
        column = 0;
        row++;
    }
    if (row >= ROWS) {
        video_scroll(b, true, row - ROWS + 1, NORMAL, 0, (ROWS - 1) << 8 | (COLUMNS - 1));
        row = ROWS - 1;
    }
    video_set_cursor(b, row << 8 | column);
}

static void video_teletype(bios *b, uint8_t character)
{
    if (character != '\r' && character != 7)
        devices_console_char(b->machine->devices, (char)character);
    bios_video_put(b, character);
}

/* AH = 09h and 0Ah: CX times, the cursor stays. */
static void video_write(bios *b, bool attribute)
{
    unsigned cursor = bios_load(b, BDA_CURSOR, 2), at = (cursor >> 8) * COLUMNS + (cursor & 255);
    uint8_t character = bios_low(b, ENGINE_EAX);
    for (unsigned i = 0; i < bios_word(b, ENGINE_ECX) && at < ROWS * COLUMNS; i++, at++) {
        bios_store(b, SCREEN + at * CELL, 1, character);
        if (attribute)
            bios_store(b, SCREEN + at * CELL + 1, 1, bios_low(b, ENGINE_EBX));
        devices_console_char(b->machine->devices, (char)character);
    }
}

/* AH = 13h: CX characters at ES:BP, from DH, DL; AL bit 0 moves the cursor, bit 1: with attributes. */
static void video_string(bios *b)
{
    uint8_t mode = bios_low(b, ENGINE_EAX);
    uint32_t text = bios_segment(b, ENGINE_ES);
    uint16_t offset = bios_word(b, ENGINE_EBP), before = (uint16_t)bios_load(b, BDA_CURSOR, 2);
    video_set_cursor(b, bios_word(b, ENGINE_EDX));
    for (unsigned i = 0; i < bios_word(b, ENGINE_ECX); i++) {
        video_teletype(b, (uint8_t)bios_load(b, text + offset, 1));
        offset = (uint16_t)(offset + ((mode & 2) != 0 ? 2 : 1));
    }
    if ((mode & 1) == 0)
        video_set_cursor(b, before);
}

void bios_video(bios *b)
{
    uint8_t al = bios_low(b, ENGINE_EAX);
    uint16_t cursor = (uint16_t)bios_load(b, BDA_CURSOR, 2);
    switch (bios_high(b, ENGINE_EAX)) {
    case 0x00:
        video_set_mode(b, al);
        break;
    case 0x01:
        bios_store(b, BDA_CURSOR_SHAPE, 2, bios_word(b, ENGINE_ECX));
        break;
    case 0x02:
        video_set_cursor(b, bios_word(b, ENGINE_EDX));
        break;
    case 0x03:
        bios_set_word(b, ENGINE_EDX, cursor);
        bios_set_word(b, ENGINE_ECX, (uint16_t)bios_load(b, BDA_CURSOR_SHAPE, 2));
        break;
    case 0x06:
    case 0x07:
        video_scroll(b, bios_high(b, ENGINE_EAX) == 6, al, bios_high(b, ENGINE_EBX), bios_word(b, ENGINE_ECX),
                     bios_word(b, ENGINE_EDX));
        break;
    case 0x08:
        bios_set_word(b, ENGINE_EAX, (uint16_t)bios_load(b, video_cell(cursor >> 8, cursor & 255), 2));
        break;
    case 0x09:
    case 0x0a:
        video_write(b, bios_high(b, ENGINE_EAX) == 9);
        break;
    case 0x0e:
        video_teletype(b, al);
        break;
    case 0x0c:
        if (video_pixel(b) != NULL)
            *video_pixel(b) = al;
        break;
    case 0x0d:
        bios_set_low(b, ENGINE_EAX, video_pixel(b) != NULL ? *video_pixel(b) : 0);
        break;
    case 0x0f: /* mode, columns, page 0 */
        bios_set_word(b, ENGINE_EAX,
                      (uint16_t)(bios_load(b, BDA_COLUMNS, 1) << 8 | bios_load(b, BDA_VIDEO_MODE, 1)));
        bios_set_high(b, ENGINE_EBX, 0);
        break;
    case 0x10:
        video_palette(b);
        break;
    case 0x12: /* BL = 10h: colour, 256 KB */
        if (bios_low(b, ENGINE_EBX) == 0x10) {
            bios_set_word(b, ENGINE_EBX, 0x0003);
            bios_set_word(b, ENGINE_ECX, 0x0009);
        }
        break;
    case 0x13:
        video_string(b);
        break;
    case 0x1a: /* a VGA with a colour display */
        if (al == 0) {
            bios_set_low(b, ENGINE_EAX, 0x1a);
            bios_set_word(b, ENGINE_EBX, 0x0008);
        }
        break;
    default: /* fonts, pages */
        break;
    }
}
