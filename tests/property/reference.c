#include "reference.h"

#include <stdlib.h>
#include <string.h>

enum { NEVER = 1 << 30, NO_GROUP = -1, SEGMENTS = PROGRAM_MOST * 2, LONGEST = 20000 };

/* One executed instruction and what the stages need of it, in the reference's own terms. */
typedef struct insn {
    const op *o;
    const p5_access *accesses;
    const outcome *outcomes;
    bool branch, taken, right;
    int first_segment, last_segment; /* 16-byte pieces of the instruction stream */
    int fetched;                     /* clock at which its last byte was in the buffers */
    int pushed;                      /* F handed it on */
    int pulled;                      /* D1 took it */
} insn;

/* A 16-byte block as PF sees it: the same block fetched again after a jump is another segment. */
typedef struct segment {
    uint32_t block;
    int after_branch; /* index of the branch whose target stream begins here, or -1 */
    unsigned stream;
    int ready[2];                 /* its two 8-byte halves */
    const struct insn *last_insn; /* that touches it */
    int released;                 /* clock at which that one was decoded */
    int miss_until; /* EX clock until which misses of this line and those before answer for starvation */
} segment;

typedef struct model {
    const program *program;
    const timing *t;
    unsigned count;
    insn insns[PROGRAM_MOST];
    unsigned segment_count;
    segment segments[SEGMENTS];
    /* PF */
    unsigned next_segment, lines;
    int line_ready;
    int fetch_from; /* first clock of PF after a flush */
    /* F */
    unsigned next_push;
    int f_left;        /* clocks that F still needs for next_push; 0: not begun */
    int f_begin_after; /* F begins nothing in or before this clock */
    /* groups, identified by the index of their first instruction */
    unsigned next_pull;
    int d1, d2, ex; /* group in the stage, or NO_GROUP */
    int d1_since, d2_pulled, d2_since, ex_since, ex_end;
    int size[PROGRAM_MOST];
    /* branches */
    unsigned resolved; /* instructions below this one are known to be on the right path */
    int refill_until, miss_until;
    /* registers */
    uint8_t agi; /* written by the previous group in its last clock */
    int previous_end;
    int mm[8];
    int st[8], top; /* physical x87 registers */
    int fp_issue, fp_multiplier, fp_idle, fp_status, fp_integer;
    int mode;
    unsigned starved_count;
    int starved[LONGEST];
    reference_record *record;
} model;

static int later(int a, int b)
{
    return a > b ? a : b;
}

/* ---- the instruction stream ---------------------------------------------------------------------------- */

static void lay_out(model *m)
{
    bool new_stream = true;
    int branch_before = -1;
    unsigned streams = 0;
    for (unsigned b = 0; b < m->program->count; b++) {
        const p5_block *block = m->program->blocks[b].block;
        unsigned access = 0;
        for (unsigned i = 0; i < block->count; i++) {
            insn *x = &m->insns[m->count];
            *x = (insn){.o = &block->ops[i], .fetched = NEVER, .pushed = NEVER, .pulled = NEVER};
            x->accesses = &m->program->blocks[b].accesses[access];
            x->outcomes = &m->program->blocks[b].outcomes[access];
            access += x->o->accesses;
            x->branch = i + 1 == block->count;
            x->taken = x->branch && m->program->blocks[b].taken;
            x->right = !x->branch || m->program->blocks[b].right;
            uint32_t first = x->o->address / 16, last = (x->o->address + x->o->length - 1) / 16;
            for (uint32_t s = first; s <= last; s++) {
                if (new_stream || m->segments[m->segment_count - 1].block != s) {
                    m->segments[m->segment_count++] = (segment){
                        s, new_stream ? branch_before : -1, (streams += new_stream), {NEVER, NEVER}, x, NEVER,
                        0};
                    if (new_stream && branch_before < 0)
                        m->segments[m->segment_count - 1].after_branch = -2; /* the very first */
                    new_stream = false;
                }
                m->segments[m->segment_count - 1].last_insn = x;
                if (s == first)
                    x->first_segment = (int)m->segment_count - 1;
            }
            x->last_segment = (int)m->segment_count - 1;
            if (x->branch && (x->taken || !x->right)) {
                new_stream = true;
                branch_before = (int)m->count;
            }
            m->count++;
        }
    }
}

