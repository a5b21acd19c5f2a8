/* The connection to gdb: a socket file owned by the user, or a TCP port that accepts connections from this host
 * only. */
#ifndef MACHINE_GDB_CONNECTION_H
#define MACHINE_GDB_CONNECTION_H

#include "machine/gdb/gdb.h"

typedef struct gdb_connection {
    int socket;
    p5_machine *machine;
    const p5_limits *limits;
    double over; /* host time of the time-out in seconds; 0: none */
    bool acknowledges;
    uint8_t input[4096];
    size_t used, filled;
} gdb_connection;

/* Waits for gdb at `where`. *connected is false if the run must end before gdb connects. */
p5_status gdb_connect(const char *where, gdb_connection *c, bool *connected, p5_error *error);
/* Returns true if the run must end: its time is over, or it has been stopped. */
bool gdb_is_over(const gdb_connection *c);
/* Returns true if gdb has sent Ctrl-C or closed the connection. */
bool gdb_interrupted(gdb_connection *c);

typedef enum gdb_received { GOT_PACKET, GOT_INTERRUPT, GOT_NOTHING, GOT_END } gdb_received;
/* Receives the next packet and unescapes it. Requests it again if the checksum is wrong or it is too long. */
gdb_received gdb_receive(gdb_connection *c, char *packet, size_t *size);
/* Sends the reply. Returns false if the connection is closed. */
bool gdb_send(gdb_connection *c, const gdb *g);

#endif
