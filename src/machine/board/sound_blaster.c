#include "machine/board/sound_blaster.h"

#include <string.h>

#include "machine/board/board_internal.h"
#include "machine/state.h"

enum {
    MIXER_INDEX = 0x224,
    MIXER_DATA = 0x225,
    RESET = 0x226,
    READ_DATA = 0x22a,
    WRITE = 0x22c, /* read: bit 7 clear, the DSP takes a byte */
    READ_STATUS =
        0x22e, /* bit 7: a byte can be read; the read acknowledges the interrupt of 8-bit transfers */
    ACKNOWLEDGE_16 = 0x22f,
    READY = 0x7f,
    AVAILABLE = 0xff,
    RESET_ANSWER = 0xaa,

    MIXER_RESET = 0x00,
    MIXER_INTERRUPT = 0x80,
    MIXER_DMA = 0x81,
    MIXER_STATUS = 0x82,
    INTERRUPT_7 = 0x04,  /* in 80h */
    CHANNELS_1_5 = 0x22, /* in 81h */
    CHANNEL_BYTES = 1,
    CHANNEL_WORDS = 5,

    COMMAND_DIRECT = 0x10,
    COMMAND_DIRECT_INPUT = 0x20,
    COMMAND_TIME_CONSTANT = 0x40,
    COMMAND_OUTPUT_RATE = 0x41,
    COMMAND_INPUT_RATE = 0x42,
    COMMAND_BLOCK = 0x48,
    COMMAND_SILENCE = 0x80,
    COMMAND_PAUSE_8 = 0xd0,
    COMMAND_SPEAKER_ON = 0xd1,
    COMMAND_SPEAKER_OFF = 0xd3,
    COMMAND_CONTINUE_8 = 0xd4,
    COMMAND_PAUSE_16 = 0xd5,
    COMMAND_CONTINUE_16 = 0xd6,
    COMMAND_SPEAKER_STATUS = 0xd8,
    COMMAND_EXIT_16 = 0xd9,
    COMMAND_EXIT_8 = 0xda,
    COMMAND_IDENTIFY = 0xe0,
    COMMAND_VERSION = 0xe1,
    COMMAND_COPYRIGHT = 0xe3,
    COMMAND_TEST_WRITE = 0xe4,
    COMMAND_TEST_READ = 0xe8,
    COMMAND_INTERRUPT_8 = 0xf2,
    COMMAND_INTERRUPT_16 = 0xf3,
    VERSION_MAJOR = 4,
    VERSION_MINOR = 5,
    PROGRAMMED_STEREO = 0x20,  /* in the mode byte after commands Bxh and Cxh */
    PROGRAMMED_REPEATS = 0x04, /* in these commands */
    FASTEST_HZ = 48000,
    SLOWEST_HZ = 4000
};

/* --- the interrupt and the bytes that the DSP answers --- */

static void drive_line(devices *b)
{
    devices_set_irq(b, IRQ_SOUND, b->sound.interrupt8 || b->sound.interrupt16);
}

/* Raises the interrupt of transfers of words or of bytes. */
static void interrupt(devices *b, bool words)
{
    *(words ? &b->sound.interrupt16 : &b->sound.interrupt8) = true;
    drive_line(b);
}

static void answer(sound_blaster *s, uint8_t byte)
{
    if (s->answer_count < SOUND_ANSWERS)
        s->answers[(s->answer_at + s->answer_count++) % SOUND_ANSWERS] = byte;
}

static uint8_t answer_read(sound_blaster *s)
{
    uint8_t byte = s->answers[s->answer_at];
    if (s->answer_count == 0)
        return 0xff;
    s->answer_at = (uint8_t)((s->answer_at + 1) % SOUND_ANSWERS);
    s->answer_count--;
    return byte;
}

static void mixer_reset(sound_blaster *s)
{
    memset(s->mixer, 0, sizeof s->mixer);
    s->mixer[MIXER_INTERRUPT] = INTERRUPT_7;
    s->mixer[MIXER_DMA] = CHANNELS_1_5;
}

static void dsp_reset(devices *b)
{
    sound_blaster *s = &b->sound;
    s->answer_count = s->parameter_count = 0;
    s->in_command = s->speaker = s->interrupt8 = s->interrupt16 = false;
    s->transfer = (sound_transfer){0};
    s->rate_hz = 0;
    answer(s, RESET_ANSWER);
    drive_line(b);
}

/* --- transfers --- */

