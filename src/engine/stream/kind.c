/* The kinds of blocks (block_kind in block.h): what happens before a block runs, and what Unicorn translates
 * instead of instructions that it does not have, or that the engine executes before their block. The rows are at
 * the end. A block of most kinds is a single instruction. */
#include <assert.h>
#include <string.h>

#include "engine/control/ports.h"
#include "engine/control/registers.h"
#include "engine/control/special.h"
#include "engine/memory/code.h"
#include "engine/memory/mmu.h"
#include "engine/segment/segmentation.h"
#include "engine/stream/stream_internal.h"
#include "engine/stretch/stretch.h"
#include "engine/stretch/value.h"
#include "engine/x87/x87.h"

/* --- Before a block runs --- */

/* Closes the batch with a block that ends with BSF or BSR, because their operand is recorded at the block's end. */
static void begin_scan(engine *e, engine_block *b)
{
    (void)b;
    stretch_no_batch(e);
}

/* Computes the arithmetic flags before an instruction that changes them and may fault. */
static void begin_flags(engine *e, engine_block *b)
{
    (void)b;
    registers_settle_flags(e);
}

/* Records the count of RCL or RCR by CL, on which its clocks depend. */
static void begin_count(engine *e, engine_block *b)
{
    begin_flags(e, b);
    value_add(e, ISA_VALUE_COUNT, e->env->regs[ENGINE_ECX] & 0xff);
}

/* Raises #GP for a forbidden port: INS and OUTS fault before they access memory, whatever the count. */
static void begin_port(engine *e, engine_block *b)
{
    if (ports_refused(e, (uint16_t)e->env->regs[ENGINE_EDX], b->needs.port_bytes, true))
        engine_raise(e, VECTOR_GP, 0);
}

/* Begins a REP string or its next part, and makes most of its iterations (repeat.c). */
static void begin_repeat(engine *e, engine_block *b)
{
    if (b->needs.port_bytes)
        begin_port(e, b);
    stretch_no_batch(e); /* it may be the last block of a batch, but not go on in one */
    stretch_repeat_begin(e, b);
    repeat_ahead(e, b);
}

/* Stores the upper half of CR0 into SMSW's register; Unicorn stores the lower half. */
static void begin_smsw(engine *e, engine_block *b)
{
    uint64_t *to = &e->env->regs[b->needs.scan_register];
    *to = ((uint32_t)*to & 0xffff) | ((uint32_t)e->env->cr[0] & 0xffff0000u);
}

/* Raises #UD for LOCK CMPXCHG8B of a register, with the bus locked. The processor reads the gate of #UD by a
 * locked read, which requires a writable page, and hangs. The workaround of operating systems is a read-only
 * page: then a page fault comes first. Specification update, erratum 81. */
static _Noreturn void raise_locked(engine *e)
{
    enum { VECTOR_BYTES = 4, GATE_BYTES = 8 };
    const unsigned bytes = engine_mode(e) == P5_MODE_REAL ? VECTOR_BYTES : GATE_BYTES;
    const uint32_t gate = (uint32_t)e->env->idt.base + VECTOR_UD * bytes;
    uint32_t code;
    if (mmu_faults(e, gate, MMU_WRITE, false, &code)) {
        e->env->cr[2] = gate;
        engine_raise(e, VECTOR_PF, code);
    }
    e->stream.locked_up = true;
    engine_raise(e, VECTOR_UD, 0);
}

/* Raises #UD, or hangs the processor by erratum 81 if the model has that. */
static void begin_undefined(engine *e, engine_block *b)
{
    if (b->needs.locks_up && e->options.locks_up)
        raise_locked(e);
    engine_raise(e, VECTOR_UD, 0);
}

/* Raises #GP(0) for an instruction of more than 15 bytes. */
static void begin_too_long(engine *e, engine_block *b)
{
    (void)b;
    engine_raise(e, VECTOR_GP, 0);
}

/* Raises #GP(0) for a store through CS, after what precedes the store. */
static void begin_code_write(engine *e, engine_block *b)
{
    if (b->needs.waits)
        x87_wait_before(e);
    if (block_form(b->code->insns)->traits & ISA_T_POP)
        stack_frame_read(e, b); /* this read comes first */
    engine_raise(e, VECTOR_GP, 0);
}

/* Executes ICEBP (F1): raises #DB as a trap after it. */
static void begin_icebp(engine *e, engine_block *b)
{
    stretch_run(e, b);
    e->env->eip += b->size;
    engine_raise(e, VECTOR_DB, 0);
}

/* Calls the owner's special() for INVD and WBINVD. */
static void begin_cache_flush(engine *e, engine_block *b)
{
    engine_special_call call = {.which = b->kind == BLOCK_INVD ? ENGINE_INVD : ENGINE_WBINVD};
    if (b->levels.cpl == 0) /* else the block itself raises #GP(0) */
        special_call(e, &call);
}

/* Calls the owner's special() for a marker. */
static void begin_mark(engine *e, engine_block *b)
{
    engine_special_call call = {.which = ENGINE_MARK,
                                .operand = b->kind == BLOCK_MARK_END,
                                .value = (uint32_t)e->env->regs[ENGINE_EAX]};
    special_call(e, &call);
}

/* Ends the run, because the block could not be translated or memory ran out. */
static void begin_failed(engine *e, engine_block *b)
{
    (void)b;
    engine_fail_memory(e); /* is ignored if the engine has failed already */
    engine_leave(e, ENGINE_FAILED);
}

/* --- What Unicorn translates instead: these write it to `to` and return its number of bytes --- */

