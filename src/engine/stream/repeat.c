/* REP strings. Unicorn enters the block of such an instruction once for each iteration. Iterations whose
 * references hit the page cache are executed here, up to some hundred at a time. Unicorn executes the last one and
 * sets the flags. */
#include <assert.h>
#include <string.h>

#include "engine/memory/access.h"
#include "engine/memory/guard.h"
#include "engine/memory/operand.h"
#include "engine/stream/stream_internal.h"
#include "engine/stretch/stretch.h"

/* A REP string in progress. An *item* is what one iteration handles: a byte, word or dword. */
typedef struct strings {
    bool from, to;       /* it uses ESI; EDI */
    bool compares;       /* CMPS or SCAS */
    bool while_equal;    /* of these: goes on while items are equal (REPE), else while they differ */
    unsigned size;       /* bytes of an item */
    int32_t step;        /* bytes from one item to the next: size or -size, by DF */
    uint32_t eax;        /* source of STOS and SCAS */
    access_place source; /* host memory of the next item at ESI; valid if it hits the page cache */
    access_place target; /* host memory of the next item at EDI */
} strings;

/* Reads an item of `size` bytes from host memory. */
static inline uint32_t item(const uint8_t *host, unsigned size)
{
    uint32_t value = 0;
    memcpy(&value, host, size);
    return value;
}

/* Moves a place to the next item, which lies in the same page. */
static inline void place_step(access_place *place, int32_t step)
{
    place->linear += (uint32_t)step;
    place->offset += (uint32_t)step;
    place->host += step;
}

/* Which of ESI and EDI the iterations use, and whether they compare: as strings.from, to and compares. They are
 * parameters of `iterate` so that compilers make a loop for each combination. */
enum { USES_ESI = 1, USES_EDI = 2, COMPARES = 4 };

/* Executes and records up to `most` iterations, all within the pages that were found. A comparison stops before the
 * iteration that ends it. Changes memory but no registers. Returns the number executed. */
static inline __attribute__((always_inline)) uint32_t iterate(engine *e, strings *s, uint32_t most,
                                                              unsigned size, unsigned uses)
{
    const bool from = uses & USES_ESI, to = uses & USES_EDI, compares = uses & COMPARES;
    assert(from || to);
    access_place source = s->source, target = s->target;
    source.size = target.size = size;
    const uint32_t eax = size == 4 ? s->eax : s->eax & ((1u << 8 * size) - 1);
    uint32_t made = 0;
    for (; made < most; made++) {
        uint32_t value = from ? item(source.host, size) : eax;
        if (compares && (value == item(target.host, size)) != s->while_equal)
            break;
        if (compares) /* EDI's reference is recorded first, as Unicorn makes them */
            access_found(e, &target, 0);
        if (from)
            access_found(e, &source, 0);
        if (to && !compares) {
            memcpy(target.host, &value, size);
            access_found(e, &target, P5_ACCESS_WRITE);
        }
        if (from)
            place_step(&source, s->step);
        if (to)
            place_step(&target, s->step);
    }
    return made;
}

/* Calls `iterate` with the uses as a constant. */
static inline __attribute__((always_inline)) uint32_t iterate_with(engine *e, strings *s, uint32_t most,
                                                                   unsigned size)
{
    if (s->compares)
        return s->from ? iterate(e, s, most, size, USES_ESI | USES_EDI | COMPARES)
                       : iterate(e, s, most, size, USES_EDI | COMPARES);
    if (s->to)
        return s->from ? iterate(e, s, most, size, USES_ESI | USES_EDI) : iterate(e, s, most, size, USES_EDI);
    return iterate(e, s, most, size, USES_ESI);
}

