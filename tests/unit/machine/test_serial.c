/* COM1 by the rules of the PC16550D data sheet. It begins with divisor 1 and characters of 8 bits without parity. At
 * 200 MHz such a character takes 10 / 115200 s, which is 17361.1 clocks, so it is complete after 17362. What is sent is on the
 * host at once, and no input is taken from it before the guest enables the interrupt for received data. */
#include <string.h>

#include "board.h"

enum { COM1 = 0x3f8, DATA = COM1, IER, IIR, LCR, MCR, LSR, MSR, SCR };
enum { CHARACTER = 17362 }; /* clocks */

TEST(test_transmitter)
{
    MACHINE(m, board_open(""));
    out(m, LCR, 3);
    assert_int_equal(0x60, in(m, LSR));
    out(m, DATA, 'a'); /* goes into the shift register at once */
    assert_int_equal(0x20, in(m, LSR));
    out(m, DATA, 'b');
    assert_int_equal(0x00, in(m, LSR));
    pass(m, CHARACTER);
    assert_int_equal(0x20, in(m, LSR));
    pass(m, CHARACTER);
    assert_int_equal(0x60, in(m, LSR));
    assert_memory_equal("ab", m->devices->console_text, 2);
    m->devices->console_used = 0;
}

/* Bits 0 and 1 of LCR select characters of 5 to 8 bits. Of a byte, its lowest bits are sent or received. */
TEST(test_word_length)
{
    static const struct {
        uint8_t lcr, sent, received;
    } lengths[] = {{0, 0xf5, 0x15}, {1, 0xf5, 0x35}, {2, 0xf5, 0x75}, {3, 0xf5, 0xf5}};
    MACHINE(m, board_open("\xe1\xe2"));
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        out(m, LCR, lengths[i].lcr);
        out(m, DATA, lengths[i].sent);
        assert_int_equal(lengths[i].received, (uint8_t)m->devices->console_text[i]);
        out(m, MCR, 0x10); /* loop */
        out(m, DATA, lengths[i].sent);
        assert_int_equal(lengths[i].received, in(m, DATA));
        out(m, MCR, 0);
    }
    m->devices->console_used = 0;
    out(m, LCR, 2);
    out(m, IER, 1);
    pass(m, 20 * CHARACTER); /* the second character waits until the first has been read */
    assert_int_equal(0x61, in(m, DATA));
}

TEST(test_registers)
{
    MACHINE(m, board_open(""));
    out(m, LCR, 0x83);
    out(m, DATA, 12); /* 9600 baud */
    out(m, IER, 0);
    assert_int_equal(12, in(m, DATA));
    out(m, LCR, 3);
    assert_int_equal(0, in(m, IER));
    out(m, IER, 0xff);
    assert_int_equal(0x0f, in(m, IER));
    out(m, IER, 0);
    out(m, SCR, 0x5a);
    assert_int_equal(0x5a, in(m, SCR));
    assert_int_equal(0x01, in(m, IIR));
    out(m, IIR, 0x01);
    assert_int_equal(0xc1, in(m, IIR)); /* FIFOs on */
    out(m, MCR, 0x1a);                  /* loop: RTS, OUT2 come back as CTS, DCD */
    assert_int_equal(0x90, in(m, MSR) & 0xf0);
}

TEST(test_receive_interrupt)
{
    MACHINE(m, board_open("xy"));
    board_interrupts(m);
    out(m, LCR, 3);
    out(m, MCR, 0x08);
    out(m, IER, 0x01);
    assert_int_equal(CHARACTER, devices_deadline(m->devices) - p5_core_clock(m->core));
    pass(m, CHARACTER - 1);
    assert_false(m->interrupt_request);
    pass(m, 1);
    assert_true(m->interrupt_request);
    assert_int_equal(0x24, devices_acknowledge(m->devices));
    assert_int_equal(0x04, in(m, IIR));
    assert_int_equal('x', in(m, DATA));
    assert_int_equal(0x01, in(m, IIR));
    pass(m, CHARACTER);
    assert_int_equal(0x61, in(m, LSR));
    assert_int_equal('y', in(m, DATA));
    pass(m, 10 * CHARACTER); /* the text has ended */
    assert_int_equal(0x60, in(m, LSR));
}

