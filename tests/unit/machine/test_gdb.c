/* Packets of gdb's protocol: the answers, and that no packet does harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/gdb/gdb.h"

enum { IMAGE = 0x10000 };

static gdb g;

static void open_guest(void)
{
    static const uint8_t code[] = {0x40, 0x43, 0xa3, 0x00, 0x20,
                                   0x00, 0x00, 0xeb, 0xf7}; /* inc, inc, mov, jmp */
    char path[] = "/tmp/p5scope-gdb-XXXXXX";
    int fd = mkstemp(path);
    p5_machine_options options = {.size = sizeof options, .memory_bytes = 1 << 20};
    p5_error error;
    memset(&g, 0, sizeof g);
    assert_true(fd >= 0);
    assert_int_equal(sizeof code, write(fd, code, sizeof code));
    close(fd);
    assert_int_equal(P5_OK, p5_machine_open(&options, &g.machine, &error));
    assert_int_equal(P5_OK, p5_machine_load_flat(g.machine, path, IMAGE, &error));
    unlink(path);
    g.machine->debugger = &g.stops;
}

static void close_guest(void)
{
    g.machine->debugger = NULL;
    p5_machine_close(g.machine);
}

static void expect(const char *packet, const char *reply)
{
    assert_int_equal(GDB_REPLY, gdb_packet(&g, packet, strlen(packet)));
    assert_string_equal(reply, g.reply);
}

static void run(uint64_t instructions)
{
    p5_limits limits = {.max_instructions = p5_machine_instructions(g.machine) + instructions};
    p5_error error;
    g.stops.stop = DEBUG_STOP_NONE;
    assert_int_equal(P5_OK, p5_machine_run(g.machine, &limits, &g.result, &error));
}

static void test_memory_and_registers(void **state)
{
    (void)state;
    open_guest();
    expect("m10000,3", "4043a3");
    expect("M10001,2:9090", "OK");
    expect("m10000,3", "409090");
    assert_int_equal(GDB_REPLY, gdb_packet(&g, "X10001,2:C\xa3", 11));
    assert_string_equal("OK", g.reply);
    expect("m10000,3", "4043a3");
    expect("p8", "00000100"); /* EIP, in the target's order */
    expect("P0=78563412", "OK");
    expect("p0", "78563412");
    expect("pa", "08000000");             /* CS */
    expect("P25=c200c20000000000", "OK"); /* CESR */
    expect("p25", "c200c20000000000");
    run(1);
    expect("p0", "79563412");
    close_guest();
}

static void test_breakpoint(void **state)
{
    (void)state;
    open_guest();
    expect("Z0,10002,1", "OK");
    run(1000000);
    assert_int_equal(DEBUG_STOP_BREAKPOINT, g.stops.stop);
    assert_int_equal(IMAGE + 2, engine_get(g.machine->engine, ENGINE_EIP));
    assert_int_equal(2, p5_machine_instructions(g.machine));
    expect("?", "T05hwbreak:;thread:1;");
    run(1000000); /* not the one it stands on, but the next time round */
    assert_int_equal(2 + 4, p5_machine_instructions(g.machine));
    expect("z0,10002,1", "OK");
    run(1000);
    assert_int_equal(DEBUG_STOP_NONE, g.stops.stop);
    close_guest();
}

static void test_watchpoint(void **state)
{
    (void)state;
    open_guest();
    expect("Z3,2000,4", "OK"); /* reads: there are none */
    run(100);
    assert_int_equal(DEBUG_STOP_NONE, g.stops.stop);
    expect("Z2,2002,1", "OK"); /* a byte inside what is written */
    run(100);
    assert_int_equal(DEBUG_STOP_WATCH, g.stops.stop);
    assert_int_equal(IMAGE + 7, engine_get(g.machine->engine, ENGINE_EIP));
    expect("?", "T05watch:2002;thread:1;");
    expect("z2,2002,1", "OK");
    run(100);
    assert_int_equal(DEBUG_STOP_NONE, g.stops.stop);
    close_guest();
}

