/* A machine without a guest whose time goes by as if halted: for tests of devices on their ports. */
#ifndef UNIT_BOARD_H
#define UNIT_BOARD_H

#include "opened.h"
#include "machine/board/board_internal.h"
#include "machine/state.h"

/* Input: the bytes of a text, then the end. */
static inline int board_input(void *context, uint8_t *byte, bool idle)
{
    const char **text = context;
    (void)idle;
    if (**text == '\0')
        return -1;
    *byte = (uint8_t) * (*text)++;
    return 1;
}

static inline p5_machine *board_open(const char *input_text)
{
    static const char *text;
    text = input_text;
    p5_machine_options options = {
        .size = sizeof options, .model = "p55c-200", .input = board_input, .input_context = &text};
    p5_machine *machine;
    p5_error error;
    assert_int_equal(P5_OK, p5_machine_open(&options, &machine, &error));
    return machine;
}

static inline unsigned in(p5_machine *machine, uint16_t port)
{
    return devices_read(machine, port, 1);
}

static inline void out(p5_machine *machine, uint16_t port, unsigned value)
{
    devices_write(machine, port, 1, value);
}

/* Lets `clocks` pass. Devices act once, at the end. */
static inline void pass(p5_machine *machine, uint64_t clocks)
{
    uint64_t goal = machine->devices->now + clocks;
    p5_core_halt(machine->core, goal - p5_core_clock_estimate(machine->core), 0);
    devices_advance(machine->devices, goal);
}

/* Both controllers initialised with vectors 20h and 28h, nothing masked. */
static inline void board_interrupts(p5_machine *machine)
{
    static const uint8_t words[2][4] = {{0x11, 0x20, 0x04, 0x01}, {0x11, 0x28, 0x02, 0x01}};
    for (unsigned chip = 0; chip < 2; chip++)
        for (unsigned i = 0; i < 4; i++)
            out(machine, (uint16_t)((chip == 0 ? PIC_MASTER : PIC_SLAVE) + (i != 0)), words[chip][i]);
}

#endif
