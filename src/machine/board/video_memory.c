/* VGA memory: four planes of 64 KB, which the guest accesses at A0000h through the sequencer and the graphics
 * controller. In modes with a linear byte order, such as mode 13h, the memory is kept in the guest's RAM, where
 * accesses are as fast as to any RAM. IBM's VGA technical reference, "Graphics controller". */
#include "machine/board/board_internal.h"

#include <stddef.h>
#include <string.h>

#include "engine/engine.h"
#include "machine/state.h"

enum {
    MAP_MASK = 2, /* sequencer registers */
    MEMORY_MODE = 4,
    EXTENDED = 2,   /* MEMORY_MODE: all 256 KB are enabled */
    SEQUENTIAL = 4, /* MEMORY_MODE: if clear, even addresses select even planes, odd ones odd planes */
    CHAIN_4 = 8     /* MEMORY_MODE: the low two address bits select the plane */
};
enum { /* graphics controller registers */
       SET_RESET,
       SET_RESET_ENABLE,
       COLOUR_COMPARE,
       ROTATE,
       READ_MAP,
       MODE,
       MISCELLANEOUS,
       COLOUR_CARE,
       BIT_MASK
};

/* --- the window at A0000h --- */

/* What a VGA mode maps there: nothing, guest RAM in linear byte order, or planes through the graphics controller. */
typedef enum shown { SHOWS_NOTHING, SHOWS_BYTES, SHOWS_PLANES } shown;

/* SHOWS_BYTES needs registers with which a byte goes unchanged to the plane that chain-4 selects. VESA modes,
 * which have a window of their own, count as SHOWS_NOTHING. */
static shown shown_at_window(const video *v)
{
    const uint8_t *g = v->graphics;
    bool elsewhere = (g[MISCELLANEOUS] & 8) != 0; /* B0000h or B8000h */
    if (v->vesa != 0 || elsewhere || (v->sequencer[MEMORY_MODE] & EXTENDED) == 0)
        return SHOWS_NOTHING;
    bool bytes = (v->sequencer[MEMORY_MODE] & CHAIN_4) != 0 && (v->sequencer[MAP_MASK] & 15) == 15 &&
                 (g[MODE] & 0x0b) == 0 && (g[ROTATE] & 0x1f) == 0 && g[BIT_MASK] == 0xff &&
                 (g[SET_RESET_ENABLE] & 15) == 0 && (g[MISCELLANEOUS] & 1) != 0;
    return bytes ? SHOWS_BYTES : SHOWS_PLANES;
}

/* Returns the index in `memory` of byte `address` in chain-4 mode. */
static uint32_t chained_at(uint32_t address)
{
    return (address & ~3u) * VIDEO_PLANES + (address & 3);
}

/* Moves the first 64 KB of linear order to guest RAM, or back to `memory`. If the guest has no RAM at A0000h, they stay
 * in `memory`. */
static void move_chained(devices *b, bool to_ram)
{
    video *v = &b->video;
    uint8_t *ram = engine_ram(b->machine->engine, P5_VIDEO_WINDOW, VIDEO_WINDOW_BYTES);
    v->chained = to_ram && ram != NULL;
    if (ram == NULL)
        return;
    for (uint32_t i = 0; i < VIDEO_WINDOW_BYTES; i++)
        *(to_ram ? &ram[i] : &v->memory[chained_at(i)]) = to_ram ? v->memory[chained_at(i)] : ram[i];
    if (to_ram)
        engine_ram_written(b->machine->engine, P5_VIDEO_WINDOW, VIDEO_WINDOW_BYTES);
}

void video_map(devices *b)
{
    video *v = &b->video;
    engine *e = b->machine->engine;
    engine_window window = {0}, linear = {0};
    if (e == NULL)
        return;
    shown now = shown_at_window(v);
    if (now == SHOWS_BYTES && !v->chained)
        move_chained(b, true);
    if (now == SHOWS_PLANES && v->chained)
        move_chained(b, false);
    if (now == SHOWS_PLANES || v->vesa != 0)
        window = (engine_window){.first = P5_VIDEO_WINDOW,
                                 .bytes = VIDEO_WINDOW_BYTES,
                                 .host = v->vesa != 0 ? v->memory + v->bank : NULL};
    if (v->vesa != 0)
        linear = (engine_window){.first = P5_VIDEO_LINEAR, .bytes = VIDEO_MEMORY, .host = v->memory};
    engine_set_window(e, 0, &window);
    engine_set_window(e, 1, &linear);
}

