/* Resolves branches: asks the predictor, counts, and flushes the pipe after a misprediction. */
#include "core/pipe/pipe_internal.h"

/* Discards everything before EX. The first fetch of the new stream is at `clock`. */
void pipe_flush(pipe *p, int64_t clock)
{
    prefetch_flush(&p->prefetch, clock);
    fifo_flush(&p->fifo, clock);
    p->d1_free = clock;
    p->d2_free = clock;
}

/* Flushes the pipe, and returns true, if the BTB predicted a taken branch for a group that has none. */
bool pipe_check_branchless_p54c(pipe *p)
{
    if (!p->resolver->passed(p->resolver->context, p->previous_u))
        return false;
    pipe_count(p, P5_EVENT_PIPELINE_FLUSHES, 1, 1);
    pipe_flush(p, p->now);
    p->refill_until = p->now + p->timing->depth;
    return true;
}

/* Counts the events of a near RET. */
static void count_return(pipe *p, const branch_answer *a)
{
    pipe_count(p, P5_EVENT_RETURNS, 1, 1);
    if (a->return_predicted)
        pipe_count(p, P5_EVENT_PREDICTED_RETURNS, 1, 1);
    if (!a->return_predicted || !a->return_right)
        pipe_count(p, P5_EVENT_MISPREDICTED_OR_UNPREDICTED_RETURNS, 1, 1);
}

/* Resolves a near branch, for which the predictor is asked. A misprediction is detected at the end of EX, or
 * for a conditional branch in V one clock later, in WB. */
static void resolve(pipe *p, const pipe_insn *x, bool in_v)
{
    const op *o = x->op;
    branch_query query = {
        .address = o->address,
        .last_byte = o->address + o->length - 1,
        .pair = p->last_u,
        .previous_pair = p->previous_u,
        .target = x->next,
        .fall_through = o->address + o->length,
        .kind = o->branch,
        .taken = x->taken,
        .in_v = in_v,
        .missed_pairing = p->end_bit_missed,
        .loop_pairs = (uint8_t)(p->branch_pairs + p->groups < 255 ? p->branch_pairs + p->groups : 255)};
    branch_answer answer = {0};
    p->resolver->branch(p->resolver->context, &query, &answer);
    if (answer.hit)
        pipe_count(p, P5_EVENT_BTB_HITS, 1, 1);
    if (answer.hit || x->taken)
        pipe_count(p, P5_EVENT_TAKEN_BRANCH_OR_BTB_HIT, 1, 1);
    if (answer.false_entry)
        pipe_count(p, P5_EVENT_BTB_FALSE_ENTRIES, 1, 1);
    if (answer.predicted_taken && !x->taken)
        pipe_count(p, P5_EVENT_BTB_MISS_PREDICTION_ON_NOT_TAKEN_BRANCH, 1, 1);
    if (o->branch == ISA_RET)
        count_return(p, &answer);
    if (answer.right) {
        if (x->taken) {
            prefetch_redirect(&p->prefetch, p->timing->fifo ? p->fifo.clock : p->decoded);
            fifo_redirect(&p->fifo);
        }
        return;
    }
    bool in_wb = in_v && o->branch == ISA_JCC;
    pipe_count(p, P5_EVENT_PIPELINE_FLUSHES, 1, 1);
    pipe_count(p, P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS, 1, 1);
    if (in_wb)
        pipe_count(p, P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS_RESOLVED_IN_WB_STAGE, 1, 1);
    bool direct = o->branch == ISA_JMP || o->branch == ISA_CALL;
    int64_t resolved = p->now + in_wb - (direct ? p->timing->direct_early : 0);
    pipe_flush(p, resolved);
    p->refill_until = resolved + p->timing->depth;
    p->refill_taken = x->taken && p->timing->errata && mmx_product_awaited(&p->mmx, p->now);
}

void pipe_branch(pipe *p, const pipe_insn *x, bool in_v)
{
    const op *o = x->op;
    pipe_count(p, P5_EVENT_BRANCHES, 1, 1);
    bool taken = x->taken && o->branch != ISA_INT; /* whether INT n is taken is decided at its delivery */
    if (taken)
        pipe_count(p, P5_EVENT_TAKEN_BRANCHES, 1, 1);
    if (o->branch == ISA_FAR || o->branch == ISA_INT || o->branch == ISA_IRET) {
        if (o->far_return) { /* it is executed but not predicted */
            pipe_count(p, P5_EVENT_RETURNS, 1, 1);
            pipe_count(p, P5_EVENT_MISPREDICTED_OR_UNPREDICTED_RETURNS, 1, 1);
        }
        if (taken) /* event 14h is an OR, so taken suffices */
            pipe_count(p, P5_EVENT_TAKEN_BRANCH_OR_BTB_HIT, 1, 1);
        /* It is taken and not in the BTB. Event 15h excludes IRET, which serialises, and INT n. */
        if (o->branch == ISA_FAR)
            pipe_count(p, P5_EVENT_PIPELINE_FLUSHES, 1, 1);
        if (x->taken) /* never predicted; their clocks include the refill */
            pipe_flush(p, p->now - p->timing->depth);
        return;
    }
    resolve(p, x, in_v);
}