/* After a wrong prediction nothing of the program is decoded until it is resolved. */
static bool blocked_by_branch(const model *m, unsigned i)
{
    for (unsigned b = m->resolved; b < i; b++)
        if (!m->insns[b].right)
            return true;
    return false;
}

/* ---- PF ------------------------------------------------------------------------------------------------ */

static int left_decoder(const model *m, int i)
{
    return m->t->fifo ? m->insns[i].pushed : m->insns[i].pulled;
}

static void fetch(model *m, int t)
{
    if (t < m->fetch_from)
        return;
    for (int n = 0; n < (int)m->t->fetch_blocks && m->next_segment < m->segment_count; n++) {
        segment *s = &m->segments[m->next_segment];
        bool starts = s->after_branch != -1;
        if (starts && n > 0)
            return; /* a new stream begins with a new clock */
        if (s->after_branch >= 0 &&
            ((int)m->resolved <= s->after_branch && blocked_by_branch(m, (unsigned)s->after_branch + 1)))
            return; /* not known yet where to continue */
        if (s->after_branch >= 0 && m->insns[s->after_branch].right && left_decoder(m, s->after_branch) > t)
            return; /* the branch leads there in the clock in which it is decoded */
        if (m->next_segment >= 4 && m->segments[m->next_segment - 4].stream == s->stream &&
            m->segments[m->next_segment - 4].released > t)
            return; /* four buffers */
        if (starts || s->block % 2 == 0) {
            int wait = m->program->line_waits[m->lines++];
            m->line_ready = t + wait;
            if (wait)
                m->miss_until = later(m->miss_until, m->line_ready + (int)m->t->depth);
        }
        s->ready[0] = s->ready[1] = later(t, m->line_ready);
        s->miss_until = m->miss_until;
        m->next_segment++;
    }
}

static void note_fetched(model *m)
{
    for (unsigned i = 0; i < m->count; i++) {
        insn *x = &m->insns[i];
        if (x->fetched != NEVER || (unsigned)x->last_segment >= m->next_segment)
            continue;
        x->fetched = later(m->segments[x->first_segment].ready[0], m->segments[x->last_segment].ready[0]);
    }
}

static void release(model *m, const insn *x, int t)
{
    for (int s = x->first_segment; s <= x->last_segment; s++)
        if (m->segments[s].last_insn == x)
            m->segments[s].released = t;
}

/* ---- F ------------------------------------------------------------------------------------------------- */

static unsigned waiting(const model *m)
{
    return m->next_push - m->next_pull;
}

static bool may_push(const model *m, unsigned i, int t)
{
    return i < m->count && !blocked_by_branch(m, i) && m->insns[i].fetched < t && waiting(m) < 4;
}

static void push(model *m, int t)
{
    m->insns[m->next_push].pushed = t;
    release(m, &m->insns[m->next_push], t);
    m->next_push++;
}

static void decode(model *m, int t)
{
    unsigned i = m->next_push;
    if (i >= m->count || blocked_by_branch(m, i) || t <= m->f_begin_after)
        return;
    if (m->f_left == 0) {
        if (m->insns[i].fetched >= t)
            return;
        m->f_left = m->insns[i].o->f_clocks;
    }
    if (m->f_left > 1) {
        m->f_left--;
        return;
    }
    if (waiting(m) >= 4)
        return; /* decoded, no room */
    m->f_left = 0;
    push(m, t);
    const insn *first = &m->insns[i];
    if (first->o->push_two && !(first->branch && (first->taken || !first->right)) && may_push(m, i + 1, t) &&
        m->insns[i + 1].o->push_second)
        push(m, t);
}

/* ---- D1 ------------------------------------------------------------------------------------------------ */

