/* The connection to gdb: a socket file owned by the user, or a TCP port that accepts connections from this host
 * only. */
#ifndef MACHINE_GDB_CONNECTION_H
#define MACHINE_GDB_CONNECTION_H

#include "machine/gdb/gdb.h"

typedef struct gdb_connection {
    int socket;
    p5_machine *machine;     /* whose run ends all waits when it is stopped */
    const p5_limits *limits; /* of the whole run */
    double over;             /* host_now() at which the run's time-out is reached; 0: no time-out */
    bool acknowledges;       /* packets are acknowledged and checksums checked, until gdb switches that off */
    uint8_t input[4096];     /* received bytes; those from `used` to `filled` are not yet interpreted */
    size_t used, filled;
} gdb_connection;

/* Waits for gdb at `where`: PORT, localhost:PORT, or the path of a new socket file. Sets c->socket; the other members
 * are set before the call. *connected is false if the run must end before gdb connects. */
p5_status gdb_connect(const char *where, gdb_connection *c, bool *connected, p5_error *error);
/* Returns true if the run must end: its time is over, or it has been stopped. */
bool gdb_is_over(const gdb_connection *c);
/* Returns true if gdb has sent Ctrl-C or closed the connection. Does not wait. Discards other received bytes. */
bool gdb_interrupted(gdb_connection *c);

typedef enum gdb_received {
    GOT_PACKET,
    GOT_INTERRUPT, /* Ctrl-C */
    GOT_NOTHING,   /* the run must end (gdb_is_over), or the packet was damaged or too long */
    GOT_END        /* the connection is closed, or the other side is not gdb */
} gdb_received;
/* Receives the next packet and unescapes it; `packet` holds GDB_PACKET bytes. While packets are acknowledged,
 * requests a damaged or too long one again. */
gdb_received gdb_receive(gdb_connection *c, char *packet, size_t *size);
/* Sends g->reply in a frame. Returns false if the connection is closed or the run must end. */
bool gdb_send(gdb_connection *c, const gdb *g);

#endif
