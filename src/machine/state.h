/* The parts of a machine, and the interface through which a kind of guest takes part in its run.
 *
 * Terms: a *stretch* is a sequence of retired instructions of one block of code. The core model *prices* it, which
 * means that it computes its clocks and counts; a *batch* is several stretches that are priced together. The *model's
 * thread* does that while this thread executes further (run/pricer.h). A *goal* is a clock or an instruction count at
 * which there is something to do: a limit, a timer, an observation. *Attention* is the work at an instruction
 * boundary: goals, interrupts, the host's requests (run_attention). */
#ifndef MACHINE_STATE_H
#define MACHINE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/host_line.h"
#include "base/snapshot.h"
#include "engine/engine.h"
#include "isa/processor.h"
#include "isa/isa.h"
#include "machine/machine.h"
#include "p5tool/machine.h"
#include "p5scope/observe.h"
#include "p5tool/pmu.h"

enum { PAGE_BYTES = 4096 };

/* Messages for the user (base/notice.h). */
typedef struct notices {
    void (*sink)(void *context, const char *line); /* NULL = messages are dropped */
    void *context;
    ARRAY_OF(uint64_t) seen; /* of each line already sent by notice_once: its kind << 32 | number */
} notices;

/* The interface of a kind of guest. Any function may be NULL. */
typedef struct guest_kind {
    const char *name; /* name in snapshots */
    /* Called at an instruction boundary, before limits and timers are checked. ENGINE_STOP leaves the run:
     * either machine_end was called, or the run is to pause while the guest waits for the host
     * (machine_pause_wanted). */
    engine_action (*attention)(p5_machine *machine);
    /* Called for an exception or software interrupt, before its delivery. */
    engine_action (*event)(p5_machine *machine, const engine_event *event);
    /* Returns the model's clock at which the next timer is due; UINT64_MAX if there is none. */
    uint64_t (*deadline)(p5_machine *machine);
    /* Injects the timer's interrupt. Called when the deadline was reached and interrupts are enabled. */
    void (*due)(p5_machine *machine);
    /* Ends the guest by a signal that the debugger has let through (debug_signal). NULL: the guest has no
     * signals. */
    void (*end_by_signal)(p5_machine *machine, int signal);
    /* Returns the linear address to which the addresses of a linker's map are relative. NULL: 0. */
    uint32_t (*program_base)(const p5_machine *machine);
    /* Finds the code of p5scope (machine_next_own_code). NULL: all code is the guest's. */
    bool (*next_own_code)(uint32_t linear, machine_own_code *own);
    /* Frees guest_state, which is not NULL. */
    void (*close)(p5_machine *machine);
    /* Saves or loads its state in a snapshot. Before a load the engine and the devices exist already. A load
     * makes guest_state, which close() frees even if only a part of it could be loaded. */
    void (*transfer)(p5_machine *machine, snapshot *s);
} guest_kind;

/* A trial that finds out whether this guest runs faster with one thread or with two: run/trial.c. It runs slices with
 * one thread and with two in turns. */
typedef struct run_trial {
    unsigned slice;  /* number of the running slice: odd with one thread, even with two; 0: no trial runs */
    bool wait_begun; /* the wait before the first trial has begun */
    uint64_t from, until; /* instruction counts of the slice or of the time between trials */
    double began;         /* host time at `from` (host_now) */
    double seconds[2];    /* host seconds per instruction, summed over the slices: [0] two threads, [1] one */
} run_trial;

typedef struct observers observers;
/* Observers need not be notified of a stretch that begins before both values, if it is no larger than HORIZON_*
 * (observe/observe.h), because no observer's goal can lie in it. Both 0: they are notified of every stretch. */
typedef struct observe_horizon {
    uint64_t clock, instruction;
} observe_horizon;