uint8_t *video_planes(devices *b)
{
    if (b->video.chained)
        move_chained(b, false);
    return b->video.memory;
}

/* --- the graphics controller --- */

/* Returns a byte's offset in its plane, and in *planes the planes that its address selects. */
static uint32_t plane_offset(const video *v, uint32_t address, uint8_t *planes)
{
    *planes = 15;
    if ((v->sequencer[MEMORY_MODE] & CHAIN_4) != 0) {
        *planes = (uint8_t)(1u << (address & 3));
        return address & ~3u;
    }
    if ((v->sequencer[MEMORY_MODE] & SEQUENTIAL) == 0) {
        *planes = (address & 1) != 0 ? 0xa : 5;
        return address & ~1u;
    }
    return address;
}

/* Fills the latches, and returns what the read map or the colour compare registers select. */
uint8_t video_window_read(devices *b, uint32_t physical)
{
    video *v = &b->video;
    const uint8_t *g = v->graphics;
    uint8_t planes;
    uint32_t address = (physical - P5_VIDEO_WINDOW) % VIDEO_WINDOW_BYTES;
    uint32_t offset = plane_offset(v, address, &planes);
    memcpy(v->latch, v->memory + offset * VIDEO_PLANES, sizeof v->latch);
    if ((g[MODE] & 8) != 0) { /* read mode 1: a bit is set where all cared planes match */
        uint8_t same = 0xff;
        for (unsigned p = 0; p < VIDEO_PLANES; p++)
            if ((g[COLOUR_CARE] >> p & 1) != 0)
                same &= (uint8_t) ~(v->latch[p] ^ ((g[COLOUR_COMPARE] >> p & 1) != 0 ? 0xff : 0));
        return same;
    }
    if ((v->sequencer[MEMORY_MODE] & CHAIN_4) != 0)
        return v->latch[address & 3];
    bool sequential = (v->sequencer[MEMORY_MODE] & SEQUENTIAL) != 0;
    return v->latch[sequential ? g[READ_MAP] & 3u : (g[READ_MAP] & 2u) | (address & 1)];
}

/* Returns a plane's data in write modes 0, 2 and 3, and in *mask the bits that replace the latch. */
static uint8_t plane_data(const uint8_t *g, unsigned plane, uint8_t value, uint8_t rotated, uint8_t *mask)
{
    uint8_t set = (g[SET_RESET] >> plane & 1) != 0 ? 0xff : 0;
    *mask = g[BIT_MASK];
    switch (g[MODE] & 3) {
    case 0:
        return (g[SET_RESET_ENABLE] >> plane & 1) != 0 ? set : rotated;
    case 2:
        return (value >> plane & 1) != 0 ? 0xff : 0;
    default:
        *mask &= rotated;
        return set;
    }
}

/* Combines data with the latch by the function of the rotate register. */
static uint8_t operate(unsigned operation, uint8_t data, uint8_t latch)
{
    switch (operation) {
    case 1:
        return data & latch;
    case 2:
        return data | latch;
    case 3:
        return data ^ latch;
    default:
        return data;
    }
}

void video_window_write(devices *b, uint32_t physical, uint8_t byte)
{
    video *v = &b->video;
    const uint8_t *g = v->graphics;
    uint8_t planes, mask;
    uint32_t offset = plane_offset(v, (physical - P5_VIDEO_WINDOW) % VIDEO_WINDOW_BYTES, &planes);
    uint8_t *to = v->memory + offset * VIDEO_PLANES;
    unsigned turn = g[ROTATE] & 7;
    uint8_t rotated = (uint8_t)(byte >> turn | byte << (8 - turn));
    planes &= v->sequencer[MAP_MASK];
    for (unsigned p = 0; p < VIDEO_PLANES; p++) {
        if ((planes >> p & 1) == 0)
            continue;
        uint8_t latch = v->latch[p];
        if ((g[MODE] & 3) == 1) {
            to[p] = latch;
            continue;
        }
        uint8_t data = plane_data(g, p, byte, rotated, &mask);
        data = operate(g[ROTATE] >> 3 & 3, data, latch);
        to[p] = (uint8_t)((data & mask) | (latch & ~mask));
    }
}

