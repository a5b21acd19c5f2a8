/* COM1. Output appears at once on the host, but LSR and the interrupt follow the time that it takes on the line.
 * A character that the real chip would lose because the holding register is full is sent later instead.
 *
 * Input is taken from the host one character time after the guest requests it: it enables the receive interrupt,
 * or polls for input repeatedly without sending. So no character is lost, and its arrival depends on the
 * machine's clock alone. */
#include <string.h>

#include "machine/board/board_internal.h"

enum {
    COM1 = 0x3f8,
    RBR_THR = 0, /* receive or transmit; divisor low with DLAB */
    IER = 1,     /* interrupt enable; divisor high with DLAB */
    IIR_FCR = 2,
    LCR = 3,
    MCR = 4,
    LSR = 5,
    MSR = 6,
    IER_RECEIVED = 0x01,
    IER_HOLDING = 0x02,
    IER_LINE = 0x04,
    IER_MODEM = 0x08,
    IIR_NONE = 0x01,
    IIR_MODEM = 0x00,
    IIR_HOLDING = 0x02,
    IIR_RECEIVED = 0x04,
    IIR_LINE = 0x06,
    IIR_TIMEOUT = 0x0c,
    IIR_FIFOS_ON = 0xc0,
    FCR_ENABLE = 0x01,
    FCR_RESET_RECEIVER = 0x02,
    FCR_RESET_TRANSMITTER = 0x04,
    LCR_DLAB = 0x80,
    LCR_PARITY = 0x08,
    LCR_STOP2 = 0x04,
    LSR_DATA = 0x01,
    LSR_OVERRUN = 0x02,
    LSR_HOLDING_EMPTY = 0x20,
    LSR_ALL_EMPTY = 0x40,
    MCR_OUT2 = 0x08, /* in a PC, connects the interrupt to the controller */
    MCR_LOOP = 0x10,
    MSR_READY = 0xb0, /* DCD, DSR and CTS: a terminal is connected */
    BAUD_BASE = 115200,
    IDLE_LOOKS = 8, /* polls of LSR that request input; before sending, guests poll only once or twice */
    RETRY_CHARACTERS = 16 /* character times until a terminal without input is read again */
};

static bool serial_fifos(const serial *s)
{
    return (s->fcr & FCR_ENABLE) != 0;
}

/* Returns the clocks of a character: a start bit, 5 to 8 data bits, a parity bit if there is one, and one stop bit or,
 * with LCR_STOP2, two; characters of 5 bits have one and a half then. */
static uint64_t serial_character(const devices *b)
{
    const serial *s = &b->serial;
    unsigned longer = s->lcr & 3u; /* data bits beyond 5 */
    uint64_t half_bits = 2 * (7 + longer + ((s->lcr & LCR_PARITY) != 0));
    if ((s->lcr & LCR_STOP2) != 0)
        half_bits += longer == 0 ? 1 : 2;
    uint64_t divisor = s->divisor[0] | (uint64_t)s->divisor[1] << 8;
    return devices_clock_of(b, half_bits * (divisor != 0 ? divisor : 1), 2 * BAUD_BASE);
}

/* Returns the bits of a character that are on the line: the lower 5 to 8, as LCR says. */
static uint8_t serial_data_bits(const serial *s, uint8_t byte)
{
    return byte & (0xffu >> (3u - (s->lcr & 3u)));
}

/* Returns the number of received characters that raises the interrupt. */
static unsigned serial_trigger(const serial *s)
{
    static const uint8_t levels[4] = {1, 4, 8, 14};
    return serial_fifos(s) ? levels[s->fcr >> 6] : 1;
}

/* Returns the IIR's identification: the enabled interrupt of the highest priority, or IIR_NONE. */
static uint8_t serial_identify(const serial *s)
{
    if ((s->ier & IER_LINE) != 0 && s->errors != 0)
        return IIR_LINE;
    if ((s->ier & IER_RECEIVED) != 0 && s->received_count >= serial_trigger(s))
        return IIR_RECEIVED;
    if ((s->ier & IER_RECEIVED) != 0 && s->timed_out)
        return IIR_TIMEOUT;
    if ((s->ier & IER_HOLDING) != 0 && s->holding_interrupt)
        return IIR_HOLDING;
    if ((s->ier & IER_MODEM) != 0 && s->modem_delta != 0)
        return IIR_MODEM;
    return IIR_NONE;
}

/* Sets the interrupt line. */
static void serial_drive(devices *b)
{
    const serial *s = &b->serial;
    bool wired = (s->mcr & (MCR_OUT2 | MCR_LOOP)) == MCR_OUT2;
    devices_set_irq(b, IRQ_COM1, wired && serial_identify(s) != IIR_NONE);
}

