/* The run loop. The engine executes, retired stretches (a block or a part of one) go to the core model, which
 * prices them (computes their clocks and counts). At instruction boundaries the machine handles limits, timers and its
 * guest; this is called attention. A goal is a clock or an instruction count at which there is something to do. A batch
 * is several blocks that are priced together, some instructions after they were executed and perhaps in the model's
 * thread (pricer.h).
 *
 * A timer or limit takes effect at the exact instruction boundary where the model's clock (or the instruction
 * count) reaches it. Whole blocks run while the goal is further away than any block can reach, and the rest
 * is run in single steps. So no result depends on how code is cut into blocks. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/host_time.h"
#include "core/core.h"
#include "machine/base/end.h"
#include "machine/base/notice.h"
#include "machine/base/time.h"
#include "machine/board/devices.h"
#include "machine/run/run_internal.h"
#include "machine/board/wires.h"
#include "machine/observe/observe.h"
#include "machine/run/pricer.h"
#include "machine/run/watchdog.h"
#include "machine/state.h"

enum {
    BATCH_BLOCKS = 4, /* a batch and the blocks that run after it, in largest blocks (ENGINE_BLOCK) */
    HANDED_BLOCKS = BATCH_BLOCKS * (WORKER_MESSAGES + 1), /* limit of blocks that the thread has not priced */
    LEAST_HANDED = WORKER_MESSAGES + WORKER_MESSAGES / 4, /* least batches before a goal, for two threads */
    LEAST_BATCH_CLOCKS = 4096,                            /* a shorter batch does not pay off */
    HOST_CHECK_INSTRUCTIONS = 1 << 20 /* how often the host's clock is checked for the progress line */
};
_Static_assert((int)ENGINE_BATCH + 2 * ENGINE_BLOCK <= (int)BATCH_BLOCKS * ENGINE_BLOCK,
               "a batch, the block that ends it and the block that runs meanwhile");

/* Returns whether the guest is a program on p5scope's own Linux: no other kind of guest has signals. */
static bool run_has_signals(const p5_machine *machine)
{
    return machine->guest->end_by_signal != NULL;
}

/* --- Callbacks of the engine --- */

/* Reports the first instruction that only other processors have, because a kernel built for a later processor often
 * ends without a message. */
static void notice_foreign_instruction(p5_machine *machine, uint32_t eip)
{
    char text[96];
    engine_segment code;
    const machine_elsewhere *elsewhere = machine->notices.sink != NULL ? machine_lacks(machine, eip) : NULL;
    if (elsewhere == NULL)
        return;
    engine_get_segment(machine->engine, ENGINE_CS, &code);
    machine_disassemble(machine, code.base + eip, text, sizeof text);
    notice_once(&machine->notices, NOTICE_OTHER, 0x1a7e0u, /* a number that no other notice has */
                "invalid opcode at 0x%08" PRIx32 ": %s is an instruction %s; %s", code.base + eip, text,
                elsewhere->of, elsewhere->remedy);
}

/* Callback of the engine for an exception or software interrupt before its delivery. */
engine_action run_event(void *context, const engine_event *event)
{
    p5_machine *machine = context;
    /* With CR0.NE clear, an x87 error asserts FERR#, and the processor freezes until an interrupt comes. */
    if (event->vector == VECTOR_MF && event->kind == P5_TRANSFER_FAULT &&
        (engine_get(machine->engine, ENGINE_CR0) & CR0_NE) == 0) {
        coprocessor_error(machine->devices);
        machine->halted = machine->frozen = true;
        return ENGINE_STOP;
    }
    if (event->locks_up && !run_has_signals(machine)) { /* p5scope's Linux has the workaround */
        machine_end(machine, P5_END_SHUTDOWN, 0);
        machine_end_at(machine, event->eip);
        machine_end_message(machine, "the processor hangs (erratum 81); with errata = off in the model file, "
                                     "the instruction raises #UD");
        return ENGINE_STOP;
    }
    if (event->vector == VECTOR_UD && event->kind == P5_TRANSFER_FAULT && !run_has_signals(machine))
        notice_foreign_instruction(machine, event->eip);
    if (machine->observers != NULL)
        observers_exception(machine, event);
    return machine->guest->event != NULL ? machine->guest->event(machine, event) : ENGINE_DELIVER;
}

/* --- Limits and deadlines --- */

/* Converts a limit of p5_limits, where 0 means none. */
static uint64_t run_limit(uint64_t limit)
{
    return limit == 0 ? UINT64_MAX : limit;
}

static uint64_t run_guest_deadline(p5_machine *machine)
{
    return machine->guest->deadline != NULL ? machine->guest->deadline(machine) : UINT64_MAX;
}

