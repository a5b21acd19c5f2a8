/* Translation. Every block that Unicorn translates is cut where the engine needs a boundary, and described. A
 * description belongs to one translated block: its address is compiled into the block as the argument of the
 * block hook, so the running block is always known without a search. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/core.h"
#include "engine/memory/behind.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"
#include "engine/memory/operand.h"
#include "engine/stream/stream_internal.h"
#include "engine/stretch/leave.h"
#include "engine/stretch/stretch.h"

enum { MAX_INSN_BYTES = 15 };
/* Size of the index: it starts small and grows with the number of blocks. A block counts as INDEX_UNITS or
 * more. */
enum { INDEX_FIRST = 1u << 10, INDEX_UNITS = 8 };
/* Host memory of the descriptions, including the core's, measured in instructions: one for each instruction
 * of a block and BLOCK_ITSELF for the block. The limit for all of them corresponds to about 256 MB. */
enum { BLOCK_ITSELF = 4, BLOCKS_AT_MOST = 1 << 20 };

/* What decoding has found out about the block to be translated. */
typedef struct block_plan {
    unsigned count; /* instructions, at least 1 */
    block_kind kind;
    bool address16;
    bool wide, waits, locks_up;
    uint8_t port_bytes;
    uint8_t scan_register, scan_bits;
    bool alias;      /* TEST as F6 /1 or F7 /1, which Unicorn does not know */
    bool locked_neg; /* LOCK NEG, which Unicorn translates to a loop that reads twice */
    uint8_t extra_segments;
    uint32_t flags; /* of the translated block */
    unsigned later;
    unsigned stores; /* instructions that store */
    unsigned size;   /* decoded bytes */
} block_plan;

/* The bytes of a block: in place, or joined in a buffer if its only instruction crosses a page end. */
typedef struct code_bytes {
    const uint8_t *bytes;
    size_t size;
    uint8_t joined[2 * MAX_INSN_BYTES];
} code_bytes;

static void code_bytes_find(engine *e, uint32_t linear, uint32_t *physical, code_bytes *code)
{
    const uint8_t *at = mmu_peek_code(e, linear, physical);
    code->bytes = at != NULL ? behind_code_page(e, *physical, at - (linear & ENGINE_PAGE_MASK)) +
                                   (linear & ENGINE_PAGE_MASK)
                             : NULL;
    code->size = code->bytes ? ENGINE_PAGE_BYTES - (linear & ENGINE_PAGE_MASK) : 0;
}

/* Appends the beginning of the next page to the last bytes of a page, if the next page is present. */
static void code_bytes_join(engine *e, uint32_t linear, code_bytes *code)
{
    uint32_t physical;
    size_t have = code->size < MAX_INSN_BYTES ? code->size : MAX_INSN_BYTES;
    memcpy(code->joined, code->bytes, have);
    const uint8_t *next = mmu_peek_code(e, linear + (uint32_t)code->size, &physical);
    if (next && have == code->size) {
        next = behind_code_page(e, physical, next);
        memcpy(code->joined + have, next, MAX_INSN_BYTES);
        have += MAX_INSN_BYTES;
    }
    code->bytes = code->joined;
    code->size = have;
}

static const isa_form *form_of(const isa_insn *insn)
{
    return &isa_forms[insn->form];
}

/* Recognises the markers of p5scope/guest.h: NOP after FS or GS and an address size prefix. */
static bool is_mark(const isa_insn *insn, const uint8_t *bytes)
{
    static const uint8_t mark[] = {0x67, 0x90};
    return insn->length == 1 + sizeof mark && memcmp(bytes + 1, mark, sizeof mark) == 0 &&
           insn->segment >= 1 + ENGINE_FS;
}

static bool is_v86(uint32_t flags)
{
    return flags & EFLAGS_VM;
}

/* Recognises a store with a CS prefix, because no code segment can be written in protected mode. The check
 * for an x87 has priority. */
