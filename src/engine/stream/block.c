/* Translation: every block that Unicorn translates is cut where the engine needs a boundary, and described. A
 * description belongs to one translated block: its address is compiled into the block as the argument of the
 * block hook, so that the running block is always known without a search. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "engine/internal.h"

enum { MAX_INSN_BYTES = 15, INDEX_SIZE = 1u << 14 };
/* Descriptions, the core's included, take about as much of the host's memory as so many instructions: these
 * for each of a block's and some for the block itself; the limit of all is about 256 MB. */
enum { BLOCK_ITSELF = 4, BLOCKS_AT_MOST = 1 << 20 };

/* What a look at the bytes says about the block to be translated. */
typedef struct block_plan {
    unsigned count; /* instructions, at least 1 */
    block_kind kind;
    bool address16;
    bool wide, waits;
    uint8_t port_bytes;
    bool scan_reverse;
    uint8_t scan_register, scan_bits;
    bool alias;      /* TEST as F6 /1 or F7 /1, which Unicorn does not know */
    bool locked_neg; /* LOCK NEG, which Unicorn makes a loop that reads twice */
    uint8_t extra_segments;
    uint32_t flags; /* of the translated block */
    unsigned later;
    unsigned stores; /* instructions that store */
    unsigned size;   /* bytes of what was decoded */
} block_plan;

/* The bytes of a block: in place, or put together when its only instruction crosses a page end. */
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

/* Adds the beginning of the next page behind a page's last bytes; without it if it is not present. */
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

static unsigned insn_value(const isa_insn *insn)
{
    return isa_forms[insn->form].value;
}

static bool is_test_alias(const uint8_t *opcode)
{
    return (opcode[0] & 0xfe) == 0xf6 && (opcode[1] & 0x38) == 0x08;
}

static bool is_locked_neg(const isa_insn *insn, const uint8_t *opcode)
{
    return insn->lock && (opcode[0] & 0xfe) == 0xf6 && (opcode[1] & 0x38) == 0x18;
}

/* NOP behind FS or GS and an address size prefix. */
static bool is_mark(const isa_insn *insn, const uint8_t *bytes)
{
    return insn->length == 3 && bytes[2] == 0x90 && bytes[1] == 0x67 &&
           (bytes[0] == 0x64 || bytes[0] == 0x65);
}

static bool is_cmpxchg8b(const uint8_t *opcode)
{
    return opcode[0] == 0x0f && opcode[1] == 0xc7;
}

/* RCL, RCR and SETcc of memory, for which Unicorn puts computed flags into the state before the reference. If
 * it faults, they must be what the state says that they are. */
static bool computes_flags_first(const isa_insn *insn, const uint8_t *opcode)
{
    bool rotate = ((opcode[0] & 0xfe) == 0xc0 || (opcode[0] & 0xfc) == 0xd0) && (opcode[1] & 0x30) == 0x10;
    return insn->memory && (rotate || (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x90));
}

enum { OP_PUSHA = 0x60, OP_POPA = 0x61, OP_ARPL = 0x63, OP_ENTER = 0xc8 };

static bool is_stack_frame(uint8_t opcode)
{
    return opcode == OP_PUSHA || opcode == OP_POPA || opcode == OP_ENTER;
}

static bool is_arpl(const isa_insn *insn, const uint8_t *opcode)
{
    return insn->memory && opcode[0] == OP_ARPL;
}

static bool is_wide_smsw(const isa_insn *insn, const uint8_t *opcode)
{
    return opcode[0] == 0x0f && opcode[1] == 0x01 && (opcode[2] & 0xf8) == 0xe0 && insn->operand_bytes == 4;
}

/* BT, BTS, BTR, BTC. */
static bool is_bit_test(const uint8_t *opcode)
{
    return opcode[0] == 0x0f && ((opcode[1] & 0xe7) == 0xa3 || opcode[1] == 0xba);
}

static bool is_v86(uint32_t flags)
{
    return flags & UC_EFLAGS_VM;
}

