#include "machine/board/dma.h"

#include <assert.h>
#include <string.h>

#include "engine/engine.h"
#include "machine/board/board_internal.h"
#include "machine/state.h"

enum {
    BYTES_LAST = 0x0f, /* last port of the controller of channels 0-3, which move bytes */
    PAGE_FIRST = 0x81, /* page registers */
    PAGE_LAST = 0x8f,
    WORDS_FIRST = 0xc0, /* the controller of channels 4-7, which move words */
    WORDS_LAST = 0xdf,
    /* Registers above those of the channels, by number. */
    STATUS = 8, /* read; written: command */
    REQUEST = 9,
    MASK_ONE = 10,
    MODE = 11,
    CLEAR_POINTER = 12,
    MASTER_CLEAR = 13, /* read: the temporary register */
    CLEAR_MASK = 14,
    MASK_ALL = 15,
    COMMAND_DISABLED = 0x04,
    MODE_TRANSFER = 0x0c, /* 0: verify, 4: to memory, 8: from memory */
    MODE_TO_MEMORY = 0x04,
    MODE_FROM_MEMORY = 0x08,
    MODE_AUTOINITIALIZE = 0x10,
    MODE_DOWN = 0x20
};

/* Returns the index in dma.pages of a channel's page register: address bits 23-16. */
static unsigned page_register(unsigned channel)
{
    static const uint8_t of_channel[2 * DMA_CHANNELS] = {0x7, 0x3, 0x1, 0x2, 0xf, 0xb, 0x9, 0xa};
    return of_channel[channel];
}

/* Returns the controller of a port, and in *reg the number of its register there. The registers of the controller
 * of words are at every second port. */
static dma_controller *controller_of(devices *b, uint16_t port, unsigned *reg)
{
    bool words = port >= WORDS_FIRST;
    *reg = words ? (port - (unsigned)WORDS_FIRST) / 2 : port;
    return &b->dma.controllers[words];
}

/* Does a master clear, which is also the state after a reset. */
static void controller_clear(dma_controller *c)
{
    c->masked = 0x0f;
    c->ended = c->command = 0;
    c->high_next = false;
}

/* Reads a byte of an address or a count, or the status, which the read clears. */
static uint32_t dma_read(devices *b, uint16_t port)
{
    unsigned reg;
    dma_controller *c = controller_of(b, port, &reg);
    if (reg < STATUS) {
        const dma_channel *channel = &c->channels[reg / 2];
        uint16_t value = reg % 2 != 0 ? channel->count : channel->address;
        c->high_next = !c->high_next;
        return c->high_next ? value & 0xff : value >> 8;
    }
    if (reg != STATUS)
        return 0; /* the temporary register; the others cannot be read */
    uint8_t ended = c->ended;
    c->ended = 0;
    return ended;
}

/* Address and count are written in two bytes. Both halves go to the base and the current register. */
static void channel_write(dma_controller *c, unsigned reg, uint8_t value)
{
    assert(reg < STATUS);
    dma_channel *channel = &c->channels[reg / 2];
    uint16_t *base = reg % 2 != 0 ? &channel->base_count : &channel->base_address;
    *base = c->high_next ? (uint16_t)((*base & 0xff) | value << 8) : (uint16_t)((*base & 0xff00) | value);
    *(reg % 2 != 0 ? &channel->count : &channel->address) = *base;
    c->high_next = !c->high_next;
}

static void dma_write(devices *b, uint16_t port, uint32_t value)
{
    unsigned reg;
    dma_controller *c = controller_of(b, port, &reg);
    uint8_t bit = (uint8_t)(1u << (value & 3));
    switch (reg) {
    case STATUS:
        c->command = (uint8_t)value;
        break;
    case REQUEST: /* a request by software has no effect: no device of this board serves the block transfer */
        break;
    case MASK_ONE:
        c->masked = (uint8_t)((value & 4) != 0 ? c->masked | bit : c->masked & ~bit);
        break;
    case MODE:
        c->channels[value & 3].mode = (uint8_t)value;
        break;
    case CLEAR_POINTER:
        c->high_next = false;
        break;
    case MASTER_CLEAR:
        controller_clear(c);
        break;
    case CLEAR_MASK:
        c->masked = 0;
        break;
    case MASK_ALL:
        c->masked = value & 0x0f;
        break;
    default:
        channel_write(c, reg, (uint8_t)value);
    }
}