/* --- receiver --- */

/* Puts a character that has arrived into the FIFO or the receive register. */
static void serial_receive(devices *b, uint8_t byte)
{
    serial *s = &b->serial;
    byte = serial_data_bits(s, byte);
    unsigned capacity = serial_fifos(s) ? SERIAL_FIFO : 1;
    if (s->received_count >= capacity) {
        s->errors |= LSR_OVERRUN;
        if (serial_fifos(s))
            return; /* a FIFO drops the new character; without it, the new one replaces the old one */
        s->received_count = 0;
    }
    s->received[s->received_count++] = byte;
    s->timeout_at = serial_fifos(s) ? b->now + 4 * serial_character(b) : UINT64_MAX;
}

/* Schedules the next character if the guest has requested input and the receiver has space for it. */
static void serial_expect(devices *b)
{
    serial *s = &b->serial;
    bool has_space = s->received_count < (serial_fifos(s) ? SERIAL_FIFO : 1u);
    if (s->receiving && has_space && !s->input_ended && s->receive_at == UINT64_MAX)
        s->receive_at = b->now + serial_character(b);
}

/* Takes the character that arrives now from the user's input. If there is none yet, tries again later. */
static void serial_take_input(devices *b)
{
    serial *s = &b->serial;
    uint8_t byte;
    s->receive_at = UINT64_MAX;
    switch (devices_input(b, INPUT_SERIAL, &byte)) {
    case 1:
        serial_receive(b, byte);
        serial_expect(b);
        break;
    case 0:
        s->receive_at = b->now + RETRY_CHARACTERS * serial_character(b);
        break;
    default:
        s->input_ended = true;
    }
}

/* Reads the receive register or the FIFO; 0 if it is empty. */
static uint32_t serial_read_received(devices *b)
{
    serial *s = &b->serial;
    if (s->received_count == 0)
        return 0;
    uint8_t byte = s->received[0];
    s->received_count--;
    memmove(s->received, s->received + 1, s->received_count);
    s->timed_out = false;
    s->timeout_at = s->received_count != 0 ? b->now + 4 * serial_character(b) : UINT64_MAX;
    serial_expect(b);
    return byte;
}

/* --- transmitter --- */

/* Returns the clock at which the holding register becomes empty, one character before all have been sent. */
static uint64_t serial_holding_empty_at(const devices *b)
{
    uint64_t character = serial_character(b);
    return b->serial.sent_at > character ? b->serial.sent_at - character : 0;
}

/* Sends a character: to the host's console, or with MCR_LOOP to the own receiver. */
static void serial_send(devices *b, uint8_t byte)
{
    serial *s = &b->serial;
    s->sent_at = (s->sent_at > b->now ? s->sent_at : b->now) + serial_character(b);
    s->holding_full = true;
    s->idle_looks = 0;
    s->holding_interrupt = false;
    if ((s->mcr & MCR_LOOP) != 0)
        serial_receive(b, byte);
    else
        devices_console_char(b, (char)serial_data_bits(s, byte));
}

static uint32_t serial_line_status(devices *b)
{
    serial *s = &b->serial;
    uint32_t status = s->errors | (s->received_count != 0 ? LSR_DATA : 0u) |
                      (b->now >= serial_holding_empty_at(b) ? LSR_HOLDING_EMPTY : 0u) |
                      (b->now >= s->sent_at ? LSR_ALL_EMPTY : 0u);
    s->errors = 0;
    return status;
}

/* Returns the modem lines. With MCR_LOOP, the outputs DTR, RTS, OUT1 and OUT2 are connected to DSR, CTS, RI and DCD. */
static uint8_t serial_modem_lines(const serial *s)
{
    unsigned mcr = s->mcr;
    if ((mcr & MCR_LOOP) == 0)
        return MSR_READY;
    return (uint8_t)((mcr & 0x0c) << 4 | (mcr & 2) << 3 | (mcr & 1) << 5);
}

/* Writes MCR. With MCR_LOOP, this can change the modem lines; records for MSR which of them have changed. */
static void serial_set_modem(serial *s, uint8_t mcr)
{
    uint8_t before = serial_modem_lines(s);
    s->mcr = mcr & 0x1f;
    uint8_t after = serial_modem_lines(s), changed = before ^ after;
    uint8_t ring_ended = before & ~after & 0x40; /* only the trailing edge of RI sets its bit */
    s->modem_delta |= (uint8_t)((changed & 0xb0) >> 4 | ring_ended >> 4);
}

/* --- ports --- */

