/* Packets of the protocol. The answer to an unknown packet is empty; the answer to one that fails is E01. A guest
 * is a process with one thread, number 1. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine/gdb/gdb.h"
#include "p5scope/inspect.h"

enum {
    MEMORY_AT_MOST = GDB_PACKET / 2 - 16, /* bytes of memory in a packet: two hexadecimal digits each */
    SIGNAL_INT = 2,                       /* signals in gdb's numbering */
    SIGNAL_TRAP = 5,
    SIGNAL_ABRT = 6
};

/* --- text --- */

void gdb_print(gdb *g, const char *format, ...)
{
    size_t space = sizeof g->reply - g->reply_size;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(g->reply + g->reply_size, space, format, arguments);
    va_end(arguments);
    if (length > 0)
        g->reply_size += (size_t)length < space ? (size_t)length : space - 1;
}

void gdb_hex(gdb *g, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size && g->reply_size + 3 < sizeof g->reply; i++) {
        g->reply[g->reply_size++] = digits[b[i] >> 4];
        g->reply[g->reply_size++] = digits[b[i] & 15];
    }
    g->reply[g->reply_size] = '\0';
}

/* Returns the value of a hexadecimal digit, or -1. */
static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

long gdb_unhex(const char *text, size_t length, uint8_t *bytes, size_t size)
{
    size_t count = 0;
    for (; count < size && 2 * count + 1 < length; count++) {
        int high = digit(text[2 * count]), low = digit(text[2 * count + 1]);
        if (high < 0 || low < 0)
            return -1;
        bytes[count] = (uint8_t)(high << 4 | low);
    }
    return (long)count;
}

/* A position in a packet, for reading its parameters one after the other. */
typedef struct reader {
    const char *at, *end;
    bool good; /* every parameter so far was there */
} reader;

/* Reads a hexadecimal number. Returns its low 32 bits, because gdb may extend an address to 64 bits. */
static uint32_t read_number(reader *r)
{
    uint32_t value = 0;
    unsigned digits = 0;
    for (int d; r->at < r->end && (d = digit(*r->at)) >= 0; r->at++, digits++)
        value = value << 4 | (uint32_t)d;
    r->good &= digits > 0 && digits <= 16;
    return value;
}

/* Reads a separator. */
static void read_character(reader *r, char expected)
{
    if (r->at < r->end && *r->at == expected)
        r->at++;
    else
        r->good = false;
}

/* Makes the reply the one for a packet that cannot be executed. */
static gdb_action reply_failed(gdb *g)
{
    g->reply_size = 0;
    gdb_print(g, "E01");
    return GDB_REPLY;
}

/* Makes the reply the one for a packet that has no other result. */
static gdb_action reply_done(gdb *g, bool good)
{
    if (!good)
        return reply_failed(g);
    gdb_print(g, "OK");
    return GDB_REPLY;
}

/* --- registers and memory --- */

static gdb_action read_registers(gdb *g)
{
    uint8_t bytes[16];
    for (unsigned i = 0; i < gdb_register_count(); i++)
        gdb_hex(g, bytes, gdb_register_read(g, i, bytes));
    return GDB_REPLY;
}

/* Returns true while gdb debugs the past, which cannot be changed. */
static bool in_the_past(const gdb *g)
{
    return g->history.present != NULL;
}

/* Executes G: the values of all registers, or of the first ones, in hexadecimal. */
static gdb_action write_registers(gdb *g, reader r)
{
    if (in_the_past(g))
        return reply_failed(g);
    uint8_t bytes[16];
    for (unsigned i = 0; i < gdb_register_count() && r.at < r.end; i++) {
        unsigned width = gdb_register_read(g, i, bytes);
        if (gdb_unhex(r.at, (size_t)(r.end - r.at), bytes, width) != (long)width)
            return reply_failed(g);
        gdb_register_write(g, i, bytes, width); /* read-only registers keep their value */
        r.at += 2 * width;
    }
    return reply_done(g, true);
}

/* Executes pNUMBER or PNUMBER=VALUE. */
static gdb_action one_register(gdb *g, reader r, bool write)
{
    uint8_t bytes[16];
    unsigned number = read_number(&r), width = r.good ? gdb_register_read(g, number, bytes) : 0;
    if (width == 0)
        return reply_failed(g);
    if (!write) {
        gdb_hex(g, bytes, width);
        return GDB_REPLY;
    }
    read_character(&r, '=');
    return reply_done(g, r.good && !in_the_past(g) &&
                             gdb_unhex(r.at, (size_t)(r.end - r.at), bytes, width) == (long)width &&
                             gdb_register_write(g, number, bytes, width));
}

