/* Counts the less frequent events of a group that has left EX; pipe_count_group (pipe_internal.h) counts those of every
 * group. pipe_blame selects the instruction for which an observer sees what is counted next. */
#include "core/pipe/pipe_internal.h"

/* Counts events 23h-26h: bit n of `matches` is the breakpoint of DRn. */
static void count_matches(pipe *p, unsigned matches)
{
    for (unsigned n = 0; matches >> n != 0; n++)
        if (matches >> n & 1)
            pipe_count(p, (enum p5_event)(P5_EVENT_BREAKPOINT_MATCH_ON_DR0_REGISTER + n), 1, 1);
}

/* Counts the breakpoint matches of `x`. Erratum 44: silicon misses a code breakpoint while a trap is pending
 * (single step, or a data breakpoint of the instruction before) or RF is set. It counts that of the
 * instruction after MOV or POP SS twice, because the boundary between them is skipped. */
static void match_breakpoints(pipe *p, const pipe_insn *x, bool in_v)
{
    bool errata = p->timing->errata, missed = errata && (p->match_missed || p->control.single_step);
    bool twice = errata && p->match_twice;
    p->match_missed = p->match_twice = false;
    if (x->complete && !missed) {
        unsigned matches = breakpoints_code(p->breakpoints, x->op->address, in_v);
        count_matches(p, matches);
        if (twice)
            count_matches(p, matches);
    }
    for (uint32_t i = 0; i < x->access_count; i++) {
        unsigned matches = breakpoints_access(p->breakpoints, &x->accesses[i]);
        count_matches(p, matches);
        p->match_missed |= (matches & breakpoints_enabled(p->breakpoints)) != 0;
    }
    p->match_twice = x->op->loads_ss;
}

/* Counts the events of an instruction other than those of the integer pipes. */
static void count_insn(pipe *p, const pipe_insn *x, bool in_v)
{
    const op *o = x->op;
    pipe_blame(p, o);
    if (x->segment_loads)
        pipe_count(p, P5_EVENT_ANY_SEGMENT_REGISTER_LOADED, x->segment_loads, x->segment_loads);
    if (x->flops)
        pipe_count(p, P5_EVENT_FLOPS, x->flops, x->flops);
    if (o->flags & ISA_MMX) {
        enum p5_event pipe_event =
            in_v ? P5_EVENT_MMX_INSTRUCTIONS_EXECUTED_V_PIPE : P5_EVENT_MMX_INSTRUCTIONS_EXECUTED_U_PIPE;
        pipe_count(p, pipe_event, 1, 1);
        if (o->write_mm == 0 && o->read_mm == 0 && !o->memory) /* the only one without operands: EMMS */
            pipe_count(p, P5_EVENT_EMMS_INSTRUCTIONS_EXECUTED, 1, 1);
    }
}

void pipe_match(pipe *p, const pipe_insn *u, const pipe_insn *v)
{
    match_breakpoints(p, u, false);
    if (v)
        match_breakpoints(p, v, true);
}

void pipe_count_others(pipe *p, const pipe_insn *u, const pipe_insn *v)
{
    if (u->complete)
        count_insn(p, u, false);
    if (v)
        count_insn(p, v, true);
    const pair_member saturating_u = {u, (u->op->flags & ISA_SATURATING) != 0},
                      saturating_v = {v, v && (v->op->flags & ISA_SATURATING)},
                      saturated_u = {u, u->saturated}, saturated_v = {v, v && v->saturated};
    pipe_count_in_pair(p, false, P5_EVENT_SATURATING_MMX_INSTRUCTIONS_EXECUTED, saturating_u, saturating_v);
    pipe_count_in_pair(p, false, P5_EVENT_SATURATIONS_PERFORMED, saturated_u, saturated_v);
}

void pipe_report_group(pipe *p, const pipe_insn *u, const pipe_insn *v, unpaired why)
{
    core_observer *o = p->observer;
    pipe_blame(p, u->op);
    if (u->complete) {
        o->counted(o, P5_PROFILE_EXECUTIONS, 1, 1);
        o->counted(o, P5_PROFILE_UNPAIRED + (uint32_t)why, 1, 1);
    }
    if (v) {
        pipe_blame(p, v->op);
        o->counted(o, P5_PROFILE_EXECUTIONS, 1, 1);
        o->counted(o, P5_PROFILE_IN_V, 1, 1);
    }
    if (o->boundary)
        o->boundary(o, p->start + (uint64_t)p->now, v ? v->next : u->next);
}
