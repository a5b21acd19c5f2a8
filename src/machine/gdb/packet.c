/* Packets of the protocol. The answer to an unknown packet is empty; the answer to one that fails is E01. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine/gdb/gdb.h"
#include "p5scope/inspect.h"

enum { MEMORY_AT_MOST = GDB_PACKET / 2 - 16, SIGNAL_INT = 2, SIGNAL_TRAP = 5 };

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

/* A position in a packet. Numbers are hexadecimal and have at most 32 bits. */
typedef struct reader {
    const char *at, *end;
    bool good;
} reader;

static uint32_t take_number(reader *r)
{
    uint32_t value = 0;
    unsigned digits = 0;
    for (int d; r->at < r->end && (d = digit(*r->at)) >= 0; r->at++, digits++)
        value = value << 4 | (uint32_t)d;
    r->good &= digits > 0 && digits <= 16;
    return value;
}

static void take(reader *r, char expected)
{
    if (r->at < r->end && *r->at == expected)
        r->at++;
    else
        r->good = false;
}

static gdb_action failed(gdb *g)
{
    g->reply_size = 0;
    gdb_print(g, "E01");
    return GDB_REPLY;
}

static gdb_action done(gdb *g, bool good)
{
    if (!good)
        return failed(g);
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

static gdb_action write_registers(gdb *g, reader r)
{
    if (in_the_past(g))
        return failed(g);
    uint8_t bytes[16];
    for (unsigned i = 0; i < gdb_register_count() && r.at < r.end; i++) {
        unsigned width = gdb_register_read(g, i, bytes);
        if (gdb_unhex(r.at, (size_t)(r.end - r.at), bytes, width) != (long)width)
            return failed(g);
        gdb_register_write(g, i, bytes, width); /* read-only registers keep their value */
        r.at += 2 * width;
    }
    return done(g, true);
}

static gdb_action one_register(gdb *g, reader r, bool write)
{
    uint8_t bytes[16];
    unsigned number = take_number(&r), width = r.good ? gdb_register_read(g, number, bytes) : 0;
    if (width == 0)
        return failed(g);
    if (!write) {
        gdb_hex(g, bytes, width);
        return GDB_REPLY;
    }
    take(&r, '=');
    return done(g, r.good && !in_the_past(g) &&
                       gdb_unhex(r.at, (size_t)(r.end - r.at), bytes, width) == (long)width &&
                       gdb_register_write(g, number, bytes, width));
}

/* Reads as many bytes as are readable. It is an error only if the first byte is not. */
static gdb_action read_memory(gdb *g, reader r)
{
    uint32_t address = take_number(&r);
    take(&r, ',');
    uint32_t size = take_number(&r), got = 0;
    if (!r.good)
        return failed(g);
    for (uint8_t byte; got < size && got < MEMORY_AT_MOST; got++) {
        if (!engine_read_linear(g->machine->engine, address + got, &byte, 1))
            break;
        gdb_hex(g, &byte, 1);
    }
    return got == 0 && size != 0 ? failed(g) : GDB_REPLY;
}

static gdb_action write_memory(gdb *g, reader r, bool binary)
{
    uint8_t bytes[MEMORY_AT_MOST];
    uint32_t address = take_number(&r);
    take(&r, ',');
    uint32_t size = take_number(&r);
    take(&r, ':');
    if (!r.good || size > sizeof bytes || in_the_past(g))
        return failed(g);
    size_t rest = (size_t)(r.end - r.at);
    if (binary && rest == size)
        memcpy(bytes, r.at, size);
    else if (binary || gdb_unhex(r.at, rest, bytes, size) != (long)size)
        return failed(g);
    return done(g, p5_machine_write_memory(g->machine, address, bytes, size, NULL) == P5_OK);
}

/* --- stops and resumption --- */

/* Converts a Linux signal number to gdb's numbering (its include/gdb/signals.def). */
static unsigned signal_number(int signal)
{
    static const uint8_t numbers[] = {0,  1,  2,  3,  4,  5,  6,  10, 8,  9,  30, 11, 31, 13, 14, 15,
                                      16, 20, 19, 17, 18, 21, 22, 16, 24, 25, 26, 27, 28, 23, 32, 12};
    enum { UNKNOWN = 143 };
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
        gdb_print(g, "X06");
    else if (g->history.begins)
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

static gdb_action resume(gdb *g, gdb_action how, reader r)
{
    if (r.at < r.end) { /* continue at an address */
        uint32_t address = take_number(&r);
        if (!r.good || in_the_past(g) || !gdb_eip_write(g, address))
            return failed(g);
    }
    return how;
}

/* Executes vCont;ACTION[:THREAD]... There is one thread, so the first action applies. A signal is delivered if it
 * is the one that stopped the program. */
static gdb_action continue_by_threads(gdb *g, const char *action, const char *end)
{
    reader none = {end, end, true}, number = {action + 1, end, true};
    g->passes = action < end && (*action == 'C' || *action == 'S') && g->stops.signal != 0 &&
                take_number(&number) == signal_number(g->stops.signal);
    if (action < end && (*action == 'c' || *action == 'C'))
        return resume(g, GDB_CONTINUE, none);
    if (action < end && (*action == 's' || *action == 'S'))
        return resume(g, GDB_STEP, none);
    return failed(g);
}

static gdb_action breakpoint(gdb *g, reader r, bool insert)
{
    uint32_t kind = take_number(&r);
    take(&r, ',');
    uint32_t address = take_number(&r);
    take(&r, ',');
    uint32_t size = take_number(&r);
    if (!r.good || kind > DEBUG_WATCH_ACCESS)
        return r.good ? GDB_REPLY : failed(g);
    debug_watch watch = {(debug_watch_kind)kind, address, size};
    if (insert)
        return done(g, debug_insert(g->machine, watch));
    debug_remove(g->machine, watch); /* removing a breakpoint that does not exist succeeds */
    return done(g, true);
}

/* --- queries --- */

static bool starts(const char *packet, size_t size, const char *prefix)
{
    size_t length = strlen(prefix);
    return size >= length && memcmp(packet, prefix, length) == 0;
}

static gdb_action description(gdb *g, reader r)
{
    const char *text = gdb_description();
    uint32_t length = (uint32_t)strlen(text), offset = take_number(&r);
    take(&r, ',');
    uint32_t wanted = take_number(&r);
    if (!r.good)
        return failed(g);
    offset = offset < length ? offset : length;
    wanted = wanted < MEMORY_AT_MOST ? wanted : MEMORY_AT_MOST;
    uint32_t part = wanted < length - offset ? wanted : length - offset;
    gdb_print(g, "%c%.*s", offset + part < length ? 'm' : 'l', (int)part, text + offset);
    return GDB_REPLY;
}

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
            return failed(g);
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
    case 'H':
    case 'T':
        return done(g, true);
    case 'D':
        done(g, true);
        return GDB_END;
    case 'k':
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
            done(g, true);
            return GDB_END;
        }
        return GDB_REPLY;
    default:
        return GDB_REPLY; /* an empty packet means that the request is unknown */
    }
}