/* Executes mADDRESS,SIZE. Reads as many bytes as are readable. It is an error only if the first byte is not. */
static gdb_action read_memory(gdb *g, reader r)
{
    uint32_t address = read_number(&r);
    read_character(&r, ',');
    uint32_t size = read_number(&r), got = 0;
    if (!r.good)
        return reply_failed(g);
    for (uint8_t byte; got < size && got < MEMORY_AT_MOST; got++) {
        if (!engine_read_linear(g->machine->engine, address + got, &byte, 1))
            break;
        gdb_hex(g, &byte, 1);
    }
    return got == 0 && size != 0 ? reply_failed(g) : GDB_REPLY;
}

/* Executes MADDRESS,SIZE:BYTES with hexadecimal bytes, or X with binary ones, which the connection has unescaped. */
static gdb_action write_memory(gdb *g, reader r, bool binary)
{
    uint8_t bytes[MEMORY_AT_MOST];
    uint32_t address = read_number(&r);
    read_character(&r, ',');
    uint32_t size = read_number(&r);
    read_character(&r, ':');
    if (!r.good || size > sizeof bytes || in_the_past(g))
        return reply_failed(g);
    size_t rest = (size_t)(r.end - r.at);
    if (binary && rest == size)
        memcpy(bytes, r.at, size);
    else if (binary || gdb_unhex(r.at, rest, bytes, size) != (long)size)
        return reply_failed(g);
    return reply_done(g, p5_machine_write_memory(g->machine, address, bytes, size, NULL) == P5_OK);
}

/* --- stops and resumption --- */

/* Converts a Linux signal number to gdb's numbering (its include/gdb/signals.def). */
static unsigned signal_number(int signal)
{
    enum { UNKNOWN = 143 };
    static const uint8_t numbers[] = {0,       1,  2,  3,  4,  5,  6,  10, 8,  9,  30, 11, 31, 13, 14, 15,
                                      UNKNOWN, 20, 19, 17, 18, 21, 22, 16, 24, 25, 26, 27, 28, 23, 32, 12};
    if (signal < 1 || signal >= (int)sizeof numbers)
        return UNKNOWN;
    return numbers[signal];
}

void gdb_stop_reply(gdb *g)
{
    static const char *const watch_names[] = {"watch", "rwatch", "awatch"};
    const p5_run_result *result = &g->result;
    if (g->machine->ended && result->end == P5_END_EXIT)
        gdb_print(g, "W%02x", (unsigned)result->status & 0xff);
    else if (g->machine->ended && result->end == P5_END_SIGNAL)
        gdb_print(g, "X%02x", signal_number(result->signal));
    else if (g->machine->ended) /* halted forever, shutdown, reset or failure */
        gdb_print(g, "X%02x", SIGNAL_ABRT);
    else if (g->history.at_begin)
        gdb_print(g, "T%02xreplaylog:begin;thread:1;", SIGNAL_TRAP);
    else if (g->stops.stop == DEBUG_STOP_WATCH)
        gdb_print(g, "T%02x%s:%x;thread:1;", SIGNAL_TRAP, watch_names[g->stops.hit.kind - DEBUG_WATCH_WRITE],
                  g->stops.hit.address);
    else if (g->stops.stop == DEBUG_STOP_SIGNAL)
        gdb_print(g, "T%02xthread:1;", signal_number(g->stops.signal));
    else if (g->stops.stop == DEBUG_STOP_BREAKPOINT)
        gdb_print(g, "T%02xhwbreak:;thread:1;", SIGNAL_TRAP);
    else
        gdb_print(g, "T%02xthread:1;", g->stops.stop == DEBUG_STOP_STEP ? SIGNAL_TRAP : SIGNAL_INT);
}

/* Executes c[ADDRESS] or s[ADDRESS]: moves EIP if an address follows, and returns `how`. */
static gdb_action resume(gdb *g, gdb_action how, reader r)
{
    if (r.at < r.end) {
        uint32_t address = read_number(&r);
        if (!r.good || in_the_past(g) || !gdb_eip_write(g, address))
            return reply_failed(g);
    }
    return how;
}

/* Executes vCont;ACTION[:THREAD]... There is one thread, so the first action applies. A signal is delivered if it
 * is the one that stopped the program. */
static gdb_action continue_by_threads(gdb *g, const char *action, const char *end)
{
    reader none = {end, end, true}, number = {action + 1, end, true};
    g->passes = action < end && (*action == 'C' || *action == 'S') && g->stops.signal != 0 &&
                read_number(&number) == signal_number(g->stops.signal);
    if (action < end && (*action == 'c' || *action == 'C'))
        return resume(g, GDB_CONTINUE, none);
    if (action < end && (*action == 's' || *action == 'S'))
        return resume(g, GDB_STEP, none);
    return reply_failed(g);
}

/* Executes ZKIND,ADDRESS,SIZE or z: inserts or removes a breakpoint (kinds 0 and 1 are the same here) or a
 * watchpoint. The reply to other kinds is empty, as to unknown packets. */
