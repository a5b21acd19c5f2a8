/* The CPU engine: executes guest code and hands over what was executed. The only folder that knows Unicorn.
 * Everything here is synchronous: callbacks run inside engine_run, on its thread. The owner may put off what
 * retired and retired_blocks tell it until catch_up is called, and do it in another thread. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "core/pipe/batch.h"
#include "p5scope/core.h"
#include "p5scope/status.h"

typedef struct engine engine;

/* Why engine_run returned. */
typedef enum engine_stop {
    ENGINE_STOPPED,  /* a callback asked for it */
    ENGINE_HALTED,   /* HLT executed; EIP is behind it */
    ENGINE_SHUTDOWN, /* triple fault */
    ENGINE_FAILED    /* the engine itself failed; engine_failure says why */
} engine_stop;

/* What a callback wants to happen next. */
typedef enum engine_action {
    ENGINE_CONTINUE, /* handled: go on with the registers as they are now */
    ENGINE_DELIVER,  /* deliver the pending vector through the guest's IDT or IVT */
    ENGINE_FAULT, /* special(): raise the fault written to *vector and *error_code instead of the instruction
                   */
    ENGINE_STOP   /* leave engine_run; registers as they are now */
} engine_action;

/* Instructions that observe or change processor state and are answered by the owner. When special() is
 * called, everything before the instruction has been given to retired(), and the instruction itself has not.
 */
typedef enum engine_special {
    ENGINE_RDTSC,
    ENGINE_RDPMC,
    ENGINE_RDMSR,
    ENGINE_WRMSR, /* registers through engine_get/set; ENGINE_CONTINUE = done */
    ENGINE_CPUID,
    ENGINE_MOV_TO_CR, /* operand = CR number, value = new value; the owner may fault it or let it happen
                         (ENGINE_CONTINUE) */
    ENGINE_MOV_TO_DR, /* operand = DR number (never 4 or 5), value = what the register holds afterwards */
    ENGINE_INVLPG,    /* value = linear address */
    ENGINE_INVD,
    ENGINE_WBINVD,
    ENGINE_TASK_SWITCH, /* not an instruction: a task switch has set CR0.TS, loaded CR3 (value) if the new TSS
                           has one and cleared DR7's local enables; the answer is not looked at */
    ENGINE_MARK /* a NOP that p5scope/guest.h uses as a marker: operand = 0 begin, 1 end; value = EAX */
} engine_special;

typedef struct engine_special_call {
    engine_special which;
    uint32_t operand;
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
    bool locks_up;          /* with engine_options.locks_up: the processor hangs and delivers nothing */
} engine_event;

/* While these run the guest's x87 may be in the host's x87: they use no x87 instruction (no long double), and
 * call engine_settle before they call anyone who might, or ask for the guest's x87 state. The other callbacks
 * find it settled. */
typedef bool engine_retired(void *context, const p5_retired *retired);
typedef bool engine_retired_blocks(void *context, const p5_access *accesses, const p5_value *values,
                                   const p5_retired_block *blocks, size_t count, unsigned instructions);

/* Where a batch is put down: see engine_batch_into. */
typedef struct engine_room {
    p5_retired_block *blocks; /* the first is not handed over */
    p5_value *values;
    p5_access *accesses;
} engine_room;

void engine_settle(engine *e);

typedef struct engine_callbacks {
    void *context;
    /* A stretch was executed. Called once per block at the latest when the next block starts, a special
     * instruction, a port access or a fault is about to be reported. Returns true to have attention() called
     * before anything else is executed. */
    engine_retired *retired;
    /* The same for `count` stretches of `instructions` altogether, the first one's accesses and values from
     * `accesses` and `values`: while engine_batch allows it. What they point to is the owner's until the
     * next batch is begun, and for good if engine_batch_into has given that one another place. NULL: it is
     * never called. */
    engine_retired_blocks *retired_blocks;
    /* Something is about to be looked at or changed that depends on what retired and retired_blocks have
     * told, or that pricing it depends on: before every other callback, before the core makes or releases a
     * block, before accessed and dirty bits are set, and before engine_run returns; also before code that has
     * been executed is overwritten and before a far transfer changes CS in protected mode, so that who is
     * told of a stretch may read the instruction that comes next. NULL: not called. */
    void (*catch_up)(void *context);
    /* At an instruction boundary after retired() returned true or engine_request_attention: the owner may
     * inject an interrupt (engine_inject), change registers, ask for single steps (engine_step_mode), or
     * return ENGINE_STOP. */
    engine_action (*attention)(void *context);
    engine_action (*special)(void *context, engine_special_call *call);
    /* Exceptions and software interrupts. ENGINE_DELIVER delivers natively, then delivered() is called.
     * Vector 16 with CR0.NE clear is FERR#: not to be delivered. */
    engine_action (*event)(void *context, const engine_event *event);
    /* A delivery through IDT/IVT has been done. */
    void (*delivered)(void *context, const p5_exception *exception);
    /* Port I/O, rights already checked (IOPL, TSS bitmap). size = 1, 2, 4 bytes. */
    uint32_t (*port_read)(void *context, uint16_t port, unsigned size);
    void (*port_write)(void *context, uint16_t port, unsigned size, uint32_t value);
    /* A byte of a window without memory of its own (engine_set_window): data references, ascending, and the
     * host's on behalf of the guest. They know nothing of time and counts, and call nothing of the engine. */
    uint8_t (*memory_read)(void *context, uint32_t physical);
    void (*memory_write)(void *context, uint32_t physical, uint8_t byte);
} engine_callbacks;

