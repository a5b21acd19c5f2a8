/* The CPU engine: executes guest code and passes the executed stretches to its owner, the code that has opened it. A
 * stretch is an executed basic block or part of one: instructions that were executed one after the other. Only this
 * folder uses Unicorn, the emulator that translates guest code to host code.
 *
 * Callbacks run inside engine_run, on its thread. The owner may postpone the work for retired and retired_blocks
 * until catch_up is called, and may do it in another thread. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "core/pipe/batch.h"
#include "p5tool/core.h"
#include "p5scope/status.h"

typedef struct engine engine;

/* Why engine_run returned. */
typedef enum engine_stop {
    ENGINE_STOPPED,  /* a callback requested it */
    ENGINE_HALTED,   /* HLT was executed; EIP is after it */
    ENGINE_SHUTDOWN, /* triple fault */
    ENGINE_FAILED    /* the engine itself failed; engine_failure has the reason */
} engine_stop;

/* The action that a callback requests. Every callback that returns one may return ENGINE_CONTINUE and ENGINE_STOP. */
typedef enum engine_action {
    ENGINE_CONTINUE, /* handled: continue with the current registers */
    ENGINE_DELIVER,  /* event() only: deliver the vector through the guest's IDT or IVT */
    ENGINE_FAULT, /* special() only: raise the fault in `vector` and `error_code` instead of the instruction */
    ENGINE_STOP   /* leave engine_run with the current registers */
} engine_action;

/* Instructions that read or change processor state. The engine calls special() before it executes one. Everything
 * before the instruction has been passed to retired() by then, but not the instruction itself. After ENGINE_CONTINUE,
 * the engine executes MOV to CR or DR and INVLPG itself. It only moves EIP past the others, whose work the owner has
 * done. */
typedef enum engine_special {
    ENGINE_RDTSC, /* for this and the next four, the operands are in registers: engine_get and engine_set */
    ENGINE_RDPMC,
    ENGINE_RDMSR,
    ENGINE_WRMSR,
    ENGINE_CPUID,
    ENGINE_MOV_TO_CR, /* operand = CR number, value = new value */
    ENGINE_MOV_TO_DR, /* operand = DR number (never 4 or 5), value = the new contents */
    ENGINE_INVLPG,    /* value = linear address */
    ENGINE_INVD,
    ENGINE_WBINVD,
    ENGINE_TASK_SWITCH, /* not an instruction: a task switch has set CR0.TS, loaded CR3 (value) if the new TSS
                           has one and cleared DR7's local enables; the result is ignored */
    ENGINE_MARK /* a NOP that p5scope/guest.h uses as a marker: operand = 0 begin, 1 end; value = EAX */
} engine_special;

typedef struct engine_special_call {
    engine_special which;
    uint32_t operand; /* these two as the constants of engine_special say */
    uint32_t value;
    uint8_t vector;      /* out, with ENGINE_FAULT */
    uint32_t error_code; /* out, with ENGINE_FAULT */
} engine_special_call;

/* A fault, trap or software interrupt that reached an instruction boundary, before delivery. The stretch
 * before it has been retired. */
typedef struct engine_event {
    p5_transfer kind;
    uint8_t vector;
    bool has_error_code;
    uint32_t error_code;
    uint32_t fault_address; /* CR2 for #PF */
    uint32_t eip;           /* the EIP that delivery would push */
    bool locks_up; /* erratum 81 (engine_options.locks_up): the processor hangs and delivers nothing */
} engine_event;

/* While these two callbacks run, the guest's x87 state may be in the host's x87. They must not use x87
 * instructions (no long double), and must call engine_settle before they call code that might, or read the
 * guest's x87 state. The other callbacks run after engine_settle. */
typedef bool engine_retired(void *context, const p5_retired *retired);
typedef bool engine_retired_blocks(void *context, const p5_access *accesses, const p5_value *values,
                                   const p5_retired_block *blocks, size_t count, unsigned instructions);

