/* The bus: its cycles, which take bus clocks, arbitration with other bus masters, the log of its uses, and the events
 * that count them. */
#include "core/bus/bus_cycle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Returns the position of `part` in a burst that starts with the 8-byte part `first` of a line. The order of
 * the parts is 0123, 1032, 2301 or 3210 (as in table 6-12). */
static unsigned burst_place(unsigned first, unsigned part)
{
    assert(first < 4 && part < 4);
    return first ^ part;
}

/* Returns where the log's uses begin, after those that are kept for bus_used. */
static p5_bus_use *log_begin(const bus_log *log)
{
    return log->uses + BUS_RECENT;
}

/* Returns an empty log in `uses`. */
static bus_log empty_log(p5_bus_use *uses)
{
    bus_log log = {.uses = uses};
    log.next = log.unreported = log_begin(&log);
    log.end = log.next + BUS_UNREPORTED - BUS_CYCLES;
    return log;
}

bool bus_init(bus *b, const p5_model *model, counts *totals)
{
    memset(b, 0, sizeof *b);
    b->model = model;
    b->totals = totals;
    const model_bus *times = &model->bus;
    b->half_ratio = model->half_ratio;
    assert(b->half_ratio != 0);
    b->inverse_ratio = ((1ull << 32) + b->half_ratio - 1) / b->half_ratio;
    b->write = bus_takes(b, times->write, times->idle_after_write);
    b->write_back =
        bus_takes(b, model_burst(times->write_back_first, times->write_back_next), times->idle_after_write);
    p5_bus_use *uses = calloc(BUS_RECENT + BUS_REPORTED, sizeof *uses);
    if (uses == NULL)
        return false;
    b->log = empty_log(uses);
    if (!board_init(&b->board, model))
        return false;
    for (unsigned place = 0; place < BOARD_PLACES; place++) {
        board_time time = b->board.time[place];
        b->line[place] = bus_takes(b, model_burst(time.first, time.next), times->idle_after_read);
        for (unsigned wanted = 0; wanted < 4; wanted++)
            for (unsigned part = 0; part < 4; part++)
                b->part[place][wanted][part] =
                    (time.first + burst_place(wanted, part) * time.next) * b->half_ratio;
    }
    return true;
}

void bus_free(bus *b)
{
    free(b->log.uses);
    board_free(&b->board);
}

void bus_reset(bus *b)
{
    board_reset(&b->board);
}

/* ---- the log ---- */

/* Reports the uses that have not been reported yet. */
static void report_rest(bus_log *log)
{
    size_t count = (size_t)(log->next - log->unreported);
    assert(log->unreported <= log->next && log->next <= log->end + BUS_CYCLES);
    const p5_bus_use *first = log->unreported;
    log->unreported = log->next;
    if (log->report != NULL && count > 0)
        log->report(log->context, first, count);
}

/* Makes space in a full log. The last BUS_RECENT uses stay, because bus_used looks back at them. */
void __attribute__((noinline)) bus_log_make_space(bus_log *log)
{
    report_rest(log);
    memmove(log->uses, log->next - BUS_RECENT, BUS_RECENT * sizeof *log->uses);
    log->next = log->unreported = log_begin(log);
    log->end = log->next + (log->report != NULL ? BUS_REPORTED : BUS_UNREPORTED) - BUS_CYCLES;
}

/* Empties the log except for the recent uses given. The callback is called for later uses only. */
static void bus_log_restart(bus_log *log, const p5_bus_use recent[BUS_RECENT])
{
    memcpy(log->next - BUS_RECENT, recent, BUS_RECENT * sizeof *recent);
    log->unreported = log->next;
}

void bus_report(bus *b)
{
    report_rest(&b->log);
}

void bus_on_use(bus *b, void (*report)(void *context, const p5_bus_use *uses, size_t count), void *context)
{
    bus_report(b);
    b->log.report = report;
    b->log.context = context;
    bus_log_make_space(&b->log);
}

uint64_t bus_clock_at(const bus *b, uint64_t clock)
{
    return bus_in_clocks(b, 2 * clock + b->half_ratio - 1);
}

uint64_t bus_core_clock(const bus *b, uint64_t n)
{
    return (n * b->half_ratio + 1) / 2;
}

/* ---- utilisation ---- */

