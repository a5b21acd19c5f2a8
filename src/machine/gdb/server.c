/* The connection to gdb: a socket file owned by the user, or a TCP port that accepts connections from this host
 * only. Handles frames and acknowledgements, and runs the guest in pieces to poll for Ctrl-C between them. All
 * waits end when the run must end. */
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/host_time.h"
#include "machine/gdb/gdb.h"
#include "machine/run/run.h"

enum {
    INTERRUPT = 3,
    PIECE_INSTRUCTIONS = 500000,
    PIECE_CLOCKS = 50000000,
    WAIT_MILLISECONDS = 50,
    NO_BYTE = -1,
    NO_CONNECTION = -2
};
#define PIECE_SECONDS 0.2

typedef struct connection {
    int socket;
    p5_machine *machine;
    const p5_limits *limits;
    double over; /* host time of the time-out in seconds; 0: none */
    bool acknowledges;
    uint8_t input[4096];
    size_t used, filled;
} connection;

/* --- bytes --- */

static bool is_over(const connection *c)
{
    return p5_machine_ending(c->machine) || (c->over != 0 && host_now() >= c->over);
}

/* Waits for the socket. Returns false if the run must end first. */
static bool wait_for(const connection *c, int socket, short events)
{
    struct pollfd ready = {.fd = socket, .events = events};
    while (poll(&ready, 1, WAIT_MILLISECONDS) <= 0) {
        if (is_over(c))
            return false;
    }
    return true;
}

/* Returns the next byte, or NO_BYTE if there is none now or the run must end. */
static int next_byte(connection *c, bool wait)
{
    while (c->used == c->filled) {
        /* also ends a client that sends without pause */
        if (is_over(c) || (wait && !wait_for(c, c->socket, POLLIN)))
            return NO_BYTE;
        ssize_t got = recv(c->socket, c->input, sizeof c->input, MSG_DONTWAIT);
        if (got < 0 && !wait && (errno == EINTR || errno == EAGAIN))
            return NO_BYTE;
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got <= 0)
            return NO_CONNECTION;
        c->used = 0;
        c->filled = (size_t)got;
    }
    return c->input[c->used++];
}