static void test_queries(void **state)
{
    (void)state;
    open_guest();
    expect("qXfer:features:read:target.xml:0,5", "m<?xml");
    expect("qXfer:features:read:target.xml:fffff,5", "l");
    expect("vCont?", "vCont;c;C;s;S");
    expect("qUnknown", "");
    expect("_", "");
    expect("", "");
    assert_int_equal(GDB_REPLY, gdb_packet(&g, "qRcmd,706d75", 12)); /* pmu */
    assert_true(g.reply_size > 40);
    assert_int_equal(GDB_CONTINUE, gdb_packet(&g, "vCont;c", 7));
    assert_int_equal(GDB_STEP, gdb_packet(&g, "vCont;s:1;c", 11));
    assert_int_equal(GDB_END, gdb_packet(&g, "D", 1));
    close_guest();
}

static void test_malformed(void **state)
{
    (void)state;
    static const char *const packets[] = {"m",
                                          "m10000",
                                          "m,4",
                                          "mzz,1",
                                          "m10000,",
                                          "M10000,4:12",
                                          "M10000,fffffff:00",
                                          "X10000,4:ab",
                                          "p",
                                          "pffff",
                                          "P0",
                                          "P0=12",
                                          "P0=zzzzzzzz",
                                          "Z0",
                                          "Z0,",
                                          "Z0,1",
                                          "Z9x,1,1",
                                          "Z2,2000,0",
                                          "G12",
                                          "Gzz",
                                          "vCont;x",
                                          "qRcmd,0g",
                                          "qXfer:features:read:target.xml:,",
                                          "vCont;"};
    open_guest();
    for (unsigned i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        assert_int_equal(GDB_REPLY, gdb_packet(&g, packets[i], strlen(packets[i])));
        if (strcmp(g.reply, "E01") != 0)
            fail_msg("'%s' was answered by '%s'", packets[i], g.reply);
    }
    expect("m10000,2", "4043"); /* nothing was changed */
    /* Random packets: any answer, no harm. */
    uint64_t x = 88172645463325252u;
    for (unsigned n = 0; n < 200000; n++) {
        static const char first[] = "?gGpPmMXzZHTqvcs!QbBR";
        static const char rest[] = "0123456789abcdef,,::;=#$}*";
        char packet[64];
        size_t size = 1 + (x >> 40) % (sizeof packet - 1);
        for (size_t i = 0; i < size; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            packet[i] = i == 0             ? first[x % (sizeof first - 1)]
                        : (x & 0x700) == 0 ? (char)(x >> 32)
                                           : rest[x % (sizeof rest - 1)];
        }
        gdb_packet(&g, packet, size);
        assert_true(g.reply_size < sizeof g.reply);
    }
    close_guest();
}

/* When all places are taken every second state goes, but never the first, and the distance between states doubles. */
static void test_history_thins_out(void **state)
{
    (void)state;
    open_guest();
    gdb_history *h = &g.history;
    gdb_history_keep(&g);
    h->spacing = 10;
    for (unsigned i = 1; i < 3 * HISTORY_STATES; i++) {
        run(10);
        gdb_history_keep(&g);
        assert_true(h->count <= HISTORY_STATES);
    }
    assert_true(h->count > HISTORY_STATES / 2);
    assert_int_equal(h->spacing, 40);
    for (unsigned i = 0; i < h->count; i++)
        assert_int_equal(h->states[i].instructions, i * h->spacing);
    gdb_history_close(&g);
    close_guest();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history_thins_out), cmocka_unit_test(test_memory_and_registers),
        cmocka_unit_test(test_breakpoint),        cmocka_unit_test(test_watchpoint),
        cmocka_unit_test(test_queries),           cmocka_unit_test(test_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
