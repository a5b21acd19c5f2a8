/* What a machine consists of, and the contracts between the files of this folder. */
#ifndef MACHINE_STATE_H
#define MACHINE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/host_line.h"
#include "core/branch/branch.h"
#include "engine/engine.h"
#include "isa/processor.h"
#include "isa/isa.h"
#include "machine/notice.h"
#include "machine/observers.h"
#include "machine/spare.h"
#include "p5scope/machine.h"

enum { PAGE_BYTES = 4096 };

/* What sigreturn and a debugger may set of a Linux program's: CF PF AF ZF SF TF DF OF RF AC. */
enum { EFLAGS_USER = 0x50dd5 };

/* How a kind of guest takes part in the run. Any function may be NULL. */
typedef struct guest_kind {
    const char *name; /* in snapshots */
    /* At an instruction boundary, before limits and timers are looked at. ENGINE_STOP leaves the run: either
     * machine_end was called, or the guest waits for something of the host (machine_pause_wanted). */
    engine_action (*attention)(p5_machine *machine);
    /* An exception or software interrupt, before its delivery. */
    engine_action (*event)(p5_machine *machine, const engine_event *event);
    /* The model's clock at which the next timer falls due, UINT64_MAX if none. */
    uint64_t (*deadline)(p5_machine *machine);
    /* The deadline was reached and the processor takes interrupts at this boundary: inject it. */
    void (*due)(p5_machine *machine);
    /* A debugger lets a signal through that it was told of (debug_signal). NULL: there are none. */
    void (*end_by_signal)(p5_machine *machine, int signal);
    /* What the addresses of a linker's map are relative to. NULL: nothing. */
    uint32_t (*program_base)(const p5_machine *machine);
    void (*close)(p5_machine *machine);
    /* Its state in a snapshot, in either direction. Loading: the engine and the devices are there already;
     * makes guest_state, which close() frees also when only a part of it could be loaded. */
    void (*transfer)(p5_machine *machine, snapshot *s);
} guest_kind;
extern const guest_kind bare_guest, boot_guest, case_guest, dos_guest, linux_guest;

/* Work that an instruction asked for and that happens when it has been priced. */
enum {
    AFTER_CONTROL = 1,
    AFTER_CR3 = 2,
    AFTER_INVLPG = 4,
    AFTER_INVD = 8,
    AFTER_WBINVD = 16,
    AFTER_DEBUG = 32,
    AFTER_TEST = 64,
    AFTER_CHECK = 128, /* every instruction, if bus cycles may fail: stays set */
    AFTER_ALL = 255
};

/* Whether one thread or two is better here: run.c. */
typedef struct run_trial {
    enum { TRIAL_NONE, TRIAL_OF_TWO, TRIAL_OF_ONE, TRIAL_OVER } phase;
    uint64_t from, until; /* instructions */
    double began, used;   /* host_now, host_used */
    double cost_of_two;   /* seconds an instruction, times seconds of the processors */
} run_trial;

struct p5_machine {
    p5_core *core;
    engine *engine;        /* opened by a loader */
    struct pricer *pricer; /* NULL: not needed yet */
    uint32_t after;        /* AFTER_* */
    uint32_t after_linear; /* INVLPG's operand */
    uint32_t after_msr;    /* WRMSR's of a test register */
    uint64_t after_value;
    uint32_t dr[8];     /* debug registers as last written */
    bool debug_written; /* MOV to a debug register was executed */
    bool attention_wanted;
    bool interrupt_request; /* the INTR pin: devices.c drives it */
    bool halted;            /* HLT was executed and nothing has ended it yet */
    bool frozen;            /* halted, but in front of an x87 instruction: coprocessor.c */
    bool machine_check;     /* #MC is to be raised: run.c */
    bool nmi_request;       /* the NMI pin has been raised: run.c */
    bool wires_followed;    /* PM0, PM1, IERR#: wires.c */
    bool stepping;
    unsigned batch_clocks; /* engine_batch; 0: a goal may come within a batch */
    bool hands_over;       /* no goal comes within what the model's thread may be behind: batches go there */
    uint64_t alone_until;  /* that thread is not used before so many instructions */
    run_trial trial;
    bool in_repeat;    /* a part of a long REP string has been retired: the host is looked after in between */
    bool memory_apart; /* memory behind the caches is kept: contents.c */
    bool watching;     /* the core must see every instruction by itself: contents.c */
    bool refetch;      /* the block about to start may have other bytes now */
    observers *observers; /* NULL: nobody looks */
    bool lent;          /* the core or the monitor was given out: who has it may be told of things by them */
    observe_calm calm;  /* until when they need not be told of stretches */
    bool each_observed; /* somebody looks who does not look at counts only */
    uint64_t input_reads; /* bytes that a Linux guest has had of its standard input, since the machine was
                             opened */
    bool replaying;       /* a copy that goes through what has happened: nothing that it writes leaves it */
    bool executing_only;  /* the core is not even told what was executed: fast_forward.c */
    /* What the model's thread writes while it prices, and what it reads with it. */
    BEGINS_LINE
    uint64_t instructions;
    uint64_t check_instructions; /* attention is wanted at these: run_plan */
    uint64_t check_clock;
    /* What the thread that executes writes for each batch that it hands over. */
    BEGINS_LINE
    unsigned handed;                               /* messages since the model's thread was waited for */
    unsigned turns;                                /* waits in a row for few of them */
    uint64_t forward_instructions, forward_clocks; /* fast-forwarded so far */
    p5_counts forward_counts;                      /* ... and in no total that is told */
    bool running;                 /* within p5_machine_run: what is called now are callbacks */
    bool close_wanted;            /* p5_machine_close was called by one */
    struct debug_stops *debugger; /* NULL: none */
    atomic_bool stop;             /* p5_machine_stop was called */
    atomic_bool expired;          /* the run's time is over */
    struct watchdog *watchdog;    /* NULL: no run has had a time-out yet */
    spare_time spare;             /* of the thread that executes */