enum { DS_PREFIX = 0x3e /* pads instructions, because it has no meaning before these */ };

/* Writes UD2. */
static unsigned substitute_ud2(uint8_t *to, const isa_insn *insn, const block_plan *plan,
                               const code_bytes *code)
{
    static const uint8_t ud2[] = {0x0f, 0x0b};
    (void)insn, (void)plan, (void)code;
    memcpy(to, ud2, sizeof ud2);
    return sizeof ud2;
}

/* Writes a NOP of the instruction's length. ENTER's has operands, because its block must end after it. */
static unsigned substitute_nop(uint8_t *to, const isa_insn *insn, const block_plan *plan,
                               const code_bytes *code)
{
    static const uint8_t nop1[] = {0x90}, nop4[] = {0x0f, 0x1f, 0x40, 0x00};
    const bool is_enter = plan_engine_part(insn) == ISA_E_ENTER;
    const unsigned length = is_enter ? sizeof nop4 : sizeof nop1;
    (void)code;
    memset(to, DS_PREFIX, plan->size);
    memcpy(to + plan->size - length, is_enter ? nop4 : nop1, length);
    return plan->size;
}

/* Writes an INT3 of the instruction's length, which ends the block. */
static unsigned substitute_int3(uint8_t *to, const isa_insn *insn, const block_plan *plan,
                                const code_bytes *code)
{
    enum { INT3 = 0xcc };
    (void)insn;
    memcpy(to, code->bytes, plan->size);
    to[plan->size - 1] = INT3;
    return plan->size;
}

/* Writes the form of TEST or NEG that Unicorn translates as the processor executes it: TEST with a ModRM.reg of 0
 * instead of 1, NEG without LOCK. */
static unsigned substitute_alias(uint8_t *to, const isa_insn *insn, const block_plan *plan,
                                 const code_bytes *code)
{
    enum { LOCK = 0xf0, REPNE = 0xf2 /* has no meaning here */, MODRM_REG = 0x38 };
    memcpy(to, code->bytes, plan->size);
    for (unsigned i = 0; i < insn->prefixes; i++)
        if (to[i] == LOCK)
            to[i] = REPNE;
    if (plan->alias)
        to[insn->prefixes + 1] &= (uint8_t)~MODRM_REG;
    return plan->size;
}

/* Writes prefixes and the opcode of MOV AL,imm8 up to the end of the page: the immediate is the first byte on the
 * next page, which is not present. Its fetch must fault first, but Unicorn rejects some opcodes without reading
 * what belongs to them. */
static unsigned substitute_crossing(uint8_t *to, const code_bytes *code)
{
    enum { MOV_AL = 0xb0 };
    memset(to, DS_PREFIX, code->size - 1);
    to[code->size - 1] = MOV_AL;
    return (unsigned)code->size;
}

/* Puts the bytes that Unicorn is to translate instead of the block's, if any, where it fetches them. */
void block_substitute_bytes(engine *e, const block_plan *plan, uint32_t linear, const code_bytes *code)
{
    uint8_t bytes[2 * MAX_INSN_BYTES];
    const isa_insn *insn = e->stream.translated.insns;
    block_substitute *substitute = block_rules[plan->kind].substitute;
    unsigned size = 0;
    assert(plan->kind < BLOCK_KINDS);
    if (plan->size == 0 && code->size > 0) /* the instruction continues on a page that is not present */
        size = substitute_crossing(bytes, code);
    else if (substitute != NULL)
        size = substitute(bytes, insn, plan, code);
    else if (plan->alias || plan->locked_neg)
        size = substitute_alias(bytes, insn, plan, code);
    assert(size <= MAX_INSN_BYTES);
    memcpy(code_substitute_bytes(e, linear, size), bytes, size);
}

/* --- The table: block_rule has the meaning of the members --- */

const block_rule block_rules[BLOCK_KINDS] = {
    [BLOCK_ORDINARY] = {.batches = true},
    [BLOCK_SCAN] = {begin_scan, .batches = true, .ends = BLOCK_ENDS_SCAN},
    [BLOCK_COUNT] = {begin_count, .batches = true},
    [BLOCK_FLAGS] = {begin_flags, .batches = true},
    [BLOCK_FRAME] = {stack_frame_execute, .batches = true, .substitute = substitute_nop},
    [BLOCK_REP] = {begin_repeat, .ends = BLOCK_ENDS_REPEAT}, /* may end a batch: repeat_joins */
    [BLOCK_PORT] = {begin_port, .exact = true},
    [BLOCK_ARPL] = {.exact = true},
    [BLOCK_SMSW] = {begin_smsw, .exact = true},
    [BLOCK_UNDEFINED] = {begin_undefined, .exact = true, .undescribed = true, .substitute = substitute_ud2},
    [BLOCK_TOO_LONG] = {begin_too_long, .exact = true, .undescribed = true, .substitute = substitute_ud2},
    [BLOCK_CODE_WRITE] = {begin_code_write, .exact = true},
    [BLOCK_VIRTUAL] = {virtual_flag_execute, .exact = true},
    [BLOCK_INVD] = {begin_cache_flush, .exact = true},
    [BLOCK_WBINVD] = {begin_cache_flush, .exact = true},
    [BLOCK_ICEBP] = {begin_icebp, .exact = true, .substitute = substitute_int3},
    [BLOCK_MARK_BEGIN] = {begin_mark, .exact = true},
    [BLOCK_MARK_END] = {begin_mark, .exact = true},
    [BLOCK_FAILED] = {begin_failed, .exact = true, .undescribed = true},
};