static bool is_code_write(const isa_insn *insn, uint32_t flags)
{
    if (insn->flags & (ISA_X87 | ISA_MMX) && flags & (UC_HF_EM | UC_HF_TS))
        return false;
    if (!insn->segment || uc_is_real(flags) || !form_of(insn)->data_writes)
        return false;
    return (insn->memory || insn->flags & ISA_STRING) && operand_segment(insn, true, 0) == ENGINE_CS;
}

/* Recognises what VME and PVI change: the instructions for the interrupt flag, and INT n in V86 mode. */
static bool is_virtual(const isa_insn *insn, uint32_t flags)
{
    enum { IOPL = 3 << 12 };
    bool level3 = (flags & IOPL) == IOPL;
    switch (form_of(insn)->engine) {
    case ISA_E_CLI:
    case ISA_E_STI:
        return (flags & UC_HF_CPL) == 3 && !level3;
    case ISA_E_PUSHF:
    case ISA_E_POPF:
    case ISA_E_IRET:
        return is_v86(flags) && !level3;
    case ISA_E_INT_N:
        return is_v86(flags);
    default:
        return false;
    }
}

static uint8_t extra_segments(const isa_insn *insn)
{
    return insn->segment == 1 + ENGINE_FS ? GUARD_FS : insn->segment == 1 + ENGINE_GS ? GUARD_GS : 0;
}

static bool repeats(const isa_insn *insn)
{
    return insn->flags & ISA_STRING && (insn->rep || insn->repne);
}

/* Recognises instructions that do not exist in this mode: ARPL, LAR, LSL, SLDT, STR, LLDT, LTR, VERR and VERW
 * outside of protected mode, and MMX instructions while CR0.EM is set. They raise #UD before anything after
 * the opcode, and CR0.TS, is checked. */
static bool is_missing(const isa_insn *insn, uint32_t flags)
{
    return (form_of(insn)->traits & ISA_T_PROTECTED && uc_is_real(flags)) ||
           (insn->flags & ISA_MMX && flags & UC_HF_EM);
}

/* Returns which part of an instruction the engine does itself, by the instruction's row.
 *
 *   - TEST as F6 /1 or F7 /1 is unknown to Unicorn, and LOCK NEG becomes a loop that reads twice.
 *   - RCL, RCR and SETcc of memory: Unicorn puts computed flags into the state before the reference. If that
 *     faults, they must be the flags that the state says.
 *   - CMPXCHG8B takes its other flags from a place to which the block's last instruction has not yet written
 *     them.
 *   - INVD and WBINVD are translated to nothing, and ICEBP to an undefined instruction. */
static isa_engine engine_part(const isa_insn *insn)
{
    isa_engine part = (isa_engine)form_of(insn)->engine;
    if ((part == ISA_E_TEST && insn->reg != 1) || (part == ISA_E_NEG && !insn->lock) ||
        (part == ISA_E_SMSW && insn->operand_bytes != 4))
        return ISA_E_NONE;
    return part;
}

/* Recognises LOCK CMPXCHG8B with a register instead of memory, which is an invalid opcode: erratum 81. */
static bool is_locked_cmpxchg8b(const isa_insn *insn, const uint8_t *bytes)
{
    const uint8_t *opcode = bytes + insn->prefixes;
    return insn->lock && insn->length >= insn->prefixes + 3u && opcode[0] == 0x0f && opcode[1] == 0xc7 &&
           opcode[2] >> 3 == (3 << 3 | 1);
}

/* Recognises a POP to memory that is addressed by ESP on a 16-bit stack: Unicorn adds to all of ESP what POP
 * adds to SP. */
static bool pops_by_esp(const isa_insn *insn, const uint8_t *bytes, uint32_t flags)
{
    enum { SIB = 4, REGISTER = 7 };
    const uint8_t *modrm = bytes + insn->prefixes + 1;
    return form_of(insn)->traits & ISA_T_POP && insn->memory && insn->address32 && !(flags & UC_HF_SS32) &&
           (modrm[0] & REGISTER) == SIB && (modrm[1] & REGISTER) == ENGINE_ESP;
}