/* Returns the sample rate: that of the SB16's commands 41h and 42h, or that of the time constant. In the transfers of
 * the first cards, the samples of both stereo channels count together; in Bxh and Cxh, each channel has this rate.
 * DOSBox does the same (tests/guest/dos/oracle.txt). */
static uint32_t samples_per_second(const sound_blaster *s)
{
    return s->rate_hz != 0 ? s->rate_hz : 1000000u / (256u - s->time_constant);
}

static void transfer_begin(devices *b, sound_transfer wanted)
{
    wanted.active = true;
    wanted.since = b->now;
    b->sound.transfer = wanted;
}

/* Returns the units due since the transfer began or was continued. */
static uint64_t units_due(const devices *b)
{
    const sound_transfer *t = &b->sound.transfer;
    return (uint64_t)((unsigned __int128)(b->now - t->since) * t->millihertz / 1000 / b->machine->clock_hz);
}

/* Transfers units between the device and memory. Playback is discarded, and recording gives silence. */
static void units_move(devices *b, const sound_transfer *t, uint32_t units)
{
    uint8_t bytes[256];
    unsigned size = t->words ? 2 : 1, channel = t->words ? CHANNEL_WORDS : CHANNEL_BYTES;
    while (units > 0 && !t->silent) {
        uint32_t part = units < sizeof bytes / size ? units : (uint32_t)(sizeof bytes / size);
        bool ended;
        memset(bytes, t->words ? 0 : 0x80, sizeof bytes);
        if (dma_move(b, channel, bytes, (size_t)part * size, &ended) == 0)
            return;
        units -= part;
    }
}

static void block_ends(devices *b)
{
    sound_transfer *t = &b->sound.transfer;
    t->moved = 0;
    t->active = t->repeats && !t->last_block;
    interrupt(b, t->words);
}

/* Moves the units that are due by now. */
static void sound_advance(devices *b)
{
    sound_transfer *t = &b->sound.transfer;
    if (!t->active || t->paused)
        return;
    uint64_t due = units_due(b);
    while (t->active && t->counted < due) {
        uint32_t left = t->block - t->moved;
        uint32_t part = due - t->counted < left ? (uint32_t)(due - t->counted) : left;
        units_move(b, t, part);
        t->moved += part;
        t->counted += part;
        if (t->moved == t->block)
            block_ends(b);
    }
}

/* Returns the clock at which the block ends, unless an interrupt is pending already. */
static uint64_t sound_deadline(const devices *b)
{
    const sound_transfer *t = &b->sound.transfer;
    if (!t->active || t->paused || b->sound.interrupt8 || b->sound.interrupt16)
        return UINT64_MAX;
    unsigned __int128 units = (unsigned __int128)(t->counted + t->block - t->moved) * 1000;
    return t->since + (uint64_t)((units * b->machine->clock_hz + t->millihertz - 1) / t->millihertz);
}

static void transfer_pause(devices *b, bool pause)
{
    sound_transfer *t = &b->sound.transfer;
    if (t->paused && !pause) {
        t->since = b->now;
        t->counted = 0;
    }
    t->paused = pause;
}

/* A command of the first cards that begins a transfer: of 8 bits, or of packed samples of 4, 2.6 or 2 bits. */
typedef struct old_command {
    uint8_t command, samples_in_byte;
    bool repeats;
} old_command;

