/* COM1 by the rules of the PC16550D data sheet. At 200 MHz, divisor 1 and 8N1 a character is 10 / 115200 s:
 * 17361.1 clocks, complete with the next whole one. */
#include <string.h>

#include "board.h"

enum { COM1 = 0x3f8, DATA = COM1, IER, IIR, LCR, MCR, LSR, MSR, SCR, CHARACTER = 17362 };

static void test_transmitter(void **state)
{
    (void)state;
    p5_machine *m = board_open("");
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
    p5_machine_close(m);
}

static void test_registers(void **state)
{
    (void)state;
    p5_machine *m = board_open("");
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
    p5_machine_close(m);
}

static void test_receive_interrupt(void **state)
{
    (void)state;
    p5_machine *m = board_open("xy");
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
    p5_machine_close(m);
}

static void test_fifo(void **state)
{
    (void)state;
    p5_machine *m = board_open("12345");
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
    p5_machine_close(m);
}

static void test_holding_interrupt(void **state)
{
    (void)state;
    p5_machine *m = board_open("");
    board_interrupts(m);
    out(m, LCR, 3);
    out(m, MCR, 0x08);
    out(m, IER, 0x02); /* the register is empty: at once */
    assert_true(m->interrupt_request);
    assert_int_equal(0x02, in(m, IIR)); /* and the read takes it back */
    assert_int_equal(0x01, in(m, IIR));
    assert_false(m->interrupt_request);
    out(m, DATA, 'a');
    out(m, DATA, 'b');
    pass(m, CHARACTER - 1);
    assert_int_equal(0x01, in(m, IIR));
    pass(m, 2);
    assert_int_equal(0x02, in(m, IIR));
    m->devices->console_used = 0;
    p5_machine_close(m);
}

static void test_loop_overrun(void **state)
{
    (void)state;
    p5_machine *m = board_open("");
    out(m, LCR, 3);
    out(m, MCR, 0x10);
    out(m, DATA, 'a');
    out(m, DATA, 'b');
    assert_int_equal(0x03, in(m, LSR) & 0x1f); /* data, overrun */
    assert_int_equal(0x01, in(m, LSR) & 0x1f); /* the read cleared it */
    assert_int_equal('b', in(m, DATA));
    assert_int_equal(0, m->devices->console_used);
    p5_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transmitter),       cmocka_unit_test(test_registers),
        cmocka_unit_test(test_receive_interrupt), cmocka_unit_test(test_fifo),
        cmocka_unit_test(test_holding_interrupt), cmocka_unit_test(test_loop_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