/* Returns what the last instruction of a block needs from the engine in addition to being executed. */
static block_kind kind_of(const isa_insn *insn, const uint8_t *bytes, block_plan *plan)
{
    const isa_form *form = form_of(insn);
    plan->locks_up = insn->flags & ISA_UNDEFINED && is_locked_cmpxchg8b(insn, bytes);
    if (insn->flags & ISA_UNDEFINED)
        return insn->length == MAX_INSN_BYTES ? BLOCK_TOO_LONG : BLOCK_UNDEFINED;
    if (is_missing(insn, plan->flags))
        return BLOCK_UNDEFINED;
    if (is_code_write(insn, plan->flags)) {
        plan->waits =
            insn->flags & (ISA_X87 | ISA_MMX) && form->fp != ISA_FP_CONTROL && form->fp != ISA_FP_STATUS;
        return BLOCK_CODE_WRITE;
    }
    if (is_virtual(insn, plan->flags))
        return BLOCK_VIRTUAL;
    if (is_mark(insn, bytes))
        return insn->segment == 1 + ENGINE_FS ? BLOCK_MARK_BEGIN : BLOCK_MARK_END;
    if (form->value == ISA_VALUE_COUNT)
        return BLOCK_COUNT;
    if (form->cost == ISA_COST_BSF || form->cost == ISA_COST_BSR) {
        plan->scan_register = insn->reg;
        plan->scan_bits = 8 * insn->operand_bytes;
        return BLOCK_SCAN;
    }
    static const uint8_t kinds[] = {
        [ISA_E_SMSW] = BLOCK_SMSW,   [ISA_E_FLAGS_FIRST] = BLOCK_FLAGS, [ISA_E_ARPL] = BLOCK_ARPL,
        [ISA_E_ENTER] = BLOCK_FRAME, [ISA_E_PUSHA] = BLOCK_FRAME,       [ISA_E_POPA] = BLOCK_FRAME,
        [ISA_E_INVD] = BLOCK_INVD,   [ISA_E_WBINVD] = BLOCK_WBINVD,     [ISA_E_ICEBP] = BLOCK_ICEBP};
    const isa_engine part = engine_part(insn);
    plan->wide = insn->operand_bytes == 4;
    plan->alias = part == ISA_E_TEST;
    plan->locked_neg = part == ISA_E_NEG;
    if (part == ISA_E_SMSW)
        plan->scan_register = insn->rm;
    if (pops_by_esp(insn, bytes, plan->flags))
        return BLOCK_FRAME;
    if (part < sizeof kinds && kinds[part] != BLOCK_PLAIN)
        return (block_kind)kinds[part];
    if (insn->flags & ISA_STRING && insn->flags & ISA_IO)
        plan->port_bytes = insn->operand_bytes;
    plan->address16 = !insn->address32;
    return repeats(insn) ? BLOCK_REP : plan->port_bytes ? BLOCK_PORT : BLOCK_PLAIN;
}

/* Returns true for instructions that must be the only one in their block: everything before them has retired
 * when they run, and everything after them sees their effects. */
static bool stands_alone(const isa_insn *insn, const uint8_t *bytes, uint32_t flags)
{
    return is_code_write(insn, flags) || is_missing(insn, flags) || is_virtual(insn, flags) ||
           insn->flags & (ISA_SYSTEM | ISA_IO | ISA_FAR_TRANSFER | ISA_UNDEFINED) || repeats(insn) ||
           form_of(insn)->value == ISA_VALUE_COUNT || engine_part(insn) >= ISA_E_ALONE ||
           is_mark(insn, bytes) || pops_by_esp(insn, bytes, flags);
}

/* Returns true for instructions that must begin a block. LOOPcc must, because when the count is zero Unicorn
 * leaves the block with flags that are only computed on the other path. Bit tests must, because Unicorn takes
 * their undefined flags (all but CF) from what the block's last instruction would have made of others. With
 * nothing before them these flags do not change, however the code is cut into blocks. */
static bool begins_block(const isa_insn *insn)
{
    return form_of(insn)->engine == ISA_E_BEGINS;
}