/* Clock from which D1 may take an instruction. */
static int available(const model *m, unsigned i)
{
    const insn *x = &m->insns[i];
    int from = m->t->fifo ? x->pushed : x->fetched;
    return from == NEVER ? NEVER : from + 1;
}

static bool is_mmx(const op *o)
{
    return (o->flags & ISA_MMX) != 0;
}
static bool is_x87(const op *o)
{
    return (o->flags & ISA_X87) != 0;
}

/* What the last MMX or x87 instruction before instruction `i` used the registers as. */
static int used_as_before(const model *m, unsigned i)
{
    while (i-- > 0)
        if (is_mmx(m->insns[i].o) || is_x87(m->insns[i].o))
            return is_mmx(m->insns[i].o) ? MODE_MMX : MODE_X87;
    return MODE_NONE;
}

/* The pairing rules as the optimisation manual lists them, on what the decoder says of the instructions. */
static bool pairs(const model *m, unsigned i)
{
    const op *a = m->insns[i].o, *b = m->insns[i + 1].o;
    if (a->pair == ISA_FX)
        return b->fp == ISA_FP_XCH && a->first && !b->long_second;
    if (b->fp == ISA_FP_XCH || (a->pair != ISA_UV && a->pair != ISA_U) ||
        (b->pair != ISA_UV && b->pair != ISA_V))
        return false;
    if (!a->first || b->long_second || b->prefixed_second)
        return false;
    if (is_mmx(b) && (b->memory || b->unit == ISA_MMX_INT))
        return false;
    if (is_mmx(a) && !is_mmx(b) && (a->memory || a->unit == ISA_MMX_INT))
        return false;
    if (is_mmx(a) && is_mmx(b) && a->unit == b->unit && a->unit != ISA_MMX_ALU)
        return false;
    if (is_mmx(b) && !is_mmx(a) && used_as_before(m, i) == MODE_X87)
        return false;
    if (a->write_mm & (b->read_mm | b->write_mm))
        return false;
    uint8_t written = a->def_gpr;
    bool a_push = a->stack_group == 1, b_push = b->stack_group == 1, a_pop = a->stack_group == 2,
         b_pop = b->stack_group == 2;
    if ((a_push && (b_push || b->stack_group == 3)) || (a_pop && b_pop))
        written &= (uint8_t)~0x10;
    return (written & (b->use_gpr | b->def_gpr)) == 0;
}

static void take(model *m, int t)
{
    unsigned i = m->next_pull;
    if (m->d1 != NO_GROUP || i >= m->count || blocked_by_branch(m, i) || available(m, i) > t)
        return;
    m->d1 = (int)i;
    m->d1_since = t;
    m->size[i] = 1;
    m->insns[i].pulled = t;
    m->next_pull = i + 1;
    if (m->t->fifo && i + 1 < m->count && !m->insns[i].branch && available(m, i + 1) <= t && pairs(m, i)) {
        m->size[i] = 2;
        m->insns[i + 1].pulled = t;
        m->next_pull = i + 2;
    }
    if (!m->t->fifo)
        release(m, &m->insns[i], t);
}

/* P54C: the partner joins in the last D1 clock of the first, whose prefixes went before. */
static void join(model *m, int t)
{
    unsigned i = (unsigned)m->d1;
    if (m->t->fifo || m->d1 == NO_GROUP || m->size[i] == 2 || m->insns[i].branch ||
        t != m->d1_since + m->insns[i].o->d1_clocks - 1)
        return;
    if (i + 1 < m->count && available(m, i + 1) <= t && pairs(m, i)) {
        m->size[i] = 2;
        m->next_pull = i + 2;
        m->insns[i + 1].pulled = t;
        release(m, &m->insns[i + 1], t);
    }
}

/* ---- EX ------------------------------------------------------------------------------------------------ */

static unsigned bank(const p5_access *a)
{
    return a->linear / 4 % 8;
}

/* EX clocks of a group whose execution begins, counted by walking through them: each instruction is a row of
 * steps, some with a data reference; the steps of V begin with U's last reference, and wait a clock when both
 * references want one bank. */
