/* INT 10h AH = 11h: fonts. The ROM has three. Vector 43h points to the font of graphics modes, vector 1Fh to
 * the upper half of the 8 x 8 font. */
#include <string.h>

#include "machine/base/notice.h"
#include "machine/bios/bios_internal.h"
#include "machine/bios/font.h"
#include "machine/bios/video.h"

enum {
    LOWER_8 = 0xfa6e, /* offset of the lower half of the 8 x 8 font, the same in every PC */
    VECTOR_UPPER = 0x1f,
    VECTOR_FONT = 0x43,
    UPPER = 128,    /* first character of the upper half */
    FONT_BLOCKS = 3 /* register of the sequencer */
};

void video_rom(uint8_t *rom)
{
    /* bits for modes 00h-07h and 0Dh-13h (bytes 0-2), and for 200, 350 and 400 lines (7); eight font blocks (8),
     * two of them active (9); all functions of AH = 10h and 11h (10, 11) */
    static const uint8_t functionality[16] = {0xff, 0xe0, 0x0f, [7] = 7, 2, 8, 0xff, 0x0e};
    memcpy(rom + VIDEO_FUNCTIONALITY, functionality, sizeof functionality);
    memcpy(rom + VIDEO_FONT_8, font_8, sizeof font_8);
    memcpy(rom + VIDEO_FONT_14, font_14, sizeof font_14);
    memcpy(rom + VIDEO_FONT_16, font_16, sizeof font_16);
    memcpy(rom + LOWER_8, font_8, sizeof font_8 / 2);
}

static void set_vector(bios *b, unsigned vector, uint32_t pointer)
{
    bios_store(b, vector * 4, 4, pointer);
}

void video_set_font(bios *b, uint16_t offset)
{
    set_vector(b, VECTOR_UPPER, bios_rom_pointer(VIDEO_FONT_8 + UPPER * 8));
    set_vector(b, VECTOR_FONT, bios_rom_pointer(offset));
}

/* Changes the character height of a text mode, and with it the number of rows and the lines of the cursor. */
static void set_height(bios *b, unsigned height)
{
    uint8_t *crtc = video_vga_of(b->machine->devices).crtc;
    if (height == 0 || height > 32)
        return;
    crtc[9] = (uint8_t)((crtc[9] & 0xe0u) | (height - 1));
    crtc[0x0a] = (uint8_t)(height > 3 ? height - 3 : 0); /* the cursor's lines */
    crtc[0x0b] = (uint8_t)(height > 2 ? height - 2 : 0);
    bios_store(b, BDA_ROWS, 1, video_lines(b) / height - 1);
    bios_store(b, BDA_CHARACTER, 2, height);
}

/* AL = 00h-04h loads a font into block BL of a text mode; 10h-14h also sets the mode's character height. 0 is the
 * program's font: CX characters from DX on, at ES:BP, BH lines each. The others are the ROM's. */
static void load_text_font(bios *b, uint8_t al)
{
    uint8_t glyphs[FONT_CHARACTERS * 32];
    unsigned block = bios_low(b, ENGINE_EBX), height = 0, first = 0, count = FONT_CHARACTERS;
    const uint8_t *from = NULL;
    switch (al & 15) {
    case 0:
        height = bios_high(b, ENGINE_EBX) & 31;
        first = bios_word(b, ENGINE_EDX) & 255;
        count = bios_word(b, ENGINE_ECX);
        count = count < FONT_CHARACTERS ? count : FONT_CHARACTERS;
        engine_read_linear(b->machine->engine, bios_segment(b, ENGINE_ES) + bios_word(b, ENGINE_EBP), glyphs,
                           count * height);
        from = glyphs;
        break;
    case 1:
        from = font_14[0];
        height = 14;
        break;
    case 2:
        from = font_8[0];
        height = 8;
        break;
    default:
        from = font_16[0];
        height = 16;
    }
    video_load_font(b, block, from, height, first, count);
    if ((al & 0x10) != 0)
        set_height(b, height);
}

/* AL = 20h-24h sets the font of graphics modes: the upper half (20h) or a whole font of the program at ES:BP, with CX
 * lines each (21h), or a font of the ROM. BL = 1-3 gives the number of rows, or else DL. */
static void set_graphics_font(bios *b, uint8_t al)
{
    static const uint8_t rows[4] = {0, 14, 25, 43};
    static const uint16_t offsets[] = {[2] = VIDEO_FONT_14, VIDEO_FONT_8, VIDEO_FONT_16};
    static const uint8_t heights[] = {[2] = 14, 8, 16};
    const uint32_t own = bios_pointer(b, ENGINE_ES, ENGINE_EBP);
    uint8_t bl = bios_low(b, ENGINE_EBX);
    if (al == 0x20) {
        set_vector(b, VECTOR_UPPER, own);
        return;
    }
    set_vector(b, VECTOR_FONT, al == 0x21 ? own : bios_rom_pointer(offsets[al - 0x20]));
    bios_store(b, BDA_CHARACTER, 2, al == 0x21 ? bios_word(b, ENGINE_ECX) & 31u : heights[al - 0x20]);
    bios_store(b, BDA_ROWS, 1, (bl == 0 || bl > 3 ? bios_low(b, ENGINE_EDX) : rows[bl]) - 1u);
}

/* AL = 30h: Returns the font selected by BH in ES:BP, its height in CX, and the last row in DL. */
static void font_information(bios *b)
{
    uint32_t pointer;
    switch (bios_high(b, ENGINE_EBX)) {
    case 0:
        pointer = bios_load(b, VECTOR_UPPER * 4, 4);
        break;
    case 1:
        pointer = bios_load(b, VECTOR_FONT * 4, 4);
        break;
    case 2:
    case 5: /* 9 x 14 alternates: the font's first byte, 0, also ends an empty list of them; likewise 7 (9 x 16) */
        pointer = bios_rom_pointer(VIDEO_FONT_14);
        break;
    case 3:
        pointer = bios_rom_pointer(VIDEO_FONT_8);
        break;
    case 4:
        pointer = bios_rom_pointer(VIDEO_FONT_8 + UPPER * 8);
        break;
    default:
        pointer = bios_rom_pointer(VIDEO_FONT_16);
    }
    bios_set_pointer(b, ENGINE_EBP, pointer);
    bios_set_word(b, ENGINE_ECX, (uint16_t)bios_load(b, BDA_CHARACTER, 2));
    bios_set_low(b, ENGINE_EDX, (uint8_t)bios_load(b, BDA_ROWS, 1));
}

void video_fonts(bios *b)
{
    uint8_t al = bios_low(b, ENGINE_EAX);
    if (al == 0x03) { /* selects a font block for each value of attribute bit 3 */
        video_vga_of(b->machine->devices).sequencer[FONT_BLOCKS] = bios_low(b, ENGINE_EBX);
    } else if (al <= 4 || (al >= 0x10 && al <= 0x14)) {
        load_text_font(b, al);
    } else if (al >= 0x20 && al <= 0x24) {
        set_graphics_font(b, al);
    } else if (al == 0x30) {
        font_information(b);
    } else {
        notice_once(&b->machine->notices, NOTICE_OTHER, 0xb1300u | al,
                    "BIOS: font function %02Xh (INT 10h AH = 11h) is not implemented", al);
    }
}