/* Returns the entry of a command, or NULL if it is none of them. */
static const old_command *old_command_of(uint8_t command)
{
    static const old_command commands[] = {
        {0x14, 1, false}, {0x15, 1, false}, {0x16, 4, false}, {0x17, 4, false}, {0x1c, 1, true},
        {0x1f, 4, true},  {0x24, 1, false}, {0x2c, 1, true},  {0x74, 2, false}, {0x75, 2, false},
        {0x76, 3, false}, {0x77, 3, false}, {0x7d, 2, true},  {0x7f, 3, true},  {0x90, 1, true},
        {0x91, 1, false}, {0x98, 1, true},  {0x99, 1, false}};
    for (unsigned i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (commands[i].command == command)
            return &commands[i];
    return NULL;
}

/* Returns true if command 48h gives the length of the transfer, false if two parameters give it. */
static bool by_block(const old_command *old)
{
    return old->repeats || old->command >= 0x90;
}

static void old_transfer(devices *b, const old_command *old)
{
    const sound_blaster *s = &b->sound;
    uint32_t length = by_block(old) ? s->block_less_one : s->parameters[0] | (uint32_t)s->parameters[1] << 8;
    transfer_begin(b, (sound_transfer){.repeats = old->repeats,
                                       .block = length + 1,
                                       .millihertz = samples_per_second(s) * 1000 / old->samples_in_byte});
}

/* Begins a transfer of 16 bits (Bxh) or 8 bits (Cxh). Parameters: mode, and length in units of the channel less one. */
static void new_transfer(devices *b, uint8_t command)
{
    const sound_blaster *s = &b->sound;
    uint32_t channels = (s->parameters[0] & PROGRAMMED_STEREO) != 0 ? 2 : 1;
    transfer_begin(b, (sound_transfer){.repeats = (command & PROGRAMMED_REPEATS) != 0,
                                       .words = command < 0xc0,
                                       .block = (s->parameters[1] | (uint32_t)s->parameters[2] << 8) + 1,
                                       .millihertz = samples_per_second(s) * 1000 * channels});
}

/* --- commands --- */

/* Returns how many parameters a command has. */
static unsigned parameters_of(uint8_t command)
{
    const old_command *old = old_command_of(command);
    if (old != NULL)
        return by_block(old) ? 0 : 2;
    switch (command) {
    case COMMAND_DIRECT:
    case COMMAND_TIME_CONSTANT:
    case COMMAND_IDENTIFY:
    case COMMAND_TEST_WRITE:
        return 1;
    case COMMAND_OUTPUT_RATE:
    case COMMAND_INPUT_RATE:
    case COMMAND_BLOCK:
    case COMMAND_SILENCE:
        return 2;
    default:
        return command >= 0xb0 && command < 0xd0 ? 3 : 0;
    }
}

static void set_rate(sound_blaster *s)
{
    uint32_t hz = (uint32_t)s->parameters[0] << 8 | s->parameters[1];
    s->rate_hz = hz < SLOWEST_HZ ? SLOWEST_HZ : hz > FASTEST_HZ ? FASTEST_HZ : hz;
}

static void execute(devices *b)
{
    static const char copyright[] = "COPYRIGHT (C) CREATIVE TECHNOLOGY LTD, 1992.";
    sound_blaster *s = &b->sound;
    uint16_t word = (uint16_t)(s->parameters[0] | s->parameters[1] << 8);
    if (s->command >= 0xb0 && s->command < 0xd0) {
        new_transfer(b, s->command);
        return;
    }
    const old_command *old = old_command_of(s->command);
    if (old != NULL) {
        old_transfer(b, old);
        return;
    }
    switch (s->command) {
    case COMMAND_DIRECT_INPUT:
        answer(s, 0x80);
        break;
    case COMMAND_TIME_CONSTANT:
        s->time_constant = s->parameters[0];
        s->rate_hz = 0;
        break;
    case COMMAND_OUTPUT_RATE:
    case COMMAND_INPUT_RATE:
        set_rate(s);
        break;
    case COMMAND_BLOCK:
        s->block_less_one = word;
        break;
    case COMMAND_SILENCE:
        transfer_begin(
            b,
            (sound_transfer){.silent = true, .block = word + 1u, .millihertz = samples_per_second(s) * 1000});
        break;
    case COMMAND_PAUSE_8:
    case COMMAND_PAUSE_16:
        transfer_pause(b, true);
        break;
    case COMMAND_CONTINUE_8:
    case COMMAND_CONTINUE_16:
        transfer_pause(b, false);
        break;
    case COMMAND_SPEAKER_ON:
    case COMMAND_SPEAKER_OFF:
        s->speaker = s->command == COMMAND_SPEAKER_ON;
        break;
    case COMMAND_SPEAKER_STATUS:
        answer(s, s->speaker ? 0xff : 0);
        break;
    case COMMAND_EXIT_8:
    case COMMAND_EXIT_16:
        s->transfer.last_block = true;
        break;
    case COMMAND_IDENTIFY:
        answer(s, (uint8_t)~s->parameters[0]);
        break;
    case COMMAND_VERSION:
        answer(s, VERSION_MAJOR);
        answer(s, VERSION_MINOR);
        break;
    case COMMAND_COPYRIGHT:
        for (unsigned i = 0; i < sizeof copyright; i++)
            answer(s, (uint8_t)copyright[i]);
        break;
    case COMMAND_TEST_WRITE:
        s->test_register = s->parameters[0];
        break;
    case COMMAND_TEST_READ:
        answer(s, s->test_register);
        break;
    case COMMAND_INTERRUPT_8:
    case COMMAND_INTERRUPT_16:
        interrupt(b, s->command == COMMAND_INTERRUPT_16);
        break;
    default: /* a sample for the converter, which makes no sound, and commands that the DSP ignores */
        break;
    }
}

static void dsp_write(devices *b, uint8_t byte)
{
    sound_blaster *s = &b->sound;
    if (!s->in_command) {
        s->command = byte;
        s->parameter_count = 0;
        s->in_command = true;
    } else if (s->parameter_count < SOUND_PARAMETERS) {
        s->parameters[s->parameter_count++] = byte;
    }
    if (s->parameter_count < parameters_of(s->command))
        return;
    s->in_command = false;
    execute(b);
}

/* --- ports --- */

static uint32_t sound_read(devices *b, uint16_t port)
{
    sound_blaster *s = &b->sound;
    switch (port) {
    case MIXER_INDEX:
        return s->mixer_index;
    case MIXER_DATA:
        if (s->mixer_index == MIXER_STATUS)
            return (s->interrupt8 ? 1u : 0) | (s->interrupt16 ? 2u : 0);
        return s->mixer[s->mixer_index];
    case READ_DATA:
        return answer_read(s);
    case WRITE:
        return READY;
    case READ_STATUS:
        s->interrupt8 = false;
        drive_line(b);
        return s->answer_count != 0 ? AVAILABLE : READY;
    case ACKNOWLEDGE_16:
        s->interrupt16 = false;
        drive_line(b);
        return 0xff;
    default:
        return 0xff;
    }
}

static void sound_write(devices *b, uint16_t port, uint32_t value)
{
    sound_blaster *s = &b->sound;
    bool fixed = s->mixer_index >= MIXER_INTERRUPT &&
                 s->mixer_index <= MIXER_STATUS; /* the card's interrupt and DMA */
    switch (port) {
    case MIXER_INDEX:
        s->mixer_index = (uint8_t)value;
        break;
    case MIXER_DATA:
        if (s->mixer_index == MIXER_RESET)
            mixer_reset(s);
        else if (!fixed)
            s->mixer[s->mixer_index] = (uint8_t)value;
        break;
    case RESET:
        if (s->resetting && (value & 1) == 0)
            dsp_reset(b);
        s->resetting = (value & 1) != 0;
        break;
    case WRITE:
        dsp_write(b, (uint8_t)value);
        break;
    default:
        break;
    }
}

void sound_attach(devices *b)
{
    mixer_reset(&b->sound);
    devices_attach(b, &(device){MIXER_INDEX, RESET, .read = sound_read, .write = sound_write});
    devices_attach(b, &(device){READ_DATA, ACKNOWLEDGE_16, .read = sound_read, .write = sound_write});
    devices_attach_timer(b, &(device_timer){IRQ_SOUND, sound_deadline, sound_advance});
}

static void check_transfer(const void *row, snapshot *s)
{
    const sound_transfer *t = row;
    if (t->active && (t->moved >= t->block || t->millihertz == 0))
        snapshot_refuse(s, "sound_transfer.block: nothing is left of an active transfer");
}

static const snapshot_table transfer_state = {
    SNAPSHOT(sound_transfer, "sound_transfer", FIELD_FLAG(active, paused, repeats, words, silent, last_block),
             FIELD_MOST(65536, block, moved), FIELD_MOST(1000000000, millihertz), FIELD_TIME(since),
             FIELD_ANY(counted)),
    .check = check_transfer};
const snapshot_table sound_state = {
    SNAPSHOT(sound_blaster, "sound", FIELD_FLAG(resetting), FIELD_ANY_OF([0], answers),
             FIELD_MOST(SOUND_ANSWERS - 1, answer_at), FIELD_MOST(SOUND_ANSWERS, answer_count),
             FIELD_ANY(command), FIELD_ANY_OF([0], parameters), FIELD_MOST(SOUND_PARAMETERS, parameter_count),
             FIELD_FLAG(in_command), FIELD_ANY(test_register), FIELD_FLAG(speaker, interrupt8, interrupt16),
             FIELD_ANY(mixer_index), FIELD_ANY_OF([0], mixer),
             FIELD_ANY(rate_hz, time_constant, block_less_one), FIELD_TABLE(&transfer_state, transfer)),
    .since = 2};
