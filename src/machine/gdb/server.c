/* The connection to gdb: a TCP port of this host only, or a socket file; frames, acknowledgements, and
 * running the guest in pieces, between which Ctrl-C is looked for. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/gdb/gdb.h"

enum {
    INTERRUPT = 3,
    PIECE_INSTRUCTIONS = 500000,
    PIECE_CLOCKS = 50000000,
    NO_BYTE = -1,
    NO_CONNECTION = -2
};
#define PIECE_SECONDS 0.2

typedef struct connection {
    int socket;
    bool acknowledges;
    uint8_t input[4096];
    size_t used, filled;
} connection;

/* --- bytes --- */

static int next_byte(connection *c, bool wait)
{
    while (c->used == c->filled) {
        struct pollfd ready = {.fd = c->socket, .events = POLLIN};
        if (!wait && poll(&ready, 1, 0) <= 0)
            return NO_BYTE;
        ssize_t got = recv(c->socket, c->input, sizeof c->input, 0);
        if (got < 0 && errno == EINTR)
            return NO_BYTE;
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
        ssize_t sent = send(c->socket, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* --- frames: $ packet # two digits of the sum of its bytes; 7Dh and the byte XOR 20h for what must not stand
 * there
 * --- */

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

/* The next packet, unescaped. A wrong sum is asked for again; so is one that is too long. */
static received receive_packet(connection *c, char *packet, size_t *size)
{
    int byte;
    do {
        byte = next_byte(c, true);
        if (byte == INTERRUPT)
            return GOT_INTERRUPT;
        if (byte < 0)
            return byte == NO_BYTE ? GOT_NOTHING : GOT_END;
    } while (byte != '$');
    unsigned sum = 0;
    bool escaped = false, fits = true;
    *size = 0;
    while ((byte = next_byte(c, true)) != '#') {
        if (byte == NO_CONNECTION)
            return GOT_END;
        if (byte == NO_BYTE)
            continue;
        sum += (unsigned)byte;
        if (byte == '}' && !escaped) {
            escaped = true;
            continue;
        }
        fits = *size < GDB_PACKET;
        if (fits)
            packet[(*size)++] = (char)(escaped ? byte ^ 0x20 : byte);
        escaped = false;
    }
    char text[2];
    uint8_t given;
    for (unsigned i = 0; i < 2; i++) {
        while ((byte = next_byte(c, true)) == NO_BYTE)
            continue;
        if (byte < 0)
            return GOT_END;
        text[i] = (char)byte;
    }
    bool good = fits && (!c->acknowledges || (gdb_unhex(text, 2, &given, 1) == 1 && given == (sum & 0xff)));
    if (c->acknowledges && !send_all(c, good ? "+" : "-", 1))
        return GOT_END;
    return good ? GOT_PACKET : GOT_NOTHING;
}

/* --- running --- */

/* True if Ctrl-C came, or if nobody is there any more. */
static bool interrupted(connection *c)
{
    for (int byte; (byte = next_byte(c, false)) != NO_BYTE;)
        if (byte == INTERRUPT || byte == NO_CONNECTION)
            return true;
    return false;
}

static p5_status run(gdb *g, connection *c, bool step, p5_error *error)
{
    p5_machine *machine = g->machine;
    g->single_step = step;
    g->stop = GDB_STOP_NONE;
    while (!machine->ended) {
        p5_limits limits = {.max_instructions = machine->instructions + (step ? 1 : PIECE_INSTRUCTIONS),
                            .max_clocks = step ? 0 : p5_machine_clock(machine) + PIECE_CLOCKS,
                            .timeout_seconds = PIECE_SECONDS};
        p5_status status = p5_machine_run(machine, &limits, &g->result, error);
        if (status != P5_OK)
            return status;
        if (step && g->stop == GDB_STOP_NONE && g->result.end == P5_END_INSTRUCTIONS)
            g->stop = GDB_STOP_STEP;
        if (g->stop != GDB_STOP_NONE || g->result.end == P5_END_STOPPED || interrupted(c))
            break;
    }
    return P5_OK;
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
        if (what == GOT_NOTHING && g->machine->stop) {
            g->killed = true;
            return P5_OK;
        }
        if (what != GOT_PACKET)
            continue;
        gdb_action action = GDB_REPLY;
        bool quiet = size == sizeof no_acknowledge - 1 && memcmp(packet, no_acknowledge, size) == 0;
        if (quiet) {
            g->reply_size = 0;
            gdb_print(g, "OK");
        } else {
            action = gdb_packet(g, packet, size);
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
        c->acknowledges &= !quiet;
        if (action == GDB_END)
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

static int listen_file(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool is_port(const char *where, uint16_t *port)
{
    char *end;
    unsigned long number = strtoul(where, &end, 10);
    *port = (uint16_t)number;
    return where[0] >= '0' && where[0] <= '9' && *end == '\0' && number >= 1 && number <= 65535;
}

static p5_status accept_gdb(const char *where, connection *c, p5_error *error)
{
    uint16_t port;
    bool by_port = is_port(where, &port);
    if (!by_port && where[strspn(where, "0123456789")] == '\0')
        return error_set(error, P5_ERR_RANGE, "a port for gdb is 1 to 65535, not '%s'", where);
    int listener = by_port ? listen_port(port) : listen_file(where);
    if (listener < 0)
        return error_set(error, P5_ERR_IO, "cannot wait for gdb at '%s': %s", where, strerror(errno));
    fprintf(stderr, "p5scope: waiting for gdb: target remote %s%s\n", by_port ? "localhost:" : "", where);
    c->socket = accept(listener, NULL, NULL);
    int reason = errno;
    close(listener);
    if (!by_port)
        unlink(where);
    if (c->socket < 0)
        return error_set(error, P5_ERR_IO, "gdb did not come: %s", strerror(reason));
    return P5_OK;
}

p5_status p5_machine_run_gdb(p5_machine *machine, const char *where, const p5_limits *limits,
                             p5_run_result *result, p5_error *error)
{
    p5_status ready = machine_check_ready(machine, error);
    if (ready != P5_OK)
        return ready;
    if (machine->observers != NULL)
        return error_set(error, P5_ERR_STATE,
                         "a run cannot be traced and controlled by gdb at the same time");
    connection c = {.acknowledges = true};
    p5_status status = accept_gdb(where, &c, error);
    if (status != P5_OK)
        return status;
    gdb *g = calloc(1, sizeof *g);
    if (g == NULL) {
        close(c.socket);
        return error_set(error, P5_ERR_MEMORY, "no memory for gdb's server");
    }
    g->machine = machine;
    g->stop = GDB_STOP_STEP;
    machine->debugger = g;
    status = serve(g, &c, error);
    machine->debugger = NULL;
    if (g->follows)
        p5_core_set_trace(machine->core, NULL, NULL);
    engine_set_cuts(machine->engine, NULL, 0);
    close(c.socket);
    bool killed = g->killed;
    *result = g->result;
    free(g);
    if (status == P5_OK && killed && !machine->ended)
        result->end = P5_END_STOPPED;
    else if (status == P5_OK) /* detached: it goes on by itself; ended: says how again */
        status = p5_machine_run(machine, limits, result, error);
    if (machine->close_wanted)
        p5_machine_close(machine);
    return status;
}