/* Memory for batches (engine_batch_into): three arrays of the sizes ENGINE_BUFFER_*. */
typedef struct engine_buffers {
    p5_retired_block *blocks; /* the engine needs the first entry itself and passes the others to the owner */
    p5_value *values;
    p5_access *accesses;
} engine_buffers;

/* Moves the guest's x87 state out of the host's x87. */
void engine_settle(engine *e);

typedef struct engine_callbacks {
    void *context;
    /* Reports an executed stretch, at the latest before the next block starts or a special instruction, a port
     * access or a fault is reported. Returns true to request attention() before anything else is executed. */
    engine_retired *retired;
    /* Reports a batch of `count` stretches with `instructions` in total, if engine_batch permits batches.
     * `accesses` and `values` are those of the first stretch; those of the others follow. The data are valid until
     * the next batch begins, or longer if the next batch is recorded in other memory (engine_batch_into). Returns
     * true for the same purpose as retired(). May be NULL. */
    engine_retired_blocks *retired_blocks;
    /* Makes the owner process all reported stretches. Called before anything that depends on them, or on which
     * their prices depend: before every other callback, before the core makes or releases a block, before
     * accessed and dirty bits are set, and before engine_run returns. It is also called before executed code is
     * overwritten and before a far transfer changes CS in protected mode, so that the owner can read the
     * instruction after a stretch. May be NULL. */
    void (*catch_up)(void *context);
    /* Called at an instruction boundary after retired() has returned true or engine_request_attention was
     * called. The owner may inject an interrupt (engine_inject), change registers, switch to single steps
     * (engine_step_mode), or return ENGINE_STOP. */
    engine_action (*attention)(void *context);
    /* Called before an instruction that engine_special lists. */
    engine_action (*special)(void *context, engine_special_call *call);
    /* Called for exceptions and software interrupts. After ENGINE_DELIVER the engine delivers the event and calls
     * delivered(). Vector 16 with CR0.NE clear is FERR#, which must not be delivered. */
    engine_action (*event)(void *context, const engine_event *event);
    /* Called after a delivery through IDT or IVT. */
    void (*delivered)(void *context, const p5_exception *exception);
    /* Port I/O of 1, 2 or 4 bytes, after the check of rights (IOPL, TSS bitmap). */
    uint32_t (*port_read)(void *context, uint16_t port, unsigned size);
    void (*port_write)(void *context, uint16_t port, unsigned size, uint32_t value);
    /* Accesses to a window without host memory (engine_set_window).
     *
     * Accesses to a timed window are data references of the guest, of up to 8 bytes. Everything before the
     * instruction has been passed to retired(), and attention() follows.
     *
     * Accesses to any other window are split into bytes, in ascending order, and the host may make them on the
     * guest's behalf. For these windows, the callbacks must not depend on time or counts, and must not call the
     * engine. */
    uint64_t (*memory_read)(void *context, uint32_t physical, unsigned size);
    void (*memory_write)(void *context, uint32_t physical, unsigned size, uint64_t value);
} engine_callbacks;

typedef struct engine_options {
    unsigned family; /* P5_FAMILY_P54C or P5_FAMILY_P55C: instruction set, CR4 bits */
    bool permissive; /* execute later processors' instructions, and count them (engine_permissive_count) */
    bool locks_up;   /* emulate erratum 81: LOCK CMPXCHG8B of a register hangs the processor */
    uint32_t cpuid_signature; /* family, model and stepping, which EDX holds after RESET */
    uint32_t memory_bytes;    /* RAM from physical 0, a multiple of 4096 */
    p5_core *core;            /* makes the block descriptors */
} engine_options;

/* Opens an engine with the processor's state after RESET. Sets *out only on success; engine_close(NULL) is allowed. */
p5_status engine_open(const engine_options *options, const engine_callbacks *callbacks, engine **out,
                      p5_error *error);
void engine_close(engine *e);

/* Asserts IGNNE# (with CR0.NE clear): waiting x87 instructions continue in spite of the pending exception, until
 * it is cleared. */
void engine_ignore_math_error(engine *e);

/* Replaces engine_callbacks.retired and retired_blocks, and forbids batches until engine_batch permits them again. Call
 * it between runs. */
