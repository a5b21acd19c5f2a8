/* INT 10h: text output in text and graphics modes, cursor and pages. */
#include "machine/base/notice.h"
#include "machine/bios/bios_internal.h"
#include "machine/bios/video.h"

/* Bytes of a character with its attribute; the attribute grey on black; the mode with 80 columns of text. */
enum { CELL = 2, NORMAL = 0x07, TEXT_80 = 3 };

const video_mode *video_mode_now(const bios *b)
{
    static const video_mode without_pixels = {.kind = VIDEO_PACKED, .columns = 80, .glyph_height = 16};
    if (video_vesa_now(b->machine->devices).mode != 0)
        return &without_pixels;
    const video_mode *mode = video_mode_find(bios_load(b, BDA_VIDEO_MODE, 1) & 0x7f);
    return mode != NULL ? mode : video_mode_find(TEXT_80);
}

/* --- rows and columns of characters, which programs may change in the data area --- */

static unsigned grid_columns(const bios *b)
{
    unsigned columns = bios_load(b, BDA_COLUMNS, 1);
    return columns >= 1 && columns <= VIDEO_MOST_COLUMNS ? columns : 80;
}

unsigned video_rows(const bios *b)
{
    unsigned rows = bios_load(b, BDA_ROWS, 1) + 1;
    return rows >= 2 && rows <= 100 ? rows : 25;
}

/* Returns the linear address of a character in text memory. */
static uint32_t text_cell(const bios *b, unsigned page, unsigned row, unsigned column)
{
    uint32_t offset = page * bios_load(b, BDA_PAGE_BYTES, 2) + (row * grid_columns(b) + column) * CELL;
    return video_base(video_mode_now(b)) + offset % VIDEO_TEXT_MEMORY;
}

static unsigned current_page(const bios *b)
{
    return bios_load(b, BDA_PAGE, 1) % VIDEO_PAGES;
}

static bool is_text(const bios *b)
{
    return video_mode_now(b)->kind == VIDEO_TEXT;
}

/* Sets the cursor position of a page: row in bits 15-8 of `position`, column in bits 7-0. The CRT controller shows the
 * current page's cursor. */
static void set_cursor(bios *b, unsigned page, uint32_t position)
{
    bios_store(b, BDA_CURSOR + page * 2, 2, position);
    if (page != current_page(b))
        return;
    uint8_t *cursor = video_vga_of(b->machine->devices).crtc + VIDEO_CURSOR;
    uint32_t at =
        bios_load(b, BDA_PAGE_START, 2) / CELL + (position >> 8 & 255) * grid_columns(b) + (position & 255);
    cursor[0] = (uint8_t)(at >> 8);
    cursor[1] = (uint8_t)at;
}

static unsigned get_cursor(const bios *b, unsigned page)
{
    return bios_load(b, BDA_CURSOR + page * 2, 2);
}

/* Sets the cursor position where the program wants it. A move to the next row, or from text to a lower row, is a line end
 * on the host's console, because programs that write characters at positions of their own end lines so. */
static void move_cursor(bios *b, unsigned page, uint32_t position)
{
    unsigned before = get_cursor(b, page), old = before >> 8, row = position >> 8 & 255;
    bool ends = row == old + 1 || (row > old && (before & 255) != 0);
    if (page == current_page(b) && ends && row < video_rows(b))
        devices_console_char(b->machine->devices, '\n');
    set_cursor(b, page, position);
}

/* AH = 01h: Sets the cursor's first and last line. Programs give lines of a cell of 8 lines. Converts them to the cell's
 * height as IBM's BIOS does, unless AH = 12h with BL = 34h has turned that off: an underline stays at the bottom, half a
 * block begins in the middle, a block fills the cell. */
static void set_cursor_shape(bios *b, uint16_t shape)
{
    enum { HIDDEN = 0x20, BEYOND = 0x1e, TALL = 14 };
    uint8_t *lines = video_vga_of(b->machine->devices).crtc + VIDEO_CURSOR_SHAPE;
    unsigned first = shape >> 8, last = shape & 255, bottom = bios_load(b, BDA_CHARACTER, 1) - 1;
    bios_store(b, BDA_CURSOR_SHAPE, 2, shape);
    if ((first & 0x60) == HIDDEN) {
        first = BEYOND;
        last = 0;
    } else if ((bios_load(b, BDA_VIDEO_INFORMATION, 1) & VIDEO_CURSOR_AS_IS) == 0 &&
               ((first | last) & 0xe0) == 0) {
        if (last < first && last != 0) {
            first = last;
            last = bottom;
        } else if (last >= first && last > 3 && first + 2 < last) {
            first = first > 2 ? (bottom + 1) / 2 : first;
            last = bottom;
        } else if (last >= first && last > 3) {
            first = first + bottom - last - (bottom + 1 >= TALL);
            last = bottom - (bottom + 1 >= TALL);
        }
    }
    lines[0] = (uint8_t)first;
    lines[1] = (uint8_t)last;
}

