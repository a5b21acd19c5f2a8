/* Packets of gdb's protocol: their replies, and that no packet does harm. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../unit.h"
#include "machine/gdb/gdb.h"

enum { IMAGE = 0x10000 };

static gdb g;

/* Opens a machine and writes its guest to a file, whose name replaces `path`. */
static void open_machine(char *path, const uint8_t *bytes, size_t size)
{
    p5_machine_options options = {.size = sizeof options, .memory_bytes = 1 << 20};
    memset(&g, 0, sizeof g);
    unit_file(path, bytes, size);
    assert_int_equal(P5_OK, p5_machine_open(&options, &g.machine, NULL));
}

static gdb *open_guest(void)
{
    static const uint8_t code[] = {0x40, 0x43, 0xa3, 0x00, 0x20,
                                   0x00, 0x00, 0xeb, 0xf7}; /* inc, inc, mov, jmp */
    char path[] = "/tmp/p5scope-gdb-XXXXXX";
    open_machine(path, code, sizeof code);
    assert_int_equal(P5_OK, p5_machine_load_flat(g.machine, path, IMAGE, NULL));
    unlink(path);
    g.result.size = sizeof g.result;
    g.machine->debugger = &g.stops;
    return &g;
}

static void close_guest(gdb **opened)
{
    gdb_history_close(*opened);
    g.machine->debugger = NULL;
    p5_machine_close(g.machine);
}

/* Opens the guest of `g` until the end of the block. */
#define OPEN_GUEST CLOSED_BY(close_guest) __attribute__((unused)) gdb *opened = open_guest()

static void expect(const char *packet, const char *reply)
{
    assert_int_equal(GDB_REPLY, gdb_packet(&g, packet, strlen(packet)));
    assert_string_equal(reply, g.reply);
}

static void run(uint64_t instructions)
{
    p5_limits limits = {.size = sizeof limits,
                        .max_instructions = p5_machine_instructions(g.machine) + instructions};
    p5_error error;
    g.stops.stop = DEBUG_STOP_NONE;
    assert_int_equal(P5_OK, p5_machine_run(g.machine, &limits, &g.result, &error));
}

TEST(test_memory_and_registers)
{
    OPEN_GUEST;
    expect("m10000,3", "4043a3");
    expect("M10001,2:9090", "OK");
    expect("m10000,3", "409090");
    assert_int_equal(GDB_REPLY, gdb_packet(&g, "X10001,2:C\xa3", 11));
    assert_string_equal("OK", g.reply);
    expect("m10000,3", "4043a3");
    expect("p8", "00000100"); /* EIP, in the target's order */
    expect("P0=78563412", "OK");
    expect("p0", "78563412");
    expect("pa", "08000000");     /* CS */
    expect("Pa=08000000", "OK");  /* gdb writes registers back that have not changed */
    expect("Pa=10000000", "E01"); /* protected mode: a descriptor would have to be loaded */
    expect("pa", "08000000");
    expect("P25=c200c20000000000", "OK"); /* CESR */
    expect("p25", "c200c20000000000");
    run(1);
    expect("p0", "79563412");
}

TEST(test_breakpoint)
{
    OPEN_GUEST;
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
}

TEST(test_watchpoint)
{
    OPEN_GUEST;
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
}

TEST(test_malformed)
{
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
    OPEN_GUEST;
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
}

/* In real mode a selector is a sixteenth of its segment's base (386 manual, real-address mode). */
TEST(test_real_mode_selectors)
{
    static const char names[] = "abcdef";
    static const engine_segment_name order[] = {ENGINE_CS, ENGINE_SS, ENGINE_DS,
                                                ENGINE_ES, ENGINE_FS, ENGINE_GS};
    uint8_t sector[512] = {0xeb, 0xfe, [510] = 0x55, 0xaa}; /* jmp $ */
    char path[] = "/tmp/p5scope-gdb-XXXXXX";
    open_machine(path, sector, sizeof sector);
    assert_int_equal(P5_OK, p5_machine_load_disk(g.machine, path, NULL));
    unlink(path);
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++) {
        engine_segment segment;
        char packet[32];
        snprintf(packet, sizeof packet, "P%c=%02x120000", names[i], 0x30 + i);
        expect(packet, "OK");
        engine_get_segment(g.machine->engine, order[i], &segment);
        assert_int_equal(0x1230 + i, segment.selector);
        assert_int_equal((0x1230 + i) * 16, segment.base);
    }
    p5_machine_close(g.machine);
}

