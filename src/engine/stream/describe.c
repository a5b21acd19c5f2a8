/* Translation. Unicorn translates guest code in blocks. A *description* (engine_block) belongs to one translated
 * block: its address is compiled into the block as the argument of the block hook, the function that the block
 * calls when it starts, so the running block is always known without a search. Before Unicorn translates, plan.c
 * decodes the block and decides where it ends. A WRAP(name) replaces Unicorn's function `name`, which REAL(name)
 * calls. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "engine/memory/code.h"
#include "engine/memory/coherence.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"
#include "engine/stream/stream_internal.h"
#include "engine/stretch/stretch.h"

/* Returns whether instruction number `i` has other bytes in two blocks with the same marks. */
static bool differs(const engine_block *a, const engine_block *b, unsigned i)
{
    unsigned at = a->marks[i].offset;
    return memcmp(a->code->bytes + at, b->code->bytes + at, a->marks[i + 1].offset - at) != 0;
}

/* Compares the new block `b` with the block that was translated before at its address, to find code that changes
 * itself. Makes blocks begin at and after each instruction that differs, so that only those are translated again
 * from now on. If more than a few differ, or the lengths do, it is other code, and this does nothing. */
static void compare_change(engine *e, engine_block *b)
{
    enum { FEW = 4 };
    engine_block **place = &e->stream.changing[plan_changing_place(b->linear)];
    const engine_block *before = *place;
    *place = b;
    if (!before || before == b || before->linear != b->linear || before->physical != b->physical ||
        before->flags != b->flags || before->count != b->count ||
        memcmp(before->marks, b->marks, (b->count + 1) * sizeof b->marks[0]) != 0)
        return;
    unsigned changed = 0;
    for (unsigned i = 0; i < b->count; i++)
        changed += differs(b, before, i);
    for (unsigned i = 0; i < b->count && changed <= FEW && changed < b->count; i++) {
        if (!differs(b, before, i))
            continue;
        plan_cut_at(e, b->linear + b->marks[i].offset);
        plan_cut_at(e, b->linear + b->marks[i + 1].offset);
    }
}

/* A block that is being translated. */
typedef struct translation {
    uc_translated *tb; /* Unicorn's data about it */
    uint32_t linear, physical;
    bool code32;     /* 32-bit code */
    code_bytes code; /* its bytes; `bytes` is NULL if its page is not present */
    /* First of the instructions that Unicorn is asked for, then of those that it has translated. */
    block_plan plan;
    unsigned planned; /* number of instructions that Unicorn is asked for */
    unsigned hash;    /* for index.c */
} translation;

/* Fills in the marks from the decoded instructions, and the size, also in `tb`. Returns false if Unicorn has not
 * translated what was decoded. */
static bool mark(engine *e, engine_block *b, uc_translated *tb)
{
    unsigned at = 0;
    for (unsigned i = 0; i < b->count; i++) {
        const isa_insn *insn = &e->stream.translated.insns[i];
        b->marks[i].offset = (uint16_t)at;
        b->marks[i + 1].accesses = (uint16_t)(b->marks[i].accesses + insn->accesses);
        b->marks[i + 1].values = (uint16_t)(b->marks[i].values + (block_form(insn)->value != ISA_VALUE_NONE));
        at += insn->length;
    }
    b->marks[b->count].offset = (uint16_t)at;
    assert(at <= UINT16_MAX && b->count <= BLOCK_INSNS);
    /* Unicorn does not read the rest of an instruction that it knows to fault: the x87 with CR0.TS. */
    if (tb->size > at || tb->size <= b->marks[b->count - 1].offset)
        return false;
    b->size = tb->size = (uint16_t)at;
    return true;
}

/* Returns whether the block may go into a batch (engine_block.quick): nothing but reporting it has to be done at its
 * end, and its records fit. */
static bool is_quick(const engine *e, const engine_block *b)
{
    /* Without descriptors, segments are numbers and the privilege does not change. */
    const uint32_t excluded =
        ISA_SYSTEM | ISA_IO | (e->stream.translated.real ? 0 : ISA_FAR_TRANSFER | ISA_SEGMENT_LOAD);
    const unsigned most = QUICK_ACCESSES + 2u * b->count;
    return block_rules[b->kind].batches && !(e->stream.translated.insns[b->count - 1].flags & excluded) &&
           b->marks[b->count].accesses <= most && e->stream.translated.references <= most;
}

/* Makes the timing model's description of the block, and computes what the block takes of a batch. Returns false if
 * memory runs out. */
