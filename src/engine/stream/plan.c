/* Planning: where the block that is to be translated ends, and what it needs from the engine. Every block that
 * Unicorn translates is cut where the engine needs a boundary: a place between two instructions at which everything
 * before has been retired. `flags` are the mode of the block (uc_translated.flags): hflags and some of EFLAGS. */
#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "engine/memory/code.h"
#include "engine/memory/coherence.h"
#include "engine/memory/mmu.h"
#include "engine/memory/operand.h"
#include "engine/stream/stream_internal.h"

/* Finds the bytes from `linear` to the end of its page as they are fetched, and its physical address. */
void code_bytes_find(engine *e, uint32_t linear, uint32_t *physical, code_bytes *code)
{
    const uint8_t *at = mmu_peek_code(e, linear, physical);
    code->bytes = at != NULL ? coherence_code_page(e, *physical, at - (linear & ENGINE_PAGE_MASK)) +
                                   (linear & ENGINE_PAGE_MASK)
                             : NULL;
    code->size = code->bytes ? ENGINE_PAGE_BYTES - (linear & ENGINE_PAGE_MASK) : 0;
}

/* Puts the last bytes of a page, which hold no complete instruction, and the beginning of the next page, if that is
 * present, into code->joined. */
static void code_bytes_join(engine *e, uint32_t linear, code_bytes *code)
{
    uint32_t physical;
    size_t have = code->size < MAX_INSN_BYTES ? code->size : MAX_INSN_BYTES;
    memcpy(code->joined, code->bytes, have);
    const uint8_t *next = mmu_peek_code(e, linear + (uint32_t)code->size, &physical);
    if (next && have == code->size) {
        next = coherence_code_page(e, physical, next);
        memcpy(code->joined + have, next, MAX_INSN_BYTES);
        have += MAX_INSN_BYTES;
    }
    code->bytes = code->joined;
    code->size = have;
}

/* Returns true for the markers of p5scope/guest.h: NOP after FS or GS and an address size prefix. */
static bool is_mark(const isa_insn *insn, const uint8_t *bytes)
{
    static const uint8_t mark[] = {0x67, 0x90};
    return insn->length == 1 + sizeof mark && memcmp(bytes + 1, mark, sizeof mark) == 0 &&
           insn->segment >= 1 + ENGINE_FS;
}

/* Returns whether the block is in V86 mode. */
static bool is_v86(uint32_t flags)
{
    return flags & EFLAGS_VM;
}

/* Returns true for a store through CS in protected mode, where no code segment can be written. The check for an x87
 * (#NM) has priority. */
static bool is_code_write(const isa_insn *insn, uint32_t flags)
{
    if (insn->flags & (ISA_X87 | ISA_MMX) && flags & (UC_HF_EM | UC_HF_TS))
        return false;
    if (!insn->segment || uc_is_real(flags) || !block_form(insn)->data_writes)
        return false;
    return (insn->memory || insn->flags & ISA_STRING) && operand_segment(insn, true, 0) == ENGINE_CS;
}

/* Returns true for what CR4.VME and PVI change: the instructions for the interrupt flag without the privilege of
 * IOPL, and INT n in V86 mode. */
static bool is_virtual(const isa_insn *insn, uint32_t flags)
{
    enum { IOPL = 3 << 12 };
    bool iopl3 = (flags & IOPL) == IOPL; /* CPL 3 may use the interrupt flag itself */
    switch (block_form(insn)->engine) {
    case ISA_E_CLI:
    case ISA_E_STI:
        return (flags & UC_HF_CPL) == 3 && !iopl3;
    case ISA_E_PUSHF:
    case ISA_E_POPF:
    case ISA_E_IRET:
        return is_v86(flags) && !iopl3;
    case ISA_E_INT_N:
        return is_v86(flags);
    default:
        return false;
    }
}

/* Returns the FS or GS override of the instruction as a bit of block_needs.extra_segments; 0: none. */
static uint8_t extra_segments(const isa_insn *insn)
{
    return insn->segment == 1 + ENGINE_FS ? GUARD_FS : insn->segment == 1 + ENGINE_GS ? GUARD_GS : 0;
}

/* Returns true for string instructions with a REP prefix. */
static bool repeats(const isa_insn *insn)
{
    return insn->flags & ISA_STRING && (insn->rep || insn->repne);
}

/* Returns true for instructions that do not exist in this mode: ARPL, LAR, LSL, SLDT, STR, LLDT, LTR, VERR and VERW
 * outside of protected mode, and MMX instructions while CR0.EM is set. They raise #UD before anything after
 * the opcode, and CR0.TS, is checked. */
static bool is_missing(const isa_insn *insn, uint32_t flags)
{
    return (block_form(insn)->traits & ISA_T_PROTECTED && uc_is_real(flags)) ||
           (insn->flags & ISA_MMX && flags & UC_HF_EM);
}

