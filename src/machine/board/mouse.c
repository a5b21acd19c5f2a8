#include "machine/board/mouse.h"

#include <string.h>

enum {
    RESEND = 0xfe,
    TEST_PASSED = 0xaa,
    ID = 0x00,
    SET_STREAM = 0xea,
    READ_DATA = 0xeb,
    RESET_WRAP = 0xec,
    SET_WRAP = 0xee,
    SET_REMOTE = 0xf0,
    PACKET_FIRST = 0x08, /* no button, no movement */
    STATUS_SCALES = 0x10,
    STATUS_REPORTING = 0x20,
    STATUS_REMOTE = 0x40
};

void mouse_reset(mouse *m)
{
    *m = (mouse){.rate = 100, .resolution = 2};
}

/* Handles the parameter of SET_RESOLUTION or SET_RATE. Returns false for an invalid one. */
static bool mouse_set(mouse *m, uint8_t command, uint8_t value)
{
    static const uint8_t rates[] = {10, 20, 40, 60, 80, 100, 200};
    bool valid = command == MOUSE_SET_RESOLUTION ? value <= 3 : memchr(rates, value, sizeof rates) != NULL;
    if (valid && command == MOUSE_SET_RESOLUTION)
        m->resolution = value;
    else if (valid)
        m->rate = value;
    return valid;
}

/* Does what a command changes in the mouse's state. Returns false for unknown commands. */
static bool mouse_command(mouse *m, uint8_t command)
{
    switch (command) {
    case MOUSE_SET_SCALING_1:
    case MOUSE_SET_SCALING_2:
        m->scales = command == MOUSE_SET_SCALING_2;
        return true;
    case MOUSE_SET_RESOLUTION:
    case MOUSE_SET_RATE:
        m->parameter_of = command;
        return true;
    case SET_STREAM:
    case SET_REMOTE:
        m->remote = command == SET_REMOTE;
        return true;
    case SET_WRAP:
    case RESET_WRAP:
        m->wraps = command == SET_WRAP;
        return true;
    case MOUSE_ENABLE:
    case MOUSE_DISABLE:
        m->reporting = command == MOUSE_ENABLE;
        return true;
    case MOUSE_SET_DEFAULTS:
    case MOUSE_RESET:
        mouse_reset(m);
        return true;
    default:
        return command == MOUSE_STATUS || command == READ_DATA || command == MOUSE_READ_ID;
    }
}

unsigned mouse_receive(mouse *m, uint8_t byte, uint8_t answer[MOUSE_ANSWER])
{
    uint8_t of = m->parameter_of;
    m->parameter_of = 0;
    answer[0] = MOUSE_ACKNOWLEDGE;
    if (m->wraps && byte != MOUSE_RESET && byte != RESET_WRAP) {
        answer[0] = byte;
        return 1;
    }
    if (of != 0 ? !mouse_set(m, of, byte) : !mouse_command(m, byte)) {
        answer[0] = RESEND;
        return 1;
    }
    if (of != 0)
        return 1;
    switch (byte) {
    case MOUSE_RESET:
        answer[1] = TEST_PASSED;
        answer[2] = ID;
        return 3;
    case MOUSE_READ_ID:
        answer[1] = ID;
        return 2;
    case READ_DATA:
        answer[1] = PACKET_FIRST;
        answer[2] = answer[3] = 0;
        return 4;
    case MOUSE_STATUS:
        answer[1] = (uint8_t)((m->scales ? STATUS_SCALES : 0) | (m->reporting ? STATUS_REPORTING : 0) |
                              (m->remote ? STATUS_REMOTE : 0));
        answer[2] = m->resolution;
        answer[3] = m->rate;
        return 4;
    default:
        return 1;
    }
}

const snapshot_table mouse_state = {SNAPSHOT(mouse, "mouse", FIELD_ANY(parameter_of, rate),
                                             FIELD_MOST(3, resolution),
                                             FIELD_FLAG(reporting, remote, wraps, scales)),
                                    .since = 2};
