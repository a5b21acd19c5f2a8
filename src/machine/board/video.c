/* VGA registers. The status register follows the beam, whose line and frame times come from the CRT controller:
 * in text mode, 449 lines of 900 pixels at 28.322 MHz give 70.1 Hz. IBM's VGA technical reference. */
#include "machine/board/board_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    MONO_CRTC = 0x3b4, /* the CRT controller if COLOUR is clear */
    MONO_STATUS = 0x3ba,
    ATTRIBUTE = 0x3c0,
    STATUS_0 = 0x3c2, /* reads */
    MISCELLANEOUS_WRITE = 0x3c2,
    SEQUENCER = 0x3c4,
    DAC_MASK = 0x3c6,
    DAC_READ = 0x3c7,
    DAC_WRITE = 0x3c8,
    DAC_DATA = 0x3c9,
    FEATURE_READ = 0x3ca,
    MISCELLANEOUS_READ = 0x3cc,
    GRAPHICS = 0x3ce,
    CRTC = 0x3d4,
    STATUS = 0x3da,
    SCREEN_ON = 0x20, /* in the attribute controller's index */
    COLOUR = 0x01,    /* in the miscellaneous register: the CRT controller is at 3D4h */
    CRTC_PROTECT = 0x11,
    PROTECTED = 0x80,
    LINE_COMPARE_BIT = 0x10 /* in register 7; never write-protected */
};

/* --- the beam --- */

/* The beam's timing, from the CRT controller. */
typedef struct video_timing {
    uint32_t hz;                     /* pixel clock */
    uint32_t line, line_shown;       /* pixel clocks of a line, and of its visible part */
    uint32_t frame, frame_shown;     /* lines of a frame, and of its visible part */
    uint32_t retrace, retrace_lines; /* first line of the vertical retrace, and its lines */
} video_timing;

static video_timing timing_of(const video *v)
{
    enum { CLOCK_25 = 25175000, CLOCK_28 = 28322000 };
    const uint8_t *c = v->crtc;
    uint32_t dots = (v->sequencer[1] & 1) != 0 ? 8 : 9;
    uint32_t begins = c[0x10] | (c[7] & 4u) << 6 | (c[7] & 0x80u) << 2;
    uint32_t clock = (v->miscellaneous & 0x0c) == 4 ? CLOCK_28 : CLOCK_25;
    return (video_timing){.hz = (v->sequencer[1] & 8) != 0 ? clock / 2 : clock,
                          .line = (c[0] + 5u) * dots,
                          .line_shown = (c[1] + 1u) * dots,
                          .frame = (c[6] | (c[7] & 1u) << 8 | (c[7] & 0x20u) << 4) + 2,
                          .frame_shown = video_lines_of(c),
                          .retrace = begins,
                          .retrace_lines = ((c[0x11] - begins - 1u) & 15) + 1};
}

/* Returns input status register 1: bit 0 is set outside the visible part, bit 3 during the vertical retrace. */
static uint8_t video_status(const devices *b)
{
    const video_timing t = timing_of(&b->video);
    uint64_t pixel = devices_pulses(b, b->now, t.hz), line = pixel / t.line % t.frame;
    bool shown = pixel % t.line < t.line_shown && line < t.frame_shown;
    bool retrace = line >= t.retrace && line < t.retrace + t.retrace_lines;
    return (uint8_t)((shown ? 0 : 1) | (retrace ? 8 : 0));
}

/* --- the registers --- */

/* Returns the next component of a DAC entry. */
static uint8_t *video_dac_byte(video *v, uint8_t index)
{
    return &v->dac[index * 3u + v->dac_part];
}

/* Advances to the next component, and after the last one to the next entry. */
static void video_dac_step(video *v, uint8_t *index)
{
    if (++v->dac_part == 3) {
        v->dac_part = 0;
        ++*index;
    }
}

