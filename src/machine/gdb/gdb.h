/* A server for gdb's remote protocol ("GDB Remote Serial Protocol", an appendix of its manual), for all kinds of
 * guests. Addresses are linear. Breakpoints do not change memory: the engine ends a block before each one, and
 * the run loop stops there (machine/run/debug.h). With watchpoints, the run loop single-steps. */
#ifndef MACHINE_GDB_GDB_H
#define MACHINE_GDB_GDB_H

#include "machine/gdb/history.h"
#include "machine/run/debug.h"
#include "machine/state.h"

enum {
    GDB_PACKET = 16384, /* bytes of the longest packet from gdb, without its frame */
    GDB_RECENT = 16     /* instructions that `monitor pipeline` shows */
};

typedef struct gdb {
    p5_machine *machine; /* that gdb debugs: the machine that runs, or a copy of its past (history.h) */
    debug_stops stops;
    bool passes; /* deliver stops.signal to the program when it continues the next time */

    p5_trace_insn recent[GDB_RECENT]; /* ring buffer of the latest instructions for `monitor pipeline` */
    size_t recent_count;              /* recorded so far; the newest is at (recent_count - 1) % GDB_RECENT */
    bool records_recent;

    gdb_history history;
    p5_run_result result; /* of the latest run */
    bool killed;  /* the run ends without detaching: gdb has killed the guest, or the host stops the run */
    bool limited; /* a limit of the run was reached */
    char reply[GDB_PACKET + 64]; /* to the current packet: unescaped, with a NUL after it */
    size_t reply_size;           /* without the NUL */
} gdb;

/* What the server does after a packet. */
typedef enum gdb_action {
    GDB_REPLY, /* sends g->reply */
    /* Run the guest, forward or back in time, then send the reason of the stop. */
    GDB_CONTINUE,
    GDB_STEP,
    GDB_BACK_CONTINUE,
    GDB_BACK_STEP,
    GDB_END /* sends g->reply unless it is empty, then closes the connection */
} gdb_action;
/* Returns true if the processor is at CPL 0 in a Linux guest: in the short code through which p5scope, which executes
 * the system calls itself, is entered and left. gdb must not stop there. */
bool gdb_in_kernel(const p5_machine *machine);
/* Handles a packet without its frame. Replaces g->reply by the answer; it is empty if the packet is unknown or resumes
 * the guest. */
gdb_action gdb_packet(gdb *g, const char *packet, size_t size);
/* Appends the reason of the latest stop to the reply. */
void gdb_stop_reply(gdb *g);
/* Append text, or bytes in hexadecimal, to the reply. What exceeds its buffer is dropped. */
void gdb_print(gdb *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gdb_hex(gdb *g, const void *bytes, size_t size);
/* Decodes up to `size` bytes of hexadecimal text with `length` characters. Returns the number of bytes, or -1 if
 * another character is among them. */
long gdb_unhex(const char *text, size_t length, uint8_t *bytes, size_t size);

/* Returns the target description: XML that names the registers in the order of their numbers. */
const char *gdb_description(void);
unsigned gdb_register_count(void);
/* Read and write EIP as a linear address, so that it matches breakpoints and memory. */
uint32_t gdb_eip_read(const gdb *g);
bool gdb_eip_write(gdb *g, uint32_t linear);
/* Returns the bytes of the register's value, or 0 if there is no such register. */
unsigned gdb_register_read(gdb *g, unsigned number, uint8_t bytes[16]);
/* Returns false if the register cannot be written, or not now (p5_machine_write_registers), or if `size` is not its
 * size. */
bool gdb_register_write(gdb *g, unsigned number, const uint8_t *bytes, size_t size);

/* Executes a `monitor` command and appends its output to the reply, in hexadecimal. */
void gdb_monitor(gdb *g, const char *command);
/* Makes `monitor pipeline` show the instructions of g->machine, which has changed. Those recorded so far remain if
 * `continues`: g->machine executes what follows them. */
void gdb_monitor_follow(gdb *g, bool continues);
/* Ends the recording of instructions in g->machine. */
void gdb_monitor_close(gdb *g);

#endif