static gdb_action breakpoint(gdb *g, reader r, bool insert)
{
    uint32_t kind = read_number(&r);
    read_character(&r, ',');
    uint32_t address = read_number(&r);
    read_character(&r, ',');
    uint32_t size = read_number(&r);
    if (!r.good || kind > DEBUG_WATCH_ACCESS)
        return r.good ? GDB_REPLY : reply_failed(g);
    debug_watch watch = {(debug_watch_kind)kind, address, size};
    if (insert)
        return reply_done(g, debug_insert(g->machine, watch));
    debug_remove(g->machine, watch); /* removing a breakpoint that does not exist succeeds */
    return reply_done(g, true);
}

/* --- queries --- */

static bool starts(const char *packet, size_t size, const char *prefix)
{
    size_t length = strlen(prefix);
    return size >= length && memcmp(packet, prefix, length) == 0;
}

/* Replies with a part of the target description, from OFFSET,SIZE. 'm' before it means that more follows, 'l' that it
 * is the last. */
static gdb_action description(gdb *g, reader r)
{
    const char *text = gdb_description();
    uint32_t length = (uint32_t)strlen(text), offset = read_number(&r);
    read_character(&r, ',');
    uint32_t wanted = read_number(&r);
    if (!r.good)
        return reply_failed(g);
    offset = offset < length ? offset : length;
    wanted = wanted < MEMORY_AT_MOST ? wanted : MEMORY_AT_MOST;
    uint32_t part = wanted < length - offset ? wanted : length - offset;
    gdb_print(g, "%c%.*s", offset + part < length ? 'm' : 'l', (int)part, text + offset);
    return GDB_REPLY;
}

/* Executes q packets. Of what qSupported names, server.c executes QStartNoAckMode. qAttached says that the guest ran
 * before gdb connected, so that gdb detaches from it, and does not kill it, when it quits. */
static gdb_action query(gdb *g, const char *packet, size_t size)
{
    static const char features[] = "qXfer:features:read:target.xml:", monitor[] = "qRcmd,";
    static const struct {
        const char *query, *answer;
    } fixed[] = {{"qAttached", "1"}, {"qfThreadInfo", "m1"}, {"qsThreadInfo", "l"}};
    if (starts(packet, size, features))
        return description(g, (reader){packet + sizeof features - 1, packet + size, true});
    if (starts(packet, size, "qSupported"))
        gdb_print(g,
                  "PacketSize=%x;QStartNoAckMode+;swbreak-;hwbreak+;qXfer:features:read+;ReverseStep+;"
                  "ReverseContinue+;vContSupported+",
                  GDB_PACKET);
    if (size == 2 && packet[1] == 'C')
        gdb_print(g, "QC1");
    for (unsigned i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (starts(packet, size, fixed[i].query))
            gdb_print(g, "%s", fixed[i].answer);
    if (starts(packet, size, monitor)) {
        char command[64];
        long length = gdb_unhex(packet + sizeof monitor - 1, size - (sizeof monitor - 1), (uint8_t *)command,
                                sizeof command - 1);
        if (length < 0)
            return reply_failed(g);
        command[length] = '\0';
        gdb_monitor(g, command);
    }
    return GDB_REPLY;
}

gdb_action gdb_packet(gdb *g, const char *packet, size_t size)
{
    g->reply_size = 0;
    g->reply[0] = '\0';
    if (size == 0)
        return GDB_REPLY;
    reader r = {packet + 1, packet + size, true};
    switch (packet[0]) {
    case '?':
        gdb_stop_reply(g);
        return GDB_REPLY;
    case 'g':
        return read_registers(g);
    case 'G':
        return write_registers(g, r);
    case 'p':
    case 'P':
        return one_register(g, r, packet[0] == 'P');
    case 'm':
        return read_memory(g, r);
    case 'M':
    case 'X':
        return write_memory(g, r, packet[0] == 'X');
    case 'c':
        return resume(g, GDB_CONTINUE, r);
    case 's':
        return resume(g, GDB_STEP, r);
    case 'b': /* bs, bc: reverse step and continue */
        return size != 2 || (packet[1] != 's' && packet[1] != 'c') ? GDB_REPLY
               : packet[1] == 's'                                  ? GDB_BACK_STEP
                                                                   : GDB_BACK_CONTINUE;
    case 'Z':
    case 'z':
        return breakpoint(g, r, packet[0] == 'Z');
    case 'H': /* selects a thread; there is only one */
    case 'T': /* asks whether a thread is alive */
        return reply_done(g, true);
    case 'D': /* detach: the guest runs on */
        reply_done(g, true);
        return GDB_END;
    case 'k': /* kill; there is no reply */
        g->killed = true;
        return GDB_END;
    case 'q':
        return query(g, packet, size);
    case 'v':
        if (starts(packet, size, "vCont?"))
            gdb_print(g, "vCont;c;C;s;S");
        else if (starts(packet, size, "vCont;"))
            return continue_by_threads(g, packet + 6, packet + size);
        else if (starts(packet, size, "vKill")) {
            g->killed = true;
            reply_done(g, true);
            return GDB_END;
        }
        return GDB_REPLY;
    default:
        return GDB_REPLY; /* an empty packet means that the request is unknown */
    }
}