/* Returns the register of a port that belongs to an index and data pair, or NULL. */
static uint8_t *video_register(video *v, unsigned port)
{
    const struct {
        unsigned port;
        uint8_t *index, *data, last;
    } pairs[] = {{ATTRIBUTE, &v->attribute_index, v->attribute, 31},
                 {SEQUENCER, &v->sequencer_index, v->sequencer, 7},
                 {GRAPHICS, &v->graphics_index, v->graphics, 15},
                 {CRTC, &v->crtc_index, v->crtc, 31}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if ((port & ~1u) == pairs[i].port)
            return port == pairs[i].port ? pairs[i].index : &pairs[i].data[*pairs[i].index & pairs[i].last];
    return NULL;
}

/* Exchanges the monochrome and colour ports of CRT controller and status register in monochrome mode, so that the
 * ports of the mode that is not selected are those that have no register. */
static uint16_t colour_port(const video *v, uint16_t port)
{
    enum { DIFFERENCE = CRTC ^ MONO_CRTC };
    uint16_t mono = (uint16_t)((port & ~(unsigned)DIFFERENCE) | (MONO_CRTC & DIFFERENCE));
    bool moves = mono == MONO_CRTC || mono == MONO_CRTC + 1 || mono == MONO_STATUS;
    return moves && (v->miscellaneous & COLOUR) == 0 ? port ^ DIFFERENCE : port;
}

static uint32_t video_read(devices *b, uint16_t port)
{
    video *v = &b->video;
    port = colour_port(v, port);
    const uint8_t *reg = video_register(v, port);
    uint32_t value;
    switch (port) {
    case STATUS_0: /* no interrupt; a colour monitor answers */
        return 0x70;
    case FEATURE_READ:
        return 0;
    case DAC_MASK:
        return v->dac_mask;
    case DAC_READ:
        return v->dac_reads ? 3 : 0;
    case DAC_WRITE:
        return v->dac_write;
    case DAC_DATA:
        value = *video_dac_byte(v, v->dac_read);
        video_dac_step(v, &v->dac_read);
        return value;
    case MISCELLANEOUS_READ:
        return v->miscellaneous;
    case STATUS:
        v->attribute_data = false;
        return video_status(b);
    default:
        return reg != NULL ? *reg : 0xff;
    }
}

/* Writes the selected CRT controller register. Registers 0-7 may be write-protected. */
static void crtc_write(video *v, uint8_t value)
{
    uint8_t index = v->crtc_index & 31;
    uint8_t changes =
        index < 8 && (v->crtc[CRTC_PROTECT] & PROTECTED) != 0 ? (index == 7 ? LINE_COMPARE_BIT : 0) : 0xff;
    v->crtc[index] = (uint8_t)((v->crtc[index] & ~changes) | (value & changes));
}

static void video_write(devices *b, uint16_t port, uint32_t byte)
{
    video *v = &b->video;
    port = colour_port(v, port);
    uint8_t value = (uint8_t)byte, *reg = video_register(v, port);
    switch (port) {
    case ATTRIBUTE: /* alternates between index and data */
        *video_register(v, ATTRIBUTE + v->attribute_data) = value;
        v->attribute_data = !v->attribute_data;
        break;
    case ATTRIBUTE + 1: /* read-only */
        break;
    case MISCELLANEOUS_WRITE:
        v->miscellaneous = value;
        break;
    case DAC_MASK:
        v->dac_mask = value;
        break;
    case DAC_READ: /* fetches the entry and advances the address, which 3C8h reads */
        v->dac_read = value;
        v->dac_write = value + 1;
        v->dac_part = 0;
        v->dac_reads = true;
        break;
    case DAC_WRITE:
        v->dac_write = value;
        v->dac_part = 0;
        v->dac_reads = false;
        break;
    case DAC_DATA:
        *video_dac_byte(v, v->dac_write) = value & 0x3f;
        video_dac_step(v, &v->dac_write);
        break;
    case CRTC + 1:
        crtc_write(v, value);
        break;
    default:
        if (reg != NULL)
            *reg = value;
        if (port == SEQUENCER + 1 || port == GRAPHICS + 1)
            video_map(b);
    }
}

void video_set_registers(devices *b, const video_registers *registers)
{
    video *v = &b->video;
    v->miscellaneous = registers->miscellaneous;
    memcpy(v->sequencer, registers->sequencer, sizeof registers->sequencer);
    memcpy(v->crtc, registers->crtc, sizeof registers->crtc);
    memcpy(v->graphics, registers->graphics, sizeof registers->graphics);
    memcpy(v->attribute, registers->attribute, sizeof registers->attribute);
    v->attribute_index = SCREEN_ON;
    v->vesa = 0;
    video_map(b);
}

video_vga video_vga_of(devices *b)
{
    video *v = &b->video;
    return (video_vga){v->crtc, v->attribute, v->sequencer, v->dac, &v->dac_mask};
}

/* Attaches the VGA in text mode, as a BIOS leaves it: the beam runs, and A0000h is not mapped. Returns false if memory
 * is exhausted. */
bool video_attach(devices *b)
{
    b->video = (video){.miscellaneous = 0x67,
                       .attribute_index = SCREEN_ON,
                       .dac_mask = 0xff,
                       .sequencer = {3, 0, 3, 0, 2},
                       .graphics = {[5] = 0x10, 0x0e, 0x0f, 0xff},
                       .crtc = {0x5f, 0x4f,        0x50, 0x82, 0x55, 0x81, 0xbf, 0x1f, 0,    0x4f, 0x0d,
                                0x0e, [16] = 0x9c, 0x8e, 0x8f, 0x28, 0x1f, 0x96, 0xb9, 0xa3, 0xff},
                       .memory = calloc(VIDEO_MEMORY, 1)};
    devices_attach(b,
                   &(device){ATTRIBUTE, STATUS, .read = video_read, .write = video_write, .by_bytes = true});
    devices_attach(
        b, &(device){MONO_CRTC, MONO_STATUS, .read = video_read, .write = video_write, .by_bytes = true});
    video_memory_attach(b);
    return b->video.memory != NULL;
}

/* --- snapshots --- */

const snapshot_table video_state = {
    SNAPSHOT(video, "video",
             FIELD_ANY(miscellaneous, dac_mask, crtc_index, sequencer_index, graphics_index, attribute_index),
             FIELD_FLAG(attribute_data), FIELD_ANY_OF([0], crtc, sequencer, graphics, attribute),
             FIELD_ANY(dac_read, dac_write), FIELD_MOST(2, dac_part), FIELD_ANY_OF([0], dac),
             FIELD_SINCE(2, FIELD_ANY_OF([0], latch), FIELD_FLAG(chained), FIELD_MOST(0x1ff, vesa),
                         FIELD_MOST(VIDEO_WIDEST, vesa_width, vesa_height), FIELD_MOST(32, vesa_bits),
                         FIELD_ANY(vesa_index), FIELD_MOST(VIDEO_MEMORY - VIDEO_WINDOW_BYTES, bank),
                         FIELD_MOST(VIDEO_MEMORY, pitch, start)),
             FIELD_SINCE(3, FIELD_FLAG(dac_reads))),
    .partial = true};

/* Saves or loads the video memory, without parts at its end that are all zeros. Snapshots of revision 1 have none. */
void video_transfer_memory(devices *b, snapshot *s)
{
    enum { PART = 0x10000 };
    uint8_t *memory = b->video.memory;
    uint64_t parts = VIDEO_MEMORY / PART;
    if (s->loading && s->revision < 2)
        return;
    while (!s->loading && parts > 0 && memory[(parts - 1) * PART] == 0 &&
           memcmp(memory + (parts - 1) * PART, memory + (parts - 1) * PART + 1, PART - 1) == 0)
        parts--;
    parts = snapshot_number(s, "video_parts", parts, VIDEO_MEMORY / PART);
    for (uint64_t i = 0; i < parts && s->status == P5_OK; i++)
        snapshot_raw(s, "video_memory", memory + i * PART, PART);
    if (s->loading && s->status == P5_OK)
        video_map(b);
}