/* AH = 05h: Shows a page. */
static void set_page(bios *b, unsigned page)
{
    uint8_t *start = video_vga_of(b->machine->devices).crtc + VIDEO_START;
    if (page >= VIDEO_PAGES)
        return;
    uint32_t at = page * bios_load(b, BDA_PAGE_BYTES, 2);
    bios_store(b, BDA_PAGE, 1, page);
    bios_store(b, BDA_PAGE_START, 2, at);
    at = is_text(b) ? at / CELL : at;
    start[0] = (uint8_t)(at >> 8);
    start[1] = (uint8_t)at;
    set_cursor(b, page, get_cursor(b, page));
}

void bios_video_open(bios *b)
{
    enum { SWITCHES = 9 };
    bios_store(b, BDA_VIDEO_SWITCHES, 1, SWITCHES);
    bios_store(b, BDA_VIDEO_OPTIONS, 1, VIDEO_LINES_400);
    video_set_mode(b, video_mode_find(TEXT_80), false);
}

/* AH = 00h: Sets a mode. Bit 7 of the number keeps the contents of the screen's memory. */
static void set_mode(bios *b, uint8_t number)
{
    const video_mode *mode = video_mode_find(number & 0x7f);
    if (mode == NULL) {
        notice_once(&b->machine->notices, NOTICE_OTHER, 0xb1000u | number,
                    "BIOS: video mode %02Xh is not supported; 00h-07h, 0Dh-13h and VESA modes are",
                    number & 0x7f);
        return;
    }
    video_set_mode(b, mode, (number & 0x80) != 0);
}

/* --- characters --- */

/* Clips the rectangle to the screen. Returns false if nothing is left of it. */
static bool clip(const bios *b, video_scrolled *w)
{
    unsigned rows = video_rows(b), columns = grid_columns(b);
    w->bottom = w->bottom < rows ? w->bottom : rows - 1;
    w->right = w->right < columns ? w->right : columns - 1;
    return w->top <= w->bottom && w->left <= w->right;
}

/* Serves a request to scroll in any mode. */
static void scroll(bios *b, video_scrolled w)
{
    if (!clip(b, &w))
        return;
    if (!is_text(b)) {
        video_scroll_graphics(b, &w);
        return;
    }
    unsigned height = w.bottom - w.top + 1;
    unsigned rows = w.rows == 0 || w.rows > height ? height : w.rows;
    for (unsigned i = 0; i < height; i++) {
        unsigned row = w.up ? w.top + i : w.bottom - i;
        for (unsigned column = w.left; column <= w.right; column++) {
            bool moved = i + rows < height;
            unsigned source = w.up ? row + rows : row - rows;
            uint32_t cell = moved ? bios_load(b, text_cell(b, w.page, source, column), 2)
                                  : (uint32_t)w.attribute << 8 | ' ';
            bios_store(b, text_cell(b, w.page, row, column), 2, cell);
        }
    }
}

/* Draws a character in a graphics mode. Bit 7 of the colour selects exclusive or, except in modes with 256 colours,
 * which have a background. */
static void draw(bios *b, video_glyph glyph)
{
    if (video_mode_now(b)->kind != VIDEO_PACKED) {
        glyph.exclusive = (glyph.colour & 0x80) != 0;
        glyph.colour &= 0x7f;
        glyph.background = 0;
    }
    video_draw_glyph(b, &glyph);
}

/* A character to be written as a teletype does. */
typedef struct typed {
    unsigned page;
    uint8_t character, attribute; /* the attribute is the colour in graphics modes */
    bool keeps;                   /* text modes keep the attribute in memory, and do not use `attribute` */
} typed;

