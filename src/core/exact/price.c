/* The exact path: every instruction of a stretch (p5_retired: the code that was executed of a block) goes through the
 * pipe. The pipe asks about each code line, data reference and branch through a *resolver* (pipe_resolver). Its
 * callbacks here look up the caches, TLBs and the predictor at the clock at which the pipe asks. */
#include <assert.h>

#include "core/exact/price.h"
#include "core/exact/branch_trace.h"
#include "core/pipe/cost.h"
#include "core/branch/predictor_fast.h"
#include "core/branch/predictor_pairs.h"
#include "core/profile/profile.h"

bool price_taken(const op *o, uint32_t next)
{
    if (o->branch == ISA_NOT_BRANCH)
        return false;
    switch (o->branch) {
    case ISA_JCC:
    case ISA_LOOP:
    case ISA_INT: /* INTO */
        return next != o->address + o->length;
    default:
        return true;
    }
}

/* Sets the members of `x` for instruction `o` of stretch `r` that add_insn leaves out because a `simple` instruction
 * does not need them: the direction of a branch, EX clocks that are not fixed, x87, MMX, segment loads. `value`: its
 * operand value, or NULL. `is_last`: it is the stretch's last instruction, to which cpl_after, gate, repeats and
 * descriptor refer. */
static void price_varying(const p5_core *core, const p5_retired *r, const op *o, const p5_value *value,
                          bool is_last, pipe_insn *x)
{
    const uint8_t cpl_after = is_last ? r->cpl_after : r->cpl;
    x->taken = price_taken(o, x->next);
    if (o->cost != ISA_COST_FIXED) {
        const cost_context c = {.mode = r->mode,
                                .cpl = r->cpl,
                                .cpl_after = cpl_after,
                                .iopl = r->iopl,
                                .descriptor = x->descriptor,
                                .taken = x->taken,
                                .gate = is_last ? r->gate : P5_GATE_NONE,
                                .repeats = is_last ? r->repeats : 0,
                                .value = value};
        x->clocks = cost_clocks(&core->timing, o, &c);
    }
    if (o->integer) /* the rest is of x87, MMX and segment loads */
        return;
    unsigned marks = r->unsafe_x87 && r->unsafe_mask ? r->unsafe_mask[o - &r->block->ops[r->first]] : 0;
    x->unsafe_x87 = marks & P5_X87_UNSAFE;
    x->saturated = value && o->value == ISA_VALUE_SATURATED && value->a != 0;
    x->flops = marks & P5_X87_REFUSED ? 0 : (uint8_t)cost_flops(&core->timing, o, x->clocks);
    x->segment_loads = o->segment_loads;
    if (x->segment_loads && cpl_after != r->cpl)
        x->segment_loads++; /* a far transfer that changes privilege counts twice */
}

/* ---- resolver ------------------------------------------------------------------------------------------ */

uint64_t price_data(void *context, const p5_access *access, uint64_t asked, unsigned traits,
                    data_answer *answer)
{
    p5_core *core = context;
    struct memory *m = core->memory;
    if (!core->exact_memory && traits < TRAIT_LOCK && memory_data_usual(m, access, asked))
        return DATA_USUAL;
    if (core->exact_memory) { /* memory_data counts the events of hits, too, so the pipe must not (DATA_USUAL) */
        memory_data(m, access, asked, traits, answer);
        return DATA_LONG;
    }
    const uint64_t word = memory_ask(m, access, asked, traits);
    if (word == DATA_LONG)
        *answer = *memory_long_answer(m);
    return word;
}

/* Makes the references of a string instruction, from `a` on, as long as they hit, if nothing is pending in memory from
 * `clock`, at which the first is requested, to the last of `most` iterations. Returns the number of iterations all of
 * whose references hit. If only the first reference of the next one hit, it is made, but not counted; the caller makes
 * it again, which changes nothing. */
static unsigned idle_iterations(struct memory *m, const pipe_string *s, const p5_access *a, unsigned most,
                                uint64_t clock)
{
    if (!memory_is_idle(m, clock, clock + (uint64_t)(most - 1) * s->step))
        return 0;
    const data_expected expected[2] = {memory_expect(&a[0]), memory_expect(&a[s->each - 1])};
    unsigned n = 0;
    while (n < most && memory_data_expected(m, &a[n * s->each], &expected[0]) &&
           (s->each == 1 || memory_data_expected(m, &a[n * s->each + 1], &expected[1])))
        n++;
    return n;
}

/* Makes the references `a` of one iteration, of which each is requested once the one before has ended its wait. Returns
 * the sum of their waits in clocks. */