TEST(test_fifo)
{
    MACHINE(m, board_open("12345"));
    out(m, LCR, 3);
    out(m, IIR, 0x41); /* FIFO, trigger 4 */
    out(m, IER, 0x01);
    for (unsigned i = 0; i < 3; i++)
        pass(m, CHARACTER);
    assert_int_equal(0xc1, in(m, IIR));
    pass(m, CHARACTER);
    assert_int_equal(0xc4, in(m, IIR));
    pass(m, CHARACTER);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal('1' + i, in(m, DATA));
    assert_int_equal(0xc1, in(m, IIR)); /* below the trigger */
    for (unsigned i = 0; i < 4; i++)
        pass(m, CHARACTER);
    assert_int_equal(0xcc, in(m, IIR)); /* four characters' time without one: time-out */
    assert_int_equal('4', in(m, DATA));
    assert_int_equal(0xc1, in(m, IIR));
    out(m, IIR, 0x43); /* empties the FIFO */
    assert_int_equal(0x60, in(m, LSR));
}

TEST(test_holding_interrupt)
{
    MACHINE(m, board_open(""));
    board_interrupts(m);
    out(m, LCR, 3);
    out(m, MCR, 0x08);
    out(m, IER, 0x02); /* the register is empty: at once */
    assert_true(m->interrupt_request);
    assert_int_equal(0x02, in(m, IIR)); /* this read clears the interrupt */
    assert_int_equal(0x01, in(m, IIR));
    assert_false(m->interrupt_request);
    out(m, DATA, 'a');
    out(m, DATA, 'b');
    pass(m, CHARACTER - 1);
    assert_int_equal(0x01, in(m, IIR));
    pass(m, 1);
    assert_int_equal(0x02, in(m, IIR));
    m->devices->console_used = 0;
}

/* In loop mode what is sent is received immediately. Without the FIFO a new character replaces the old one. */
TEST(test_loop_overrun)
{
    MACHINE(m, board_open(""));
    out(m, LCR, 3);
    out(m, MCR, 0x10);
    out(m, DATA, 'a');
    out(m, DATA, 'b');
    assert_int_equal(0x03, in(m, LSR) & 0x1f); /* data, overrun */
    assert_int_equal(0x01, in(m, LSR) & 0x1f); /* the read cleared it */
    assert_int_equal('b', in(m, DATA));
    assert_int_equal(0, m->devices->console_used);
}

/* A character is a start bit, 5 to 8 bits, a parity bit if there is one, and one or two stop bits, or one and a half instead of
 * two after 5 bits. A bit takes 1/115200 s times the divisor; 0 acts as 1. */
TEST(test_character_times)
{
    static const struct {
        uint8_t lcr, low, high;
        double bits; /* times the divisor */
    } rows[] = {{0x00, 1, 0, 7},   {0x01, 1, 0, 8},    {0x02, 1, 0, 9},    {0x03, 1, 0, 10},
                {0x04, 1, 0, 7.5}, {0x05, 1, 0, 9},    {0x07, 1, 0, 11},   {0x0b, 1, 0, 11},
                {0x0f, 1, 0, 12},  {0x03, 12, 0, 120}, {0x03, 0, 1, 2560}, {0x03, 2, 1, 2580},
                {0x03, 0, 0, 10}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        MACHINE(m, board_open(""));
        out(m, LCR, 0x80);
        out(m, DATA, rows[i].low);
        out(m, IER, rows[i].high);
        out(m, LCR, rows[i].lcr);
        out(m, DATA, 'a');
        const uint64_t clocks = ((uint64_t)(2 * rows[i].bits) * 200000000 + 2 * 115200 - 1) / (2 * 115200);
        pass(m, clocks - 1);
        assert_int_equal(0x20, in(m, LSR));
        pass(m, 1);
        if (in(m, LSR) != 0x60)
            fail_msg("row %u: not after %llu clocks", i, (unsigned long long)clocks);
        m->devices->console_used = 0;
    }
}