static int walk(const model *m, unsigned i, int ends[2])
{
    const insn *u = &m->insns[i], *v = m->size[i] == 2 ? &m->insns[i + 1] : NULL;
    const insn *const both[2] = {u, v};
    int steps[2] = {0, 0}, references[2] = {0, 0}, clocks[2] = {0, 0};
    for (int k = 0; k < 2 && both[k]; k++) {
        const op *o = both[k]->o;
        clocks[k] = o->clocks;
        if (is_x87(o))
            clocks[k] = o->clocks > o->int_overlap ? o->clocks - o->int_overlap : 1;
    }
    int wait[2] = {0, 0};
    int now = 0;
    bool u_done_referring = u->o->accesses == 0;
    ends[0] = ends[1] = NEVER;
    for (;; now++) {
        bool u_refers_now = false;
        const p5_access *u_access = NULL;
        /* U */
        if (steps[0] < clocks[0]) {
            int j = references[0], n = u->o->accesses;
            bool due = j < n && steps[0] == (n == 2 ? (j == 0 ? 0 : clocks[0] - 1)
                                             : (u->accesses[0].flags & P5_ACCESS_WRITE) ? clocks[0] - 1
                                                                                        : 0);
            if (due && wait[0] == 0)
                wait[0] = u->outcomes[j].read + u->outcomes[j].misaligned + 1;
            if (due && --wait[0] == 0) {
                references[0]++;
                u_access = &u->accesses[j];
                u_refers_now = true;
                if (references[0] == n)
                    u_done_referring = true;
                steps[0]++;
            } else if (!due) {
                steps[0]++;
            }
            if (steps[0] == clocks[0])
                ends[0] = now + 1;
        }
        /* V */
        if (v && u_done_referring && steps[1] < clocks[1]) {
            int j = references[1], n = v->o->accesses;
            bool due = j < n && steps[1] == (n == 2 ? (j == 0 ? 0 : clocks[1] - 1)
                                             : (v->accesses[0].flags & P5_ACCESS_WRITE) ? clocks[1] - 1
                                                                                        : 0);
            if (due && wait[1] == 0) {
                if (u_refers_now && bank(u_access) == bank(&v->accesses[j]))
                    continue; /* next clock */
                wait[1] = v->outcomes[j].read + v->outcomes[j].misaligned + 1;
            }
            if (due && --wait[1] == 0) {
                references[1]++;
                steps[1]++;
            } else if (!due) {
                steps[1]++;
            }
            if (steps[1] == clocks[1])
                ends[1] = now + 1;
        }
        if (steps[0] == clocks[0] && (!v || steps[1] == clocks[1]))
            return now + 1;
    }
}

static int *st(model *m, int i)
{
    return &m->st[(m->top + i) & 7];
}

/* First clock in which the x87 lets the instruction begin, `t` or later. */
static int x87_ready(model *m, const op *o, int t)
{
    if (!is_x87(o)) {
        t = later(t, m->fp_integer);
        return o->unit == ISA_INT_MUL || is_mmx(o) ? later(t, m->fp_idle) : t;
    }
    t = later(t, m->fp_issue);
    bool two =
        (o->fp == ISA_FP_ADD || o->fp == ISA_FP_MUL || o->fp == ISA_FP_DIV || o->fp == ISA_FP_COMPARE) &&
        !o->memory;
    switch (o->fp) {
    case ISA_FP_XCH:
        return t;
    case ISA_FP_LOAD:
        return o->memory ? t : later(t, *st(m, o->fp_index));
    case ISA_FP_STORE:
        return later(t, *st(m, 0) + 1);
    case ISA_FP_STATUS:
        return later(t, m->fp_status);
    case ISA_FP_MUL:
        t = later(t, m->fp_multiplier);
        break;
    default:
        break;
    }
    t = later(t, *st(m, 0));
    return two ? later(t, *st(m, o->fp_index)) : t;
}