/* Writes a character at the page's cursor and moves the cursor, as a teletype does: scrolls at the end of the screen. */
static void put_character(bios *b, typed t)
{
    unsigned cursor = get_cursor(b, t.page), row = cursor >> 8, column = cursor & 255;
    unsigned rows = video_rows(b), columns = grid_columns(b);
    switch (t.character) {
    case 7: /* BEL: there is no loudspeaker */
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
        if (row < rows && column < columns && is_text(b))
            bios_store(b, text_cell(b, t.page, row, column), t.keeps ? 1 : 2,
                       (uint32_t)t.attribute << 8 | t.character);
        else if (row < rows && column < columns)
            draw(b, (video_glyph){.character = t.character,
                                  .colour = t.attribute,
                                  .page = t.page,
                                  .row = row,
                                  .column = column});
        column++;
    }
    if (column >= columns) {
        column = 0;
        row++;
    }
    if (row >= rows) {
        scroll(b, (video_scrolled){.up = true,
                                   .rows = row - rows + 1,
                                   .attribute = is_text(b) ? NORMAL : 0,
                                   .bottom = rows - 1,
                                   .right = columns - 1,
                                   .page = t.page});
        row = rows - 1;
    }
    set_cursor(b, t.page, row << 8 | column);
}

void bios_video_put(bios *b, uint8_t character)
{
    put_character(
        b, (typed){.page = current_page(b), .character = character, .attribute = NORMAL, .keeps = true});
}

/* Writes a character on the screen, and on the host's console too. */
static void teletype(bios *b, typed t)
{
    if (t.character != '\r' && t.character != 7)
        devices_console_char(b->machine->devices, (char)t.character);
    put_character(b, t);
}

/* AH = 09h and 0Ah: Writes a character CX times without moving the cursor; 09h also writes the attribute BL. In text
 * modes, the characters may continue after the page's last row, up to the end of the memory. In graphics modes, BL is
 * the colour, and its bit 7 selects exclusive or. In modes with 256 colours, BL is the colour and BH the background. */
static void write_characters(bios *b, bool attribute)
{
    bool is_packed = video_mode_now(b)->kind == VIDEO_PACKED, text = is_text(b);
    uint8_t character = bios_low(b, ENGINE_EAX), bl = bios_low(b, ENGINE_EBX), bh = bios_high(b, ENGINE_EBX);
    unsigned page = is_packed ? 0 : bh % VIDEO_PAGES, columns = grid_columns(b);
    unsigned cells =
        text ? (VIDEO_TEXT_MEMORY - page * bios_load(b, BDA_PAGE_BYTES, 2) % VIDEO_TEXT_MEMORY) / CELL
             : video_rows(b) * columns;
    unsigned cursor = get_cursor(b, page), at = (cursor >> 8) * columns + (cursor & 255);
    for (unsigned i = 0; i < bios_word(b, ENGINE_ECX) && at < cells; i++, at++) {
        uint32_t cell = text_cell(b, page, at / columns, at % columns);
        if (text)
            bios_store(b, cell, attribute ? 2 : 1, attribute ? (uint32_t)bl << 8 | character : character);
        else
            draw(b, (video_glyph){.character = character,
                                  .colour = bl,
                                  .background = bh,
                                  .page = page,
                                  .row = at / columns,
                                  .column = at % columns});
        devices_console_char(b->machine->devices, (char)character);
    }
}

/* AH = 08h: Reads the character and attribute at the cursor of page BH. */
static void read_character(bios *b)
{
    unsigned page = bios_high(b, ENGINE_EBX) % VIDEO_PAGES, cursor = get_cursor(b, page);
    if (is_text(b))
        bios_set_word(b, ENGINE_EAX,
                      (uint16_t)bios_load(b, text_cell(b, page, cursor >> 8, cursor & 255), 2));
    else
        bios_set_word(b, ENGINE_EAX, video_read_glyph(b, page, cursor >> 8, cursor & 255));
}

/* AH = 13h: Writes CX characters from ES:BP on page BH at row DH, column DL, or at the cursor if DH = FFh. AL bit 0: the
 * cursor moves; bit 1: each character is followed by its attribute, which is BL otherwise. */
static void write_string(bios *b)
{
    uint8_t mode = bios_low(b, ENGINE_EAX);
    uint32_t text = bios_segment(b, ENGINE_ES);
    unsigned page = bios_high(b, ENGINE_EBX) % VIDEO_PAGES, before = get_cursor(b, page);
    uint16_t offset = bios_word(b, ENGINE_EBP), position = bios_word(b, ENGINE_EDX);
    move_cursor(b, page, position >> 8 == 0xff ? before : position);
    for (unsigned i = 0; i < bios_word(b, ENGINE_ECX); i++) {
        uint8_t character = (uint8_t)bios_load(b, text + offset, 1), attribute = bios_low(b, ENGINE_EBX);
        offset++;
        if ((mode & 2) != 0)
            attribute = (uint8_t)bios_load(b, text + offset++, 1);
        teletype(b, (typed){.page = page, .character = character, .attribute = attribute});
    }
    if ((mode & 1) == 0)
        set_cursor(b, page, before);
}