bus_use bus_used(const bus *b, uint64_t clock)
{
    bus_use use = {b->own + b->foreign, b->own}; /* less the clocks after `clock`, which the loop subtracts */
    for (const p5_bus_use *last = b->log.next; last-- != b->log.next - BUS_RECENT;) {
        uint64_t to = last->to & ~P5_BUS_OTHER;
        if (to <= clock)
            break;
        uint64_t ahead = to - (last->from > clock ? last->from : clock);
        assert(last->from <= to && use.all >= ahead);
        use.all -= ahead;
        use.own -= to == last->to ? ahead : 0; /* without P5_BUS_OTHER, it is the processor's */
    }
    return use;
}

void bus_advance(bus *b, uint64_t clock)
{
    const bus_use use = bus_used(b, clock);
    uint64_t all = use.all, own = use.own;
    if (all <= b->counted_all)
        return;
    uint64_t more = all - b->counted_all, more_own = own - b->counted_own;
    assert(own >= b->counted_own && more_own <= more);
    counts_add(b->totals, P5_EVENT_BUS_CYCLE_DURATION, b->class, more, more);
    counts_add(b->totals, P5_EVENT_BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY, b->class, more_own, more_own);
    b->counted_all = all;
    b->counted_own = own;
}

/* ---- cycles ---- */

uint64_t bus_next_free(const bus *b, uint64_t asked)
{
    return bus_core_clock(b, bus_first_free(b, asked).n);
}

/* Gets the bus back from the second processor and counts event 2Ah: the transfer on counter 0, the wait on counter
 * 1. */
bus_clock __attribute__((noinline)) bus_arbitrate(bus *b, uint64_t asked)
{
    uint64_t granted = bus_first_free(b, asked).n + b->model->agent.grant;
    uint64_t waited = bus_core_clock(b, granted) - bus_core_clock(b, bus_clock_at(b, asked));
    b->lost = false;
    counts_add(b->totals, P5_EVENT_BUS_OWNERSHIP_TRANSFERS, b->class, 1, 1);
    counts_add(b->totals, P5_EVENT_BUS_OWNERSHIP_LATENCY, b->class, waited, waited);
    return (bus_clock){granted, granted * b->half_ratio};
}

/* Returns the bus clock of the ADS# of a processor's cycle that is requested in core clock `asked`. */
static inline bus_clock start(bus *b, uint64_t asked)
{
    return bus_start(b, asked, true);
}

/* Returns `at`, or bus clock `n` if that is later. */
static inline bus_clock not_before(const bus *b, bus_clock at, uint64_t n)
{
    return at.n < n ? (bus_clock){n, n * b->half_ratio} : at;
}

/* Runs a processor's cycle that begins in bus clock `at`. Returns its end in core clocks. */
static inline uint64_t run_cycle(bus *b, bus_clock at, bus_time time)
{
    return bus_cycle_logged(b, at, time, true);
}

uint64_t bus_read_single(bus *b, uint64_t asked, uint32_t physical)
{
    bus_clock at = start(b, asked);
    board_time time = b->board.time[board_read(&b->board, physical, false, at.n)];
    return run_cycle(b, at, bus_takes(b, time.first, b->model->bus.idle_after_read));
}

uint64_t bus_read_data(bus *b, uint64_t asked, uint32_t physical, unsigned size)
{
    if (!bus_is_video(physical))
        return bus_read_single(b, asked, physical);
    const model_bus *times = &b->model->bus;
    uint32_t clocks = bus_video_transfers(b, physical, size) * times->video_read;
    return run_cycle(b, start(b, asked), bus_takes(b, clocks, times->idle_after_read));
}

uint64_t bus_write(bus *b, uint64_t asked)
{
    return run_cycle(b, start(b, asked), b->write);
}

/* Runs the cycles of a locked sequence, a read and then a write. They are never pipelined, and there is at least one
 * idle clock between two sequences (241428, 6). */
uint64_t bus_locked_read(bus *b, uint64_t asked)
{
    const model_bus *times = &b->model->bus;
    bus_clock at = not_before(b, start(b, asked), b->unlocked);
    return run_cycle(b, at, bus_takes(b, times->locked_read, times->idle_after_read));
}

