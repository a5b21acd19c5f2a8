/* Finds the instructions that produced an instruction's operands, for pipeline diagrams. */
#include "core/pipe/trace.h"

p5_pipe_kind trace_kind(const op *o)
{
    if (o->unit == ISA_MMX_MUL)
        return P5_PIPE_MMX_MULTIPLY;
    if (o->flags & ISA_MMX)
        return P5_PIPE_MMX;
    if (!(o->flags & ISA_X87))
        return P5_PIPE_INTEGER;
    switch (o->fp) {
    case ISA_FP_XCH: /* a register rename */
    case ISA_FP_STORE:
    case ISA_FP_STATUS:
    case ISA_FP_CONTROL:
        return P5_PIPE_INTEGER;
    default:
        return P5_PIPE_X87;
    }
}

/* The sources of one instruction, found so far. */
typedef struct source_list {
    trace_sink *sink;
    p5_trace_source *sources;
    unsigned count;
} source_list;

/* Adds instruction `writer` (its number; 0: none) as a source, unless it is one already. As a source of an address it
 * replaces one of a value, because addresses are needed earlier. */
static void add_source(source_list *list, uint64_t writer, p5_source_kind kind, unsigned number)
{
    uint64_t distance = list->sink->count + 1 - writer; /* from the instruction that is being reported */
    if (writer == 0 || distance > UINT16_MAX)
        return;
    const p5_trace_source source = {(uint16_t)distance, (uint8_t)kind, (uint8_t)number};
    for (unsigned i = 0; i < list->count; i++)
        if (list->sources[i].distance == distance) {
            if (kind == P5_SOURCE_ADDRESS)
                list->sources[i] = source;
            return;
        }
    if (list->count < P5_TRACE_SOURCES)
        list->sources[list->count++] = source;
}

/* push and pop move the writers as the x87 stack moves its registers. */
static void push(uint64_t st[8], uint64_t writer)
{
    for (unsigned i = 7; i > 0; i--)
        st[i] = st[i - 1];
    st[0] = writer;
}

static void pop(uint64_t st[8])
{
    for (unsigned i = 0; i < 7; i++)
        st[i] = st[i + 1];
    st[7] = 0;
}

/* Records the x87 registers that `o`, with the number `self`, writes. */
static void x87_writes(uint64_t st[8], const op *o, uint64_t self)
{
    uint64_t top = st[0];
    switch (o->fp) {
    case ISA_FP_XCH: /* the values keep their producers */
        st[0] = st[o->fp_index];
        st[o->fp_index] = top;
        return;
    case ISA_FP_LOAD:
    case ISA_FP_LOAD_SLOW:
        push(st, self);
        return;
    case ISA_FP_STORE:
        if (!o->memory)
            st[o->fp_index] = self;
        break;
    case ISA_FP_COMPARE:
    case ISA_FP_STATUS:
    case ISA_FP_CONTROL:
        break;
    default:
        st[o->fp_to_sti ? o->fp_index : 0] = self;
        break;
    }
    for (int i = 0; i < o->fp_push; i++)
        push(st, self);
    for (int i = 0; i > o->fp_push; i--)
        pop(st);
}

void trace_sources(trace_sink *sink, const op *o, p5_trace_source sources[P5_TRACE_SOURCES])
{
    trace_writers *w = &sink->writers;
    source_list list = {sink, sources, 0};
    /* ESP is last: POP writes ESP in D2, and its other register later */
    static const uint8_t order[8] = {ISA_EAX, ISA_ECX, ISA_EDX, ISA_EBX, ISA_EBP, ISA_ESI, ISA_EDI, ISA_ESP};
    const unsigned late = o->address_gpr & w->late_gpr;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned gpr = order[i];
        if (o->use_gpr >> gpr & 1)
            add_source(&list, w->gpr[gpr], late >> gpr & 1 ? P5_SOURCE_ADDRESS : P5_SOURCE_REGISTER, gpr);
        if (o->read_mm >> i & 1)
            add_source(&list, w->mm[i], P5_SOURCE_MMX, i);
    }
    for (unsigned i = 8; i-- > 0;)
        if (o->read_st >> i & 1)
            add_source(&list, w->st[i], P5_SOURCE_X87, i);
    if (o->flags & (ISA_READS_FLAGS | ISA_READS_CARRY))
        add_source(&list, w->carry, P5_SOURCE_FLAGS, 0);
    if (o->flags & ISA_READS_FLAGS)
        add_source(&list, w->flags, P5_SOURCE_FLAGS, 0);
    uint64_t self = ++sink->count;
    /* MOV moffs,EAX writes EAX for pairing only */
    const unsigned written = o->flags & ISA_MOFFS && o->unit == ISA_STORE ? 0 : o->def_gpr;
    for (unsigned i = 0; i < 8; i++) {
        if (written >> i & 1)
            w->gpr[i] = self;
        if (o->write_mm >> i & 1)
            w->mm[i] = self;
    }
    w->late_gpr = (uint8_t)((w->late_gpr & ~written) | o->agi_gpr);
    if (o->flags & ISA_WRITES_FLAGS) {
        w->flags = self;
        w->carry = o->flags & ISA_KEEPS_CARRY ? w->carry : self;
    }
    if (o->flags & ISA_X87)
        x87_writes(w->st, o, self);
}