static bool ends_block(const isa_insn *insn, block_kind kind)
{
    return kind != BLOCK_PLAIN || form_of(insn)->branch != ISA_NOT_BRANCH ||
           insn->flags & (ISA_VARIABLE_ACCESSES | ISA_SEGMENT_LOAD);
}

/* Code that changes itself repeatedly. An instruction that was overwritten becomes a block of its own, and a
 * block that wrote into itself ends after the store. So only what has changed is translated again. Addresses
 * are linear, and an entry is overwritten by another address with the same place. Cuts change neither what is
 * executed nor what it costs. */
static unsigned changing_place(uint32_t linear)
{
    return linear * 0x9e3779b1u >> 22;
}
_Static_assert(CHANGING_PLACES == 1u << (32 - 22), "as many");

static void cut_at(engine *e, uint32_t linear)
{
    e->changed_at[changing_place(linear)] = linear;
}

static bool differs(const engine_block *a, const engine_block *b, unsigned i)
{
    unsigned at = a->marks[i].offset;
    return memcmp(a->code->bytes + at, b->code->bytes + at, a->marks[i + 1].offset - at) != 0;
}

/* Compares the new block `b` with the block that was there before, and cuts at the instructions that differ.
 * If more than a few differ, it is other code. */
static void note_change(engine *e, engine_block *b)
{
    enum { FEW = 4 };
    engine_block **place = &e->changing[changing_place(b->linear)];
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
        cut_at(e, b->linear + b->marks[i].offset);
        cut_at(e, b->linear + b->marks[i + 1].offset);
    }
}

static bool is_cut(const engine *e, uint32_t linear)
{
    return e->changed_at[changing_place(linear)] == linear || array_contains(e->cuts, e->cut_count, linear);
}

void engine_set_cuts(engine *e, const uint32_t *addresses, size_t count)
{
    if (count == 0 && e->cut_count == 0)
        return;
    e->cuts = addresses;
    e->cut_count = count;
    mmu_forget_code(e); /* descriptions are found again by their number of instructions */
}

/* Returns the block's instruction number `n`, which begins at `at`. Each instruction is decoded once. Returns
 * NULL if it does not end within `code`. */
static const isa_insn *decoded(engine *e, unsigned n, uint32_t linear, size_t at, bool code32,
                               const code_bytes *code)
{
    assert(n <= e->translated.count && at <= code->size);
    isa_insn *insn = &e->translated.insns[n];
    if (n < e->translated.count)
        return insn;
    if (!isa_decode(e->decoder, code->bytes + at, code->size - at, linear + (uint32_t)at, code32, insn))
        return NULL;
    e->translated.count = n + 1;
    return insn;
}

/* Decides where the block at `linear` ends. A block lies in one page, unless its only instruction crosses a
 * page end. So a fetch fault always belongs to a block's first instruction. */
static block_plan plan_block(engine *e, uint32_t linear, uint32_t flags, unsigned max, code_bytes *code)
{
    block_plan plan = {.kind = BLOCK_PLAIN, .flags = flags};
    bool code32 = flags & UC_HF_CS32;
    size_t at = 0;
    while (plan.count < max && (plan.count == 0 || !is_cut(e, linear + (uint32_t)at))) {
        const isa_insn *insn = decoded(e, plan.count, linear, at, code32, code);
        if (!insn) {
            if (plan.count)
                break;
            code_bytes_join(e, linear, code);
            max = 1;
            insn = decoded(e, 0, linear, 0, code32, code);
            if (!insn) {
                plan.count = 1; /* the second page is not present: fetching it will fault */
                break;
            }
        }
        bool alone = stands_alone(insn, code->bytes + at, plan.flags);
        bool stores = form_of(insn)->data_writes != 0;
        bool begins = alone || begins_block(insn);
        if ((begins && plan.count) || (stores && plan.stores && e->behind.invd))
            break;
        plan.stores += stores;
        plan.count++;
        plan.kind = kind_of(insn, code->bytes + at, &plan);
        plan.extra_segments |= extra_segments(insn);
        plan.later += form_of(insn)->models == ISA_P6;
        at += insn->length;
        if (alone || ends_block(insn, plan.kind) || at >= code->size)
            break;
    }
    assert(plan.count >= 1 && plan.count <= BLOCK_INSNS);
    plan.size = (unsigned)at;
    return plan;
}

