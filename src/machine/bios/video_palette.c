/* INT 10h AH = 0Bh and 10h: the palette registers of the attribute controller and the colours of the DAC. */
#include "machine/bios/bios_internal.h"
#include "machine/bios/video.h"

/* Registers of the attribute controller; BLINK: bit of MODE_CONTROL; PALETTE: how many palette registers there are. */
enum { MODE_CONTROL = 0x10, OVERSCAN = 0x11, COLOUR_SELECT = 0x14, BLINK = 8, PALETTE = 16, DAC_BYTES = 768 };

void video_greys(bios *b, unsigned first, unsigned count)
{
    static const unsigned red = 77, green = 151, blue = 28; /* weights in 1/256 */
    uint8_t *dac = video_vga_of(b->machine->devices).dac;
    for (unsigned i = first; i < first + count && i < DAC_BYTES / 3; i++) {
        unsigned grey = (red * dac[i * 3] + green * dac[i * 3 + 1] + blue * dac[i * 3 + 2] + 128) >> 8;
        dac[i * 3] = dac[i * 3 + 1] = dac[i * 3 + 2] = (uint8_t)(grey < 0x3f ? grey : 0x3f);
    }
}

/* Converts colours that a program has just set to greys, if AH = 12h with BL = 33h has turned that on. */
static void colours_set(bios *b, unsigned first, unsigned count)
{
    if ((bios_load(b, BDA_VIDEO_OPTIONS, 1) & VIDEO_GREYS) != 0)
        video_greys(b, first, count);
}

/* AL = 12h and 17h: Sets or reads CX colours of the DAC from BX on; ES:DX is the buffer. */
static void dac_block(bios *b, bool set)
{
    uint32_t at = bios_segment(b, ENGINE_ES) + bios_word(b, ENGINE_EDX);
    uint32_t first = bios_low(b, ENGINE_EBX) * 3u, count = bios_word(b, ENGINE_ECX) * 3u;
    uint8_t *dac = video_vga_of(b->machine->devices).dac;
    for (uint32_t i = 0; i < count && first + i < DAC_BYTES; i++) {
        if (set)
            dac[first + i] = bios_load(b, at + i, 1) & 0x3f;
        else
            bios_store(b, at + i, 1, dac[first + i]);
    }
    if (set)
        colours_set(b, first / 3, count / 3);
}

/* AL = 02h and 09h: Sets or reads the 16 palette registers and the border colour; ES:DX is the buffer. */
static void all_registers(bios *b, bool set)
{
    uint32_t at = bios_segment(b, ENGINE_ES) + bios_word(b, ENGINE_EDX);
    uint8_t *attribute = video_vga_of(b->machine->devices).attribute;
    for (unsigned i = 0; i <= PALETTE; i++) {
        unsigned index = i < PALETTE ? i : OVERSCAN;
        if (set)
            attribute[index] = (uint8_t)bios_load(b, at + i, 1);
        else
            bios_store(b, at + i, 1, attribute[index]);
    }
}

/* AL = 13h: BL = 0 divides the DAC into 4 (BH = 0) or 16 (BH = 1) pages of colours, by bit 7 of the mode
 * register; BL = 1 selects page BH. */
static void colour_page(bios *b)
{
    uint8_t *attribute = video_vga_of(b->machine->devices).attribute;
    uint8_t bh = bios_high(b, ENGINE_EBX);
    if (bios_low(b, ENGINE_EBX) == 0)
        attribute[MODE_CONTROL] = (uint8_t)((attribute[MODE_CONTROL] & 0x7fu) | (uint32_t)bh << 7);
    else
        attribute[COLOUR_SELECT] =
            (attribute[MODE_CONTROL] & 0x80) != 0 ? bh & 15 : (uint8_t)(bh << 2 & 0x0c);
}

/* AL = 1Ah: Returns the division in BL and the page in BH. */
static void colour_page_get(bios *b)
{
    const uint8_t *attribute = video_vga_of(b->machine->devices).attribute;
    bool sixteen = (attribute[MODE_CONTROL] & 0x80) != 0;
    bios_set_low(b, ENGINE_EBX, sixteen);
    bios_set_high(b, ENGINE_EBX, sixteen ? attribute[COLOUR_SELECT] & 15 : attribute[COLOUR_SELECT] >> 2 & 3);
}