/* --- VESA modes --- */

void video_set_vesa(devices *b, const video_vesa_mode *mode, uint32_t pitch)
{
    video *v = &b->video;
    video_planes(b); /* moves the memory out of guest RAM if it is there */
    v->vesa = mode->number;
    v->vesa_width = mode->width;
    v->vesa_height = mode->height;
    v->vesa_bits = mode->bits;
    v->pitch = pitch;
    v->start = v->bank = 0;
    video_map(b);
}

void video_set_bank(devices *b, uint32_t first_byte)
{
    b->video.bank = first_byte <= VIDEO_MEMORY - VIDEO_WINDOW_BYTES ? first_byte : b->video.bank;
    video_map(b);
}

void video_set_start(devices *b, uint32_t start)
{
    b->video.start = start <= VIDEO_MEMORY ? start : 0;
}

void video_set_pitch(devices *b, uint32_t pitch)
{
    b->video.pitch = pitch <= VIDEO_MEMORY ? pitch : 0;
}

/* The part of `video` that a guest can save and restore: all before `memory`. */
enum { REGISTERS = offsetof(video, memory) };
_Static_assert((int)REGISTERS <= (int)VIDEO_STATE_BYTES, "the registers fit into the saved state");

void video_state_save(const devices *b, uint8_t bytes[VIDEO_STATE_BYTES])
{
    memset(bytes, 0, VIDEO_STATE_BYTES);
    memcpy(bytes, &b->video, REGISTERS);
}

void video_state_restore(devices *b, const uint8_t bytes[VIDEO_STATE_BYTES])
{
    video kept;
    memcpy(&kept, bytes, REGISTERS);
    video *v = &b->video;
    kept.memory = v->memory;
    kept.chained = v->chained;
    kept.attribute_data = (bytes[offsetof(video, attribute_data)] & 1) != 0;
    kept.dac_reads = (bytes[offsetof(video, dac_reads)] & 1) != 0;
    kept.dac_part %= 3;
    kept.vesa &= 0x1ff;
    kept.vesa_width %= VIDEO_WIDEST + 1;
    kept.vesa_height %= VIDEO_WIDEST + 1;
    kept.vesa_bits %= 33;
    kept.bank = kept.bank <= VIDEO_MEMORY - VIDEO_WINDOW_BYTES ? kept.bank : 0;
    kept.pitch = kept.pitch <= VIDEO_MEMORY ? kept.pitch : 0;
    kept.start = kept.start <= VIDEO_MEMORY ? kept.start : 0;
    *v = kept;
    video_map(b);
}

/* --- index and data ports at 1CEh, for VESA's protected-mode routines --- */

enum { VESA_INDEX = 0x1ce, VESA_BANK = 5, VESA_START_LOW, VESA_START_HIGH, START_UNIT = 4 };

/* Handles a write to the index or the data port: sets the window's start, or 16 bits of the screen's start, which has
 * two registers. */
static void vesa_write(devices *b, uint16_t port, uint32_t value)
{
    video *v = &b->video;
    uint32_t units = v->start / START_UNIT;
    value &= 0xffff;
    if (port == VESA_INDEX)
        v->vesa_index = (uint8_t)value;
    else if (v->vesa_index == VESA_BANK)
        video_set_bank(b, value * VIDEO_WINDOW_BYTES);
    else if (v->vesa_index == VESA_START_LOW)
        video_set_start(b, ((units & 0xffff0000u) | value) * START_UNIT);
    else if (v->vesa_index == VESA_START_HIGH)
        video_set_start(b, ((units & 0xffff) | value << 16) * START_UNIT);
}

void video_memory_attach(devices *b)
{
    devices_attach(b, &(device){VESA_INDEX, VESA_INDEX + 1, .write = vesa_write});
}

video_vesa video_vesa_now(devices *b)
{
    const video *v = &b->video;
    return (video_vesa){v->vesa, v->bank, v->pitch, v->start, v->memory};
}