/* A store with a CS prefix: no code segment can be written in protected mode. */
static bool is_code_write(const isa_insn *insn, const uint8_t *bytes, bool code32, uint32_t flags)
{
    if (!insn->segment || !(flags & UC_HF_PE) || is_v86(flags) || !isa_forms[insn->form].data_writes)
        return false;
    return (insn->memory || insn->flags & ISA_STRING) &&
           guard_segment_of(bytes, code32, true, 0) == ENGINE_CS;
}

/* What VME and PVI change: the interrupt flag's instructions, and INT n in V86 mode. */
static bool is_virtual(uint8_t opcode, uint32_t flags)
{
    enum { CLI = 0xfa, STI = 0xfb, PUSHF = 0x9c, POPF = 0x9d, INT = 0xcd, IRET = 0xcf, IOPL = 3 << 12 };
    bool level3 = (flags & IOPL) == IOPL;
    switch (opcode) {
    case CLI:
    case STI:
        return (flags & UC_HF_CPL) == 3 && !level3;
    case PUSHF:
    case POPF:
    case IRET:
        return is_v86(flags) && !level3;
    case INT:
        return is_v86(flags);
    default:
        return false;
    }
}

static uint8_t extra_segments(const isa_insn *insn, const uint8_t *bytes)
{
    uint8_t found = 0;
    for (unsigned i = 0; insn->segment && i < insn->prefixes; i++)
        found |= bytes[i] == 0x64 ? GUARD_FS : bytes[i] == 0x65 ? GUARD_GS : 0;
    return found;
}

static bool repeats(const isa_insn *insn)
{
    return insn->flags & ISA_STRING && (insn->rep || insn->repne);
}

/* ARPL, LAR, LSL, SLDT, STR, LLDT, LTR, VERR and VERW exist in protected mode only: #UD else, before anything
 * behind the opcode is looked at. */
static bool is_protected_only(const uint8_t *opcode, uint32_t flags)
{
    if (flags & UC_HF_PE && !(flags & UC_EFLAGS_VM))
        return false;
    return opcode[0] == 0x63 || (opcode[0] == 0x0f && (opcode[1] == 0x02 || opcode[1] == 0x03 ||
                                                       (opcode[1] == 0x00 && (opcode[2] >> 3 & 7) < 6)));
}

/* What a block's only instruction needs from the engine beside being executed. Unicorn translates INVD and
 * WBINVD to nothing, and ICEBP to an undefined instruction. */
static block_kind kind_of(const isa_insn *insn, const uint8_t *bytes, bool code32, block_plan *plan)
{
    const uint8_t *opcode = bytes + insn->prefixes;
    if (insn->flags & ISA_UNDEFINED)
        return insn->length == MAX_INSN_BYTES ? BLOCK_TOO_LONG : BLOCK_UNDEFINED;
    if (is_protected_only(opcode, plan->flags))
        return BLOCK_UNDEFINED;
    if (is_code_write(insn, bytes, code32, plan->flags)) {
        unsigned fp = isa_forms[insn->form].fp;
        plan->waits = insn->flags & (ISA_X87 | ISA_MMX) && fp != ISA_FP_CONTROL && fp != ISA_FP_STATUS;
        return BLOCK_CODE_WRITE;
    }
    if (is_virtual(opcode[0], plan->flags))
        return BLOCK_VIRTUAL;
    if (opcode[0] == 0x0f && opcode[1] == 0x08)
        return BLOCK_INVD;
    if (opcode[0] == 0x0f && opcode[1] == 0x09)
        return BLOCK_WBINVD;
    if (opcode[0] == 0xf1)
        return BLOCK_ICEBP;
    if (is_mark(insn, bytes))
        return bytes[0] == 0x64 ? BLOCK_MARK_BEGIN : BLOCK_MARK_END;
    if (insn_value(insn) == ISA_VALUE_COUNT)
        return BLOCK_COUNT;
    if (opcode[0] == 0x0f && (opcode[1] & 0xfe) == 0xbc) {
        plan->scan_reverse = opcode[1] & 1;
        plan->scan_register = opcode[2] >> 3 & 7;
        plan->scan_bits = 8 * insn->operand_bytes;
        return BLOCK_SCAN;
    }
    if (is_test_alias(opcode))
        plan->alias = true;
    if (is_locked_neg(insn, opcode))
        plan->locked_neg = true;
    if (computes_flags_first(insn, opcode))
        return BLOCK_FLAGS;
    if (is_arpl(insn, opcode))
        return BLOCK_ARPL;
    if (is_stack_frame(opcode[0])) {
        plan->wide = insn->operand_bytes == 4;
        return opcode[0] == OP_ENTER ? BLOCK_ENTER : opcode[0] == OP_PUSHA ? BLOCK_PUSHA : BLOCK_POPA;
    }
    if (is_wide_smsw(insn, opcode)) {
        plan->scan_register = opcode[2] & 7;
        return BLOCK_SMSW;
    }
    if ((opcode[0] & 0xfc) == 0x6c)
        plan->port_bytes = insn->operand_bytes;
    if (!repeats(insn))
        return plan->port_bytes ? BLOCK_PORT : BLOCK_PLAIN;
    plan->address16 = !code32;
    for (unsigned i = 0; i < insn->prefixes; i++) {
        if (bytes[i] == 0x67)
            plan->address16 = code32;
    }
    return BLOCK_REP;
}