struct p5_machine {
    p5_core *core;
    engine *engine;        /* executes the guest; NULL until a loader opens it */
    struct pricer *pricer; /* the model's thread; NULL: not needed yet */
    uint32_t after; /* AFTER_*: work to do when the running instruction has been priced (processor.h) */
    uint32_t after_linear;  /* operand of INVLPG */
    uint32_t after_msr;     /* register number of a WRMSR to a test register */
    uint64_t after_value;   /* the value that it writes */
    uint32_t dr[8];         /* debug registers as last written */
    bool debug_written;     /* MOV to a debug register was executed */
    bool attention_wanted;  /* run_attention must be called before anything else is executed */
    bool interrupt_request; /* the INTR pin: devices.c drives it */
    bool halted;            /* HLT was executed and nothing has ended it yet */
    bool frozen;            /* halted by FERR#, before an x87 instruction: board/coprocessor.c */
    bool machine_check;     /* #MC is to be raised: run.c */
    bool nmi_request;       /* the NMI pin has been raised: run.c */
    bool wires_followed;    /* changes of PM0, PM1 and IERR# are followed: board/wires.c */
    bool stepping;          /* the engine executes single steps: run_plan */
    unsigned batch_clocks;  /* most clocks of a batch (engine_batch); 0: no batches, because a goal is near */
    bool hands_over;        /* stretches go to the model's thread, because no goal is near */
    uint64_t alone_until;   /* the model's thread is not used before this instruction count */
    run_trial trial;
    bool in_repeat;    /* a part of a long REP string has been retired; the host is checked between parts */
    bool keeps_memory; /* the engine keeps what memory holds where modified cache lines differ: contents.c */
    bool watching;     /* the core must be fed single instructions: contents.c */
    bool refetch;      /* the bytes of the next block may have changed: the engine must look it up again */
    observers *observers; /* NULL: none */
    bool lent;            /* the host has got the core or the monitor and may have set callbacks of its own */
    observe_horizon horizon;    /* stretches of which observers need not be notified */
    bool each_observed;         /* an observer needs more than counts, so that there must be no batches */
    uint64_t linux_input_bytes; /* read from a Linux program's standard input since the machine was opened */
    bool replaying;             /* a copy that repeats a past run: its output is suppressed */
    bool executing_only;        /* the core does not price what is executed: fast_forward.c */
    /* The model's thread writes `instructions` while it prices, and then reads the other two. They begin a cache line
     * of the host (BEGINS_LINE), because the executing thread writes the members before them. */
    BEGINS_LINE
    uint64_t instructions;       /* completed since the guest's start, as far as they are priced */
    uint64_t check_instructions; /* attention is wanted at this instruction count: run_plan */
    uint64_t check_clock;        /* attention is wanted at this core clock: run_plan */
    /* The executing thread writes `handed` for each batch that it hands over. */
    BEGINS_LINE
    unsigned handed;                               /* messages since the last wait for the model's thread; a
                                                      stretch that could not be queued counts, too */
    unsigned short_waits;                          /* consecutive waits that followed only a few messages */
    uint64_t forward_instructions, forward_clocks; /* fast-forwarded so far: fast_forward.c */
    p5_counts forward_counts;                      /* their counts, which no reported total includes */
    bool running;                 /* within p5_machine_run: any call from the host comes from a callback */
    bool close_wanted;            /* a callback has called p5_machine_close */
    struct debug_stops *debugger; /* NULL: none */
    atomic_bool stop;             /* p5_machine_stop was called */
    atomic_bool expired;          /* the run's time is over */
    struct watchdog *watchdog;    /* NULL: no run has had a time-out yet */

    p5_model *model;
    p5_pmu *pmu;
    isa_decoder *decoder; /* for disassembly in messages */
    uint64_t clock_hz;    /* of the core */

    const guest_kind *guest;                 /* NULL until a loader succeeded */
    void *guest_state;                       /* belongs to the kind of guest; may be NULL */
    uint32_t case_exit;                      /* p5_case_image.exit_address; 0: none */
    case_fault case_fault;                   /* the exception that ended a case */
    struct devices *devices;                 /* the board */
    ARRAY_OF(p5_port_options) port_handlers; /* the host's; the last one has precedence, then the board */
    notices notices;

    p5_limits limits;       /* of the running or last p5_machine_run */
    double progress_at;     /* host time of the next call of `progress` (host_now); 0: never */
    double progress_period; /* host seconds between the calls */
    void (*progress)(void *context, const p5_machine *machine);
    void *progress_context;
    void (*output)(void *context, int descriptor); /* p5_machine_on_output */
    void *output_context;
    bool ended; /* the guest has ended; `result` has the reason */
    p5_run_result result;

    p5_machine_options options; /* a copy; memory_bytes becomes the size in use, `shares` the member below */
    p5_share *shares;           /* copies with their strings; options.share_count of them */
};

#endif