/* Makes Unicorn translate other bytes than those in memory. An instruction that the processor does not have
 * must not reach Unicorn's translator, which aborts on some of these. */
static void substitute(engine *e, const block_plan *plan, uint32_t linear, const code_bytes *code)
{
    static const uint8_t ud2[] = {0x0f, 0x0b};
    enum { INT3 = 0xcc, DS_PREFIX = 0x3e };
    e->substitute_at = linear;
    e->substitute_size = 0;
    if (plan->size == 0 && code->size > 0) {
        /* The rest of the instruction is on a page that is not present. That must fault first, but Unicorn
         * rejects some opcodes without reading what belongs to them. The substitute is an instruction whose
         * last byte is on that page. */
        enum { MOV_AL = 0xb0 };
        e->substitute_size = (unsigned)code->size;
        memset(e->substitute, DS_PREFIX, code->size - 1);
        e->substitute[code->size - 1] = MOV_AL;
    } else if (plan->kind == BLOCK_UNDEFINED || plan->kind == BLOCK_TOO_LONG) {
        e->substitute_size = sizeof ud2;
        memcpy(e->substitute, ud2, sizeof ud2);
    } else if (plan->kind ==
               BLOCK_FRAME) { /* done before the block; Unicorn translates a NOP of the same length */
        static const uint8_t nop1[] = {0x90}, nop4[] = {0x0f, 0x1f, 0x40, 0x00};
        const bool is_enter = engine_part(&e->translated.insns[0]) == ISA_E_ENTER;
        const unsigned length = is_enter ? sizeof nop4 : sizeof nop1;
        e->substitute_size = plan->size;
        memset(e->substitute, DS_PREFIX, plan->size);
        memcpy(e->substitute + plan->size - length, is_enter ? nop4 : nop1, length);
    } else if (plan->kind == BLOCK_ICEBP) { /* has the same length, and ends the block */
        e->substitute_size = plan->size;
        memcpy(e->substitute, code->bytes, plan->size);
        e->substitute[plan->size - 1] = INT3;
    } else if (plan->alias || plan->locked_neg) {
        enum { LOCK = 0xf0, REPNE = 0xf2 /* has no meaning here */ };
        e->substitute_size = plan->size;
        memcpy(e->substitute, code->bytes, plan->size);
        unsigned at = e->translated.insns[0].prefixes; /* of the opcode */
        for (unsigned i = 0; i < at; i++)
            if (e->substitute[i] == LOCK)
                e->substitute[i] = REPNE;
        if (plan->alias)
            e->substitute[at + 1] &= (uint8_t)~0x38u;
    }
}

/* --- Descriptions --- */

/* Hashes the address, the mode and the first bytes, so that a place whose code changes often does not become
 * one long chain. */
static unsigned hash_of(const uc_translated *tb, const block_plan *plan, uint32_t physical,
                        const code_bytes *code)
{
    uint64_t first = 0;
    memcpy(&first, code->bytes, plan->size < sizeof first ? plan->size : sizeof first);
    uint64_t h = (physical ^ (tb->pc << 7) ^ tb->flags) * 0x9e3779b97f4a7c15u ^ first * 0xff51afd7ed558ccdu;
    return (unsigned)(h >> 40);
}

/* Fills in marks and the core's block after translation, from the instructions that Unicorn has
 * translated. */