static bool send_all(connection *c, const char *bytes, size_t size)
{
    while (size != 0) {
        if (!wait_for(c, c->socket, POLLOUT))
            return false;
        ssize_t sent = send(c->socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* --- frames: $ packet # checksum in two hexadecimal digits; special bytes are sent as 7Dh, byte XOR 20h --- */

static bool send_packet(connection *c, const gdb *g)
{
    static const char digits[] = "0123456789abcdef";
    char frame[2 * sizeof g->reply + 4];
    size_t size = 0;
    unsigned sum = 0;
    frame[size++] = '$';
    for (size_t i = 0; i < g->reply_size; i++) {
        char byte = g->reply[i];
        if (byte == '#' || byte == '$' || byte == '}' || byte == '*') {
            frame[size++] = '}';
            sum += '}';
            byte ^= 0x20;
        }
        frame[size++] = byte;
        sum += (uint8_t)byte;
    }
    frame[size++] = '#';
    frame[size++] = digits[sum >> 4 & 15];
    frame[size++] = digits[sum & 15];
    return send_all(c, frame, size);
}

typedef enum received { GOT_PACKET, GOT_INTERRUPT, GOT_NOTHING, GOT_END } received;

/* Returns true for bytes that gdb sends between packets. A browser that a web page directs to this port sends
 * others. */
static bool is_gdb(int byte)
{
    return byte == '$' || byte == '+' || byte == '-' || byte == INTERRUPT;
}

/* Receives the next packet and unescapes it. Requests it again if the checksum is wrong or it is too long. */
static received receive_packet(connection *c, char *packet, size_t *size)
{
    int byte;
    do {
        byte = next_byte(c, true);
        if (byte == INTERRUPT)
            return GOT_INTERRUPT;
        if (byte < 0)
            return byte == NO_BYTE ? GOT_NOTHING : GOT_END;
        if (!is_gdb(byte))
            return GOT_END;
    } while (byte != '$');
    unsigned sum = 0;
    bool escaped = false, fits = true;
    *size = 0;
    while ((byte = next_byte(c, true)) != '#') {
        if (byte < 0)
            return byte == NO_BYTE ? GOT_NOTHING : GOT_END;
        sum += (unsigned)byte;
        if (byte == '}' && !escaped) {
            escaped = true;
            continue;
        }
        fits &= *size < GDB_PACKET;
        if (fits)
            packet[(*size)++] = (char)(escaped ? byte ^ 0x20 : byte);
        escaped = false;
    }
    char text[2];
    uint8_t checksum;
    for (unsigned i = 0; i < 2; i++) {
        byte = next_byte(c, true);
        if (byte < 0)
            return byte == NO_BYTE ? GOT_NOTHING : GOT_END;
        text[i] = (char)byte;
    }
    bool good =
        fits && (!c->acknowledges || (gdb_unhex(text, 2, &checksum, 1) == 1 && checksum == (sum & 0xff)));
    if (c->acknowledges && !send_all(c, good ? "+" : "-", 1))
        return GOT_END;
    return good ? GOT_PACKET : GOT_NOTHING;
}

/* --- running --- */

/* Returns true if gdb has sent Ctrl-C or closed the connection. */
static bool interrupted(connection *c)
{
    for (int byte; (byte = next_byte(c, false)) != NO_BYTE;)
        if (byte == INTERRUPT || byte == NO_CONNECTION)
            return true;
    return false;
}

static uint64_t earlier(uint64_t limit, uint64_t piece)
{
    return limit != 0 && limit < piece ? limit : piece;
}

/* Checks the run's limits, which end the run whatever gdb requests. Returns true if one is reached. */
static bool at_limit(gdb *g, const connection *c)
{
    const p5_machine *machine = g->machine;
    if (c->limits->max_instructions != 0 && machine->instructions >= c->limits->max_instructions)
        g->result.end = P5_END_INSTRUCTIONS;
    else if (c->limits->max_clocks != 0 && p5_machine_clock(machine) >= c->limits->max_clocks)
        g->result.end = P5_END_CLOCKS;
    else if (c->over != 0 && host_now() >= c->over)
        g->result.end = P5_END_TIMEOUT;
    else
        return false;
    g->limited = true;
    return true;
}

bool gdb_in_kernel(const p5_machine *machine)
{
    return machine->guest->end_by_signal != NULL && engine_cpl(machine->engine) == 0;
}

static p5_status run(gdb *g, connection *c, bool step, p5_error *error)
{
    p5_machine *machine = g->machine;
    g->stops.single_step = step;
    g->stops.stop = DEBUG_STOP_NONE;
    g->history.begins = false;
    if (g->passes && g->history.present == NULL)
        machine->guest->end_by_signal(machine, g->stops.signal);
    g->stops.signal = 0;
    do {
        machine = g->machine;
        uint64_t instructions =
            machine->instructions + earlier(gdb_history_left(g), step ? 1 : PIECE_INSTRUCTIONS);
        uint64_t clocks = p5_machine_clock(machine) + PIECE_CLOCKS;
        p5_limits limits = {.max_instructions = earlier(c->limits->max_instructions, instructions),
                            .max_clocks =
                                step ? c->limits->max_clocks : earlier(c->limits->max_clocks, clocks),
                            .timeout_seconds = PIECE_SECONDS};
        p5_status status = p5_machine_run(machine, &limits, &g->result, error);
        if (status != P5_OK)
            return status;
        gdb_history_arrives(g);
        gdb_history_keep(g);
        machine = g->machine;
        if (step && g->stops.stop == DEBUG_STOP_NONE && g->result.end == P5_END_INSTRUCTIONS)
            g->stops.stop = DEBUG_STOP_STEP;
        if ((g->stops.stop == DEBUG_STOP_STEP || g->stops.stop == DEBUG_STOP_SIGNAL) &&
            gdb_in_kernel(machine) && !at_limit(g, c) && !is_over(c) && !interrupted(c)) {
            g->stops.stop = DEBUG_STOP_NONE;
            step = true;
            continue;
        }
        if (g->stops.stop != DEBUG_STOP_NONE && g->stops.signal != 0 && !gdb_in_kernel(machine))
            g->stops.stop = DEBUG_STOP_SIGNAL;
        if (g->stops.stop != DEBUG_STOP_NONE || g->result.end == P5_END_STOPPED || at_limit(g, c) ||
            interrupted(c))
            break;
    } while (!machine->ended);
    return P5_OK;
}

static bool went_away(void *context)
{
    connection *c = context;
    return interrupted(c) || is_over(c);
}

static p5_status serve(gdb *g, connection *c, p5_error *error)
{
    static const char no_acknowledge[] = "QStartNoAckMode";
    char packet[GDB_PACKET];
    size_t size;
    for (;;) {
        received what = receive_packet(c, packet, &size);
        if (what == GOT_END)
            return P5_OK;
        if (what == GOT_NOTHING && is_over(c)) {
            g->killed = !at_limit(g, c);
            return P5_OK;
        }
        if (what != GOT_PACKET)
            continue;
        gdb_action action = GDB_REPLY;
        bool no_acks = size == sizeof no_acknowledge - 1 && memcmp(packet, no_acknowledge, size) == 0;
        if (no_acks) {
            g->reply_size = 0;
            gdb_print(g, "OK");
        } else {
            action = gdb_packet(g, packet, size);
        }
        if (action == GDB_BACK_CONTINUE || action == GDB_BACK_STEP) {
            g->reply_size = 0;
            if (gdb_history_back(g, action == GDB_BACK_STEP, went_away, c))
                gdb_stop_reply(g);
            else
                gdb_print(g, "E.%s", g->history.refused);
        }
        if (action == GDB_CONTINUE || action == GDB_STEP) {
            p5_status status = run(g, c, action == GDB_STEP, error);
            if (status != P5_OK)
                return status;
            g->reply_size = 0;
            gdb_stop_reply(g);
        }
        if (!g->killed && !send_packet(c, g))
            return P5_OK;
        c->acknowledges &= !no_acks;
        if (action == GDB_END)
            return P5_OK;
        if (!g->machine->ended && at_limit(g, c))
            return P5_OK;
    }
}

/* --- waiting for gdb --- */

static int listen_port(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Makes a socket file. It is made private to the user before it listens, so no other user can ever connect. */
static int listen_file(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        chmod(path, S_IRUSR | S_IWUSR) == 0 && listen(fd, 1) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Parses PORT or HOST:PORT, where HOST must be this host; sets *by_port. Anything else is a path. */
static p5_status read_place(const char *where, bool *by_port, uint16_t *port, p5_error *error)
{
    const char *colon = strrchr(where, ':'), *digits = colon != NULL ? colon + 1 : where;
    *by_port = strchr(where, '/') == NULL && *digits != '\0' && digits[strspn(digits, "0123456789")] == '\0';
    enum { LONGEST_PATH = sizeof((struct sockaddr_un *)0)->sun_path - 1 };
    if (!*by_port)
        return strlen(where) <= LONGEST_PATH
                   ? P5_OK
                   : error_set(error, P5_ERR_RANGE, "the path of a socket is limited to %d characters",
                               (int)LONGEST_PATH);
    size_t host = colon != NULL ? (size_t)(colon - where) : 0;
    bool here = colon == NULL || (host == 9 && memcmp(where, "localhost", host) == 0) ||
                (host == 9 && memcmp(where, "127.0.0.1", host) == 0);
    if (!here)
        return error_set(error, P5_ERR_RANGE,
                         "gdb can connect from this host only (localhost:PORT), not '%s'", where);
    unsigned long number = strtoul(digits, NULL, 10);
    *port = (uint16_t)number;
    return number >= 1 && number <= UINT16_MAX
               ? P5_OK
               : error_set(error, P5_ERR_RANGE, "the port for gdb must be 1 to 65535, not '%s'", digits);
}

p5_status p5_gdb_place_check(const char *where, p5_error *error)
{
    bool by_port;
    uint16_t port;
    return read_place(where, &by_port, &port, error);
}

/* Accepts the first connection that speaks gdb's protocol and closes others. Returns false if the run must end
 * first. */
static bool accept_gdb(connection *c, int listener)
{
    while (!is_over(c) && wait_for(c, listener, POLLIN)) {
        c->socket = accept(listener, NULL, NULL);
        if (c->socket < 0)
            continue;
        uint8_t first;
        if (wait_for(c, c->socket, POLLIN) && recv(c->socket, &first, 1, MSG_PEEK | MSG_DONTWAIT) == 1) {
            if (is_gdb(first))
                return true;
            fprintf(stderr, "p5scope: refused a connection that does not speak gdb's protocol\n");
        }
        close(c->socket);
    }
    return false;
}

static p5_status connect_gdb(const char *where, connection *c, bool *connected, p5_error *error)
{
    bool by_port;
    uint16_t port = 0;
    p5_status status = read_place(where, &by_port, &port, error);
    if (status != P5_OK)
        return status;
    int listener = by_port ? listen_port(port) : listen_file(where);
    if (listener < 0)
        return error_set(error, P5_ERR_IO, "cannot wait for gdb at '%s': %s", where, strerror(errno));
    if (by_port)
        fprintf(stderr, "p5scope: waiting for gdb: target remote localhost:%u\n", (unsigned)port);
    else
        fprintf(stderr, "p5scope: waiting for gdb: target remote %s\n", where);
    *connected = accept_gdb(c, listener);
    close(listener);
    if (!by_port)
        unlink(where);
    return P5_OK;
}

p5_status p5_machine_run_gdb(p5_machine *machine, const char *where, const p5_limits *limits,
                             p5_run_result *result, p5_error *error)
{
    p5_status ready = machine_check_ready(machine, error);
    if (ready != P5_OK)
        return ready;
    if (machine->observers != NULL)
        return error_set(error, P5_ERR_STATE, "a run under gdb cannot be traced or observed");
    const p5_limits none = {0};
    connection c = {.machine = machine, .limits = limits != NULL ? limits : &none, .acknowledges = true};
    if (!(c.limits->timeout_seconds >= 0))
        return error_set(error, P5_ERR_RANGE, "a time-out cannot be negative");
    c.over = c.limits->timeout_seconds > 0 ? host_now() + c.limits->timeout_seconds : 0;
    bool connected = false;
    p5_status status = connect_gdb(where, &c, &connected, error);
    if (status != P5_OK)
        return status;
    if (!connected) { /* gdb did not connect in time */
        *result = (p5_run_result){.end = machine->stop ? P5_END_STOPPED : P5_END_TIMEOUT};
        machine->stop = false;
        return P5_OK;
    }
    gdb *g = calloc(1, sizeof *g);
    if (g == NULL) {
        close(c.socket);
        return error_set(error, P5_ERR_MEMORY, "no memory for gdb's server");
    }
    g->machine = machine;
    g->stops.stop = DEBUG_STOP_STEP;
    machine->debugger = &g->stops;
    gdb_history_keep(g);
    status = serve(g, &c, error);
    gdb_history_close(g);
    machine->debugger = NULL;
    if (g->follows)
        p5_core_set_trace(machine->core, NULL, NULL);
    engine_set_cuts(machine->engine, NULL, 0);
    close(c.socket);
    bool killed = g->killed && !machine->ended, limited = g->limited && !machine->ended;
    *result = g->result;
    free(g);
    if (status != P5_OK || limited) {
        machine->stop = false;
    } else if (killed) {
        result->end = P5_END_STOPPED;
        machine->stop = false;
    } else { /* after detaching, run on; if the guest has ended, this returns the result again */
        p5_limits rest = *c.limits;
        if (c.over != 0)
            rest.timeout_seconds = fmax(c.over - host_now(), 1e-9);
        status = p5_machine_run(machine, &rest, result, error);
    }
    if (machine->close_wanted)
        p5_machine_close(machine);
    return status;
}