TEST(test_trigger_levels)
{
    static const uint8_t levels[4] = {1, 4, 8, 14};
    for (unsigned i = 0; i < 4; i++) {
        MACHINE(m, board_open("0123456789abcdefghij"));
        out(m, LCR, 3);
        out(m, IIR, i << 6 | 1);
        out(m, IER, 0x01);
        for (unsigned n = 1; n <= levels[i]; n++) {
            assert_int_equal(0xc1, in(m, IIR));
            pass(m, CHARACTER);
        }
        assert_int_equal(0xc4, in(m, IIR));
    }
}

/* The FIFO holds 16 characters. What comes when it is full is lost. */
TEST(test_fifo_overrun)
{
    MACHINE(m, board_open(""));
    out(m, LCR, 3);
    out(m, MCR, 0x10);
    out(m, IIR, 0xc1);
    for (unsigned n = 0; n < 16; n++)
        out(m, DATA, 'a' + n);
    assert_int_equal(0x01, in(m, LSR) & 0x1f);
    out(m, DATA, 'z');
    assert_int_equal(0x03, in(m, LSR) & 0x1f);
    for (unsigned n = 0; n < 16; n++)
        assert_int_equal('a' + n, in(m, DATA));
    assert_int_equal(0x00, in(m, LSR) & 0x1f);
    out(m, IIR, 0); /* FIFOs off */
    assert_int_equal(0x01, in(m, IIR));
}

/* Causes of an interrupt by priority: line status, received data, the transmitter, the modem's lines. Reads of LSR, the
 * data, IIR and MSR clear them. In loop mode they do not reach the controller, because OUT2 is inactive then. */
TEST(test_causes)
{
    MACHINE(m, board_open(""));
    board_interrupts(m);
    out(m, LCR, 3);
    out(m, MCR, 0x18);
    in(m, MSR);
    out(m, IER, 0x0f);
    out(m, MCR, 0x1a); /* RTS comes back as CTS: it has changed */
    out(m, DATA, 'a');
    out(m, DATA, 'b');
    assert_int_equal(0x06, in(m, IIR));
    assert_false(m->interrupt_request);
    in(m, LSR);
    assert_int_equal(0x04, in(m, IIR));
    in(m, DATA);
    pass(m, 3 * CHARACTER);
    assert_int_equal(0x02, in(m, IIR));
    assert_int_equal(0x00, in(m, IIR));
    assert_int_equal(0x91, in(m, MSR));
    assert_int_equal(0x01, in(m, IIR));
    assert_int_equal(0x90, in(m, MSR));
}

/* In loop mode DTR, RTS, OUT1 and OUT2 come back as DSR, CTS, RI and DCD. Bits 3-0 of MSR are set if DCD, DSR or CTS has
 * changed, or RI has ended, since MSR was read. */
TEST(test_modem_lines)
{
    static const struct {
        uint8_t mcr, msr;
    } rows[] = {{0x11, 0x22}, {0x10, 0x02}, {0x12, 0x11}, {0x10, 0x01}, {0x14, 0x40},
                {0x10, 0x04}, {0x18, 0x88}, {0x10, 0x08}, {0x1f, 0xfb}, {0x1f, 0xf0}};
    MACHINE(m, board_open(""));
    assert_int_equal(0xb0, in(m, MSR)); /* a device is connected */
    out(m, MCR, 0x10);
    in(m, MSR);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        out(m, MCR, rows[i].mcr);
        if (in(m, MSR) != rows[i].msr)
            fail_msg("row %u", i);
    }
    out(m, MCR, 0xff);
    assert_int_equal(0x1f, in(m, MCR));
    out(m, LCR, 0x5b);
    assert_int_equal(0x5b, in(m, LCR));
}