    p5_model *model;
    p5_pmu *pmu;
    isa_decoder *decoder; /* for disassembly in messages */
    uint64_t clock_hz;

    const guest_kind *guest; /* NULL until a loader succeeded */
    void *guest_state;
    uint32_t case_exit;                      /* p5_case_image.exit_address */
    struct devices *devices;                 /* the board */
    ARRAY_OF(p5_port_options) port_handlers; /* the host's, asked from the last one on, before the board */
    notices notices;

    p5_limits limits;
    double progress_at; /* host seconds, 0 = never */
    double progress_period;
    void (*progress)(void *context, const p5_machine *machine);
    void *progress_context;
    bool ended; /* for good: result holds why */
    p5_run_result result;

    p5_machine_options options; /* strings below are ours */
    p5_share *shares;
};

/* base/: how far it has come, how it ends. */
/* Ends the guest for good. The first end counts. */
void machine_end(p5_machine *machine, p5_end end, int status);
/* Fills address and disassembly of the result. */
void machine_end_at(p5_machine *machine, uint32_t eip);
void machine_end_message(p5_machine *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* True if the instruction at CS:`eip` is one of those that run only with p5_machine_options.permissive. */
bool machine_is_later(p5_machine *machine, uint32_t eip);
/* The instruction at `linear`, in the mode that runs, as text. */
void machine_disassemble(p5_machine *machine, uint32_t linear, char *text, size_t size);
/* For calls that wait for the host: true if the run is to pause (p5_machine_stop, time-out). */
bool machine_pause_wanted(const p5_machine *machine);
/* Model time <-> nanoseconds, rounded down. */
uint64_t machine_clocks_to_ns(const p5_machine *machine, uint64_t clocks);
/* The first clock at which `ns` have passed. */
uint64_t machine_ns_to_clocks(const p5_machine *machine, uint64_t ns);

/* run/open.c */
/* p5_machine_open; with `model` in the place of what the options say of one, unless it is NULL. */
p5_status machine_open(const p5_machine_options *options, const p5_model *model, p5_machine **machine,
                       p5_error *error);
/* For loaders: opens the engine with the RAM asked for, or `default_bytes`. */
p5_status machine_open_engine(p5_machine *machine, uint32_t default_bytes, uint32_t least_bytes,
                              p5_error *error);

/* run/processor.c */
engine_action processor_special(void *context, engine_special_call *call);
void processor_after(p5_machine *machine);       /* carries out `after` */
void processor_set_control(p5_machine *machine); /* control inputs from the registers as they are now */

/* run/run.c */
/* A run can begin: something is loaded, and none is under way. */
p5_status machine_check_ready(const p5_machine *machine, p5_error *error);
/* The engine's callbacks. */
bool run_retired(void *context, const p5_retired *retired);
bool run_retired_blocks(void *context, const p5_access *accesses, const p5_value *values,
                        const p5_retired_block *blocks, size_t count, unsigned instructions);
void run_catch_up(void *context);
/* These price stretches and tell the observers; true if attention is wanted. In the model's thread, if there
 * is one; run_price_copy there only. */
bool run_price_copy(p5_machine *machine, const p5_retired *retired, p5_prediction prediction);
bool run_price(p5_machine *machine, const p5_access *accesses, const p5_value *values,
               const p5_retired_block *blocks, const p5_prediction *predictions, size_t count,
               unsigned instructions);
engine_action run_attention(void *context);
engine_action run_event(void *context, const engine_event *event);
void run_delivered(void *context, const p5_exception *exception);
/* Delivers an external interrupt at this boundary, as engine_inject, and tells the observers. */
bool run_inject(p5_machine *machine, uint8_t vector, p5_transfer kind);

#endif