void engine_set_retired(engine *e, engine_retired *retired, engine_retired_blocks *blocks);
enum {
    /* A batch takes blocks until it has this many instructions, and then one more block. */
    ENGINE_BATCH = 256,
    ENGINE_BATCH_CLOCKS = ENGINE_BATCH * 512, /* the largest limit of engine_batch */
    ENGINE_BLOCK = 128,                       /* instructions of the largest block */
    /* Sizes of an engine_buffers that suffice for any code (block.h checks them). */
    ENGINE_BUFFER_BLOCKS = 1 + ENGINE_BATCH + 1,
    ENGINE_BUFFER_VALUES = ENGINE_BATCH + 2 * ENGINE_BLOCK,
    ENGINE_BUFFER_ACCESSES = 3200
};
/* Permits batches whose stretches take at most `clocks` together, by core_block_clocks, an upper bound. `clocks` is at
 * most ENGINE_BATCH_CLOCKS, and 0 forbids batches. Each instruction counts as 512 clocks or more, so that the limit
 * also keeps a batch to ENGINE_BATCH instructions. The last block of a batch and the running block may exceed the
 * limit.
 *
 * A batch is delivered before any event that depends on it: a special instruction, a port access, an exception,
 * attention(), or a change of page tables that were walked. There are no batches while engine_follows_stores. */
void engine_batch(engine *e, unsigned clocks);
/* Chooses the memory for the following batches; initially it is the engine's own. To keep a batch, the owner calls this
 * before retired_blocks returns. In each of the three arrays, the new memory may begin where that batch ends.
 *
 * The running block has already been recorded after that batch, in the old arrays. The engine reports the running
 * block before the next batch begins. Until then, the owner must not change its records; the next batch may
 * overwrite them. */
void engine_batch_into(engine *e, const engine_buffers *buffers);
/* Runs from the current state until there is a reason to stop. */
engine_stop engine_run(engine *e);
/* Returns the reason for ENGINE_FAILED, or "" if nothing has failed. The text remains the engine's. A failed engine
 * cannot run again. */
const char *engine_failure(const engine *e);
/* Requests attention() at the next block boundary that is not within a batch. The request does not end a batch, but it
 * interrupts a REP string after the running iteration. */
void engine_request_attention(engine *e);
/* Requests attention() like engine_request_attention, but does not interrupt a REP string. It is for calls from another
 * thread or a signal handler: they come at any time, and the stretches must not depend on that time. Async-signal-safe
 * and thread-safe. */
void engine_request_attention_async(engine *e);
/* Switches single steps on or off: every instruction, including a whole REP string, is a stretch, and attention()
 * follows each. Call it from attention() or between runs. */
void engine_step_mode(engine *e, bool on);
/* Makes the engine translate and look up the next block again. Call it from attention(). */
void engine_refetch(engine *e);
/* Makes the instructions at these linear addresses begin stretches. The addresses are in ascending order and remain
 * the caller's. Call it between runs. */
void engine_set_cuts(engine *e, const uint32_t *addresses, size_t count);
/* Makes the engine deliver an external interrupt at the current boundary, before the next instruction. Call it from
 * attention() or between runs. Returns false if the interrupt cannot be taken here, and the owner has to try again
 * later: with IF clear, in an interrupt shadow, or when another interrupt was injected at this boundary. An NMI
 * ignores IF, but is not taken before the previous NMI's IRET. P5_TRANSFER_FAULT is for a machine check, which
 * nothing masks. */
bool engine_inject(engine *e, uint8_t vector, p5_transfer kind);
/* Returns true if the last retired instruction, an IRET or one that has switched tasks, has set EFLAGS.RF for the next
 * one. */
bool engine_resuming(const engine *e);
/* Makes engine_resuming return false until an instruction sets RF for the next one again. The owner calls this when
 * it has seen that engine_resuming is true. */
void engine_resume_done(engine *e);
/* Returns IF. Only instructions that end their block set it, and such a block is in no batch. */
bool engine_interrupts_on(const engine *e);
/* Returns true if a maskable interrupt would be taken at this boundary. */
bool engine_interruptible(const engine *e);

