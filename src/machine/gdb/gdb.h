/* The remote protocol of gdb ("GDB Remote Serial Protocol", an appendix of its manual), for any kind of
 * guest. Addresses are linear. Breakpoints change nothing in memory: blocks are cut at them, and the run loop
 * is told when one is reached; watchpoints make it go in steps. */
#ifndef MACHINE_GDB_GDB_H
#define MACHINE_GDB_GDB_H

#include "machine/gdb/history.h"
#include "machine/state.h"

enum { GDB_PACKET = 16384, GDB_BREAKPOINTS = 256, GDB_WATCHES = 32, GDB_RECENT = 16 };

/* As in the packets Z2, Z3, Z4. */
typedef enum gdb_watch_kind { GDB_WATCH_WRITE = 2, GDB_WATCH_READ, GDB_WATCH_ACCESS } gdb_watch_kind;

typedef struct gdb_watch {
    gdb_watch_kind kind;
    uint32_t address, size;
} gdb_watch;

typedef enum gdb_stop {
    GDB_STOP_NONE,
    GDB_STOP_STEP,
    GDB_STOP_BREAKPOINT,
    GDB_STOP_WATCH,
    GDB_STOP_SIGNAL
} gdb_stop;

typedef struct gdb {
    p5_machine *machine;
    uint32_t breakpoints[GDB_BREAKPOINTS]; /* sorted */
    unsigned breakpoint_count;
    gdb_watch watches[GDB_WATCHES];
    unsigned watch_count;
    bool single_step; /* an exception's delivery ends a step, too */
    gdb_stop stop;    /* why the run loop was told to stop */
    gdb_watch hit;
    uint32_t hit_address;
    int signal;  /* Linux's number of the one that would end the program, which stands where it came; 0: none
                  */
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

/* gdb_stop.c: called by the run loop when a debugger is there. True: attention is wanted. */
bool gdb_retired(gdb *g, const p5_retired *retired);
void gdb_delivered(gdb *g, const p5_exception *exception);
/* A signal that ends the program, by its number: it waits for what gdb says. */
void gdb_signal(gdb *g, int signal);
bool gdb_is_breakpoint(const gdb *g, uint32_t linear);
/* The engine of the machine that gdb looks at is told of the breakpoints. */
void gdb_use_breakpoints(gdb *g);
bool gdb_insert(gdb *g, unsigned kind, uint32_t address, uint32_t size);
bool gdb_remove(gdb *g, unsigned kind, uint32_t address, uint32_t size);

/* What a packet asks the server to do after its reply, or instead of one. */
typedef enum gdb_action {
    GDB_REPLY,
    GDB_CONTINUE,
    GDB_STEP,
    GDB_BACK_CONTINUE,
    GDB_BACK_STEP,
    GDB_END
} gdb_action;
/* server.c: the processor stands in the kernel entry of a Linux guest, which is no place to stop at. */
bool gdb_in_kernel(const p5_machine *machine);
/* gdb_packet.c: one packet without its frame. The answer is in g->reply, unescaped. */
gdb_action gdb_packet(gdb *g, const char *packet, size_t size);
/* Describes in g->reply why the guest stands. */
void gdb_stop_reply(gdb *g);
/* Appends to the reply. */
void gdb_print(gdb *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gdb_hex(gdb *g, const void *bytes, size_t size);
/* Reads up to `size` bytes of hexadecimal text; how many there were, -1 if it is none. */
long gdb_unhex(const char *text, size_t length, uint8_t *bytes, size_t size);

/* gdb_registers.c: numbers as in the target description. 0 bytes: there is no such register. */
const char *gdb_description(void);
unsigned gdb_register_count(void);
/* EIP is told as a linear address, which is what breakpoints and memory have. */
uint32_t gdb_eip_read(const gdb *g);
void gdb_eip_write(gdb *g, uint32_t linear);
unsigned gdb_register_read(gdb *g, unsigned number, uint8_t bytes[16]);
/* False while a Linux program stands in its kernel's entry, from where other registers would lead astray. */
bool gdb_may_redirect(const gdb *g);
bool gdb_register_write(gdb *g, unsigned number, const uint8_t *bytes, size_t size);

/* gdb_monitor.c: the text of a `monitor` command, as hexadecimal, into the reply. */
void gdb_monitor(gdb *g, const char *command);

#endif
