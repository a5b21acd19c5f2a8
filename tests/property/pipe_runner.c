#include "pipe_runner.h"

#include <string.h>

typedef struct answers {
    const program *program;
    unsigned data_block, data_index; /* next reference */
    unsigned lines, branches;
    pipe_record *record;
} answers;

static uint64_t answer_data(void *context, const p5_access *access, uint64_t asked, unsigned traits,
                            data_answer *answer)
{
    (void)access;
    (void)traits;
    answers *a = context;
    while (a->data_index >= a->program->blocks[a->data_block].access_count) {
        a->data_block++;
        a->data_index = 0;
    }
    const outcome *o = &a->program->blocks[a->data_block].outcomes[a->data_index++];
    if (!o->read && !o->misaligned)
        return DATA_USUAL;
    *answer =
        (data_answer){.done = asked + o->read + o->misaligned, .read = o->read, .misaligned = o->misaligned};
    return DATA_LONG;
}

static bool answer_code(void *context, uint32_t linear, uint64_t asked, code_answer *answer)
{
    (void)linear;
    answers *a = context;
    uint16_t wait = a->program->line_waits[a->lines++];
    if (!wait)
        return true;
    *answer = (code_answer){.ready = {asked + wait, asked + wait, asked + wait, asked + wait}};
    return false;
}

static bool answer_end(void *context, const op *o)
{
    (void)context;
    (void)o;
    return true;
}

static void answer_branch(void *context, const branch_query *query, branch_answer *answer)
{
    answers *a = context;
    bool right = a->program->blocks[a->branches++].right;
    *answer = (branch_answer){.right = right, .predicted_taken = right == query->taken};
}

static void record_insn(void *context, const p5_trace_insn *insn)
{
    pipe_record *record = context;
    record->insns[record->count++] = *insn;
}

void pipe_runner(const program *p, const timing *t, random_source *r, unsigned cut_percent,
                 pipe_record *record)
{
    static const unsigned start = 1000;
    memset(record, 0, sizeof *record);
    answers a = {.program = p, .record = record};
    const pipe_resolver resolver = {&a,         answer_data,   NULL, answer_code,
                                    answer_end, answer_branch, NULL, NULL};
    trace_sink sink = {.insn = record_insn, .context = record};
    pipe_state state;
    pipe_reset(&state);
    pipe working;
    memset(&working, 0, sizeof working);
    pipe_load(&working, &state, t);
    working.trace = &sink;
    uint64_t now = start;
    bool begun = false;
    prefetch_ahead ahead = {0}; /* what prefetch_move makes of it, stretch by stretch */
    for (unsigned b = 0; b < p->count; b++) {
        const p5_block *block = p->blocks[b].block;
        const p5_access *accesses = p->blocks[b].accesses;
        for (unsigned i = 0; i < block->count; i++) {
            const op *o = &block->ops[i];
            if (!begun)
                pipe_begin(&working, now, o->address, &resolver, &record->deltas);
            begun = true;
            bool last = i + 1 == block->count;
            const pipe_insn x = {.op = o,
                                 .accesses = accesses,
                                 .access_count = o->accesses,
                                 .clocks = o->clocks,
                                 .complete = true,
                                 .taken = last && p->blocks[b].taken,
                                 .next = last ? p->blocks[b].next : o->address + o->length};
            pipe_run(&working, &x, 1);
            accesses += o->accesses;
            if (random_below(r, 100) < cut_percent) {
                const prefetch_move move = prefetch_moved(&working.prefetch, working.now);
                const int64_t clocks = pipe_end(&working);
                if (move.complete)
                    ahead = prefetch_complete(&move);
                else
                    prefetch_advance(&ahead, &move, clocks);
                now += (uint64_t)clocks;
                const unsigned kind = random_below(r, 3);
                if (kind != 0)
                    pipe_rebase(&working, &state);
                if (kind == 2) { /* as the memo: the state does not say how far PF is ahead */
                    pipe_forget_ahead(&state, t);
                    pipe_load(&working, &state, t);
                    if (!p->lines_hit) /* only one that does not notices */
                        pipe_set_ahead(&working, &ahead);
                }
                begun = false;
            }
        }
    }
    if (begun)
        now += (uint64_t)pipe_end(&working);
    record->clocks = now - start;
}