/* Registers. */
typedef enum engine_register {
    ENGINE_EAX,
    ENGINE_ECX,
    ENGINE_EDX,
    ENGINE_EBX,
    ENGINE_ESP,
    ENGINE_EBP,
    ENGINE_ESI,
    ENGINE_EDI,
    ENGINE_EIP,
    ENGINE_EFLAGS,
    ENGINE_CR0,
    ENGINE_CR2,
    ENGINE_CR3,
    ENGINE_CR4
} engine_register;
/* Returns a register. EIP is current between runs, and in attention(), special(), event() and delivered(). */
uint32_t engine_get(const engine *e, engine_register which);
/* Sets a register with all side effects (mode change by CR0, TLB flush by CR3). EIP is an offset in CS. */
void engine_set(engine *e, engine_register which, uint32_t value);

/* Segment registers with their hidden parts. */
typedef enum engine_segment_name {
    ENGINE_ES,
    ENGINE_CS,
    ENGINE_SS,
    ENGINE_DS,
    ENGINE_FS,
    ENGINE_GS,
    ENGINE_LDTR,
    ENGINE_TR
} engine_segment_name;
typedef struct engine_segment {
    uint16_t selector;
    uint32_t base;
    uint32_t limit;
    uint32_t flags; /* access rights as in the descriptor's high dword */
} engine_segment;
void engine_get_segment(const engine *e, engine_segment_name which, engine_segment *segment);
/* Loads a segment register and its hidden part without any check. Loading SS sets CPL to the DPL in `flags`. */
void engine_set_segment(engine *e, engine_segment_name which, const engine_segment *segment);
/* Loads IDTR if `idt` is true, else GDTR. */
void engine_set_table(engine *e, bool idt, uint32_t base, uint16_t limit);
unsigned engine_cpl(const engine *e);
unsigned engine_mode(const engine *e); /* P5_MODE_* */
/* Debug registers DR0-DR3, DR6 and DR7. A write takes effect at once. */
uint32_t engine_get_debug(const engine *e, unsigned number);
void engine_set_debug(engine *e, unsigned number, uint32_t value);
/* The x87 and MMX state as the 108-byte image of a 32-bit FNSAVE. */
void engine_get_x87(const engine *e, uint8_t image[108]);
void engine_set_x87(engine *e, const uint8_t image[108]);
/* Returns how often the x87 register stack has underflowed and overflowed since the engine was opened. It is meant for
 * warnings: an instruction may count more than once, and snapshots do not contain it. */
void engine_x87_faults(const engine *e, uint64_t *underflows, uint64_t *overflows);

/* Returns the host address of physical memory, or NULL outside RAM. After a device's write, call engine_ram_written.
 * After any other write to code that has been executed, call engine_flush_code. */
uint8_t *engine_ram(engine *e, uint32_t physical, uint32_t size);
/* Drops the translations of the code in these bytes, which the caller changes. */
void engine_flush_code(engine *e, uint32_t physical, uint32_t size);
/* Must be called after a device has written RAM through engine_ram. Does what engine_flush_code does, and makes the
 * write reach memory under cache lines. */
void engine_ram_written(engine *e, uint32_t physical, uint32_t size);
/* Returns true if RAM or a device answers to the host's accesses at this physical address. Nothing answers on the open
 * bus. */
bool engine_answers(const engine *e, uint32_t physical);
/* Translates a linear address with the current paging, without setting accessed or dirty bits. Returns false for a page
 * that is not present. */
bool engine_translate(engine *e, uint32_t linear, uint32_t *physical);
/* For the core's page walks: returns the physical addresses of the entries that translate `linear`. The address of the
 * table entry is 0 if there is none: for a large page, or if the table is not present. */
void engine_walk(engine *e, uint32_t linear, uint32_t *directory_entry, uint32_t *table_entry);
/* For the core's page walks: returns the accessed and dirty bits (P5_PAGE_*) that the access at `linear` has set.
 * Returns each bit only once. */