/* --- all functions --- */

/* Returns true for functions that programs call only to detect other hardware or software: Hercules cards,
 * the EGA register interface, TopView, drivers. */
static bool is_probe(uint8_t function)
{
    return function >= 0x50 || function == 0x04 || function == 0x14 || function == 0x15;
}

/* AH = 0Ch and 0Dh: Writes or reads the pixel at column CX, line DX. */
static void pixel(bios *b, bool put)
{
    uint8_t page = bios_high(b, ENGINE_EBX), al = bios_low(b, ENGINE_EAX);
    unsigned x = bios_word(b, ENGINE_ECX), y = bios_word(b, ENGINE_EDX);
    if (is_text(b))
        return;
    if (put)
        video_put_pixel(b, page, x, y, al);
    else
        bios_set_low(b, ENGINE_EAX, video_get_pixel(b, page, x, y));
}

/* Serves the functions for cursor, characters and pixels. Returns false for any other. */
static bool serve_screen(bios *b, uint8_t function)
{
    unsigned page = bios_high(b, ENGINE_EBX) % VIDEO_PAGES;
    uint16_t cx = bios_word(b, ENGINE_ECX), dx = bios_word(b, ENGINE_EDX);
    switch (function) {
    case 0x01:
        set_cursor_shape(b, cx);
        break;
    case 0x02:
        move_cursor(b, page, dx);
        break;
    case 0x03: /* return the cursor's position and shape */
        bios_set_word(b, ENGINE_EDX, (uint16_t)get_cursor(b, page));
        bios_set_word(b, ENGINE_ECX, (uint16_t)bios_load(b, BDA_CURSOR_SHAPE, 2));
        break;
    case 0x05:
        set_page(b, bios_low(b, ENGINE_EAX));
        break;
    case 0x06: /* scrolling up with the cursor in the last row of the rectangle ends a line on the host's console, too */
        if (bios_low(b, ENGINE_EAX) != 0 && get_cursor(b, current_page(b)) >> 8 == dx >> 8)
            devices_console_char(b->machine->devices, '\n');
        /* fall through */
    case 0x07:
        scroll(b, (video_scrolled){function == 6, bios_low(b, ENGINE_EAX), bios_high(b, ENGINE_EBX), cx >> 8,
                                   cx & 255, dx >> 8, dx & 255, current_page(b)});
        break;
    case 0x08:
        read_character(b);
        break;
    case 0x09:
    case 0x0a:
        write_characters(b, function == 9);
        break;
    case 0x0c:
    case 0x0d:
        pixel(b, function == 0x0c);
        break;
    case 0x0e: /* IBM's BIOS ignores BH */
        teletype(b, (typed){current_page(b), bios_low(b, ENGINE_EAX), bios_low(b, ENGINE_EBX), true});
        break;
    case 0x13:
        write_string(b);
        break;
    default:
        return false;
    }
    return true;
}

void bios_video(bios *b)
{
    uint8_t al = bios_low(b, ENGINE_EAX), function = bios_high(b, ENGINE_EAX);
    if (serve_screen(b, function))
        return;
    switch (function) {
    case 0x00:
        set_mode(b, al);
        break;
    case 0x0b:
        video_cga_palette(b);
        break;
    case 0x0f: /* return mode, columns and page */
        bios_set_word(b, ENGINE_EAX,
                      (uint16_t)(bios_load(b, BDA_COLUMNS, 1) << 8 | bios_load(b, BDA_VIDEO_MODE, 1) |
                                 (bios_load(b, BDA_VIDEO_INFORMATION, 1) & 0x80)));
        bios_set_high(b, ENGINE_EBX, (uint8_t)current_page(b));
        break;
    case 0x10:
        video_palette(b);
        break;
    case 0x11:
        video_fonts(b);
        break;
    case 0x12:
        video_alternate(b);
        break;
    case 0x1a: /* return VGA with a colour display */
        bios_set_low(b, ENGINE_EAX, 0x1a);
        if (al == 0)
            bios_set_word(b, ENGINE_EBX, 0x0008);
        break;
    case 0x1b:
        video_information(b);
        break;
    case 0x1c:
        if (video_serve_state(b, al))
            bios_set_low(b, ENGINE_EAX, 0x1c);
        break;
    case 0x4f:
        video_vesa_service(b);
        break;
    default:
        if (!is_probe(function))
            notice_once(&b->machine->notices, NOTICE_OTHER, 0xb1100u | function,
                        "BIOS: video function %02Xh (INT 10h) is not implemented", function);
    }
}
