/* The remote protocol of gdb ("GDB Remote Serial Protocol", an appendix of its manual), for any kind of
 * guest. Addresses are linear. Breakpoints change nothing in memory: blocks are cut at them, and the run loop
 * is told when one is reached; watchpoints make it go in steps. */
#ifndef MACHINE_GDB_GDB_H
#define MACHINE_GDB_GDB_H

#include "machine/gdb/history.h"
#include "machine/run/debug.h"
#include "machine/state.h"

enum { GDB_PACKET = 16384, GDB_RECENT = 16 };

typedef struct gdb {
    p5_machine *machine;
    debug_stops stops;
    bool passes; /* the program gets it */

    p5_trace_insn recent[GDB_RECENT]; /* the last instructions, once `monitor pipeline` was asked */
    size_t recent_count;              /* so far; the newest is at (recent_count - 1) % GDB_RECENT */
    bool follows;                     /* they are kept */

    gdb_history history;
    p5_run_result result; /* of the last run */
    bool killed, limited; /* limited: the run's limits are reached */
    char reply[GDB_PACKET + 64];
    size_t reply_size;
} gdb;

/* What a packet asks the server to do after its reply, or instead of one. */
typedef enum gdb_action {
    GDB_REPLY,
    GDB_CONTINUE,
    GDB_STEP,
    GDB_BACK_CONTINUE,
    GDB_BACK_STEP,
    GDB_END
} gdb_action;
/* The processor stands in the kernel entry of a Linux guest, which is no place to stop at. */
bool gdb_in_kernel(const p5_machine *machine);
/* One packet without its frame. The answer is in g->reply, unescaped. */
gdb_action gdb_packet(gdb *g, const char *packet, size_t size);
/* Describes in g->reply why the guest stands. */
void gdb_stop_reply(gdb *g);
/* Appends to the reply. */
void gdb_print(gdb *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gdb_hex(gdb *g, const void *bytes, size_t size);
/* Reads up to `size` bytes of hexadecimal text; how many there were, -1 if it is none. */
long gdb_unhex(const char *text, size_t length, uint8_t *bytes, size_t size);

/* Numbers as in the target description. 0 bytes: there is no such register. */
const char *gdb_description(void);
unsigned gdb_register_count(void);
/* EIP is told as a linear address, which is what breakpoints and memory have. */
uint32_t gdb_eip_read(const gdb *g);
void gdb_eip_write(gdb *g, uint32_t linear);
unsigned gdb_register_read(gdb *g, unsigned number, uint8_t bytes[16]);
/* False while a Linux program stands in its kernel's entry, from where other registers would lead astray. */
bool gdb_may_redirect(const gdb *g);
bool gdb_register_write(gdb *g, unsigned number, const uint8_t *bytes, size_t size);

/* The text of a `monitor` command, as hexadecimal, into the reply. */
void gdb_monitor(gdb *g, const char *command);

#endif