/* Instructions that must stand alone: everything before them has been retired when they run, everything after
 * them sees what they did. CMPXCHG8B does because Unicorn's takes its other flags from where the block's last
 * instruction has not yet put them. */
static bool stands_alone(const isa_insn *insn, const uint8_t *bytes, bool code32, uint32_t flags)
{
    return is_code_write(insn, bytes, code32, flags) || is_protected_only(bytes + insn->prefixes, flags) ||
           is_virtual(bytes[insn->prefixes], flags) ||
           insn->flags & (ISA_SYSTEM | ISA_IO | ISA_FAR_TRANSFER | ISA_UNDEFINED) || repeats(insn) ||
           insn_value(insn) == ISA_VALUE_COUNT || is_test_alias(bytes + insn->prefixes) ||
           is_locked_neg(insn, bytes + insn->prefixes) ||
           computes_flags_first(insn, bytes + insn->prefixes) || is_stack_frame(bytes[insn->prefixes]) ||
           is_arpl(insn, bytes + insn->prefixes) || is_wide_smsw(insn, bytes + insn->prefixes) ||
           is_cmpxchg8b(bytes + insn->prefixes) || is_mark(insn, bytes);
}

/* Instructions that begin a block. LOOPcc does because Unicorn leaves it, when the count is zero, with flags
 * that are computed on the other way only. Bit tests do because Unicorn takes the flags that are undefined
 * behind them (all but CF) from what the block's last instruction would have made of others: with nothing
 * before them they stay as they are, however the code is cut into blocks. */
static bool begins_block(const isa_insn *insn, const uint8_t *bytes)
{
    return is_bit_test(bytes + insn->prefixes) || (bytes[insn->prefixes] & 0xfe) == 0xe0;
}

static bool ends_block(const isa_insn *insn, block_kind kind)
{
    return kind != BLOCK_PLAIN || isa_forms[insn->form].branch != ISA_NOT_BRANCH ||
           insn->flags & (ISA_VARIABLE_ACCESSES | ISA_SEGMENT_LOAD);
}

static bool is_cut(const engine *e, uint32_t linear)
{
    return array_contains(e->cuts, e->cut_count, linear);
}

void engine_set_cuts(engine *e, const uint32_t *addresses, size_t count)
{
    if (count == 0 && e->cut_count == 0)
        return;
    e->cuts = addresses;
    e->cut_count = count;
    mmu_forget_code(e); /* descriptions are found again by their number of instructions */
}

/* Decides where the block at `linear` ends. A block lies in one page, but for one whose only instruction
 * crosses a page end: so a fault of fetching is always one of a block's first instruction. */