static bool describe(engine *e, engine_block *b, uc_translated *tb, const code_bytes *code, bool code32)
{
    unsigned at = 0;
    bool last_looks_outside = false;
    /* without descriptors, segments are numbers and the privilege does not change */
    const uint32_t outside =
        ISA_SYSTEM | ISA_IO | (e->translated.real ? 0 : ISA_FAR_TRANSFER | ISA_SEGMENT_LOAD);
    if (e->translated.count < b->count)
        return false;
    for (unsigned i = 0; i < b->count; i++) {
        const isa_insn *insn = &e->translated.insns[i];
        b->marks[i].offset = (uint16_t)at;
        b->marks[i + 1].accesses = (uint16_t)(b->marks[i].accesses + insn->accesses);
        b->marks[i + 1].values = (uint16_t)(b->marks[i].values + (form_of(insn)->value != ISA_VALUE_NONE));
        last_looks_outside = (insn->flags & outside) != 0;
        at += insn->length;
    }
    b->marks[b->count].offset = (uint16_t)at;
    assert(at <= UINT16_MAX && b->count <= BLOCK_INSNS);
    unsigned room = QUICK_ACCESSES + 2u * b->count;
    b->quick = b->kind < BLOCK_REP && !last_looks_outside && b->marks[b->count].accesses <= room &&
               e->references <= room;
    /* Unicorn does not read the rest of an instruction that it knows to fault: the x87 with CR0.TS. */
    if (tb->size > at || tb->size <= b->marks[b->count - 1].offset)
        return false;
    tb->size = (uint16_t)at;
    b->size = (uint16_t)at;
    isa_block *made =
        isa_block_make(e->translated.insns, b->count, code->bytes, b->linear, b->physical, code32);
    if (!made) {
        engine_fail_memory(e);
        return false;
    }
    uint64_t most = core_most_clocks(e->options.core);
    b->block = core_block_make(e->options.core, made);
    if (core_most_clocks(e->options.core) > most) { /* the owner's plans depend on it */
        engine_no_batch(e);
        engine_request_attention_async(e);
    }
    if (b->block) {
        enum { EACH = ENGINE_BATCH_CLOCKS / ENGINE_BATCH };
        uint64_t clocks = core_block_clocks(b->block);
        b->takes =
            b->count - (int64_t)(clocks > EACH * b->count ? clocks : EACH * b->count) * ENGINE_CLOCK_LEFT;
    } else {
        engine_fail_memory(e);
    }
    b->code = b->block ? made : NULL;
    return b->block != NULL;
}

/* Returns a description that was made before for the same bytes at the same place, or NULL. Blocks are
 * translated again after a flush, and when other code in their page was overwritten; the core then keeps what
 * it has learned about them. */
static engine_block *find_again(engine *e, const uc_translated *tb, const block_plan *plan, uint32_t physical,
                                const code_bytes *code, unsigned hash)
{
    for (engine_block *b = e->block_index[hash % e->index_size]; b; b = b->next_in_index) {
        if (b->hash == hash && b->linear == (uint32_t)tb->pc && b->physical == physical &&
            b->flags == tb->flags && b->planned == plan->count && b->size <= code->size &&
            memcmp(b->code->bytes, code->bytes, b->size) == 0)
            return b;
    }
    return NULL;
}

static void index_add(engine *e, engine_block *b)
{
    engine_block **place = &e->block_index[b->hash % e->index_size];
    b->next_in_index = *place;
    *place = b;
}

/* Doubles the index. It stays unchanged if memory runs out. */
static void index_grow(engine *e)
{
    unsigned old_size = e->index_size;
    engine_block **old = e->block_index, **larger = calloc(2 * (size_t)old_size, sizeof(engine_block *));
    if (!larger)
        return;
    e->block_index = larger;
    e->index_size = 2 * old_size;
    for (unsigned i = 0; i < old_size; i++)
        for (engine_block *b = old[i], *next; b; b = next) {
            next = b->next_in_index;
            index_add(e, b);
        }
    free(old);
}

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
    b->levels.iopl = tb->flags >> 12 & 3;
    return b;
}

/* Copies the plan of the block's final instructions into the block. */
static void settle(engine_block *b, const block_plan *plan)
{
    b->count = (uint16_t)plan->count;
    b->kind = (uint8_t)plan->kind;
    b->address16 = plan->address16;
    b->port_bytes = plan->port_bytes;
    b->wide = plan->wide;
    b->waits = plan->waits;
    b->locks_up = plan->locks_up;
    b->later = plan->later;
    b->scan_register = plan->scan_register;
    b->scan_bits = plan->scan_bits;
    b->extra_segments = plan->extra_segments;
    b->slow = plan->kind > BLOCK_REP || plan->later || plan->extra_segments || plan->port_bytes;
}

