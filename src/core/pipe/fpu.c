/* When x87 instructions may enter E, the x87 name of EX, and when their results are ready. */
#include "core/pipe/fpu.h"

#include "core/event/clock.h"

enum {
    ER_CLOCKS = 5,    /* E X1 X2 WF ER: the status word can be read in the fifth clock after E */
    WF_TO_STATUS = 2, /* the same, as two clocks after a result is forwarded from WF */
    STORE_WAIT = 1,   /* clocks that FST waits for its source longer than arithmetic does: it has no bypass */
    FXCH_SAFE = 1,    /* clocks that an integer instruction waits after a pair with FXCH */
    FXCH_UNSAFE = 4   /* the same if an operand was outside the safe exponent range */
};

static bool is_x87(const op *o)
{
    return (o->flags & ISA_X87) != 0;
}

uint8_t fpu_sources(const op *o)
{
    if (!is_x87(o))
        return 0;
    const uint8_t top = 1, other = (uint8_t)(o->memory ? 0 : 1u << o->fp_index); /* ST(0), ST(i) */
    switch (o->fp) {
    case ISA_FP_XCH: /* a register rename without data hazard */
    case ISA_FP_LOAD_SLOW:
    case ISA_FP_STATUS:
    case ISA_FP_CONTROL:
        return 0;
    case ISA_FP_LOAD:
        return other;
    case ISA_FP_TRANSCENDENTAL:
    case ISA_FP_REMAINDER:
        return top | 1 << 1; /* and ST(1) */
    case ISA_FP_ADD:
    case ISA_FP_MUL:
    case ISA_FP_DIV:
    case ISA_FP_COMPARE:
        return top | other;
    default:
        return top;
    }
}

int64_t fpu_ready(const fpu_unit *f, const op *o, int64_t clock)
{
    if (!is_x87(o)) {
        clock = clock_later(clock, f->integer);
        const bool shares =
            o->unit == ISA_INT_MUL || (o->flags & ISA_MMX); /* the multiplier or the registers */
        return shares ? clock_later(clock, f->idle) : clock;
    }
    clock = clock_later(clock, f->issue);
    if (o->fp == ISA_FP_STATUS)
        clock = clock_later(clock, f->status);
    else if (o->fp == ISA_FP_CONTROL)
        clock = clock_later(clock, f->idle);
    else if (o->fp == ISA_FP_MUL)
        clock = clock_later(clock, f->multiplier);
    const int64_t wait = o->fp == ISA_FP_STORE && o->memory ? STORE_WAIT : 0;
    for (unsigned i = 0, mask = o->read_st; mask; i++, mask >>= 1)
        if (mask & 1)
            clock = clock_later(clock, f->st[i] + wait);
    return clock;
}

unsigned fpu_occupancy(const op *o, unsigned clocks)
{
    /* Division and square root leave EX as early as in their longest case (o->clocks), even if the operands
     * shorten the rest. */
    unsigned whole = o->fp == ISA_FP_DIV || o->fp == ISA_FP_SQRT ? o->clocks : clocks;
    unsigned busy = whole > o->int_overlap ? whole - o->int_overlap : 1;
    return busy < clocks ? busy : clocks;
}

/* The next three functions move the registers' clocks as the instruction moves the registers of the stack. */
static void push(fpu_unit *f, int64_t ready)
{
    for (unsigned i = FPU_REGISTERS - 1; i > 0; i--)
        f->st[i] = f->st[i - 1];
    f->st[0] = ready;
}

static void pop(fpu_unit *f)
{
    int64_t top = f->st[0];
    for (unsigned i = 0; i + 1 < FPU_REGISTERS; i++)
        f->st[i] = f->st[i + 1];
    f->st[FPU_REGISTERS - 1] = top; /* ST(7) is now the register that was ST(0) */
}

static void exchange(fpu_unit *f, unsigned i)
{
    int64_t top = f->st[0];
    f->st[0] = f->st[i];
    f->st[i] = top;
}

void fpu_issue(fpu_unit *f, const op *o, int64_t clock, int64_t end, unsigned clocks, bool unsafe)
{
    if (!is_x87(o))
        return;
    /* A memory operand that arrives late delays everything after it. */
    int64_t late = end - clock - (int64_t)fpu_occupancy(o, clocks);
    int64_t e = clock + late;
    int64_t ready = e + clocks;
    unsigned held = clocks > o->fp_overlap ? clocks - o->fp_overlap : 1; /* before another x87 instruction */
    f->issue = clock_later(f->issue, e + held);
    if (unsafe)
        f->issue = clock_later(f->issue, e + ER_CLOCKS);
    bool writes = true;
    switch (o->fp) {
    case ISA_FP_XCH:
        exchange(f, o->fp_index);
        return;
    case ISA_FP_LOAD:
    case ISA_FP_LOAD_SLOW:
        push(f, ready);
        f->status = clock_later(f->status, e + ER_CLOCKS);
        f->idle = clock_later(f->idle, ready);
        return;
    case ISA_FP_MUL:
        f->multiplier = e + ISA_X87_MULTIPLY_REPEAT;
        break;
    case ISA_FP_STORE:
        writes = !o->memory;
        break;
    case ISA_FP_COMPARE:
    case ISA_FP_STATUS:
    case ISA_FP_CONTROL:
        writes = false;
        break;
    default:
        break;
    }
    if (writes)
        f->st[o->fp_to_sti || (o->fp == ISA_FP_STORE) ? o->fp_index : 0] = ready;
    if (o->fp != ISA_FP_STATUS && o->fp != ISA_FP_CONTROL)
        f->status = clock_later(f->status, clock_later(e + ER_CLOCKS, ready + WF_TO_STATUS));
    f->idle = clock_later(f->idle, ready);
    for (int i = 0; i < o->fp_push; i++)
        push(f, ready);
    for (int i = 0; i > o->fp_push; i--)
        pop(f);
}

void fpu_complete_results(fpu_unit *f, int64_t clock)
{
    for (unsigned i = 0; i < FPU_REGISTERS; i++)
        f->st[i] = clock_earlier(f->st[i], clock - STORE_WAIT);
    f->status = clock_earlier(f->status, clock);
}

void fpu_exchange_pair(fpu_unit *f, const op *o, int64_t clock, bool unsafe)
{
    exchange(f, o->fp_index);
    f->integer = clock + 1 + (unsafe ? FXCH_UNSAFE : FXCH_SAFE);
}