/* Returns the clock of the next timer of the guest or the board; UINT64_MAX: none. */
static uint64_t run_deadline(p5_machine *machine)
{
    uint64_t guest = run_guest_deadline(machine), board = devices_deadline(machine->devices);
    return guest < board ? guest : board;
}

bool run_inject(p5_machine *machine, uint8_t vector, p5_transfer kind)
{
    if (!engine_inject(machine->engine, vector, kind))
        return false;
    engine_event event = {.kind = kind, .vector = vector, .eip = engine_get(machine->engine, ENGINE_EIP)};
    if (machine->observers != NULL)
        observers_exception(machine, &event);
    return true;
}

/* Delivers a machine check, an NMI or an INTR, if one is pending and can be taken at this boundary. For INTR the
 * processor acknowledges and delivers the interrupt controllers' vector. */
static void run_interrupt(p5_machine *machine)
{
    if (machine->machine_check && run_inject(machine, VECTOR_MC, P5_TRANSFER_FAULT)) {
        machine->machine_check = machine->halted = false;
        return;
    }
    if (machine->nmi_request && run_inject(machine, VECTOR_NMI, P5_TRANSFER_NMI)) {
        machine->nmi_request = machine->halted = false;
        return;
    }
    if (!machine->interrupt_request || !engine_interruptible(machine->engine))
        return;
    machine->halted = false;
    run_inject(machine, devices_acknowledge(machine->devices), P5_TRANSFER_INTERRUPT);
    wires_acknowledged(machine);
    if (machine->interrupt_request) /* another one is taken before the handler's first instruction */
        engine_request_attention(machine->engine);
}

/* Opens the model's thread at its first use. Returns false if the machine runs in one thread. */
static bool run_has_pricer(p5_machine *machine)
{
    if (machine->pricer == NULL && machine->options.threads > 1) {
        machine->pricer = pricer_open(machine);
        if (machine->pricer == NULL)
            machine->options.threads = 1;
    }
    return machine->pricer != NULL;
}

/* Decides how to continue from this boundary: with whole blocks until a goal is close, in batches and in two
 * threads if it is far away, or with single steps. A batch, the block that ends it and the block that runs
 * meanwhile must end before the goal, so batches become shorter as the goal approaches.
 *
 * `clocks_ahead` and `instructions_ahead` are the most that can be executed between two checks of run_goal_reached.
 * Attention is requested that much before the goal. */
static void run_plan(p5_machine *machine)
{
    uint64_t max_instructions = run_limit(machine->limits.max_instructions);
    uint64_t max_clocks = run_limit(machine->limits.max_clocks);
    uint64_t deadline = run_deadline(machine);
    uint64_t goal = deadline < max_clocks ? deadline : max_clocks, pins = wires_deadline(machine, false);
    goal = pins < goal ? pins : goal;
    uint64_t clock = p5_core_clock_estimate(machine->core);
    uint64_t clocks_left = goal > clock ? goal - clock : 0;
    uint64_t instructions_left = max_instructions - machine->instructions;
    uint64_t clocks_ahead = core_most_clocks(machine->core), instructions_ahead = ENGINE_BLOCK;
    contents_update_watching(machine);
    run_try(machine);
    bool step = machine->watching || machine->nmi_request || (machine->after & AFTER_CHECK) != 0 ||
                (machine->debugger != NULL && machine->debugger->watch_count != 0) ||
                instructions_left <= instructions_ahead || clocks_left <= clocks_ahead;
    if (step != machine->stepping) {
        machine->stepping = step;
        engine_step_mode(machine->engine, step);
    }
    /* Half of what two blocks leave: batches become shorter as the goal approaches. */
    uint64_t surplus = clocks_left > 2 * clocks_ahead ? (clocks_left - 2 * clocks_ahead) / 2 : 0;
    if (step || instructions_left <= BATCH_BLOCKS * instructions_ahead || surplus < LEAST_BATCH_CLOCKS)
        machine->batch_clocks = 0;
    else
        machine->batch_clocks = surplus < ENGINE_BATCH_CLOCKS ? (unsigned)surplus : ENGINE_BATCH_CLOCKS;
    if (machine->batch_clocks != 0)
        clocks_ahead = machine->batch_clocks + 2 * clocks_ahead;
    /* The bytes that memory receives must not depend on the progress of the model's thread. */
    machine->hands_over = run_rebatch(machine) && !machine->keeps_memory &&
                          instructions_left > HANDED_BLOCKS * instructions_ahead &&
                          machine->instructions >= machine->alone_until &&
                          clocks_left / clocks_ahead > LEAST_HANDED && run_has_pricer(machine);
    if (machine->hands_over)
        clocks_ahead *= WORKER_MESSAGES + 1;
    if (machine->batch_clocks != 0)
        instructions_ahead *= machine->hands_over ? HANDED_BLOCKS : BATCH_BLOCKS;
    uint64_t host_check = machine->instructions + HOST_CHECK_INSTRUCTIONS;
    if (machine->options.threads > 1 && machine->trial.until < host_check)
        host_check = machine->trial.until; /* a slice ends on time */
    /* In single steps attention follows each instruction anyway. */
    uint64_t instructions_goal = step ? host_check : max_instructions - instructions_ahead;
    machine->check_instructions = instructions_goal < host_check ? instructions_goal : host_check;
    machine->check_clock = step || goal == UINT64_MAX ? UINT64_MAX : goal - clocks_ahead;
}