static void discard(engine *e, engine_block *b)
{
    if (b && b->block) {
        engine_catch_up(e);
        p5_block_release(e->options.core, b->block);
    }
    free(b);
}

/* Checks the space for translations. Unicorn flushes by itself when its buffer is full, but then it still
 * links the previous block, which is gone, to the new one. So the translations are dropped earlier, between
 * two blocks: by block_make_room when `b` runs. */
static void note_room(engine *e, const uc_translated *tb, engine_block *b)
{
    const uintptr_t at = (uintptr_t)tb; /* they lie in that buffer, in order */
    if (e->translations == 0 || at < e->translations)
        e->translations = at;
    if (at - e->translations > ENGINE_TRANSLATIONS / 4 * 3) {
        e->translations_full = true;
        b->slow = true;
    }
}

/* Makes stores into these bytes of a block be noticed. */
static void protect(engine *e, uint32_t linear, uint32_t physical, unsigned size)
{
    unsigned here = ENGINE_PAGE_BYTES - (linear & ENGINE_PAGE_MASK);
    mmu_protect_code(e, physical, size < here ? size : here);
    if (size > here && mmu_peek_code(e, linear + here, &physical))
        mmu_protect_code(e, physical, size - here);
}

/* Returns true if there is an INVD between `linear` and the end of its page. The page is searched for the two
 * bytes first, which rarely occur, and only then decoded, because they may lie within other instructions. */
static bool comes_to_invd(engine *e, uint32_t linear, bool code32, const code_bytes *code)
{
    const uint8_t *found = behind_find_invd(code->bytes, code->size);
    isa_insn insn;
    for (size_t at = 0; found; at += insn.length) {
        if (!isa_decode(e->decoder, code->bytes + at, code->size - at, linear + (uint32_t)at, code32, &insn))
            return false;
        if (engine_part(&insn) == ISA_E_INVD)
            return true;
        if (code->bytes + at > found)
            found = behind_find_invd(code->bytes + at, code->size - at);
    }
    return false;
}