static block_plan plan_block(engine *e, uint32_t linear, uint32_t flags, unsigned max, code_bytes *code)
{
    block_plan plan = {.kind = BLOCK_PLAIN, .flags = flags};
    bool code32 = flags & UC_HF_CS32;
    size_t at = 0;
    while (plan.count < max && (plan.count == 0 || !is_cut(e, linear + (uint32_t)at))) {
        isa_insn insn;
        if (!isa_decode(e->decoder, code->bytes + at, code->size - at, linear + (uint32_t)at, code32,
                        &insn)) {
            if (plan.count)
                break;
            code_bytes_join(e, linear, code);
            max = 1;
            if (!isa_decode(e->decoder, code->bytes, code->size, linear, code32, &insn)) {
                plan.count = 1; /* the second page is not there: fetching it will fault */
                break;
            }
        }
        bool alone = stands_alone(&insn, code->bytes + at, code32, plan.flags);
        bool stores = isa_forms[insn.form].data_writes != 0;
        bool begins = alone || begins_block(&insn, code->bytes + at);
        if ((begins && plan.count) || (stores && plan.stores && e->behind.invd))
            break;
        plan.stores += stores;
        plan.count++;
        plan.kind = kind_of(&insn, code->bytes + at, code32, &plan);
        plan.extra_segments |= extra_segments(&insn, code->bytes + at);
        plan.later += isa_forms[insn.form].models == ISA_P6;
        at += insn.length;
        if (alone || ends_block(&insn, plan.kind) || at >= code->size)
            break;
    }
    plan.size = (unsigned)at;
    return plan;
}

/* Has Unicorn translate something else than what stands in memory. What the processor does not have must not
 * reach its translator, which aborts on some of it. */
static void substitute(engine *e, const block_plan *plan, uint32_t linear, const code_bytes *code)
{
    static const uint8_t ud2[] = {0x0f, 0x0b};
    enum { INT3 = 0xcc };
    e->substitute_at = linear;
    e->substitute_size = 0;
    if (plan->kind == BLOCK_UNDEFINED || plan->kind == BLOCK_TOO_LONG) {
        e->substitute_size = sizeof ud2;
        memcpy(e->substitute, ud2, sizeof ud2);
    } else if (plan->kind == BLOCK_ICEBP) { /* as long, and ends the block */
        e->substitute_size = plan->size;
        memcpy(e->substitute, code->bytes, plan->size);
        e->substitute[plan->size - 1] = INT3;
    } else if (plan->alias || plan->locked_neg) {
        enum { LOCK = 0xf0, REPNE = 0xf2 /* means nothing here */ };
        e->substitute_size = plan->size;
        memcpy(e->substitute, code->bytes, plan->size);
        unsigned at = 0; /* of the opcode: behind the prefixes, none of which looks like it */
        for (; (e->substitute[at] & 0xfe) != 0xf6; at++) {
            if (plan->locked_neg && e->substitute[at] == LOCK)
                e->substitute[at] = REPNE;
        }
        if (plan->alias)
            e->substitute[at + 1] &= (uint8_t)~0x38u;
    }
}

/* --- Descriptions --- */

/* From the address, the mode and the first bytes: a place whose code changes often must not become one long
 * chain. */
static unsigned hash_of(const uc_translated *tb, const block_plan *plan, uint32_t physical,
                        const code_bytes *code)
{
    uint64_t first = 0;
    memcpy(&first, code->bytes, plan->size < sizeof first ? plan->size : sizeof first);
    uint64_t h = (physical ^ (tb->pc << 7) ^ tb->flags) * 0x9e3779b97f4a7c15u ^ first * 0xff51afd7ed558ccdu;
    return (unsigned)(h >> 40) % INDEX_SIZE;
}

/* Fills in marks and the core's block after translation: the instructions are those that Unicorn translated.
 */