static void x87_begin(model *m, const op *o, int e)
{
    if (!is_x87(o))
        return;
    int result = e + o->clocks;
    m->fp_issue = later(m->fp_issue, e + later(1, o->clocks - o->fp_overlap));
    if (o->fp == ISA_FP_XCH) {
        int top = *st(m, 0);
        *st(m, 0) = *st(m, o->fp_index);
        *st(m, o->fp_index) = top;
        return;
    }
    m->fp_idle = later(m->fp_idle, result);
    if (o->fp != ISA_FP_STATUS)
        m->fp_status = later(m->fp_status, o->fp == ISA_FP_LOAD ? e + 5 : later(e + 5, result + 2));
    if (o->fp == ISA_FP_MUL)
        m->fp_multiplier = e + 2;
    if (o->fp == ISA_FP_LOAD) {
        m->top--;
        *st(m, 0) = result;
    } else if (o->fp != ISA_FP_STORE && o->fp != ISA_FP_COMPARE && o->fp != ISA_FP_STATUS) {
        *st(m, o->fp_to_sti ? o->fp_index : 0) = result;
    }
    if (o->fp_push < 0)
        m->top -= o->fp_push;
}

static int mmx_wait(const model *m, const op *o, int t, p5_stall *cause)
{
    bool early = o->unit == ISA_MMX_STORE || (o->unit == ISA_MMX_INT && !o->write_mm);
    *cause = P5_STALL_ISSUE;
    for (int r = 0; r < 8; r++) {
        if (!(o->read_mm >> r & 1))
            continue;
        if (m->mm[r] > t)
            *cause = P5_STALL_MMX_MULTIPLY;
        else if (early && m->mm[r] + 1 > t && *cause != P5_STALL_MMX_MULTIPLY)
            *cause = P5_STALL_MMX_STORE;
    }
    return *cause != P5_STALL_ISSUE;
}

/* Why the group in D2 may not enter EX in clock `t`; P5_STALL_ISSUE if it may. */
static p5_stall held_in_d2(const model *m, unsigned i, int t)
{
    p5_stall worst = P5_STALL_ISSUE;
    for (int k = 0; k < m->size[i]; k++) {
        const op *o = m->insns[i + (unsigned)k].o;
        p5_stall cause;
        if (is_mmx(o) && mmx_wait(m, o, t, &cause) && worst != P5_STALL_MMX_MULTIPLY)
            worst = cause;
    }
    if (worst != P5_STALL_ISSUE)
        return worst;
    for (int k = 0; k < m->size[i]; k++)
        if (t == m->previous_end && (m->insns[i + (unsigned)k].o->address_gpr & m->agi))
            return P5_STALL_AGI;
    return P5_STALL_ISSUE;
}

static void enter_ex(model *m, int t)
{
    unsigned i = (unsigned)m->d2;
    for (unsigned s = 0; s < m->starved_count; s++)
        m->record
            ->stalls[m->starved[s] < m->segments[m->insns[i].last_segment].miss_until ? P5_STALL_CODE_FETCH
                                                                                      : P5_STALL_DECODE]++;
    m->starved_count = 0;
    const insn *u = &m->insns[i], *v = m->size[i] == 2 ? &m->insns[i + 1] : NULL;
    int begin = x87_ready(m, u->o, t);
    if (v)
        begin = later(begin, x87_ready(m, v->o, t));
    m->record->stalls[P5_STALL_FPU] += (unsigned)(begin - t);
    for (int k = 0; k < m->size[i]; k++) {
        const op *o = m->insns[i + (unsigned)k].o;
        int mode = is_mmx(o) ? MODE_MMX : is_x87(o) ? MODE_X87 : m->mode;
        uint32_t lump = mode == m->mode || m->mode == MODE_NONE ? 0
                        : mode == MODE_MMX                      ? m->t->mmx_after_x87
                                                                : m->t->x87_after_mmx;
        m->mode = mode;
        begin += (int)lump;
        m->record->stalls[P5_STALL_MMX_FP_SWITCH] += lump;
    }
    int ends[2];
    int clocks = walk(m, i, ends);
    int end = begin + clocks;
    m->record->stalls[P5_STALL_ISSUE]++;
    m->record->stalls[P5_STALL_EXECUTE] += (unsigned)clocks - 1;
    /* x87 operands from memory come when they come */
    int x87_clocks = u->o->clocks > u->o->int_overlap ? u->o->clocks - u->o->int_overlap : 1;
    x87_begin(m, u->o, begin + (is_x87(u->o) ? clocks - x87_clocks : 0));
    if (v && v->o->fp == ISA_FP_XCH) {
        x87_begin(m, v->o, begin);
        m->fp_integer = begin + 2;
    }
    for (int k = 0; k < m->size[i]; k++) {
        const op *o = m->insns[i + (unsigned)k].o;
        for (int r = 0; r < 8; r++)
            if (o->write_mm >> r & 1)
                m->mm[r] = end + (o->unit == ISA_MMX_MUL ? 2 : 0);
        m->record->insns[i + (unsigned)k] = (reference_insn){m->d2_pulled, m->d2_since, t, end, k == 1};
    }
    /* what is ready before the group's last clock reaches D2 in time */
    m->agi = 0;
    for (int k = 0; k < m->size[i]; k++)
        if (ends[k] == clocks)
            m->agi |= m->insns[i + (unsigned)k].o->agi_gpr;
    m->previous_end = end;
    m->ex = m->d2;
    m->ex_since = t;
    m->ex_end = end;
    m->d2 = NO_GROUP;
}