unsigned engine_page_bits_set(engine *e, uint32_t linear, bool write);
/* Returns rights and attributes (P5_PAGE_*) of the page of `linear`. */
unsigned engine_page_rights(engine *e, uint32_t linear);
/* Drops cached translations (not the model's TLBs) after the host has changed page tables. */
void engine_flush_translations(engine *e);
/* Access linear memory on behalf of the guest, without counting references or raising faults. They stop at a page
 * that is not present and return false; the bytes before that page have been transferred. */
bool engine_read_linear(engine *e, uint32_t linear, void *data, size_t size);
bool engine_write_linear(engine *e, uint32_t linear, const void *data, size_t size);
/* Copies physical memory on behalf of the guest, as if the two ranges did not overlap. Windows get the accesses.
 * Bytes on the open bus are read as ones, and writes to it are lost. Returns false, having changed nothing, if host
 * memory is out. */
bool engine_copy_physical(engine *e, uint32_t to, uint32_t from, uint32_t size);

/* --- Contents of caches and TLBs that differ from RAM and page tables (coherence.c) --- */

/* Starts to keep the contents of memory separate from modified cache lines, with a copy of each page that the guest
 * stores into. Returns false if host memory runs out. */
bool engine_keep_memory(engine *e);
bool engine_keeps_memory(const engine *e);
/* Searches a loaded image of code for INVD, which drops modified cache lines. If there is one, the engine follows
 * stores one by one from now on: a block then has at most one store, and there must be no batches
 * (engine_follows_stores). */
void engine_search_invd(engine *e, const uint8_t *bytes, size_t size);
/* Returns true if stores are followed, so that there must be no batches. */
bool engine_follows_stores(const engine *e);
/* Implement p5_core_hooks.to_memory and from_memory, for bytes within one line: a bus cycle has written them, so that
 * memory holds what data references see; or a line was dropped without a write-back, so that data references see what
 * memory holds. */
void engine_line_to_memory(engine *e, uint32_t physical, uint32_t size);
void engine_line_from_memory(engine *e, uint32_t physical, uint32_t size);
/* Reads a line as data references see it, or as it is in memory (`memory` true). Returns false if there is no RAM. */
bool engine_read_line(const engine *e, uint32_t physical, bool memory, uint8_t bytes[P5_LINE_BYTES]);
/* Changes the bytes that data references see. With engine_keep_memory, memory keeps its contents. */
void engine_write_line(engine *e, uint32_t physical, const uint8_t bytes[P5_LINE_BYTES]);
/* Makes the processor execute `bytes` in this line, independently of data references; NULL ends that. Returns false if
 * host memory runs out. */
bool engine_set_code_line(engine *e, uint32_t physical, const uint8_t *bytes);
/* Sets a translation that differs from the page tables, or removes it if `valid` is false. */
void engine_set_translation(engine *e, const p5_translation *translation);

/* --- Devices and snapshots --- */

/* Physical pages at which data references access a device instead of RAM or the open bus: the memory at `host`,
 * which remains the owner's, or the callbacks if it is NULL. Code is not executed there. The callbacks of a timed
 * window depend on time, as those of ports do; the host's own accesses find nothing there. */
typedef struct engine_window {
    uint32_t first, bytes; /* physical address and size; 0 bytes: no window */
    uint8_t *host;
    bool timed;
} engine_window;
enum { ENGINE_WINDOWS = 4 };
/* Sets window `number`, below ENGINE_WINDOWS. Must not be called from memory_read and memory_write. */
void engine_set_window(engine *e, unsigned number, const engine_window *window);

/* Enables address line A20, or disables it, so that physical addresses wrap at every odd megabyte. */
void engine_set_a20(engine *e, bool enabled);
/* Saves or loads the engine's part of a snapshot, including RAM, between runs. To load, the engine must have been
 * opened with the same options and must not have run. */
void engine_transfer(engine *e, snapshot *s);
/* The snapshot tables of the engine's state, terminated by NULL. */
extern const snapshot_table *const engine_tables[];
/* Returns the number of executed instructions of later processors (`permissive`). */
uint64_t engine_permissive_count(const engine *e);

#endif