/* The registers in gdb's order (its features/i386/32bit-core.xml), then those of p5scope. */
static const char register_values[] =
    "01000010 02000010 03000010 04000010 05000010 06000010 07000010 08000010 " /* EAX to EDI */
    "00000100 460a0000 08000000 10000000 10000000 10000000 10000000 10000000 " /* EIP, EFLAGS, CS to GS */
    "000102030405060708ff 101112131415161718ff 202122232425262728ff 303132333435363738ff " /* ST(0) to ST(3) */
    "404142434445464748ff 505152535455565758ff 606162636465666768ff 707172737475767778ff " /* ST(4) to ST(7) */
    "7f030000 11380000 aaaa0000 34120000 01020304 78560000 05060708 00000000 " /* the rest of the x87 */
    "31000000 01000022 00000000 00010000 "                                     /* CR0, CR2, CR3, CR4 */
    "8877665544332211 c200c20000000000 0100000000000000 0200000000000000";     /* TSC, CESR, CTR0, CTR1 */

/* Each register has its number, is read from its place and written to it. */
TEST(test_register_numbers)
{
    OPEN_GUEST;
    engine *e = g.machine->engine;
    for (unsigned r = 0; r < 8; r++)
        engine_set(e, (engine_register)(ENGINE_EAX + r), 0x10000000 + r + 1);
    engine_set(e, ENGINE_EFLAGS, 0xa46);
    uint8_t image[108] = {0};
    static const struct {
        unsigned at;
        uint8_t bytes[4];
    } parts[] = {{0, {0x7f, 0x03}},  {4, {0x11, 0x38}},  {8, {0xaa, 0xaa}}, {12, {1, 2, 3, 4}},
                 {16, {0x34, 0x12}}, {20, {5, 6, 7, 8}}, {24, {0x78, 0x56}}};
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        memcpy(image + parts[i].at, parts[i].bytes, 4);
    for (unsigned n = 0; n < 80; n++)
        image[28 + n] = (uint8_t)(n % 10 == 9 ? 0xff : n / 10 * 16 + n % 10);
    engine_set_x87(e, image);
    static const struct {
        unsigned number;
        const char *value;
    } written[] = {{33, "01000022"},         {35, "00010000"},         {36, "8877665544332211"},
                   {37, "c200c20000000000"}, {38, "0100000000000000"}, {39, "0200000000000000"}};
    for (unsigned n = 0; n < sizeof written / sizeof written[0]; n++) {
        char packet[64];
        snprintf(packet, sizeof packet, "P%x=%s", written[n].number, written[n].value);
        expect(packet, "OK");
    }
    char values[sizeof register_values], all[sizeof register_values] = "";
    strcpy(values, register_values);
    unsigned number = 0;
    for (const char *value = strtok(values, " "); value != NULL; value = strtok(NULL, " "), number++) {
        char packet[64];
        snprintf(packet, sizeof packet, "p%x", number);
        gdb_packet(&g, packet, strlen(packet));
        if (strcmp(g.reply, value) != 0)
            fail_msg("register %u is %s, expected %s", number, g.reply, value);
        strcat(all, value);
        snprintf(packet, sizeof packet, "P%x=%s", number, value); /* what is there may be written anywhere */
        expect(packet, "OK");
    }
    assert_int_equal(number, 40);
    expect("p28", "E01");
    expect("g", all);
    /* other values: of selectors in protected mode and of CR0 none, of CR4 no reserved bits */
    static const char *const refused[] = {"Pa=18000000",  "Pb=18000000",  "Pf=18000000", "P20=11000000",
                                          "P23=00000100", "P28=00000000", "P0=000000"};
    for (unsigned n = 0; n < sizeof refused / sizeof refused[0]; n++)
        expect(refused[n], "E01");
    static const char *const accepted[][3] = {{"P7=44332211", "p7", "44332211"},
                                              {"P9=d70a0000", "p9", "d70a0000"},
                                              {"P17=0102030405060708090a", "p17", "0102030405060708090a"},
                                              {"P18=7f020000", "p18", "7f020000"},
                                              {"P1c=99887766", "p1c", "99887766"},
                                              {"P1d=aabb0000", "p1d", "aabb0000"},
                                              {"P21=00500000", "p21", "00500000"},
                                              {"P22=00600000", "p22", "00600000"}};
    for (unsigned n = 0; n < sizeof accepted / sizeof accepted[0]; n++) {
        expect(accepted[n][0], "OK");
        expect(accepted[n][1], accepted[n][2]);
    }
}