static bool make_core_block(engine *e, engine_block *b, const translation *t)
{
    isa_block *made = isa_block_make(e->stream.translated.insns, b->count, t->code.bytes, b->linear,
                                     b->physical, t->code32);
    if (!made)
        return false;
    const uint64_t most = core_most_clocks(e->options.core);
    b->block = core_block_make(e->options.core, made);
    if (core_most_clocks(e->options.core) > most) { /* the owner has computed its limit of batches from it */
        stretch_no_batch(e);
        engine_request_attention_async(e);
    }
    if (!b->block)
        return false;
    enum { EACH = ENGINE_BATCH_CLOCKS / ENGINE_BATCH }; /* the fewest clocks that an instruction counts as */
    const uint64_t clocks = core_block_clocks(b->block);
    b->takes = b->count - (int64_t)(clocks > EACH * b->count ? clocks : EACH * b->count) * ENGINE_CLOCK_LEFT;
    b->code = made;
    return true;
}

/* Allocates a description with what is known before translation. `plan` decides how many marks there is space for.
 * Returns NULL if memory runs out. */
static engine_block *make(const uc_translated *tb, const block_plan *plan, uint32_t physical)
{
    engine_block *b = host_line_calloc(sizeof *b + (plan->count + 1) * sizeof b->marks[0]);
    if (!b)
        return NULL;
    b->linear = (uint32_t)tb->pc;
    b->physical = physical;
    b->flags = tb->flags;
    b->planned = (uint16_t)plan->count;
    b->levels.cpl = b->levels.cpl_after = tb->flags & UC_HF_CPL;
    b->levels.mode = tb->flags & EFLAGS_VM  ? P5_MODE_V86
                     : tb->flags & UC_HF_PE ? P5_MODE_PROTECTED
                                            : P5_MODE_REAL;
    b->levels.iopl = tb->flags >> 12 & 3; /* as in EFLAGS */
    return b;
}

/* Copies the plan of the block's final instructions into the block. */
static void copy_plan(engine_block *b, const block_plan *plan)
{
    b->count = (uint16_t)plan->count;
    b->kind = (uint8_t)plan->kind;
    b->ends = (uint8_t)block_rules[plan->kind].ends;
    b->needs = plan->needs;
    b->slow =
        block_rules[plan->kind].exact || b->needs.later || b->needs.extra_segments || b->needs.port_bytes;
}

/* Checks the space for translations, after one was added. Unicorn flushes by itself when its buffer is full, but
 * then it still links the previous block, which is gone, to the new one. So the translations are dropped earlier,
 * between two blocks: by block_make_room when `b` runs. */
static void check_buffer(engine *e, const uc_translated *tb, engine_block *b)
{
    if (code_translated(e, (uintptr_t)tb)) { /* Unicorn's descriptions lie in the same buffer */
        e->stream.translations_full = true;
        b->slow = true;
    }
}

/* Makes stores into these bytes of a block, which may lie in two pages, be noticed. */
static void protect(engine *e, uint32_t linear, uint32_t physical, unsigned size)
{
    unsigned here = ENGINE_PAGE_BYTES - (linear & ENGINE_PAGE_MASK);
    code_protect(e, physical, size < here ? size : here);
    if (size > here && mmu_peek_code(e, linear + here, &physical))
        code_protect(e, physical, size - here);
}

/* Finds the bytes and decides where the block ends. If an INVD comes in the block or later in its page, starts to
 * follow stores one by one (coherence_follow). */
static void plan_translation(engine *e, translation *t, int max_insns)
{
    unsigned max = max_insns < BLOCK_INSNS ? (unsigned)max_insns : BLOCK_INSNS;
    if (t->tb->flags & UC_HF_STEP) /* single instructions: guard_set_step_flag */
        max = 1;
    code_bytes_find(e, t->linear, &t->physical, &t->code);
    if (coherence_may_follow(e) && t->code.bytes && code_none_in_page(e, t->physical) &&
        plan_comes_to_invd(e, t->linear, t->code32, &t->code))
        coherence_follow(e);
    e->stream.translated.count = 0; /* nothing is decoded yet */
    e->stream.translated.real = uc_is_real(t->tb->flags);
    t->plan = plan_block(e, t->linear, t->tb->flags, max, &t->code);
    if (t->plan.kind == BLOCK_INVD && coherence_may_follow(e))
        coherence_follow(e);
    t->planned = t->plan.count;
    t->hash = index_hash(t->tb, &t->plan, t->physical, &t->code);
}

void REAL(gen_intermediate_code)(uc_cpu *cpu, uc_translated *tb, int max_insns);
/* Lets Unicorn translate the block, whose description will be `b`. `made`: it is new, and not in the index yet.
 * Does not return if fetching the block faults; `unfinished` then keeps a new description, so that it is freed
 * later. */