/* AL = 03h: Selects blinking or intensity for bit 7 of an attribute. */
static void select_blinking(bios *b, bool blinks)
{
    enum { CGA_BLINK = 0x20 };
    uint8_t *control = &video_vga_of(b->machine->devices).attribute[MODE_CONTROL];
    *control = (uint8_t)((*control & ~BLINK) | (blinks ? BLINK : 0));
    uint32_t mode = bios_load(b, BDA_CGA_MODE, 1) & ~(uint32_t)CGA_BLINK;
    bios_store(b, BDA_CGA_MODE, 1, mode | (blinks ? CGA_BLINK : 0));
}

void video_palette(bios *b)
{
    /* `attribute` and `entry`: the register or the DAC's entry BL */
    uint8_t *attributes = video_vga_of(b->machine->devices).attribute;
    uint8_t *attribute = &attributes[bios_low(b, ENGINE_EBX) & 31];
    uint8_t *entry = &video_vga_of(b->machine->devices).dac[bios_low(b, ENGINE_EBX) * 3u];
    uint8_t bl = bios_low(b, ENGINE_EBX);
    switch (bios_low(b, ENGINE_EAX)) {
    case 0x00:
        *attribute = bios_high(b, ENGINE_EBX);
        break;
    case 0x01:
        attributes[OVERSCAN] = bios_high(b, ENGINE_EBX);
        break;
    case 0x02:
    case 0x09:
        all_registers(b, bios_low(b, ENGINE_EAX) == 0x02);
        break;
    case 0x03:
        select_blinking(b, (bl & 1) != 0);
        break;
    case 0x07:
        bios_set_high(b, ENGINE_EBX, *attribute);
        break;
    case 0x08:
        bios_set_high(b, ENGINE_EBX, attributes[OVERSCAN]);
        break;
    case 0x10:
        entry[0] = bios_high(b, ENGINE_EDX) & 0x3f;
        entry[1] = bios_high(b, ENGINE_ECX) & 0x3f;
        entry[2] = bios_low(b, ENGINE_ECX) & 0x3f;
        colours_set(b, bl, 1);
        break;
    case 0x12:
    case 0x17:
        dac_block(b, bios_low(b, ENGINE_EAX) == 0x12);
        break;
    case 0x13:
        colour_page(b);
        break;
    case 0x15:
        bios_set_high(b, ENGINE_EDX, entry[0]);
        bios_set_high(b, ENGINE_ECX, entry[1]);
        bios_set_low(b, ENGINE_ECX, entry[2]);
        break;
    case 0x18:
        *video_vga_of(b->machine->devices).dac_mask = bl;
        break;
    case 0x19:
        bios_set_low(b, ENGINE_EBX, *video_vga_of(b->machine->devices).dac_mask);
        break;
    case 0x1a:
        colour_page_get(b);
        break;
    case 0x1b:
        video_greys(b, bl, bios_word(b, ENGINE_ECX));
        break;
    default:
        break;
    }
}

/* AH = 0Bh: BH = 0 sets background and border; 1 selects one of two sets for the other three colours of modes
 * 04h and 05h. BL has the colour (bit 4: the other three colours are intense) or the number of the set. */
void video_cga_palette(bios *b)
{
    /* INTENSE: in a palette register; the others: what of a CGA's colour register changes */
    enum { INTENSE = 0x10, COLOURS = 0x1f, SET = 0x20 };
    uint8_t *attributes = video_vga_of(b->machine->devices).attribute;
    uint8_t bl = bios_low(b, ENGINE_EBX), now = (uint8_t)bios_load(b, BDA_CGA_COLOUR, 1);
    bool background = bios_high(b, ENGINE_EBX) == 0;
    uint8_t changed = background ? COLOURS : SET, to = background ? bl : (uint8_t)(bl << 5);
    bios_store(b, BDA_CGA_COLOUR, 1, now ^ ((now ^ to) & changed));
    if (background) {
        uint8_t colour = (uint8_t)((bl & 7) | (bl & 8) << 1);
        attributes[0] = attributes[OVERSCAN] = colour;
        for (unsigned i = 1; i < 4; i++)
            attributes[i] = (uint8_t)((attributes[i] & ~INTENSE) | (bl & INTENSE));
    } else {
        for (unsigned i = 1; i < 4; i++)
            attributes[i] = (uint8_t)((attributes[i] & INTENSE) | 2 * i | (bl & 1u));
    }
}