typedef struct engine_options {
    unsigned family; /* P5_FAMILY_P54C or P5_FAMILY_P55C: instruction set, CR4 bits */
    bool permissive; /* let later processors' instructions run, counted */
    bool locks_up;   /* erratum 81: engine_event.locks_up */
    uint32_t cpuid_signature;
    uint32_t memory_bytes; /* RAM from physical 0, a multiple of 4096 */
    p5_core *core;         /* makes the block descriptors */
} engine_options;

p5_status engine_open(const engine_options *options, const engine_callbacks *callbacks, engine **out,
                      p5_error *error);
void engine_close(engine *e);

/* The board activates IGNNE#: waiting x87 instructions go on with the exception that is pending (CR0.NE
 * clear). It ends with that exception. */
void engine_ignore_math_error(engine *e);

/* Puts other functions in the place of engine_callbacks.retired and retired_blocks. Between runs. */
void engine_set_retired(engine *e, engine_retired *retired, engine_retired_blocks *blocks);
/* Plain stretches are kept until they may take `clocks` (core_block_clocks; ENGINE_BATCH_CLOCKS at most, 0:
 * none are kept), or there are so many instructions of them that each has 512 - the last block and the
 * running one may bring a block of the largest size more, each - or something happens that could make a
 * difference to anybody: everything before a special instruction, a port access, an exception, attention() or
 * a change of page tables that were walked, by a walk or by the guest, has been given away then. Not while
 * engine_follows_stores. */
enum {
    ENGINE_BATCH = 256,
    ENGINE_BATCH_CLOCKS = ENGINE_BATCH * 512,
    ENGINE_BLOCK = 128, /* instructions of the largest block */
    /* What a room needs to have, whatever is executed (internal.h). */
    ENGINE_ROOM_BLOCKS = 1 + ENGINE_BATCH + 1,
    ENGINE_ROOM_VALUES = ENGINE_BATCH + 2 * ENGINE_BLOCK,
    ENGINE_ROOM_ACCESSES = 3200
};
void engine_batch(engine *e, unsigned clocks);
/* Batches are put into `room` from the next one on, one after another; at first into the engine's own. Who
 * keeps a batch calls this before retired_blocks returns. The next one's room may begin where that batch ends
 * in each of the three arrays: what the running block has recorded by then stands there, and is needed until
 * retired or retired_blocks has told of it and returned, which is before the next batch is begun. */
void engine_batch_into(engine *e, const engine_room *room);
/* Runs from the current state until a reason to stop. */
engine_stop engine_run(engine *e);
const char *engine_failure(const engine *e);
/* Asks for attention() at the next block boundary at which no batch goes on, or behind the running iteration
 * of a REP string, which is interrupted by that. */
void engine_request_attention(engine *e);
/* ... for who asks at a time that is none of the guest's, another thread or a signal handler: a REP string
 * goes on, up to where it would have been interrupted anyway, so that the stretches are the same whenever
 * this is called. Async-signal- and thread-safe. */
void engine_request_attention_async(engine *e);
/* While on, every instruction is a stretch of its own, with attention() after each; a REP string is one
 * instruction. To be switched from attention() or between runs. */
void engine_step_mode(engine *e, bool on);
/* Lets no block run across these linear addresses, ascending, which stay the caller's: what is there begins a
 * stretch. Between runs. */
void engine_set_cuts(engine *e, const uint32_t *addresses, size_t count);
/* Delivers an external interrupt at the current boundary, from attention() or between runs. False if IF or a
 * shadow forbids it (NMI ignores IF, and waits for the IRET of the one before; P5_TRANSFER_FAULT, for machine
 * check, waits for nothing). */
bool engine_inject(engine *e, uint8_t vector, p5_transfer kind);
/* The instruction that was retired last has set EFLAGS.RF, for the next one. */
bool engine_resuming(const engine *e);
/* ... and whoever has to know has been told. */
void engine_resume_told(engine *e);
/* IF is set. Only instructions that end their block, which is in no batch, set it. */
bool engine_interrupts_on(const engine *e);
/* True if a maskable interrupt would be taken at this boundary. */
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
uint32_t engine_get(const engine *e, engine_register which);
/* Sets with all side effects (CR0 mode change, TLB flush on CR3). EIP is an offset in CS. */
void engine_set(engine *e, engine_register which, uint32_t value);

/* Segment registers with their hidden part. */
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
void engine_set_segment(engine *e, engine_segment_name which,
                        const engine_segment *segment); /* no checks; sets CPL with CS/SS */