void REAL(gen_intermediate_code)(uc_cpu *cpu, uc_translated *tb, int max_insns);
/* Returns the block's description. */
static const engine_block *translate(engine *e, uc_cpu *cpu, uc_translated *tb, int max_insns)
{
    uint32_t linear = (uint32_t)tb->pc, physical = 0;
    bool code32 = tb->flags & UC_HF_CS32;
    unsigned max = max_insns < BLOCK_INSNS ? (unsigned)max_insns : BLOCK_INSNS;
    if (tb->flags & UC_HF_STEP)
        max = 1;
    code_bytes code;
    code_bytes_find(e, linear, &physical, &code);
    if (behind_may_follow(&e->behind) && code.bytes && physical < e->ram_bytes &&
        !e->code_lines[physical / ENGINE_PAGE_BYTES] && comes_to_invd(e, linear, code32, &code))
        behind_follow(e);
    e->translated.count = 0;
    e->translated.real = uc_is_real(tb->flags);
    block_plan plan = plan_block(e, linear, tb->flags, max, &code);
    if (plan.kind == BLOCK_INVD && behind_may_follow(&e->behind))
        behind_follow(e);
    unsigned hash = hash_of(tb, &plan, physical, &code);
    engine_block *known = find_again(e, tb, &plan, physical, &code, hash);
    discard(e, e->unfinished);
    engine_block *b = known ? known : make(tb, &plan, physical);
    if (!b) { /* out of memory: the emergency block reports it when it runs */
        e->emergency->linear = linear;
        b = known = e->emergency;
    }
    e->block_hook->callback = guard_looks(e, tb) ? (void *)stream_block_checked : (void *)stream_block;
    e->block_hook->user_data = b;
    e->unfinished = known ? NULL : b;
    e->translated.kind = plan.kind;
    e->mmx_pending = false;
    substitute(e, &plan, linear, &code);
    e->references = 0;
    /* A page fault of the second page may leave this call. */
    REAL(gen_intermediate_code)(cpu, tb, (int)plan.count);
    e->unfinished = NULL;
    e->substitute_size = 0;
    unsigned planned = plan.count;
    if (tb->icount < planned) /* Unicorn also ends blocks for reasons of its own */
        plan = plan_block(e, linear, tb->flags, tb->icount, &code);
    if (plan.size > tb->size) /* count all of it as code, so that stores into it are noticed */
        tb->size = (uint16_t)plan.size;
    if (code.bytes)
        protect(e, linear, physical, tb->size);
    if (e->restart)
        cut_at(e, linear + plan.size);
    if (known) {
        note_room(e, tb, known);
        if (known->count != plan.count && known != e->emergency)
            engine_fail(e, "the block at %08x is translated as %u instructions now, as %u before", linear,
                        plan.count, (unsigned)known->count);
        note_change(e, known);
        return known;
    }
    settle(b, &plan);
    note_room(e, tb, b);
    b->next = e->blocks;
    e->blocks = b;
    e->block_instructions += plan.count + BLOCK_ITSELF;
    if (e->block_instructions > BLOCKS_AT_MOST)
        b->slow = true; /* block_make_room when it runs */
    if (plan.kind == BLOCK_UNDEFINED || plan.kind == BLOCK_TOO_LONG)
        return b;
    if (tb->icount == 0 || tb->icount > planned || e->references > RECORD_RESERVE ||
        !describe(e, b, tb, &code, code32)) {
        const uint8_t *c = code.bytes;
        bool four = c && code.size >= 4;
        engine_fail(
            e,
            "the block at %08x (%02x %02x %02x %02x) was translated as %u instructions of %u bytes, not as "
            "%u of %u, which is how it decodes",
            linear, four ? c[0] : 0, four ? c[1] : 0, four ? c[2] : 0, four ? c[3] : 0, (unsigned)tb->icount,
            (unsigned)tb->size, plan.count, plan.size);
        b->kind = BLOCK_FAILED;
        b->slow = true;
        return b;
    }
    if (e->block_instructions > INDEX_UNITS * e->index_size)
        index_grow(e);
    b->hash = hash;
    index_add(e, b);
    note_change(e, b);
    return b;
}

void WRAP(gen_intermediate_code)(uc_cpu *cpu, uc_translated *tb, int max_insns)
{
    engine *e = engine_of(uc_env_of(cpu));
    const engine_block *b = translate(e, cpu, tb, max_insns);
    emit_start_as(e, b);
}

bool block_open(engine *e)
{
    e->index_size = INDEX_FIRST;
    e->block_index = calloc(e->index_size, sizeof *e->block_index);
    e->emergency = host_line_calloc(sizeof *e->emergency + sizeof e->emergency->marks[0]);
    if (!e->block_index || !e->emergency)
        return false;
    translations_gone(e);
    e->emergency->kind = BLOCK_FAILED;
    e->emergency->slow = true;
    return true;
}

static void discard_all(engine *e)
{
    while (e->blocks) {
        engine_block *b = e->blocks;
        e->blocks = b->next;
        discard(e, b);
    }
    e->block_instructions = 0;
}

/* Drops all descriptions and translations when there are too many, because code that changes all the time
 * leaves descriptions behind. */
bool block_make_room(engine *e)
{
    if (e->block_instructions <= BLOCKS_AT_MOST && !e->translations_full)
        return false;
    e->translations_full = false;
    translations_gone(e);
    UC_INTERNAL(tb_flush)(engine_cpu(e));
    g_hash_table_remove_all(e->block_hook->places);
    memset(e->block_index, 0, e->index_size * sizeof *e->block_index);
    memset(e->changing, 0, sizeof e->changing);
    discard_all(e);
    return true;
}

void block_close(engine *e)
{
    discard_all(e);
    discard(e, e->unfinished);
    discard(e, e->emergency);
    free(e->block_index);
}