static void generate(engine *e, uc_cpu *cpu, translation *t, engine_block *b, bool made)
{
    stream_translated *now = &e->stream.translated;
    uc_hook_head *hook = e->stream.block_hook;
    hook->callback = guard_needs_hook(e, t->tb) ? (void *)stream_block_checked : (void *)stream_block;
    hook->user_data = b; /* what the call at the block's start passes: emit.c */
    now->unfinished = made ? b : NULL;
    now->kind = t->plan.kind;
    now->linear = t->linear;
    now->bytes = t->code.bytes;
    now->mmx_pending = false;
    now->references = 0;
    block_substitute_bytes(e, &t->plan, t->linear, &t->code);
    REAL(gen_intermediate_code)(cpu, t->tb, (int)t->plan.count);
    now->unfinished = NULL;
    code_substitute_bytes(e, 0, 0);
    if (t->tb->icount < t->planned) /* Unicorn also ends blocks for reasons of its own */
        t->plan = plan_block(e, t->linear, t->tb->flags, t->tb->icount, &t->code);
    if (t->plan.size > t->tb->size) /* count all of it as code, so that stores into it are noticed */
        t->tb->size = (uint16_t)t->plan.size;
    if (t->code.bytes)
        protect(e, t->linear, t->physical, t->tb->size);
    if (stretch_restarts(e)) /* the block before was left at a store, which this block makes */
        plan_cut_at(e, t->linear + t->plan.size);
}

/* Makes the run fail because Unicorn has not translated what was decoded. The block never executes. */
static void fail(engine *e, engine_block *b, const translation *t)
{
    const uint8_t none[4] = {0}, *c = t->code.bytes && t->code.size >= sizeof none ? t->code.bytes : none;
    engine_fail(
        e,
        "the block at %08x (%02x %02x %02x %02x) was translated as %u instructions of %u bytes, not as "
        "%u of %u, which is how it decodes",
        t->linear, c[0], c[1], c[2], c[3], (unsigned)t->tb->icount, (unsigned)t->tb->size, t->plan.count,
        t->plan.size);
    b->kind = BLOCK_FAILED;
    b->slow = true;
}

/* Completes a new description after translation. */
static void describe(engine *e, engine_block *b, const translation *t)
{
    copy_plan(b, &t->plan);
    check_buffer(e, t->tb, b);
    index_own(e, b);
    if (block_rules[b->kind].undescribed)
        return;
    /* Each condition would be an error of p5scope or Unicorn. */
    if (t->tb->icount == 0 || t->tb->icount > t->planned ||
        e->stream.translated.references > RECORD_RESERVE || e->stream.translated.count < b->count ||
        !mark(e, b, t->tb)) {
        fail(e, b, t);
        return;
    }
    b->quick = is_quick(e, b);
    if (!make_core_block(e, b, t)) {
        engine_fail_memory(e);
        fail(e, b, t);
        return;
    }
    index_add(e, b, t->hash);
    compare_change(e, b);
}

/* Completes the translation of a block for which the index had a description. */
static void described_before(engine *e, engine_block *b, const translation *t)
{
    check_buffer(e, t->tb, b);
    if (b->count != t->plan.count && b != e->stream.emergency)
        engine_fail(e, "the block at %08x is translated as %u instructions now, as %u before", t->linear,
                    t->plan.count, (unsigned)b->count);
    compare_change(e, b);
}

/* Unicorn calls this to translate the block at tb->pc: replaces its translator's main function, which `generate`
 * calls. `max_insns` is Unicorn's limit. Finds or makes the description. */
void WRAP(gen_intermediate_code)(uc_cpu *cpu, uc_translated *tb, int max_insns)
{
    engine *e = engine_of(uc_env_of(cpu));
    translation t = {.tb = tb, .linear = (uint32_t)tb->pc, .code32 = tb->flags & UC_HF_CS32};
    plan_translation(e, &t, max_insns);
    engine_block *before = index_find(e, tb, &t.plan, t.physical, &t.code, t.hash);
    index_discard(e, e->stream.translated.unfinished);
    engine_block *b = before ? before : make(tb, &t.plan, t.physical);
    if (!b) { /* out of memory: the emergency block reports it when it runs */
        e->stream.emergency->linear = t.linear;
        b = before = e->stream.emergency;
    }
    generate(e, cpu, &t, b, before == NULL);
    if (before)
        described_before(e, b, &t);
    else
        describe(e, b, &t);
    emit_start_as(e, b);
}