static void serial_advance(devices *b)
{
    serial *s = &b->serial;
    if (b->now >= s->receive_at)
        serial_take_input(b);
    if (b->now >= s->timeout_at) {
        s->timed_out = s->received_count != 0;
        s->timeout_at = UINT64_MAX;
    }
    if (s->holding_full && b->now >= serial_holding_empty_at(b)) {
        s->holding_full = false;
        s->holding_interrupt = true;
    }
    serial_drive(b);
}

static uint64_t serial_deadline(const devices *b)
{
    const serial *s = &b->serial;
    uint64_t next = UINT64_MAX;
    if ((s->ier & IER_RECEIVED) != 0)
        next = s->receive_at < s->timeout_at ? s->receive_at : s->timeout_at;
    if ((s->ier & IER_HOLDING) != 0 && s->holding_full) {
        uint64_t empty = serial_holding_empty_at(b);
        next = empty < next ? empty : next;
    }
    return next;
}

static uint32_t serial_read(devices *b, uint16_t port)
{
    serial *s = &b->serial;
    unsigned which = port - COM1;
    uint32_t value = s->scratch;
    if (which <= IER && (s->lcr & LCR_DLAB) != 0)
        return s->divisor[which];
    switch (which) {
    case RBR_THR:
        value = serial_read_received(b);
        break;
    case IER:
        value = s->ier;
        break;
    case IIR_FCR:
        value = serial_identify(s);
        if (value == IIR_HOLDING)
            s->holding_interrupt = false;
        value |= serial_fifos(s) ? IIR_FIFOS_ON : 0;
        break;
    case LCR:
        value = s->lcr;
        break;
    case MCR:
        value = s->mcr;
        break;
    case LSR:
        value = serial_line_status(b);
        s->idle_looks = value == (LSR_HOLDING_EMPTY | LSR_ALL_EMPTY) ? s->idle_looks + 1 : 0;
        s->receiving |= s->idle_looks >= IDLE_LOOKS;
        serial_expect(b);
        break;
    case MSR:
        value = serial_modem_lines(s) | s->modem_delta;
        s->modem_delta = 0;
        break;
    default:
        break;
    }
    serial_drive(b);
    return value;
}

/* Writes FCR. */
static void serial_set_fifos(serial *s, uint8_t value)
{
    if (((value ^ s->fcr) & FCR_ENABLE) != 0 || (value & FCR_RESET_RECEIVER) != 0) {
        s->received_count = 0;
        s->timed_out = false;
        s->timeout_at = UINT64_MAX;
    }
    s->fcr = (value & FCR_ENABLE) != 0 ? value & 0xc9 : 0; /* the other bits need the first */
}

static void serial_write(devices *b, uint16_t port, uint32_t value)
{
    serial *s = &b->serial;
    unsigned which = port - COM1;
    uint8_t byte = (uint8_t)value, before = s->ier;
    if (which <= IER && (s->lcr & LCR_DLAB) != 0) {
        s->divisor[which] = byte;
        return;
    }
    switch (which) {
    case RBR_THR:
        serial_send(b, byte);
        break;
    case IER:
        s->ier = byte & 0x0f;
        if ((s->ier & ~before & IER_HOLDING) != 0 && !s->holding_full)
            s->holding_interrupt = true;
        s->receiving |= (s->ier & IER_RECEIVED) != 0;
        break;
    case IIR_FCR:
        serial_set_fifos(s, byte);
        break;
    case LCR:
        s->lcr = byte;
        break;
    case MCR:
        serial_set_modem(s, byte);
        break;
    case LSR:
    case MSR:
        break; /* factory test bits */
    default:
        s->scratch = byte;
    }
    serial_expect(b);
    serial_drive(b);
}

void serial_attach(devices *b)
{
    b->serial = (serial){.lcr = 3, .divisor = {1, 0}, .receive_at = UINT64_MAX, .timeout_at = UINT64_MAX};
    devices_attach(b, &(device){COM1, COM1 + 7, .read = serial_read, .write = serial_write});
    devices_attach_timer(b, &(device_timer){IRQ_COM1, serial_deadline, serial_advance});
}

/* --- snapshots --- */

const snapshot_table serial_state = {
    SNAPSHOT(serial, "serial", FIELD_ANY(ier, fcr, lcr, mcr, scratch), FIELD_ANY_OF([0], divisor),
             FIELD_ANY(errors), FIELD_MOST(15, modem_delta), FIELD_ANY_OF([0], received),
             FIELD_MOST(SERIAL_FIFO, received_count), FIELD_FLAG(receiving), FIELD_ANY(idle_looks),
             FIELD_FLAG(input_ended), FIELD_DEADLINE(receive_at, timeout_at), FIELD_FLAG(timed_out),
             FIELD_DEADLINE(sent_at), FIELD_FLAG(holding_full, holding_interrupt))};
