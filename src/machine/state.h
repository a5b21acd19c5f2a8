/* What a machine consists of, and how a kind of guest takes part in its run. */
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
#include "p5scope/machine.h"
#include "p5scope/observe.h"

enum { PAGE_BYTES = 4096 };

/* Messages for the user (base/notice.h). */
typedef struct notices {
    void (*sink)(void *context, const char *line); /* NULL = nobody listens */
    void *context;
    ARRAY_OF(uint64_t) seen; /* keys already told */
} notices;

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
    /* As machine_is_own_code. NULL: all code is the guest's. */
    bool (*own_code)(uint32_t linear, machine_own_code *own);
    void (*close)(p5_machine *machine);
    /* Its state in a snapshot, in either direction. Loading: the engine and the devices are there already;
     * makes guest_state, which close() frees also when only a part of it could be loaded. */
    void (*transfer)(p5_machine *machine, snapshot *s);
} guest_kind;

/* Whether one thread or two is better here: run.c. */
typedef struct run_trial {
    enum { TRIAL_NONE, TRIAL_OF_TWO, TRIAL_OF_ONE, TRIAL_OVER } phase;
    uint64_t from, until; /* instructions */
    double began, used;   /* host_now, host_used */
    double cost_of_two;   /* seconds an instruction, times seconds of the processors */
} run_trial;

typedef struct observers observers;
/* Nobody is told of a stretch that begins before both, if it is no larger than CALM_*: no goal can lie in it.
 * Both 0: everybody is told of all. */
typedef struct observe_calm {
    uint64_t clock, instruction;
} observe_calm;

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
    bool keeps_memory; /* memory behind the caches is kept: contents.c */
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
    void (*output)(void *context, int descriptor); /* p5_machine_on_output */
    void *output_context;
    bool ended; /* for good: result holds why */
    p5_run_result result;

    p5_machine_options options; /* strings below are ours */
    p5_share *shares;
};

#endif
