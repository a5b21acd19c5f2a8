/* A VGA as far as programs look at one without drawing: registers that keep what is written, and the status
 * register by whose bits they wait for the retrace. What is on the screen is memory, A0000h and B8000h.
 *
 * 800 pixel clocks of 25.175 MHz make a line of 640, 449 lines a frame of 400: 70.1 Hz; the vertical retrace
 * is lines 412 and 413. IBM's VGA technical reference. */
#include "machine/board/board_internal.h"

enum {
    ATTRIBUTE = 0x3c0,
    MISCELLANEOUS_WRITE = 0x3c2,
    SEQUENCER = 0x3c4,
    DAC_MASK = 0x3c6,
    DAC_READ = 0x3c7,
    DAC_WRITE = 0x3c8,
    DAC_DATA = 0x3c9,
    MISCELLANEOUS_READ = 0x3cc,
    GRAPHICS = 0x3ce,
    CRTC = 0x3d4,
    STATUS = 0x3da,
    PIXEL_HZ = 25175000,
    LINE = 800,
    LINE_SHOWN = 640,
    FRAME = 449,
    FRAME_SHOWN = 400,
    RETRACE = 412,
    RETRACE_LINES = 2,
    COLOUR_PORTS = 0x67 /* of the miscellaneous register: mode 3 at 3Dxh */
};

static uint8_t video_status(const devices *b)
{
    uint64_t pixel = devices_pulses(b, b->now, PIXEL_HZ), line = pixel / LINE % FRAME;
    bool shown = pixel % LINE < LINE_SHOWN && line < FRAME_SHOWN;
    bool retrace = line >= RETRACE && line < RETRACE + RETRACE_LINES;
    return (uint8_t)((shown ? 0 : 1) | (retrace ? 8 : 0));
}

static uint8_t *video_dac_byte(video *v, uint8_t index)
{
    return &v->dac[index * 3u + v->dac_part];
}

static void video_dac_step(video *v, uint8_t *index)
{
    if (++v->dac_part == 3) {
        v->dac_part = 0;
        ++*index;
    }
}

/* What a port shows of those that have an index, and data behind it; NULL: it is none of them. */
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

static uint32_t video_read(devices *b, uint16_t port)
{
    video *v = &b->video;
    const uint8_t *reg = video_register(v, port);
    uint32_t value;
    switch (port) {
    case DAC_MASK:
        return v->dac_mask;
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

static void video_write(devices *b, uint16_t port, uint32_t byte)
{
    video *v = &b->video;
    uint8_t value = (uint8_t)byte, *reg = video_register(v, port);
    switch (port) {
    case ATTRIBUTE: /* index and data in turn */
        *video_register(v, ATTRIBUTE + v->attribute_data) = value;
        v->attribute_data = !v->attribute_data;
        break;
    case ATTRIBUTE + 1: /* for reads */
        break;
    case MISCELLANEOUS_WRITE:
        v->miscellaneous = value;
        break;
    case DAC_MASK:
        v->dac_mask = value;
        break;
    case DAC_READ:
    case DAC_WRITE:
        *(port == DAC_READ ? &v->dac_read : &v->dac_write) = value;
        v->dac_part = 0;
        break;
    case DAC_DATA:
        *video_dac_byte(v, v->dac_write) = value & 0x3f;
        video_dac_step(v, &v->dac_write);
        break;
    default:
        if (reg != NULL)
            *reg = value;
    }
}

uint8_t *video_crtc(devices *b)
{
    return b->video.crtc;
}

uint8_t *video_attributes(devices *b)
{
    return b->video.attribute;
}

uint8_t *video_colours(devices *b)
{
    return b->video.dac;
}

void video_attach(devices *b)
{
    b->video = (video){.miscellaneous = COLOUR_PORTS, .dac_mask = 0xff};
    devices_attach(b,
                   &(device){ATTRIBUTE, STATUS, .read = video_read, .write = video_write, .by_bytes = true});
}

/* --- snapshots --- */

const snapshot_table video_state = {
    SNAPSHOT(video, "video",
             FIELD_ANY(miscellaneous, dac_mask, crtc_index, sequencer_index, graphics_index, attribute_index),
             FIELD_FLAG(attribute_data), FIELD_ANY_OF([0], crtc, sequencer, graphics, attribute),
             FIELD_ANY(dac_read, dac_write), FIELD_MOST(2, dac_part), FIELD_ANY_OF([0], dac))};