uint64_t bus_locked_write(bus *b, uint64_t asked)
{
    const model_bus *times = &b->model->bus;
    bus_clock at = start(b, asked);
    uint64_t end = run_cycle(b, at, bus_takes(b, times->locked_write, times->idle_after_write));
    b->unlocked = at.n + times->locked_write + times->locked_idle;
    return end;
}

uint64_t bus_io(bus *b, uint64_t asked, bool write)
{
    const model_bus *times = &b->model->bus;
    bus_time time = write ? bus_takes(b, times->io_write, times->idle_after_write)
                          : bus_takes(b, times->io_read, times->idle_after_read);
    return run_cycle(b, start(b, asked), time);
}

uint64_t bus_foreign(bus *b, uint64_t asked, uint32_t bus_clocks)
{
    const uint32_t idle = 1; /* clocks until the processor may drive the bus again */
    uint64_t end = bus_cycle(b, bus_first_free(b, asked), bus_takes(b, bus_clocks, idle), false);
    if (bus_log_full(&b->log))
        bus_log_make_space(&b->log);
    return end;
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* FIELD_DERIVED names members that are not saved because the model or others determine them. */
const snapshot_table bus_state = {
    SNAPSHOT(bus, "bus", FIELD_DERIVED(model, totals, class), FIELD_TABLE(&board_state, board),
             FIELD_TIME(free), FIELD_DERIVED(begun), FIELD_TIME(unlocked),
             FIELD_DERIVED(write, write_back, line, part, half_ratio, inverse_ratio), FIELD_FLAG(lost),
             FIELD_DERIVED(log), FIELD_ANY(own, foreign, counted_all, counted_own), FIELD_DERIVED(taken),
             FIELD_ANY_OF([0][0], bytes))};

/* A use of the bus, with its owner as a separate member. */
typedef struct saved_use {
    uint64_t from, to;
    bool other;
} saved_use;
const snapshot_table bus_use_state = {
    SNAPSHOT(saved_use, "bus_use", FIELD_TIME(from, to), FIELD_FLAG(other))};

/* Refuses counts that cannot be those of the bus at the snapshot's clock: the uses in the log are part of all uses,
 * and no more can have been counted than was used. */
static void check_counted(const bus *b, snapshot *s)
{
    uint64_t own = 0, other = 0; /* clocks of the uses in the log */
    for (const p5_bus_use *use = b->log.next - BUS_RECENT; use != b->log.next; use++) {
        const uint64_t clocks = (use->to & ~P5_BUS_OTHER) - use->from;
        *((use->to & P5_BUS_OTHER) != 0 ? &other : &own) += clocks;
    }
    if (own > b->own || other > b->foreign) {
        snapshot_refuse(s, "bus.own, bus.foreign: less than the uses in the log");
        return;
    }
    const bus_use use = bus_used(b, s->clock);
    if (b->counted_own > use.own || b->counted_all < b->counted_own ||
        b->counted_all - b->counted_own > use.all - use.own)
        snapshot_refuse(s, "bus.counted_all, bus.counted_own: more than was used");
}

void bus_transfer(bus *b, snapshot *s)
{
    saved_use saved[BUS_RECENT];
    p5_bus_use recent[BUS_RECENT];
    uint64_t before = 0; /* end of the use before */
    memcpy(recent, b->log.next - BUS_RECENT, sizeof recent);
    for (unsigned i = 0; i < BUS_RECENT; i++)
        saved[i] = (saved_use){recent[i].from, recent[i].to & ~P5_BUS_OTHER, recent[i].to & P5_BUS_OTHER};
    snapshot_state(s, &bus_state, b);
    snapshot_states(s, &bus_use_state, saved, BUS_RECENT);
    board_transfer_l2(&b->board, s);
    for (unsigned i = 0; s->loading && i < BUS_RECENT; i++) {
        if (saved[i].from < before || saved[i].to < saved[i].from)
            snapshot_refuse(s, "bus_use.from: use %u does not come after the previous one", i);
        before = saved[i].to;
        recent[i] = (p5_bus_use){saved[i].from, saved[i].to | (saved[i].other ? P5_BUS_OTHER : 0)};
    }
    if (!s->loading || s->status != P5_OK)
        return;
    b->begun = b->free * b->half_ratio;
    b->taken = b->own;
    bus_log_restart(&b->log, recent);
    check_counted(b, s);
}
