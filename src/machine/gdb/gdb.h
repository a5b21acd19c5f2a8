/* A server for gdb's remote protocol ("GDB Remote Serial Protocol", an appendix of its manual), for all kinds of
 * guests. Addresses are linear. Breakpoints do not change memory: the engine ends a block before each one, and
 * the run loop stops there. With watchpoints, the run loop single-steps. */
#ifndef MACHINE_GDB_GDB_H
#define MACHINE_GDB_GDB_H

#include "machine/gdb/history.h"
#include "machine/run/debug.h"
#include "machine/state.h"

enum { GDB_PACKET = 16384, GDB_RECENT = 16 };

typedef struct gdb {
    p5_machine *machine;
    debug_stops stops;
    bool passes; /* deliver stops.signal to the program when it continues */

    p5_trace_insn recent[GDB_RECENT]; /* ring buffer of the latest instructions for `monitor pipeline` */
    size_t recent_count;              /* recorded so far; the newest is at (recent_count - 1) % GDB_RECENT */
    bool follows;                     /* recording is on */

    gdb_history history;
    p5_run_result result; /* of the latest run */
    bool killed, limited; /* killed by gdb; a limit of the run was reached */
    char reply[GDB_PACKET + 64];
    size_t reply_size;
} gdb;

/* What the server does after a packet, in addition to the reply or instead of it. */
typedef enum gdb_action {
    GDB_REPLY,
    GDB_CONTINUE,
    GDB_STEP,
    GDB_BACK_CONTINUE,
    GDB_BACK_STEP,
    GDB_END
} gdb_action;
/* Returns true if the processor is in the kernel entry of a Linux guest, where gdb must not stop. */
bool gdb_in_kernel(const p5_machine *machine);
/* Handles a packet without its frame. Leaves the answer in g->reply, unescaped. */
gdb_action gdb_packet(gdb *g, const char *packet, size_t size);
/* Writes the reason of the stop to g->reply. */
void gdb_stop_reply(gdb *g);
/* Appends to the reply. */
void gdb_print(gdb *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gdb_hex(gdb *g, const void *bytes, size_t size);
/* Decodes up to `size` bytes of hexadecimal text. Returns their number, or -1 for other text. */
long gdb_unhex(const char *text, size_t length, uint8_t *bytes, size_t size);

/* Registers, numbered as in the target description. A read returns 0 bytes if there is no such register. */
const char *gdb_description(void);
unsigned gdb_register_count(void);
/* EIP as a linear address, so that it matches breakpoints and memory. */
uint32_t gdb_eip_read(const gdb *g);
bool gdb_eip_write(gdb *g, uint32_t linear);
unsigned gdb_register_read(gdb *g, unsigned number, uint8_t bytes[16]);
/* Returns false if the register cannot be written, or not now (p5_machine_write_registers). */
bool gdb_register_write(gdb *g, unsigned number, const uint8_t *bytes, size_t size);

/* Appends the output of a `monitor` command to the reply, in hexadecimal. */
void gdb_monitor(gdb *g, const char *command);

#endif