static bool describe(engine *e, engine_block *b, uc_translated *tb, const code_bytes *code, bool code32)
{
    unsigned at = 0;
    bool last_looks_outside = false;
    for (unsigned i = 0; i < b->count; i++) {
        isa_insn insn;
        if (!isa_decode(e->decoder, code->bytes + at, code->size - at, b->linear + at, code32, &insn))
            return false;
        b->marks[i].offset = (uint16_t)at;
        b->marks[i + 1].accesses = (uint16_t)(b->marks[i].accesses + insn.accesses);
        b->marks[i + 1].values = (uint16_t)(b->marks[i].values + (insn_value(&insn) != ISA_VALUE_NONE));
        last_looks_outside = insn.flags & (ISA_SYSTEM | ISA_IO | ISA_FAR_TRANSFER | ISA_SEGMENT_LOAD);
        at += insn.length;
    }
    b->marks[b->count].offset = (uint16_t)at;
    unsigned room = QUICK_ACCESSES + 2u * b->count;
    b->quick = b->kind == BLOCK_PLAIN && !last_looks_outside && b->marks[b->count].accesses <= room &&
               e->references <= room;
    /* Unicorn leaves the rest of an instruction unread that it knows to fault: the x87 with CR0.TS. */
    if (tb->size > at || tb->size <= b->marks[b->count - 1].offset)
        return false;
    tb->size = (uint16_t)at;
    b->size = (uint16_t)at;
    b->bytes = malloc(at);
    if (!b->bytes)
        return false;
    memcpy(b->bytes, code->bytes, at);
    engine_catch_up(e);
    b->block = p5_block_make(e->options.core, code->bytes, at, b->linear, b->physical, code32, b->count);
    b->plain = b->quick && !b->slow;
    return b->block && p5_block_count(b->block) == b->count;
}

/* A description made before for the same bytes at the same place, or NULL. Blocks are translated again after
 * a flush and when other code in their page was overwritten; the core's memory of them goes on. */
static engine_block *find_again(engine *e, const uc_translated *tb, const block_plan *plan, uint32_t physical,
                                const code_bytes *code, unsigned hash)
{
    for (engine_block *b = e->block_index[hash]; b; b = b->next_in_index) {
        if (b->linear == (uint32_t)tb->pc && b->physical == physical && b->flags == tb->flags &&
            b->planned == plan->count && b->size <= code->size && memcmp(b->bytes, code->bytes, b->size) == 0)
            return b;
    }
    return NULL;
}

static engine_block *make(engine *e, const uc_translated *tb, const block_plan *plan, uint32_t physical)
{
    engine_block *b = calloc(1, sizeof *b + (plan->count + 1) * sizeof b->marks[0]);
    if (!b)
        return NULL;
    b->owner = e;
    b->linear = (uint32_t)tb->pc;
    b->physical = physical;
    b->flags = tb->flags;
    b->planned = (uint16_t)plan->count;
    b->levels.cpl = b->levels.cpl_after = tb->flags & UC_HF_CPL;
    b->levels.mode = tb->flags & UC_EFLAGS_VM ? P5_MODE_V86
                     : tb->flags & UC_HF_PE   ? P5_MODE_PROTECTED
                                              : P5_MODE_REAL;
    b->levels.iopl = tb->flags >> 12 & 3;
    return b;
}

/* What the block needs, by the plan of those instructions that it has. */
static void settle(engine_block *b, const block_plan *plan)
{
    b->count = (uint16_t)plan->count;
    b->kind = (uint8_t)plan->kind;
    b->address16 = plan->address16;
    b->port_bytes = plan->port_bytes;
    b->wide = plan->wide;
    b->waits = plan->waits;
    b->later = plan->later;
    b->scan_reverse = plan->scan_reverse;
    b->scan_register = plan->scan_register;
    b->scan_bits = plan->scan_bits;
    b->extra_segments = plan->extra_segments;
    b->slow = plan->kind > BLOCK_SCAN || plan->later || plan->extra_segments;
}

static void discard(engine *e, engine_block *b)
{
    if (b && b->block) {
        engine_catch_up(e);
        p5_block_release(e->options.core, b->block);
    }
    if (b)
        free(b->bytes);
    free(b);
}

void REAL(gen_intermediate_code)(uc_cpu *cpu, uc_translated *tb, int max_insns);
void WRAP(gen_intermediate_code)(uc_cpu *cpu, uc_translated *tb, int max_insns);
/* Unicorn flushes by itself when its room is full, but then still links the block that ran before, which is
 * gone, to the new one. So translations go earlier, between two blocks: block_make_room when `b` runs. */
