/* The pipe in snapshots: what a stretch hands to the next, and of the working copy what lives longer than a
 * stretch. The instruction that waits for its partner is there by its bytes, from which it is decoded again
 * (core/snapshot.c). */
#include "core/pipe/pipe.h"

/* Of clocks relative to now: nothing takes as long as that. */
#define FAR_CLOCKS (INT64_C(1) << 32)

static const snapshot_field prefetch_fields[] = {
    FIELD_ANY(prefetch_state, clock),     FIELD_ANY(prefetch_state, part, [0]),
    FIELD_ANY(prefetch_state, line, [0]), FIELD_ANY(prefetch_state, freed, [0]),
    FIELD_MOST(prefetch_state, used, 2),  FIELD_FLAG(prefetch_state, redirect),
};
static const snapshot_table prefetch_table = {SNAPSHOT_TABLE(prefetch_state, "prefetch", prefetch_fields)};

static const snapshot_field fifo_fields[] = {
    FIELD_ANY(fifo_state, clock),
    FIELD_ANY(fifo_state, pull, [0]),
    FIELD_FLAG(fifo_state, open),
};
static const snapshot_table fifo_table = {SNAPSHOT_TABLE(fifo_state, "fifo", fifo_fields)};

static const snapshot_field fpu_fields[] = {
    FIELD_ANY(fpu_state, st, [0]), FIELD_ANY(fpu_state, issue),  FIELD_ANY(fpu_state, multiplier),
    FIELD_ANY(fpu_state, idle),    FIELD_ANY(fpu_state, status), FIELD_ANY(fpu_state, integer),
};
static const snapshot_table fpu_table = {SNAPSHOT_TABLE(fpu_state, "fpu", fpu_fields)};

static const snapshot_field mmx_fields[] = {
    FIELD_ANY(mmx_state, ready, [0]),
};
static const snapshot_table mmx_table = {SNAPSHOT_TABLE(mmx_state, "mmx", mmx_fields)};

static const snapshot_field state_fields[] = {
    FIELD_ANY(pipe_state, d1_free),
    FIELD_ANY(pipe_state, d2_free),
    FIELD_TABLE(pipe_state, prefetch, &prefetch_table),
    FIELD_TABLE(pipe_state, fifo, &fifo_table),
    FIELD_TABLE(pipe_state, fpu, &fpu_table),
    FIELD_TABLE(pipe_state, mmx, &mmx_table),
    FIELD_ANY(pipe_state, refill_until),
    FIELD_ANY(pipe_state, miss_until),
    FIELD_ANY(pipe_state, agi_gpr),
    FIELD_MOST(pipe_state, x87_mode, MODE_MMX),
    FIELD_FLAG(pipe_state, end_bit_missed),
    FIELD_FLAG(pipe_state, refill_taken),
};
const snapshot_table pipe_state_fields = {SNAPSHOT_TABLE(pipe_state, "pipe_state", state_fields)};

static const snapshot_field access_fields[] = {
    FIELD_ANY(p5_access, linear), FIELD_ANY(p5_access, physical),     FIELD_MOST(p5_access, size, 8),
    FIELD_ANY(p5_access, flags),  FIELD_DERIVED(p5_access, reserved),
};
static const snapshot_table access_table = {SNAPSHOT_TABLE(p5_access, "access", access_fields)};

static const snapshot_field fields[] = {
    FIELD_FLAG(pipe, has_pending),
    FIELD_ANY(pipe, pending.operation.bytes, [0]),
    FIELD_FLAG(pipe, pending.operation.code32),
    FIELD_ANY(pipe, pending.operation.address),
    FIELD_MOST(pipe, pending.operation.length, ISA_LONGEST),
    FIELD_MOST(pipe, pending.insn.access_count, 2),
    FIELD_MOST(pipe, pending.insn.clocks, UINT16_MAX),
    FIELD_ANY(pipe, pending.insn.next),
    FIELD_FLAG(pipe, pending.insn.taken),
    FIELD_FLAG(pipe, pending.insn.unsafe_x87),
    FIELD_FLAG(pipe, pending.insn.saturated),
    FIELD_FLAG(pipe, pending.insn.complete),
    FIELD_ANY(pipe, pending.insn.flops),
    FIELD_MOST(pipe, pending.insn.segment_loads, 2),
    FIELD_FLAG(pipe, pending.insn.descriptor),
    FIELD_TABLE(pipe, pending.accesses, &access_table),
    FIELD_RANGE(pipe, pending.available, -FAR_CLOCKS, FAR_CLOCKS),
    FIELD_RANGE(pipe, pending.miss_until, -FAR_CLOCKS, FAR_CLOCKS),
    FIELD_RANGE(pipe, pending.front.fetched, -FAR_CLOCKS, FAR_CLOCKS),
    FIELD_RANGE(pipe, pending.front.f, -FAR_CLOCKS, FAR_CLOCKS),
    FIELD_MOST(pipe, pending.next_unpaired, UNPAIRED_COUNT - 1),
    FIELD_FLAG(pipe, pending.end_known),
    FIELD_ANY(pipe, last_u),
    FIELD_ANY(pipe, previous_u),
    FIELD_FLAG(pipe, match_missed),
    FIELD_FLAG(pipe, match_twice),
};
const snapshot_table pipe_fields = {SNAPSHOT_TABLE(pipe, "pipe", fields), .partial = true};