/* Stores why this call of p5_machine_run returns although the guest can continue. */
static void run_pause(p5_machine *machine, p5_end why)
{
    machine->result.end = why;
    if (machine->result.instruction[0] == '\0')
        machine_end_at(machine, engine_get(machine->engine, ENGINE_EIP));
}

/* Returns true if the host wants the run to pause here: p5_machine_stop, time-out. Also calls the progress callback if
 * it is due. */
static bool run_host_wants_pause(p5_machine *machine)
{
    if (machine->stop) {
        run_pause(machine, P5_END_STOPPED);
        return true;
    }
    if (machine->expired) {
        run_pause(machine, P5_END_TIMEOUT);
        return true;
    }
    double now = machine->progress_at != 0 ? host_now() : 0;
    if (machine->progress_at != 0 && now >= machine->progress_at) {
        machine->progress_at = now + machine->progress_period;
        machine->progress(machine->progress_context, machine);
    }
    return false;
}

/* Callback of the engine at an instruction boundary where attention was requested, and after each single step: handles
 * everything that may happen there and plans how to continue. */
engine_action run_attention(void *context)
{
    p5_machine *machine = context;
    machine->attention_wanted = false;
    if (machine->ended)
        return ENGINE_STOP;
    if (machine->debugger != NULL && machine->debugger->stop != DEBUG_STOP_NONE) {
        run_pause(machine, P5_END_STOPPED);
        return ENGINE_STOP;
    }
    if (machine->guest->attention != NULL && machine->guest->attention(machine) == ENGINE_STOP) {
        if (!machine->ended)
            run_pause(machine, machine->stop ? P5_END_STOPPED : P5_END_TIMEOUT);
        return ENGINE_STOP;
    }
    if (machine->instructions >= run_limit(machine->limits.max_instructions)) {
        run_pause(machine, P5_END_INSTRUCTIONS);
        return ENGINE_STOP;
    }
    uint64_t clock = p5_core_clock_estimate(machine->core);
    if (clock >= run_limit(machine->limits.max_clocks)) {
        run_pause(machine, P5_END_CLOCKS);
        return ENGINE_STOP;
    }
    bool host_check =
        !machine->stepping || machine->in_repeat || machine->instructions >= machine->check_instructions;
    machine->in_repeat = false;
    if ((machine_pause_wanted(machine) || host_check) && run_host_wants_pause(machine))
        return ENGINE_STOP;
    if (clock >= run_guest_deadline(machine) && engine_interruptible(machine->engine))
        machine->guest->due(machine);
    if (clock >= devices_deadline(machine->devices))
        devices_advance(machine->devices, clock);
    wires_follow(machine);
    run_interrupt(machine);
    run_plan(machine);
    /* run_plan sets it to get single steps, which lead here by themselves. */
    machine->attention_wanted = false;
    if (machine->refetch)
        engine_refetch(machine->engine);
    machine->refetch = false;
    return ENGINE_CONTINUE;
}

/* Handles HLT: time passes until an interrupt or a timer of the guest wakes the processor. Returns false if
 * nothing can wake it, or if the run has to pause first: then `halted` stays set, and the next run continues
 * here. */
static bool run_halted(p5_machine *machine)
{
    uint64_t limit = run_limit(machine->limits.max_clocks);
    for (unsigned events = 0;; events++) {
        wires_follow(machine);
        run_interrupt(machine);
        if (!machine->halted)
            return true;
        p5_core_settle(machine->core);
        uint64_t clock = p5_core_clock_estimate(machine->core), deadline = run_deadline(machine);
        uint64_t pins = wires_deadline(machine, true);
        deadline = pins < deadline ? pins : deadline;
        bool takes_intr = (engine_get(machine->engine, ENGINE_EFLAGS) & EFLAGS_IF) != 0;
        if (deadline == UINT64_MAX || (!takes_intr && !wires_may_raise_nmi(machine))) {
            machine_end(machine, P5_END_HALT, 0);
            machine_end_at(machine,
                           engine_get(machine->engine, ENGINE_EIP) - !machine->frozen); /* of HLT itself */
            return false;
        }
        if ((machine_pause_wanted(machine) || events % 1024 == 0) && run_host_wants_pause(machine))
            return false;
        uint64_t goal = deadline < limit ? deadline : limit;
        bool guest_due = run_guest_deadline(machine) <= goal;
        if (goal > clock)
            p5_core_halt(machine->core, goal - clock, engine_cpl(machine->engine));
        if (machine->observers != NULL)
            observers_halted(machine);
        if (deadline > limit) {
            run_pause(machine, P5_END_CLOCKS);
            return false;
        }
        if (guest_due) {
            machine->halted = false;
            machine->guest->due(machine);
        }
        devices_advance(machine->devices, goal);
    }
}