static int64_t ask_iteration(p5_core *core, pipe_string *s, const p5_access *a, uint64_t asked)
{
    unsigned partner = 0;
    uint64_t clock = asked;
    for (unsigned i = 0; i < s->each; i++) {
        data_answer answer;
        const uint64_t word = price_data(core, &a[i], clock, partner, &answer);
        partner = PARTNER;
        if (word == DATA_USUAL) {
            s->hits[i]++;
            continue;
        }
        clock += (uint64_t)pipe_add_hold(&s->held, clock, word, &answer);
        if (!data_hit(word, &answer))
            partner |= PARTNER_MISSED;
    }
    return (int64_t)(clock - asked);
}

/* Looks up all references of a REP string (pipe_resolver.string). Returns false if the pipe has to look them up one by
 * one. hits[1] is only valid if an iteration has two references. */
static bool resolve_string(void *context, pipe_string *s)
{
    p5_core *core = context;
    if (core->exact_memory)
        return false;
    const p5_access *a = s->accesses;
    uint64_t clock = s->asked;
    int64_t wait = 0;
    for (unsigned left = s->iterations, n; left > 0; left -= n) {
        /* after an iteration that waited, the next one seldom hits, so trying would take time */
        n = wait == 0 ? idle_iterations(core->memory, s, a, left, clock) : 0;
        s->hits[0] += n;
        s->hits[1] += n;
        if (n == 0) {
            n = 1;
            wait = ask_iteration(core, s, a, clock);
            clock += (uint64_t)wait;
            s->waited += wait;
        }
        a += n * s->each;
        clock += (uint64_t)n * s->step;
    }
    return true;
}

/* Looks up a code line (pipe_resolver.code). */
static bool resolve_code(void *context, uint32_t linear, uint64_t asked, code_answer *answer)
{
    p5_core *core = context;
    uint32_t physical = price_code_physical(core, core->block, linear);
    if (!core->exact_memory && memory_code_usual(core->memory, linear, physical, asked))
        return true;
    memory_code(core->memory, linear, physical, asked, answer);
    return false;
}

bool price_end_known(p5_core *core, const p5_block *block, uint32_t last_byte)
{
    uint32_t bit = 1u << (last_byte & 31);
    return (memory_end_bits(core->memory, price_code_physical(core, block, last_byte), bit) & bit) != 0;
}

/* Looks up the end bit of an instruction and sets it (pipe_resolver.end_known). The pipe asks when it decodes the
 * instruction, after the line of its last byte was fetched. */
static bool resolve_end(void *context, const op *o)
{
    p5_core *core = context;
    return price_end_known(core, core->block, o->address + o->length - 1);
}

void price_branch(p5_core *core, const branch_query *query, branch_answer *answer)
{
    if (core->timing.btb_by_pairs)
        *answer = predictor_pairs(core->predictor, query);
    else /* core_predict has predicted the branch before */
        *answer = predictor_answer(core->prediction, query->kind);
}

/* The next functions are pipe_resolver.branch, passed and drained. */
static void resolve_branch(void *context, const branch_query *query, branch_answer *answer)
{
    price_branch(context, query, answer);
}

static bool resolve_passed(void *context, uint32_t previous_u)
{
    p5_core *core = context;
    return predictor_passed(core->predictor, previous_u);
}

static uint64_t resolve_drained(void *context, uint64_t asked)
{
    p5_core *core = context;
    return memory_drained(core->memory, asked);
}

void price_open(p5_core *core)
{
    core->resolver = (pipe_resolver){.context = core,
                                     .data = price_data,
                                     .string = resolve_string,
                                     .code = resolve_code,
                                     .end_known = resolve_end,
                                     .branch = resolve_branch,
                                     .passed = resolve_passed,
                                     .drained = resolve_drained};
}

/* ---- stretches ----------------------------------------------------------------------------------------- */

void price_forget_matches(p5_core *core)
{
    if (core->match_at != core->instructions)
        core->pipe.match_missed = core->pipe.match_twice = false;
}

/* Begins a run of the pipe, at the instruction at `address`, with the core's current control inputs. */
static void begin(p5_core *core, uint32_t address, const pipe_resolver *resolver, pipe_deltas *deltas)
{
    core->pipe.control = (pipe_control){core->control.single_pipe || core->control.trap_flag,
                                        core->control.fpu_trap, core->control.trap_flag, core->ideal};
    core->pipe.trace = core->trace.insn ? &core->trace : NULL;
    core->pipe.breakpoints = core->breakpoints.active ? &core->breakpoints : NULL;
    price_forget_matches(core);
    pipe_begin(&core->pipe, core->now, address, resolver, deltas);
}

/* Ends a run of the pipe, and adds its clocks, instructions and, on the P54C, groups to the core's. */
static void end(p5_core *core)
{
    core->match_at = core->instructions += core->pipe.instructions;
    if (core->timing.btb_by_pairs)
        core->groups += core->pipe.groups;
    core->now += (uint64_t)pipe_end(&core->pipe);
}