static uint32_t page_read(devices *b, uint16_t port)
{
    return b->dma.pages[port & 15];
}

static void page_write(devices *b, uint16_t port, uint32_t value)
{
    b->dma.pages[port & 15] = (uint8_t)value;
}

/* Transfers `unit` bytes, 1 or 2, between the device and memory as the channel's mode says; a verify transfer
 * moves nothing. Addresses after the end of memory are ignored. */
static void dma_move_unit(devices *b, const dma_channel *c, uint32_t physical, uint8_t *bytes, unsigned unit)
{
    engine *e = b->machine->engine;
    uint8_t *ram = e != NULL ? engine_ram(e, physical, unit) : NULL;
    if (ram == NULL)
        return;
    if ((c->mode & MODE_TRANSFER) == MODE_TO_MEMORY) {
        memcpy(ram, bytes, unit);
        engine_ram_written(e, physical, unit);
    } else if ((c->mode & MODE_TRANSFER) == MODE_FROM_MEMORY) {
        memcpy(bytes, ram, unit);
    }
}

size_t dma_move(devices *b, unsigned channel, uint8_t *bytes, size_t size, bool *ended)
{
    dma_controller *controller = &b->dma.controllers[channel / DMA_CHANNELS];
    unsigned number = channel % DMA_CHANNELS, unit = channel < DMA_CHANNELS ? 1 : 2;
    dma_channel *c = &controller->channels[number];
    uint32_t page = b->dma.pages[page_register(channel)];
    size_t moved = 0;
    *ended = false;
    if ((controller->masked >> number & 1) != 0 || (controller->command & COMMAND_DISABLED) != 0)
        return 0;
    while (moved + unit <= size && !*ended) {
        uint32_t physical =
            unit == 1 ? page << 16 | c->address : (page & 0xfe) << 16 | (uint32_t)c->address << 1;
        dma_move_unit(b, c, physical, bytes + moved, unit);
        c->address = (uint16_t)(c->address + ((c->mode & MODE_DOWN) != 0 ? UINT16_MAX : 1));
        moved += unit;
        *ended = c->count-- == 0;
    }
    if (!*ended)
        return moved;
    controller->ended |= (uint8_t)(1u << number);
    if ((c->mode & MODE_AUTOINITIALIZE) != 0) {
        c->address = c->base_address;
        c->count = c->base_count;
    } else {
        controller->masked |= (uint8_t)(1u << number);
    }
    return moved;
}

void dma_attach(devices *b)
{
    controller_clear(&b->dma.controllers[0]);
    controller_clear(&b->dma.controllers[1]);
    devices_attach(b, &(device){0, BYTES_LAST, .read = dma_read, .write = dma_write, .by_bytes = true});
    devices_attach(b, &(device){PAGE_FIRST, PAGE_LAST, .read = page_read, .write = page_write});
    devices_attach(b, &(device){WORDS_FIRST, WORDS_LAST, .read = dma_read, .write = dma_write});
}

static const snapshot_table channel_state = {
    SNAPSHOT(dma_channel, "dma_channel", FIELD_ANY(base_address, base_count, address, count, mode))};
static const snapshot_table controller_state = {
    SNAPSHOT(dma_controller, "dma_controller", FIELD_TABLE(&channel_state, channels),
             FIELD_MOST(0x0f, masked, ended), FIELD_ANY(command), FIELD_FLAG(high_next))};
const snapshot_table dma_state = {
    SNAPSHOT(dma, "dma", FIELD_TABLE(&controller_state, controllers), FIELD_ANY_OF([0], pages)), .since = 2};