/* gdb's numbers of Linux's signals (include/gdb/signals.def), and the other ways in which a run stops or ends. */
TEST(test_stop_replies)
{
    static const uint8_t numbers[] = {0,   1,  2,  3,  4,  5,  6,  10, 8,  9,  30, 11, 31, 13, 14, 15,
                                      143, 20, 19, 17, 18, 21, 22, 16, 24, 25, 26, 27, 28, 23, 32, 12};
    OPEN_GUEST;
    char reply[64];
    for (int signal = 1; signal < 34; signal++) {
        g.stops.stop = DEBUG_STOP_SIGNAL;
        g.stops.signal = signal;
        snprintf(reply, sizeof reply, "T%02xthread:1;", signal < 32 ? numbers[signal] : 143u);
        expect("?", reply);
    }
    g.stops.stop = DEBUG_STOP_STEP;
    expect("?", "T05thread:1;");
    g.stops.stop = DEBUG_STOP_NONE;
    expect("?", "T02thread:1;");
    static const char *const names[] = {"watch", "rwatch", "awatch"};
    for (unsigned kind = 0; kind < 3; kind++) {
        g.stops.stop = DEBUG_STOP_WATCH;
        g.stops.hit = (debug_watch){(debug_watch_kind)(DEBUG_WATCH_WRITE + kind), 0x1234, 4};
        snprintf(reply, sizeof reply, "T05%s:1234;thread:1;", names[kind]);
        expect("?", reply);
    }
    g.history.at_begin = true;
    expect("?", "T05replaylog:begin;thread:1;");
    g.history.at_begin = false;
    g.machine->ended = true;
    g.result.end = P5_END_EXIT;
    g.result.status = 0x1ab;
    expect("?", "Wab");
    g.result.end = P5_END_SIGNAL;
    g.result.signal = 11;
    expect("?", "X0b");
    g.result.end = P5_END_HALT;
    expect("?", "X06");
    g.machine->ended = false;
}

TEST(test_other_packets)
{
    static const struct {
        const char *packet;
        gdb_action action;
        const char *reply;
    } rows[] = {{"qAttached", GDB_REPLY, "1"},
                {"qUnknown", GDB_REPLY, ""},
                {"_", GDB_REPLY, ""},
                {"", GDB_REPLY, ""},
                {"qXfer:features:read:target.xml:0,5", GDB_REPLY, "m<?xml"},
                {"qXfer:features:read:target.xml:fffff,5", GDB_REPLY, "l"},
                {"vCont?", GDB_REPLY, "vCont;c;C;s;S"},
                {"vCont;c", GDB_CONTINUE, ""},
                {"vCont;s:1;c", GDB_STEP, ""},
                {"qfThreadInfo", GDB_REPLY, "m1"},
                {"qsThreadInfo", GDB_REPLY, "l"},
                {"qC", GDB_REPLY, "QC1"},
                {"Hg0", GDB_REPLY, "OK"},
                {"T1", GDB_REPLY, "OK"},
                {"c", GDB_CONTINUE, ""},
                {"s", GDB_STEP, ""},
                {"bs", GDB_BACK_STEP, ""},
                {"bc", GDB_BACK_CONTINUE, ""},
                {"bx", GDB_REPLY, ""},
                {"bsx", GDB_REPLY, ""},
                {"vCont;C05", GDB_CONTINUE, ""},
                {"vCont;S05:1", GDB_STEP, ""},
                {"vMustReplyEmpty", GDB_REPLY, ""},
                {"Z5,1,1", GDB_REPLY, ""}, /* of no kind that there is */
                {"Z4,2000,4", GDB_REPLY, "OK"},
                {"z4,2000,4", GDB_REPLY, "OK"},
                {"z0,1234,1", GDB_REPLY, "OK"}, /* was not there */
                {"m10000,0", GDB_REPLY, ""},
                {"mfffff,4", GDB_REPLY, "00"}, /* the last byte of the memory, and what is after it */
                {"vKill;1", GDB_END, "OK"},
                {"k", GDB_END, ""},
                {"D", GDB_END, "OK"}};
    OPEN_GUEST;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        g.killed = false;
        if (gdb_packet(&g, rows[i].packet, strlen(rows[i].packet)) != rows[i].action ||
            (strcmp(rows[i].packet, "mfffff,4") != 0 && strcmp(g.reply, rows[i].reply) != 0))
            fail_msg("'%s' was answered by '%s'", rows[i].packet, g.reply);
        assert_int_equal(g.killed,
                         strcmp(rows[i].packet, "k") == 0 || strcmp(rows[i].packet, "vKill;1") == 0);
    }
    gdb_packet(&g, "c10001", 6); /* from an address */
    expect("p8", "01000100");
    gdb_packet(&g, "s 10001", 7);
    assert_string_equal(g.reply, "E01");
    assert_int_equal(GDB_REPLY, gdb_packet(&g, "qRcmd,706d75", 12)); /* pmu */
    assert_true(g.reply_size > 40);
    gdb_packet(&g, "qSupported:x", 12);
    assert_non_null(strstr(g.reply, "QStartNoAckMode+;swbreak-;hwbreak+;"));
    /* the description in pieces is the description */
    const char *text = gdb_description();
    char joined[8192] = "", packet[64];
    size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        snprintf(packet, sizeof packet, "qXfer:features:read:target.xml:%zx,1f", at);
        gdb_packet(&g, packet, strlen(packet));
        strcat(joined, g.reply + 1);
        at += 0x1f;
        assert_int_equal(g.reply[0], at < length ? 'm' : 'l');
    }
    assert_string_equal(joined, text);
}