/* Returns how many items from `at` on, in the direction of DF, lie in its page. */
static uint32_t in_page(const strings *s, const access_place *at)
{
    return 1 + (s->step > 0 ? ENGINE_PAGE_BYTES - s->size - at->offset : at->offset) / s->size;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Returns how many items from offset `at` in the segment on lie before the offset wraps around. `mask` is the largest
 * offset of the address size. */
static uint32_t before_wrap(const strings *s, uint32_t at, uint32_t mask)
{
    const uint32_t last = mask - (s->size - 1); /* offset of an item that ends with the segment */
    return at > last ? 0 : 1 + (s->step > 0 ? last - at : at) / s->size;
}

/* Adds `change` to the bits `mask` of a register, and keeps its other bits. */
static void step_register(uc_env *env, unsigned which, uint32_t change, uint32_t mask)
{
    uint32_t old = (uint32_t)env->regs[which];
    env->regs[which] = (old & ~mask) | ((old + change) & mask);
}

/* Executes all iterations of the REP string `b` from the current registers on that need no more than memory, in
 * groups of AT_ONCE at most, and updates ECX, ESI, EDI and EAX. Stops before the last iteration, one that misses
 * the page cache, and the one that ends a comparison. */
void repeat_ahead(engine *e, const engine_block *b)
{
    enum { AT_ONCE = 256 };
    const isa_insn *insn = b->code->insns;
    const isa_form *form = &isa_forms[insn->form];
    uc_env *env = e->env;
    const engine_segment_name segment = operand_segment(insn, false, form->engine == ISA_E_CMPS); /* of ESI */
    const uint32_t from_base = (uint32_t)env->segs[segment].base,
                   to_base = (uint32_t)env->segs[ENGINE_ES].base,
                   mask = insn->address32 ? UINT32_MAX : 0xffff;
    const bool user = engine_at_user_level(env);
    strings s = {.from = form->writes & 1 << ENGINE_ESI,
                 .to = form->writes & 1 << ENGINE_EDI,
                 .compares = insn->flags & ISA_WRITES_FLAGS,
                 .while_equal = !insn->had_f2, /* as Unicorn decides it for the last iteration */
                 .size = insn->operand_bytes,
                 .step = env->df * insn->operand_bytes,
                 .eax = (uint32_t)env->regs[ENGINE_EAX]};
    /* Unicorn makes every iteration that accesses a port, is single-stepped or may exceed a limit of real mode. */
    const bool singly =
        b->needs.port_bytes || b->flags & EFLAGS_TF || (insn->address32 && guard_real_limits(e));
    /* Iterations of the last group: made, and possible. A group that ends early, or an empty one, is the last. */
    uint32_t made = singly ? 0 : UINT32_MAX, most = made;
    while (made == most && most != 0 && !engine_iteration_wanted(e)) {
        const uint32_t left = (uint32_t)env->regs[ENGINE_ECX] & mask,
                       from = (uint32_t)env->regs[ENGINE_ESI] & mask,
                       to = (uint32_t)env->regs[ENGINE_EDI] & mask;
        /* Iterations for whose records there is space. */
        ptrdiff_t fit = stretch_records_left(e) / EACH_REPEAT;
        most = left > 1 && fit > 0 ? least(least(left - 1, AT_ONCE), (uint32_t)fit) : 0;
        if (s.from && access_find(e, from_base + from, s.size, user, false, &s.source))
            most = least(most, least(in_page(&s, &s.source), before_wrap(&s, from, mask)));
        else if (s.from)
            most = 0;
        if (s.to && access_find(e, to_base + to, s.size, user, !s.compares, &s.target))
            most = least(most, least(in_page(&s, &s.target), before_wrap(&s, to, mask)));
        else if (s.to)
            most = 0;
        made = s.size == 1   ? iterate_with(e, &s, most, 1)
               : s.size == 2 ? iterate_with(e, &s, most, 2)
                             : iterate_with(e, &s, most, 4);
        if (made != 0 && !s.to) /* LODS: an interrupted one has loaded the last item */
            step_register(env, ENGINE_EAX,
                          item(s.source.host + (int32_t)(made - 1) * s.step, s.size) -
                              (uint32_t)env->regs[ENGINE_EAX],
                          s.size == 4 ? UINT32_MAX : (1u << 8 * s.size) - 1);
        assert(made <= most && (most == 0 || made < left));
        step_register(env, ENGINE_ECX, 0u - made, mask);
        step_register(env, ENGINE_ESI, s.from ? made * (uint32_t)s.step : 0, mask);
        step_register(env, ENGINE_EDI, s.to ? made * (uint32_t)s.step : 0, mask);
    }
    /* What is recorded from here on belongs to the iteration that Unicorn makes. */
    stretch_iteration_begin(e);
}
