/* INT 10h: text in the memory at B8000h and, as it is written, to the user. */
#include "machine/bios/bios.h"

enum { SCREEN = 0xb8000, COLUMNS = 80, ROWS = 25, CELL = 2, BLANK = 0x0720, NORMAL = 0x07 };

static uint32_t video_cell(unsigned row, unsigned column)
{
    return SCREEN + (row * COLUMNS + column) * CELL;
}

void bios_video_clear(bios *b)
{
    for (unsigned i = 0; i < ROWS * COLUMNS; i++)
        bios_store(b, SCREEN + i * CELL, 2, BLANK);
    bios_store(b, BDA_CURSOR, 2, 0);
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

static void video_teletype(bios *b, uint8_t character)
{
    unsigned cursor = bios_load(b, BDA_CURSOR, 2), row = cursor >> 8, column = cursor & 255;
    if (character != '\r' && character != 7)
        devices_console_char(&b->machine->devices, (char)character);
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
    bios_store(b, BDA_CURSOR, 2, row << 8 | column);
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
        devices_console_char(&b->machine->devices, (char)character);
    }
}

/* AH = 13h: CX characters at ES:BP, from DH, DL; AL bit 0 moves the cursor, bit 1: with attributes. */
static void video_string(bios *b)
{
    uint8_t mode = bios_low(b, ENGINE_EAX);
    uint32_t text = bios_segment(b, ENGINE_ES);
    uint16_t offset = bios_word(b, ENGINE_EBP), before = (uint16_t)bios_load(b, BDA_CURSOR, 2);
    bios_store(b, BDA_CURSOR, 2, bios_word(b, ENGINE_EDX));
    for (unsigned i = 0; i < bios_word(b, ENGINE_ECX); i++) {
        video_teletype(b, (uint8_t)bios_load(b, text + offset, 1));
        offset = (uint16_t)(offset + ((mode & 2) != 0 ? 2 : 1));
    }
    if ((mode & 1) == 0)
        bios_store(b, BDA_CURSOR, 2, before);
}

void bios_video(bios *b)
{
    uint8_t al = bios_low(b, ENGINE_EAX);
    uint16_t cursor = (uint16_t)bios_load(b, BDA_CURSOR, 2);
    switch (bios_high(b, ENGINE_EAX)) {
    case 0x00:
        bios_video_clear(b);
        break;
    case 0x01:
        bios_store(b, BDA_CURSOR_SHAPE, 2, bios_word(b, ENGINE_ECX));
        break;
    case 0x02:
        bios_store(b, BDA_CURSOR, 2, bios_word(b, ENGINE_EDX));
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
    case 0x0f: /* mode 3, 80 columns, page 0 */
        bios_set_word(b, ENGINE_EAX, COLUMNS << 8 | 3);
        bios_set_high(b, ENGINE_EBX, 0);
        break;
    case 0x13:
        video_string(b);
        break;
    default: /* palettes, fonts, pages: there is no screen */
        break;
    }
}
