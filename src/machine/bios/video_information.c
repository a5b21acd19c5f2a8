/* INT 10h AH = 1Bh: the state of the adapter. */
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

/* Returns a mode's number of pages: as many as fit into a plane of 64 KB or into the memory of text, at most eight. */
static unsigned pages_of(const video_mode *mode)
{
    unsigned pages = mode->kind == VIDEO_PLANAR ? 0x10000u / mode->page_bytes
                     : mode->kind == VIDEO_TEXT ? (unsigned)VIDEO_TEXT_MEMORY / mode->page_bytes
                                                : 1;
    return pages < VIDEO_PAGES ? pages : VIDEO_PAGES;
}

void video_information(bios *b)
{
    if (bios_word(b, ENGINE_EBX) != 0) {
        bios_set_low(b, ENGINE_EAX, 0);
        return;
    }
    uint32_t at = bios_segment(b, ENGINE_ES) + bios_word(b, ENGINE_EDI);
    const uint32_t table = bios_rom_pointer(VIDEO_FUNCTIONALITY);
    uint8_t state[64] = {0};
    const video_mode *mode = video_mode_now(b);
    memcpy(state, &table, sizeof table);
    engine_read_linear(b->machine->engine, BDA_VIDEO_MODE, state + 4, 30);
    state[0x22] = (uint8_t)video_rows(b);
    state[0x23] = (uint8_t)bios_load(b, BDA_CHARACTER, 1);
    state[0x25] = 8; /* VGA with colour display */
    state[0x27] = (uint8_t)colours_of(mode);
    state[0x28] = (uint8_t)(colours_of(mode) >> 8);
    state[0x29] = (uint8_t)pages_of(mode);
    const unsigned lines = mode->kind == VIDEO_TEXT ? video_lines(b) : mode->height;
    state[0x2a] = lines == 200 ? 0 : lines == 350 ? 1 : lines == 480 ? 3 : 2; /* 2: 400 */
    state[0x31] = 3;                                                          /* 256 KB */
    engine_write_linear(b->machine->engine, at, state, sizeof state);
    bios_set_low(b, ENGINE_EAX, 0x1b);
}
