/* The connection to gdb: sockets, frames and acknowledgements. All waits end when the run must end. */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/host_time.h"
#include "machine/base/notice.h"
#include "machine/gdb/connection.h"
#include "machine/state.h"

enum {
    INTERRUPT = 3,          /* the byte that gdb sends, outside of packets, for Ctrl-C */
    WAIT_MILLISECONDS = 50, /* between checks whether the run must end */
    NO_BYTE = -1,           /* results of next_byte */
    NO_CONNECTION = -2
};

/* --- bytes --- */

bool gdb_is_over(const gdb_connection *c)
{
    return p5_machine_ending(c->machine) || (c->over != 0 && host_now() >= c->over);
}

/* Waits until one of the poll(2) events is reported for the socket. Returns false if the run must end first. */
static bool wait_for(const gdb_connection *c, int socket, short events)
{
    struct pollfd ready = {.fd = socket, .events = events};
    while (poll(&ready, 1, WAIT_MILLISECONDS) <= 0) {
        if (gdb_is_over(c))
            return false;
    }
    return true;
}

/* Returns the next byte; NO_BYTE if none has been received and `wait` is false, or if the run must end; NO_CONNECTION
 * if the connection is closed. */
static int next_byte(gdb_connection *c, bool wait)
{
    while (c->used == c->filled) {
        /* gdb_is_over is checked here too, because wait_for does not check it while bytes keep coming. */
        if (gdb_is_over(c) || (wait && !wait_for(c, c->socket, POLLIN)))
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

/* Returns false if the connection is closed or the run must end. */
static bool send_all(gdb_connection *c, const char *bytes, size_t size)
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

bool gdb_send(gdb_connection *c, const gdb *g)
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

/* Returns true for the bytes that gdb sends outside of packets or begins one with. The check rejects other clients,
 * such as a browser that a web page directs to this port. */
static bool is_gdb(int byte)
{
    return byte == '$' || byte == '+' || byte == '-' || byte == INTERRUPT;
}

gdb_received gdb_receive(gdb_connection *c, char *packet, size_t *size)
{
    int byte;
    do { /* skip gdb's acknowledgements: a reply is never sent again */
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

bool gdb_interrupted(gdb_connection *c)
{
    for (int byte; (byte = next_byte(c, false)) != NO_BYTE;)
        if (byte == INTERRUPT || byte == NO_CONNECTION)
            return true;
    return false;
}

/* --- waiting for gdb --- */

/* Returns a socket that listens at a TCP port of this host only, or -1 with errno. */
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

/* Makes a socket file and listens at it. Returns the socket, or -1 with errno. The file is made private to the user
 * before it listens, so no other user can ever connect. */
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

/* Parses PORT or HOST:PORT, where HOST must be this host: sets *by_port and *port. Anything else is a path: clears
 * *by_port. */
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
static bool accept_gdb(gdb_connection *c, int listener)
{
    while (!gdb_is_over(c) && wait_for(c, listener, POLLIN)) {
        c->socket = accept(listener, NULL, NULL);
        if (c->socket < 0)
            continue;
        uint8_t first; /* a copy: the byte stays in the socket for gdb_receive */
        if (wait_for(c, c->socket, POLLIN) && recv(c->socket, &first, 1, MSG_PEEK | MSG_DONTWAIT) == 1) {
            if (is_gdb(first))
                return true;
            notice(&c->machine->notices, "refused a connection that does not speak gdb's protocol");
        }
        close(c->socket);
    }
    return false;
}

p5_status gdb_connect(const char *where, gdb_connection *c, bool *connected, p5_error *error)
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
        notice(&c->machine->notices, "waiting for gdb: target remote localhost:%u", (unsigned)port);
    else
        notice(&c->machine->notices, "waiting for gdb: target remote %s", where);
    *connected = accept_gdb(c, listener);
    close(listener);
    if (!by_port)
        unlink(where);
    return P5_OK;
}