/* A wrong prediction empties the front: known at the end of EX, for a branch in V a clock later. */
static void leave_ex(model *m)
{
    unsigned i = (unsigned)m->ex + (unsigned)m->size[m->ex] - 1;
    const insn *x = &m->insns[i];
    if (x->branch && !x->right) {
        int resolved = m->ex_end + (m->size[m->ex] == 2);
        m->resolved = i + 1;
        m->f_begin_after = resolved;
        m->fetch_from = resolved;
        m->refill_until = resolved + (int)m->t->depth;
    }
    m->ex = NO_GROUP;
}

/* One clock, from the back of the pipe to the front: what a stage gives up in this clock, the stage before
 * may fill. */
static void step(model *m, int t)
{
    if (m->ex != NO_GROUP && m->ex_end <= t)
        leave_ex(m);
    if (m->ex == NO_GROUP) {
        p5_stall cause = P5_STALL_DECODE;
        if (m->d2 != NO_GROUP && t > m->d2_since)
            cause = held_in_d2(m, (unsigned)m->d2, t);
        else if (t < m->refill_until)
            cause = P5_STALL_BRANCH;
        if (cause == P5_STALL_ISSUE)
            enter_ex(m, t);
        else if (cause == P5_STALL_DECODE)
            m->starved[m->starved_count++] = t; /* for whose sake is known when the instruction comes */
        else
            m->record->stalls[cause]++;
    }
    if (m->d2 == NO_GROUP && m->d1 != NO_GROUP && t >= m->d1_since + m->insns[m->d1].o->d1_clocks) {
        m->d2 = m->d1;
        m->d2_since = t;
        m->d2_pulled = m->d1_since;
        m->d1 = NO_GROUP;
    }
    take(m, t);
    join(m, t);
    if (m->t->fifo)
        decode(m, t);
    fetch(m, t);
    note_fetched(m);
}

void reference_run(const program *p, const timing *t, reference_record *record)
{
    static model m;
    memset(&m, 0, sizeof m);
    memset(record, 0, sizeof *record);
    m.program = p;
    m.t = t;
    m.record = record;
    m.d1 = m.d2 = m.ex = NO_GROUP;
    m.previous_end = -1;
    m.fetch_from = 1;
    lay_out(&m);
    record->count = m.count;
    unsigned last_group = 0;
    for (int clock = 0; clock < LONGEST; clock++) {
        step(&m, clock);
        if (m.ex != NO_GROUP)
            last_group = (unsigned)m.ex + (unsigned)m.size[m.ex];
        if (last_group == m.count)
            break;
    }
    record->clocks = m.ex_end;
}