static void note_room(engine *e, const uc_translated *tb, engine_block *b)
{
    const uintptr_t at = (uintptr_t)tb; /* they lie in that room, in order */
    if (e->translations == 0 || at < e->translations)
        e->translations = at;
    if (at - e->translations > ENGINE_TRANSLATIONS / 4 * 3) {
        e->translations_full = true;
        b->slow = true;
    }
}

void WRAP(gen_intermediate_code)(uc_cpu *cpu, uc_translated *tb, int max_insns)
{
    engine *e = engine_of(uc_env_of(cpu));
    uint32_t linear = (uint32_t)tb->pc, physical = 0;
    bool code32 = tb->flags & UC_HF_CS32;
    unsigned max = max_insns < BLOCK_INSNS ? (unsigned)max_insns : BLOCK_INSNS;
    if (tb->flags & UC_HF_STEP)
        max = 1;
    code_bytes code;
    code_bytes_find(e, linear, &physical, &code);
    if (code.bytes && physical < e->ram_bytes && !e->code_pages[physical / ENGINE_PAGE_BYTES])
        behind_search(e, code.bytes - (linear & ENGINE_PAGE_MASK));
    block_plan plan = plan_block(e, linear, tb->flags, max, &code);
    unsigned hash = hash_of(tb, &plan, physical, &code);
    engine_block *known = find_again(e, tb, &plan, physical, &code, hash);
    discard(e, e->unfinished);
    engine_block *b = known ? known : make(e, tb, &plan, physical);
    if (!b) { /* out of memory: the emergency block says so when it runs */
        e->emergency->linear = linear;
        b = known = e->emergency;
    }
    e->block_hook->user_data = b;
    e->unfinished = known ? NULL : b;
    e->translated.linear = linear;
    e->translated.bytes = code.bytes;
    e->translated.size = code.size;
    e->translated.kind = plan.kind;
    e->mmx_pending = false;
    substitute(e, &plan, linear, &code);
    e->references = 0;
    REAL(gen_intermediate_code)(cpu, tb, (int)plan.count); /* may leave by a page fault of the second page */
    e->unfinished = NULL;
    e->substitute_size = 0;
    unsigned planned = plan.count;
    if (tb->icount < planned) /* Unicorn ends blocks at places of its own, too */
        plan = plan_block(e, linear, tb->flags, tb->icount, &code);
    if (plan.size > tb->size) /* all of it is code, for the sake of who overwrites it */
        tb->size = (uint16_t)plan.size;
    if (known) {
        note_room(e, tb, known);
        if (known->count != plan.count && known != e->emergency)
            engine_fail(e, "the block at %08x is translated as %u instructions now, as %u before", linear,
                        plan.count, (unsigned)known->count);
        return;
    }
    settle(b, &plan);
    note_room(e, tb, b);
    b->next = e->blocks;
    e->blocks = b;
    e->block_instructions += plan.count + BLOCK_ITSELF;
    if (e->block_instructions > BLOCKS_AT_MOST)
        b->slow = true; /* block_make_room when it runs */
    if (plan.kind == BLOCK_UNDEFINED || plan.kind == BLOCK_TOO_LONG)
        return;
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
        return;
    }
    b->next_in_index = e->block_index[hash];
    e->block_index[hash] = b;
}

bool block_open(engine *e)
{
    e->block_index = calloc(INDEX_SIZE, sizeof *e->block_index);
    e->emergency = calloc(1, sizeof *e->emergency + sizeof e->emergency->marks[0]);
    if (!e->block_index || !e->emergency)
        return false;
    e->emergency->owner = e;
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

/* Code that changes all the time leaves descriptions behind; when there are too many, all of them and all
 * translations go. */
bool block_make_room(engine *e)
{
    if (e->block_instructions <= BLOCKS_AT_MOST && !e->translations_full)
        return false;
    e->translations_full = false;
    UC_INTERNAL(tb_flush)(engine_cpu(e));
    memset(e->block_index, 0, INDEX_SIZE * sizeof *e->block_index);
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