void price_settle(p5_core *core)
{
    if (!core->pipe.waiting)
        return;
    if (core->pipe.observer && core->pipe.observer->settles)
        core->pipe.observer->settles(core->pipe.observer);
    const op *o = &core->pipe.pending.operation;
    begin(core, o->address + o->length, &core->resolver, &core->deltas[core->cpl_class]);
    pipe_settle(&core->pipe); /* it fetches and decodes nothing, so core->block, perhaps freed, is not used */
    end(core);
    if (core->profile)
        profile_commit(core);
}

/* A part of a stretch that goes through the pipe at once, and what is left of the stretch's references and values. */
typedef struct insns {
    pipe_insn of[32], *end;
    const p5_access *accesses; /* of the next instruction */
    uint32_t left;             /* references of all instructions to come */
    const p5_value *values;    /* of the next instruction */
    uint32_t values_left;
} insns;

/* Appends instruction `o` of stretch `r`, which makes `n` references. */
static inline __attribute__((always_inline)) void add_insn(const p5_core *core, const p5_retired *r,
                                                           const op *o, uint32_t n, bool is_last, insns *all)
{
    pipe_insn *x = all->end++;
    *x = (pipe_insn){.op = o,
                     .accesses = all->accesses,
                     .access_count = n,
                     .clocks = o->clocks,
                     .next = is_last ? r->next : o->address + o->length,
                     .complete = !(is_last && r->interrupted),
                     .descriptor = is_last && r->descriptor};
    all->accesses += n;
    all->left -= n;
    if (o->simple)
        return;
    const p5_value *value = NULL;
    if (o->value != ISA_VALUE_NONE && all->values_left > 0) {
        value = all->values++;
        all->values_left--;
    }
    price_varying(core, r, o, value, is_last, x);
}

void price_run(p5_core *core, const p5_retired *r, const pipe_resolver *resolver, pipe_deltas *deltas)
{
    p5_block *block = r->block;
    const op *o = &block->ops[r->first], *const last = o + r->count - 1;
    assert(r->count > 0 && r->first + r->count <= block->count);
    insns all; /* not initialised: clearing the array would take time */
    all.end = all.of;
    all.accesses = r->accesses;
    all.left = r->access_count;
    all.values = r->values;
    all.values_left = r->value_count;
    const pipe_insn *const array_end = all.of + sizeof all.of / sizeof all.of[0];
    core->block = block;
    begin(core, o->address, resolver, deltas);
    /* the groups from the last execution of the block's last instruction up to this run */
    core->pipe.branch_pairs = core->groups - block->ran->groups;
    for (; o < last; o++) {
        add_insn(core, r, o, o->accesses < all.left ? o->accesses : all.left, false, &all);
        if (__builtin_expect(all.end == array_end, 0)) {
            pipe_run(&core->pipe, all.of, (unsigned)(all.end - all.of));
            all.end = all.of;
        }
    }
    add_insn(core, r, last, all.left, true, &all); /* the encoding may leave its number of references open */
    pipe_run(&core->pipe, all.of, (unsigned)(all.end - all.of));
    end(core);
    if (core->timing.btb_by_pairs && last->branch != ISA_NOT_BRANCH)
        block->ran->groups = core->groups;
}

void price_exact(p5_core *core, const p5_retired *r)
{
    price_run(core, r, &core->resolver, &core->deltas[core->cpl_class]);
    if (core->profile)
        profile_commit(core);
    if (core->control.branch_trace)
        branch_trace_retired(core, r);
}

/* ---- outside the pipe ---------------------------------------------------------------------------------- */

void price_last_asks(p5_core *core)
{
    if (core->profile)
        profile_asks(core, profile_last(core));
}

void price_change_class(p5_core *core, unsigned class)
{
    assert(class < P5_CPL_CLASSES);
    price_last_asks(core);
    /* what other bus masters did until now, and the use of the bus, belong to the old class */
    memory_pass(core->memory, core->now);
    memory_advance(core->memory, core->now);
    if (core->profile)
        profile_gather(core);
    core->cpl_class = class;
    core->used_as = (core->used_as & ~3u) | class; /* PROFILE_USED_AS: the class in bits 1-0 */
    memory_set_class(core->memory, class);
}

void price_pass(p5_core *core, p5_stall cause, uint64_t clocks)
{
    core->deltas[core->cpl_class].clocks += clocks;
    core->now += clocks;
    if (core->profile)
        core->pipe.observer->instruction = profile_last(core);
    observed_spend(&core->deltas[core->cpl_class], core->pipe.observer, cause, clocks);
    if (core->profile)
        profile_commit(core);
}

void price_wait_for_bus(p5_core *core, uint64_t done, p5_stall cause)
{
    assert(cause < P5_STALL_COUNT);
    if (done > core->now)
        price_pass(core, cause, done - core->now);
}