/* When all places are taken every second state goes, but never the first, and the distance between states doubles. */
TEST(test_history_thins_out)
{
    OPEN_GUEST;
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
}

static bool interrupted(void *context)
{
    unsigned *left = context;
    return *left > 0 && --*left == 0;
}

/* Goes back from the end of ten trips of the guest with a breakpoint at its second instruction. The command is
 * interrupted at each of the places where it looks for that: it stops where it says, or says that it was interrupted. */
TEST(test_going_back_is_interrupted)
{
    unsigned arrived[2] = {0, 0};
    for (unsigned step = 0; step < 2; step++) {
        for (unsigned call = 0; call < 40; call++) {
            unsigned left = call;
            OPEN_GUEST;
            gdb_history_keep(&g);
            run(40);
            expect("Z0,10001,1", "OK");
            assert_true(gdb_history_back(&g, step, interrupted, &left));
            if (g.stops.stop != DEBUG_STOP_NONE) {
                assert_int_equal(g.stops.stop, step ? DEBUG_STOP_STEP : DEBUG_STOP_BREAKPOINT);
                assert_int_equal(p5_machine_instructions(g.machine), step ? 39 : 37);
                assert_true(call == 0 || left > 0);
                arrived[step]++;
            }
        }
        assert_in_range(arrived[step], 2, 39);
    }
}

static bool never(void *context)
{
    (void)context;
    return false;
}

/* If the past cannot be replayed, gdb is in the present again, where the guest has not stopped at the beginning of the history nor by
 * a signal. */
TEST(test_going_back_fails)
{
    for (unsigned step = 0; step < 2; step++) {
        OPEN_GUEST;
        p5_machine *present = g.machine;
        gdb_history_keep(&g);
        run(40);
        expect("Z0,10001,1", "OK");
        assert_true(gdb_history_back(&g, false, never, NULL));
        assert_ptr_not_equal(g.machine, present);
        expect("z0,10001,1", "OK");
        assert_true(gdb_history_back(&g, false, never, NULL));
        expect("?", "T05replaylog:begin;thread:1;");
        size_t size = g.history.states[0].size;
        g.history.states[0].size = 0;
        assert_false(gdb_history_back(&g, step, never, NULL));
        g.history.states[0].size = size;
        assert_ptr_equal(g.machine, present);
        expect("?", "T05thread:1;");
    }
}

/* Going back passes a signal, which then is not the reason of the stop. */
TEST(test_going_back_forgets_signals)
{
    OPEN_GUEST;
    gdb_history_keep(&g);
    run(40);
    g.stops.stop = DEBUG_STOP_SIGNAL;
    g.stops.signal = 11;
    assert_true(gdb_history_back(&g, true, never, NULL));
    assert_int_equal(g.stops.signal, 0);
}

/* Returns the output of `monitor pipeline`, in hexadecimal. */
static const char *pipeline(void)
{
    static const char packet[] = "qRcmd,706970656c696e65";
    gdb_packet(&g, packet, sizeof packet - 1);
    return g.reply;
}

/* `monitor pipeline` shows the latest instructions of the machine that gdb debugs: in the past, those of the replay, and after
 * the return those of the present. They are the ones of a machine that has only run forward. */
TEST(test_pipeline_follows)
{
    enum { STEPPED_BACK = 39, FORWARD = 64 };
    static char expected[2][sizeof g.reply];
    {
        OPEN_GUEST;
        pipeline();
        run(STEPPED_BACK);
        strcpy(expected[0], pipeline());
        run(FORWARD - STEPPED_BACK);
        strcpy(expected[1], pipeline());
    }
    for (unsigned in_past = 0; in_past < 2; in_past++) { /* where recording begins */
        OPEN_GUEST;
        gdb_history_keep(&g);
        if (!in_past)
            pipeline();
        run(STEPPED_BACK + 1);
        assert_true(gdb_history_back(&g, true, never, NULL));
        assert_int_equal(p5_machine_instructions(g.machine), STEPPED_BACK);
        if (in_past)
            pipeline();
        else
            assert_string_equal(pipeline(), expected[0]);
        run(1);
        assert_true(gdb_history_arrives(&g));
        run(FORWARD - STEPPED_BACK - 1);
        assert_string_equal(pipeline(), expected[1]);
    }
}
