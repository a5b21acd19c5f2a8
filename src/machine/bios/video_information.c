/* INT 10h AH = 1Bh: describes the video mode and the adapter. IBM PS/2 and PC BIOS interface technical reference,
 * "Return Functionality/State Information", has the offsets. */
#include <string.h>

#include "machine/bios/bios_internal.h"
#include "machine/bios/video.h"

/* Returns how many colours a mode shows at once. */
static unsigned colours_of(const video_mode *mode)
{
    switch (mode->number) {
    case 0x04:
    case 0x05:
        return 4;
    case 0x06:
    case 0x0f:
    case 0x11:
        return 2;
    case 0x07:
        return 1;
    default:
        return mode->kind == VIDEO_PACKED ? 256 : 16;
    }
}

/* Returns a mode's number of pages: as many as fit into a plane of 64 KB or into VIDEO_TEXT_MEMORY, at most eight. */
static unsigned pages_of(const video_mode *mode)
{
    unsigned pages = mode->kind == VIDEO_PLANAR ? 0x10000u / mode->page_bytes
                     : mode->kind == VIDEO_TEXT ? (unsigned)VIDEO_TEXT_MEMORY / mode->page_bytes
                                                : 1;
    return pages < VIDEO_PAGES ? pages : VIDEO_PAGES;
}

/* Returns the flags at offset 2Dh. */
static uint8_t flags_of(bios *b, const video_mode *mode)
{
    enum { ALL_MODES = 1, CURSOR_CONVERTED = 0x10, BLINKING = 0x20 };
    enum { MODE_CONTROL = 0x10, BLINK = 8 }; /* register of the attribute controller, and its bit */
    bool blinks =
        mode->kind == VIDEO_TEXT && (video_vga_of(b->machine->devices).attribute[MODE_CONTROL] & BLINK) != 0;
    bool as_is = (bios_load(b, BDA_VIDEO_INFORMATION, 1) & VIDEO_CURSOR_AS_IS) != 0;
    uint32_t options = bios_load(b, BDA_VIDEO_OPTIONS, 1) & (VIDEO_GREYS | VIDEO_COLOURS_KEPT);
    return (uint8_t)(ALL_MODES | options | (as_is ? 0 : CURSOR_CONVERTED) | (blinks ? BLINKING : 0));
}

void video_information(bios *b)
{
    if (bios_word(b, ENGINE_EBX) != 0) {
        bios_set_low(b, ENGINE_EAX, 0);
        return;
    }
    uint32_t at = bios_segment(b, ENGINE_ES) + bios_word(b, ENGINE_EDI);
    const uint32_t table = bios_rom_pointer(VIDEO_FUNCTIONALITY);
    enum { ROWS = 0x22 }; /* from offset 4 to this one, the state is a copy of the data area */
    uint8_t state[64] = {0};
    const video_mode *mode = video_mode_now(b);
    memcpy(state, &table, sizeof table);
    engine_read_linear(b->machine->engine, BDA_VIDEO_MODE, state + 4, ROWS - 4);
    state[ROWS] = (uint8_t)video_rows(b);
    state[0x23] = (uint8_t)bios_load(b, BDA_CHARACTER, 1);
    state[0x25] = 8; /* VGA with colour display */
    state[0x27] = (uint8_t)colours_of(mode);
    state[0x28] = (uint8_t)(colours_of(mode) >> 8);
    state[0x29] = (uint8_t)pages_of(mode);
    const unsigned lines = mode->kind == VIDEO_TEXT ? video_lines(b) : mode->height;
    state[0x2a] = lines == 200 ? 0 : lines == 350 ? 1 : lines == 480 ? 3 : 2 /* 400 */;
    state[0x2d] = flags_of(b, mode);
    state[0x31] = 3; /* 256 KB */
    engine_write_linear(b->machine->engine, at, state, sizeof state);
    bios_set_low(b, ENGINE_EAX, 0x1b);
}
