/* Snapshot fields of the pipe: the state between stretches, and those members of the working copy that
 * outlive a stretch. The pending instruction is saved by its bytes and decoded again (core/snapshot.c). */
#include "core/pipe/pipe.h"

/* Bound of clocks relative to now; nothing takes this long. */
#define FAR_CLOCKS (INT64_C(1) << 32)

static const snapshot_table prefetch_table = {SNAPSHOT(prefetch_state, "prefetch", FIELD_ANY(clock),
                                                       FIELD_ANY_OF([0], part, line, freed),
                                                       FIELD_MOST(2, used), FIELD_FLAG(redirect))};

static const snapshot_table fifo_table = {
    SNAPSHOT(fifo_state, "fifo", FIELD_ANY(clock), FIELD_ANY_OF([0], pull), FIELD_FLAG(open))};

static const snapshot_table fpu_table = {
    SNAPSHOT(fpu_state, "fpu", FIELD_ANY_OF([0], st), FIELD_ANY(issue, multiplier, idle, status, integer))};

static const snapshot_table mmx_table = {SNAPSHOT(mmx_state, "mmx", FIELD_ANY_OF([0], ready))};

const snapshot_table pipe_state_fields = {
    SNAPSHOT(pipe_state, "pipe_state", FIELD_ANY(d1_free, d2_free), FIELD_TABLE(&prefetch_table, prefetch),
             FIELD_TABLE(&fifo_table, fifo), FIELD_TABLE(&fpu_table, fpu), FIELD_TABLE(&mmx_table, mmx),
             FIELD_ANY(refill_until, miss_until, agi_gpr), FIELD_MOST(MODE_MMX, x87_mode),
             FIELD_FLAG(end_bit_missed, refill_taken))};

static const snapshot_table access_table = {SNAPSHOT(p5_access, "access", FIELD_ANY(linear, physical),
                                                     FIELD_MOST(8, size), FIELD_ANY(flags),
                                                     FIELD_DERIVED(reserved))};

const snapshot_table pipe_fields = {
    SNAPSHOT(pipe, "pipe", FIELD_FLAG(has_pending), FIELD_ANY_OF([0], pending.operation.bytes),
             FIELD_FLAG(pending.operation.code32), FIELD_ANY(pending.operation.address),
             FIELD_MOST(ISA_LONGEST, pending.operation.length), FIELD_MOST(2, pending.insn.access_count),
             FIELD_MOST(UINT16_MAX, pending.insn.clocks), FIELD_ANY(pending.insn.next),
             FIELD_FLAG(pending.insn.taken, pending.insn.unsafe_x87, pending.insn.saturated,
                        pending.insn.complete),
             FIELD_ANY(pending.insn.flops), FIELD_MOST(2, pending.insn.segment_loads),
             FIELD_FLAG(pending.insn.descriptor), FIELD_TABLE(&access_table, pending.accesses),
             FIELD_RANGE(-FAR_CLOCKS, FAR_CLOCKS, pending.available, pending.miss_until,
                         pending.front.fetched, pending.front.f),
             FIELD_MOST(UNPAIRED_COUNT - 1, pending.next_unpaired), FIELD_FLAG(pending.end_known),
             FIELD_ANY(last_u, previous_u), FIELD_FLAG(match_missed, match_twice)),
    .partial = true};