/* Runs until the guest ends or the run is to pause. */
static void run_engine(p5_machine *machine)
{
    for (;;) {
        if (machine->halted && !run_halted(machine))
            return;
        machine->attention_wanted = true;
        engine_request_attention(machine->engine);
        engine_stop stop = engine_run(machine->engine);
        if (machine->ended)
            return;
        switch (stop) {
        case ENGINE_STOPPED:
            if (machine->halted) /* run_event has frozen the processor */
                continue;
            return;
        case ENGINE_HALTED:
            machine->halted = true;
            machine->frozen = false;
            continue;
        case ENGINE_SHUTDOWN:
            machine_end(machine, P5_END_SHUTDOWN, 0);
            machine_end_at(machine, engine_get(machine->engine, ENGINE_EIP));
            return;
        case ENGINE_FAILED:
            machine_end(machine, P5_END_FAILED, 0);
            machine_end_message(machine, "%s", engine_failure(machine->engine));
            return;
        }
    }
}

p5_status machine_check_ready(const p5_machine *machine, p5_error *error)
{
    if (machine->guest == NULL)
        return error_set(error, P5_ERR_STATE, "the machine has no guest to run");
    if (machine->options.look_only)
        return error_set(error, P5_ERR_STATE, "the machine was loaded for inspection only");
    if (machine->running)
        return error_set(error, P5_ERR_STATE, "the machine is running already");
    return P5_OK;
}

p5_status machine_check_run(const p5_machine *machine, const p5_limits *limits, p5_limits *own,
                            p5_run_result *result, p5_error *error)
{
    p5_status status = SIZED_COPY_IN(p5_limits, own, limits, error);
    if (status == P5_OK)
        status = machine_check_ready(machine, error);
    if (status == P5_OK && result != NULL)
        status = SIZED_CHECK(p5_run_result, result, error);
    if (status == P5_OK && !(own->timeout_seconds >= 0)) /* also refuses a NaN */
        status = error_set(error, P5_ERR_RANGE, "a time-out cannot be negative");
    return status;
}

/* A guest that has ended keeps its result. */
p5_status p5_machine_run(p5_machine *machine, const p5_limits *limits, p5_run_result *result, p5_error *error)
{
    p5_limits own;
    p5_status status = machine_check_run(machine, limits, &own, result, error);
    if (status != P5_OK)
        return status;
    double now = host_now(), seconds = own.timeout_seconds;
    if (machine->watchdog == NULL && (seconds > 0 || machine->options.stuck != NULL)) {
        machine->watchdog = watchdog_open(machine);
        if (machine->watchdog == NULL)
            return error_set(error, P5_ERR_MEMORY, "cannot start the thread for the run's time-out");
    }
    if (!machine->ended) {
        machine->limits = own;
        if (machine->watchdog != NULL)
            watchdog_run_begins(machine->watchdog, seconds > 0 ? now + seconds : 0);
        machine->progress_at = machine->progress != NULL ? now + machine->progress_period : 0;
        memset(&machine->result, 0, sizeof machine->result);
        machine->result.end = P5_END_STOPPED;
        wires_open(machine);
        machine->running = true;
        run_engine(machine);
        machine->running = false;
        observers_sweep(machine);
        devices_console_flush(machine->devices);
        if (machine->ended) /* no further instruction can pair with the last one */
            p5_machine_settle(machine);
        machine->stop = false;
        if (machine->watchdog != NULL)
            watchdog_run_ends(machine->watchdog);
    }
    if (result != NULL)
        SIZED_COPY_OUT(result, &machine->result);
    if (machine->close_wanted && machine->debugger == NULL) /* the server for gdb closes it itself */
        p5_machine_close(machine);
    return P5_OK;
}

void p5_machine_stop(p5_machine *machine)
{
    machine->stop = true;
    if (machine->engine != NULL)
        engine_request_attention_async(machine->engine);
    if (machine->watchdog != NULL)
        watchdog_stop_wanted(machine->watchdog);
}

bool p5_machine_ending(const p5_machine *machine)
{
    return machine_pause_wanted(machine);
}

void p5_machine_on_progress(p5_machine *machine, void (*progress)(void *context, const p5_machine *machine),
                            void *context, double period_seconds)
{
    machine->progress = period_seconds > 0 ? progress : NULL;
    machine->progress_context = context;
    machine->progress_period = period_seconds;
}