void engine_set_table(engine *e, bool idt, uint32_t base, uint16_t limit);
unsigned engine_cpl(const engine *e);
unsigned engine_mode(const engine *e); /* P5_MODE_* */
/* Debug registers as last written or set: DR0-DR3, DR6, DR7. Writing one has its effect at once. */
uint32_t engine_get_debug(const engine *e, unsigned number);
void engine_set_debug(engine *e, unsigned number, uint32_t value);
/* x87/MMX state as FNSAVE's 108-byte 32-bit image. */
void engine_get_x87(const engine *e, uint8_t image[108]);
void engine_set_x87(engine *e, const uint8_t image[108]);
/* How often the x87 register stack has underflowed and overflowed since the engine was opened, for warnings:
 * an instruction may count more than once, and snapshots do not keep it. */
void engine_x87_faults(const engine *e, uint64_t *underflows, uint64_t *overflows);

/* Physical memory by host pointer, NULL outside RAM. Writing code that was executed needs engine_flush_code.
 */
uint8_t *engine_ram(engine *e, uint32_t physical, uint32_t size);
void engine_flush_code(engine *e, uint32_t physical, uint32_t size);
/* Linear to physical with the current paging; false on a not-present page. Does not set A/D bits. */
bool engine_translate(engine *e, uint32_t linear, uint32_t *physical);
/* For the core's page walks: addresses of the entries that translate `linear`. */
void engine_walk(engine *e, uint32_t linear, uint32_t *directory_entry, uint32_t *table_entry);
/* For the core's page walks: which accessed and dirty bits (P5_PAGE_*) the access at `linear` found clear and
 * has set. Tells each bit once. */
unsigned engine_page_bits_set(engine *e, uint32_t linear, bool write);
/* Page tables changed by the host: drop cached translations (not the model's TLBs). */
void engine_flush_translations(engine *e);
/* Linear memory access by the host on behalf of the guest (no counting). False on a not-present page; stops
 * at it. */
bool engine_read_linear(engine *e, uint32_t linear, void *data, size_t size);
bool engine_write_linear(engine *e, uint32_t linear, const void *data, size_t size);
/* --- Contents of caches and TLBs that differ from RAM and page tables (coherence.c) --- */

/* Keeps what memory holds under modified lines from now on, by a copy of each page that the guest stores
 * into. Returns false if memory runs out. */
bool engine_keep_memory(engine *e);
bool engine_keeps_memory(const engine *e);
/* Searches a loaded image of code for INVD. If there is one, stores are followed one by one
 * (coherence_follow). */
void engine_search_invd(engine *e, const uint8_t *bytes, size_t size);
/* Returns true if stores are followed, so that there must be no batches. */
bool engine_follows_stores(const engine *e);
/* For p5_core_hooks of the same names: bytes that lie in one line. */
void engine_line_to_memory(engine *e, uint32_t physical, uint32_t size);
void engine_line_from_memory(engine *e, uint32_t physical, uint32_t size);
/* A line as data references see it, or as memory holds it. False: no RAM there. */
bool engine_read_line(const engine *e, uint32_t physical, bool memory, uint8_t bytes[P5_LINE_BYTES]);
/* Data references see these bytes from now on; memory keeps what it has, if engine_keep_memory is on. */
void engine_write_line(engine *e, uint32_t physical, const uint8_t bytes[P5_LINE_BYTES]);
/* The processor executes `bytes` in this line, whatever data references see; NULL: no longer. False: out of
 * memory. */
bool engine_set_code_line(engine *e, uint32_t physical, const uint8_t *bytes);
/* An entry of a TLB that translates otherwise than the page tables; `valid` false: no longer. */
void engine_set_translation(engine *e, const p5_translation *translation);
/* The host has written RAM through engine_ram, as a device would: so has memory. */
void engine_ram_written(engine *e, uint32_t physical, uint32_t size);
/* Rights and attributes of the page of `linear`: P5_PAGE_WRITABLE ... */
unsigned engine_page_rights(engine *e, uint32_t linear);
/* From attention(): the block about to start is to be translated and looked up anew. */
void engine_refetch(engine *e);

/* Physical addresses, whole pages, behind which data references find memory of a device instead of RAM or the
 * open bus: `host`, which stays the owner's, or, if that is NULL, callbacks. No code is executed there. */
typedef struct engine_window {
    uint32_t first, bytes; /* 0 bytes: there is none */
    uint8_t *host;
} engine_window;
enum { ENGINE_WINDOWS = 2 };
/* From anywhere but memory_read and memory_write. */
void engine_set_window(engine *e, unsigned number, const engine_window *window);

void engine_set_a20(engine *e, bool enabled);
/* The engine's part of a snapshot, RAM included, in either direction; between runs only. Loading: into an
 * engine that was opened with the same options and has not run. */
void engine_transfer(engine *e, snapshot *s);
/* NULL behind the last. */
extern const snapshot_table *const engine_tables[];
/* Instructions of later processors that ran because of `permissive`. */
uint64_t engine_permissive_count(const engine *e);

#endif