/* Returns which part of an instruction the engine does itself, by the instruction's row in instructions.tsv.
 * ISA_E_NONE if Unicorn does all of it, which for some rows depends on the encoding:
 *
 *   - TEST as F6 /1 or F7 /1 is unknown to Unicorn, and LOCK NEG becomes a loop that reads twice.
 *   - RCL, RCR and SETcc of memory: Unicorn puts computed flags into the state before the reference. If that
 *     faults, they must be the flags that the state says.
 *   - CMPXCHG8B takes its other flags from a place to which the block's last instruction has not yet written
 *     them.
 *   - INVD and WBINVD are translated to nothing, and ICEBP to an undefined instruction. */
isa_engine plan_engine_part(const isa_insn *insn)
{
    isa_engine part = (isa_engine)block_form(insn)->engine;
    if ((part == ISA_E_TEST && insn->reg != 1) || (part == ISA_E_NEG && !insn->lock) ||
        (part == ISA_E_SMSW && insn->operand_bytes != 4))
        return ISA_E_NONE;
    return part;
}

/* Returns true for LOCK CMPXCHG8B with a register instead of memory, which is an invalid opcode: erratum 81. */
static bool is_locked_cmpxchg8b(const isa_insn *insn, const uint8_t *bytes)
{
    const uint8_t *opcode = bytes + insn->prefixes;
    return insn->lock && insn->length >= insn->prefixes + 3u && opcode[0] == 0x0f && opcode[1] == 0xc7 &&
           opcode[2] >> 3 == (3 << 3 | 1);
}

/* Returns true for a POP to memory that is addressed by ESP on a 16-bit stack: Unicorn adds to all of ESP what POP
 * adds to SP. */
static bool pops_by_esp(const isa_insn *insn, const uint8_t *bytes, uint32_t flags)
{
    enum { SIB = 4, REGISTER = 7 };
    const uint8_t *modrm = bytes + insn->prefixes + 1;
    return block_form(insn)->traits & ISA_T_POP && insn->memory && insn->address32 && !(flags & UC_HF_SS32) &&
           (modrm[0] & REGISTER) == SIB && (modrm[1] & REGISTER) == ENGINE_ESP;
}

/* Returns the kind of a block whose last instruction is `insn`: what that needs from the engine in addition to being
 * executed. Also sets plan->needs, alias and locked_neg. `bytes` are those of the instruction. */
static block_kind kind_of(const isa_insn *insn, const uint8_t *bytes, block_plan *plan)
{
    const isa_form *form = block_form(insn);
    plan->needs.locks_up = insn->flags & ISA_UNDEFINED && is_locked_cmpxchg8b(insn, bytes);
    if (insn->flags & ISA_UNDEFINED)
        return insn->length == MAX_INSN_BYTES ? BLOCK_TOO_LONG : BLOCK_UNDEFINED;
    if (is_missing(insn, plan->flags))
        return BLOCK_UNDEFINED;
    if (is_code_write(insn, plan->flags)) {
        plan->needs.waits =
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
        plan->needs.scan_register = insn->reg;
        plan->needs.scan_bits = 8 * insn->operand_bytes;
        return BLOCK_SCAN;
    }
    static const uint8_t kinds[] = {
        /* by what the engine does; 0: BLOCK_ORDINARY */
        [ISA_E_SMSW] = BLOCK_SMSW,   [ISA_E_FLAGS_FIRST] = BLOCK_FLAGS, [ISA_E_ARPL] = BLOCK_ARPL,
        [ISA_E_ENTER] = BLOCK_FRAME, [ISA_E_PUSHA] = BLOCK_FRAME,       [ISA_E_POPA] = BLOCK_FRAME,
        [ISA_E_INVD] = BLOCK_INVD,   [ISA_E_WBINVD] = BLOCK_WBINVD,     [ISA_E_ICEBP] = BLOCK_ICEBP};
    const isa_engine part = plan_engine_part(insn);
    plan->needs.wide = insn->operand_bytes == 4;
    plan->alias = part == ISA_E_TEST;
    plan->locked_neg = part == ISA_E_NEG;
    if (part == ISA_E_SMSW)
        plan->needs.scan_register = insn->rm;
    if (pops_by_esp(insn, bytes, plan->flags))
        return BLOCK_FRAME;
    if (part < sizeof kinds && kinds[part] != BLOCK_ORDINARY)
        return (block_kind)kinds[part];
    if (insn->flags & ISA_STRING && insn->flags & ISA_IO)
        plan->needs.port_bytes = insn->operand_bytes;
    plan->needs.address16 = !insn->address32;
    return repeats(insn) ? BLOCK_REP : plan->needs.port_bytes ? BLOCK_PORT : BLOCK_ORDINARY;
}

/* Returns true for instructions that must be the only one in their block: everything before them has retired
 * when they run, and everything after them sees their effects. */
static bool stands_alone(const isa_insn *insn, const uint8_t *bytes, uint32_t flags)
{
    return is_code_write(insn, flags) || is_missing(insn, flags) || is_virtual(insn, flags) ||
           insn->flags & (ISA_SYSTEM | ISA_IO | ISA_FAR_TRANSFER | ISA_UNDEFINED) || repeats(insn) ||
           block_form(insn)->value == ISA_VALUE_COUNT || plan_engine_part(insn) >= ISA_E_ALONE ||
           is_mark(insn, bytes) || pops_by_esp(insn, bytes, flags);
}

/* Returns true for instructions that must begin a block. LOOPcc must, because when the count is zero Unicorn
 * leaves the block with flags that are only computed on the other path. Bit tests must, because Unicorn takes
 * their undefined flags (all but CF) from what the block's last instruction would have made of others. With
 * nothing before them these flags do not change, however the code is cut into blocks. */
static bool begins_block(const isa_insn *insn)
{
    return block_form(insn)->engine == ISA_E_BEGINS;
}

/* Returns true for instructions after which the block ends. `kind` is what kind_of has returned for it. */
static bool ends_block(const isa_insn *insn, block_kind kind)
{
    return kind != BLOCK_ORDINARY || block_form(insn)->branch != ISA_NOT_BRANCH ||
           insn->flags & (ISA_VARIABLE_ACCESSES | ISA_SEGMENT_LOAD);
}

/* Makes a block begin at linear address `linear`, for code that changes itself repeatedly. An instruction that was
 * overwritten becomes a block of its own, and a block that wrote into itself ends after the store. So only what
 * has changed is translated again. The table of these addresses is a cache: an entry is overwritten by another
 * address with the same hash. Cuts change neither what is executed nor what it costs. */
void plan_cut_at(engine *e, uint32_t linear)
{
    e->stream.changed_at[plan_changing_place(linear)] = linear;
}

/* Returns whether a block has to begin at this address, by plan_cut_at or engine_set_cuts. */
static bool is_cut(const engine *e, uint32_t linear)
{
    return e->stream.changed_at[plan_changing_place(linear)] == linear ||
           array_contains(e->stream.cuts, e->stream.cut_count, linear);
}

/* Makes blocks begin at these ascending addresses, which remain the caller's, instead of those of the last call. */
void engine_set_cuts(engine *e, const uint32_t *addresses, size_t count)
{
    if (count == 0 && e->stream.cut_count == 0)
        return;
    e->stream.cuts = addresses;
    e->stream.cut_count = count;
    code_forget(e); /* descriptions are found again by their number of instructions */
}

/* Returns instruction number `n` of the block at `linear`, which begins `at` bytes after it. Each instruction is
 * decoded once, into stream_translated.insns. Returns NULL if it does not end within `code`. */
static const isa_insn *decoded(engine *e, unsigned n, uint32_t linear, size_t at, bool code32,
                               const code_bytes *code)
{
    assert(n <= e->stream.translated.count && at <= code->size);
    isa_insn *insn = &e->stream.translated.insns[n];
    if (n < e->stream.translated.count)
        return insn;
    if (!isa_decode(e->decoder, code->bytes + at, code->size - at, linear + (uint32_t)at, code32, insn))
        return NULL;
    e->stream.translated.count = n + 1;
    return insn;
}

/* Decides where the block at `linear` ends, after `max` instructions at most. A block lies in one page, unless its
 * only instruction crosses a page end. So a fetch fault always belongs to a block's first instruction. */
block_plan plan_block(engine *e, uint32_t linear, uint32_t flags, unsigned max, code_bytes *code)
{
    block_plan plan = {.kind = BLOCK_ORDINARY, .flags = flags};
    bool code32 = flags & UC_HF_CS32;
    size_t at = 0;
    while (plan.count < max && (plan.count == 0 || !is_cut(e, linear + (uint32_t)at))) {
        const isa_insn *insn = decoded(e, plan.count, linear, at, code32, code);
        if (!insn) { /* it crosses the page end */
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
        bool stores = block_form(insn)->data_writes != 0;
        bool begins = alone || begins_block(insn);
        /* While stores are followed one by one (coherence_follow), a block has one at most. */
        if ((begins && plan.count) || (stores && plan.stores && coherence_invd(e)))
            break;
        plan.stores += stores;
        plan.count++;
        plan.kind = kind_of(insn, code->bytes + at, &plan);
        plan.needs.extra_segments |= extra_segments(insn);
        plan.needs.later += block_form(insn)->models == ISA_P6; /* only later processors have it */
        at += insn->length;
        if (alone || ends_block(insn, plan.kind) || at >= code->size)
            break;
    }
    assert(plan.count >= 1 && plan.count <= BLOCK_INSNS);
    plan.size = (unsigned)at;
    return plan;
}

/* Returns true if there is an INVD between `linear` and the end of its page. The page is searched for the two
 * bytes first, which rarely occur, and only then decoded, because they may lie within other instructions. */
bool plan_comes_to_invd(engine *e, uint32_t linear, bool code32, const code_bytes *code)
{
    const uint8_t *found = coherence_find_invd(code->bytes, code->size);
    isa_insn insn;
    for (size_t at = 0; found; at += insn.length) {
        if (!isa_decode(e->decoder, code->bytes + at, code->size - at, linear + (uint32_t)at, code32, &insn))
            return false;
        if (plan_engine_part(&insn) == ISA_E_INVD)
            return true;
        if (code->bytes + at > found)
            found = coherence_find_invd(code->bytes + at, code->size - at);
    }
    return false;
}
