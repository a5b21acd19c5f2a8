/* Generated code for a data reference, and for an x87 instruction: one call of one of p5scope's functions.
 *
 * Unicorn's translator would generate a lookup in its own TLB, which is always empty, a call from a place
 * after the block, and a check for a request to exit. For an x87 instruction it would generate the reference
 * and one to three calls that pass values through the state. Here a reference becomes a call, and calls that
 * make up an instruction together (engine/x87/emit.h) become one.
 *
 * Unicorn's translator turns each guest instruction into operations of its intermediate code (uc_op), which it
 * compiles to host code afterwards. A WRAP(name) replaces one of its functions that generate operations, REAL(name)
 * or UC_INTERNAL(name) is such a function. `s` is the translator. Values are temporaries: Unicorn's functions use
 * their names, operations their addresses (uc_temporary_of). */
#include <assert.h>

#include "engine/memory/access.h"
#include "engine/stream/stream_internal.h"
#include "engine/stretch/stretch.h"
#include "engine/x87/emit.h"
#include "engine/x87/mmx.h"
#include "engine/x87/x87.h"

/* The translator's encoding of references (MemOp): size as power of two, sign (bit 2). Higher bits, for example for
 * another byte order, are requests that no instruction of these processors makes. */
enum { KIND_DWORD = 2, KIND_SIZE = 3, KIND_SIZE_AND_SIGN = 7 };

/* Generates a call of `function`, the address of a C function that changes no guest register. `result` is the
 * address of a temporary for its result, or 0; `arguments` are those of `count` temporaries. */
static void call(uc_translator *s, uintptr_t function, uintptr_t result, unsigned count,
                 const uintptr_t *arguments)
{
    assert(count + (result != 0) + 2 <= sizeof((uc_op *)NULL)->arguments / sizeof(uintptr_t));
    uc_op *op = UC_INTERNAL(tcg_emit_op)(s, UC_OP_CALL);
    unsigned at = 0;
    op->outputs = result != 0;
    op->inputs = count & 0xf;
    if (result)
        op->arguments[at++] = result;
    for (unsigned i = 0; i < count; i++)
        op->arguments[at++] = arguments[i];
    op->arguments[at++] = function;
    op->arguments[at] = UC_CALL_WRITES_NO_GLOBALS;
}

/* Returns the last operation if it is a call, else NULL. It is to come before a call whose last argument is
 * `last_argument`. An operation that sets that argument, a register's number, may lie in between. */
static uc_op *call_before(const uc_translator *s, uintptr_t last_argument)
{
    uc_op *last = uc_last_op(s);
    if (last && last->opcode != UC_OP_CALL && last->arguments[0] == last_argument)
        last = uc_op_before(s, last);
    return last && last->opcode == UC_OP_CALL ? last : NULL;
}

/* If the last operation is a call, and it and a call of `function` with these arguments are an emit_pair, replaces it by
 * the call of the pair's function and returns true. Otherwise `function` still has to be called. */
static bool join_calls(uc_translator *s, uintptr_t function, unsigned count, const uintptr_t *arguments)
{
    uc_op *last = call_before(s, arguments[count - 1]);
    if (!last)
        return false;
    const uintptr_t *inputs = last->arguments + last->outputs;
    const emit_pair *pair = x87_find_pair(inputs[last->inputs], function);
    if (!pair)
        return false;
    uintptr_t joined[2] = {inputs[0], 0};
    unsigned joined_count = last->inputs;
    if (pair->passes && (count < 2 || arguments[count - 1] != last->arguments[0]))
        return false;        /* the second does not use the first one's result */
    if (pair->from_second) { /* a store: its address */
        joined[1] = arguments[1];
        joined_count = 2;
    } else if (joined_count > 1) {
        joined[1] = inputs[1];
    }
    UC_INTERNAL(tcg_op_remove)(s, last);
    call(s, pair->whole, 0, joined_count, joined);
    return true;
}

/* Returns whether `function` is a load or store of access.c. */
static bool is_reference(uintptr_t function)
{
    for (unsigned i = 0; i < 2 * ACCESS_MODES; i++) {
        for (unsigned kind = 0; kind <= KIND_SIZE_AND_SIGN; kind++)
            if (function == (uintptr_t)access_loads[i / 2][i % 2][kind])
                return true;
        for (unsigned size = 0; size <= KIND_SIZE; size++)
            if (function == (uintptr_t)access_stores[i / 2][i % 2][size])
                return true;
    }
    return false;
}

/* Returns the engine to which the translator belongs. */
static engine *engine_of_translator(const uc_translator *s)
{
    uc_engine *uc = (uc_engine *)uc_translator_field(s, UC_TCG_UC);
    return engine_of(uc_env_of(uc_cpu_of_handle(uc)));
}

/* Returns the instruction that is being translated; NULL if it was not decoded, because its bytes cannot be read. */
static const isa_insn *current_insn(const uc_translator *s)
{
    const engine *e = engine_of_translator(s);
    const uc_op *op = uc_last_op(s);
    while (op && op->opcode != UC_OP_INSN_START)
        op = uc_op_before(s, op);
    return op ? block_insn(e->stream.translated.insns, e->stream.translated.count, (uint32_t)op->arguments[0])
              : NULL;
}

/* Returns whether the instruction that is being translated is one of these (isa_form.engine). */
static bool current_is(const uc_translator *s, isa_engine what)
{
    const isa_insn *insn = current_insn(s);
    return insn && isa_forms[insn->form].engine == what;
}

/* Returns whether the instruction that is being translated has an operand in memory. */
static bool is_memory_instruction(const uc_translator *s)
{
    const isa_insn *insn = current_insn(s);
    return insn && insn->memory;
}

/* Returns true if MMX mode (TOP 0, all tags valid) need not be entered again, because nothing since the block's
 * previous MMX instruction can have left it. Translation makes no MMX instruction conditional. */
static bool is_in_mmx(const uc_translator *s)
{
    for (const uc_op *op = uc_last_op(s); op; op = uc_op_before(s, op)) {
        if (op->opcode != UC_OP_CALL)
            continue;
        uintptr_t function = op->arguments[op->outputs + op->inputs];
        if (function == (uintptr_t)WRAP(helper_enter_mmx))
            return true;
        if (!is_reference(function) && !mmx_computes(function))
            return false;
    }
    return false;
}

void WRAP(helper_fwait)(uc_env *env);

/* Unicorn calls this to generate a call of a C function with `count` arguments. Changes the calls for MMX mode and
 * FNOP, and joins calls for x87 instructions. */
void REAL(tcg_gen_callN)(uc_translator *s, void *function, uintptr_t result, int count, uintptr_t *arguments);
void WRAP(tcg_gen_callN)(uc_translator *s, void *function, uintptr_t result, int count, uintptr_t *arguments)
{
    if (function == (void *)WRAP(helper_enter_mmx)) {
        if (is_in_mmx(s))
            return;
        if (is_memory_instruction(s)) { /* MMX mode begins after the reference, if that has not faulted */
            engine_of_translator(s)->stream.translated.mmx_pending = true;
            call(s, (uintptr_t)mmx_wait, 0, 1, arguments);
            return;
        }
    }
    if (function == (void *)WRAP(helper_fwait) && current_is(s, ISA_E_FNOP)) /* Unicorn only waits */
        call(s, (uintptr_t)x87_nop, 0, 1, arguments);
    else if (result || count < 1 || !join_calls(s, (uintptr_t)function, (unsigned)count, arguments))
        REAL(tcg_gen_callN)(s, function, result, count, arguments);
}

void WRAP(uc_add_inline_hook)(uc_engine *uc, const uc_hook_head *hook, uintptr_t *arguments, int count);
/* Generates the call at a block's start (stream_start). emit_start_as fills in the values that depend on the
 * translation: p5_block, levels and `takes` are constants of 0 until then. */
void WRAP(uc_add_inline_hook)(uc_engine *uc, const uc_hook_head *hook, uintptr_t *arguments, int count)
{
    (void)count;
    enum { LINEAR = 1, BLOCK = 3 }; /* indexes of Unicorn's arguments */
    uc_translator *s = uc_translator_of(uc);
    engine *e = engine_of_translator(s);
    uintptr_t values[3];
    for (unsigned i = 0; i < 3; i++) {
        values[i] = uc_temporary_of(s, UC_INTERNAL(tcg_const_i64)(s, 0));
        e->stream.translated.start_arguments[i] = uc_last_op(s);
    }
    const uintptr_t passed[6] = {uc_temporary_of(s, uc_translator_field(s, UC_TCG_ENV)),
                                 arguments[BLOCK],
                                 values[0],
                                 arguments[LINEAR],
                                 values[1],
                                 values[2]};
    call(s, (uintptr_t)hook->callback, 0, 6, passed);
    e->stream.translated.start = uc_last_op(s);
    for (unsigned i = 0; i < 3; i++)
        UC_INTERNAL(tcg_temp_free_internal)(s, values[i]);
}

/* Completes the call at the start of the translated block, when its description `b` is complete. */
void emit_start_as(engine *e, const engine_block *b)
{
    const uintptr_t values[3] = {(uintptr_t)b->block, stretch_levels(b), (uintptr_t)b->takes};
    for (unsigned i = 0; i < 3; i++)
        e->stream.translated.start_arguments[i]->arguments[1] = values[i];
    uintptr_t *function =
        &e->stream.translated.start
             ->arguments[e->stream.translated.start->outputs + e->stream.translated.start->inputs];
    if (!block_is_ordinary(b) && *function == (uintptr_t)stream_block)
        *function = (uintptr_t)stream_block_special;
    /* Removes Unicorn's check for a request to exit, because there are no such requests. */
    while (e->stream.translated.start->next && e->stream.translated.start->next->opcode != UC_OP_INSN_START)
        UC_INTERNAL(tcg_op_remove)(uc_translator_of(e->uc), e->stream.translated.start->next);
}

/* Counts a reference of the block. describe.c checks that there is space for that many records. */
static void count_reference(const uc_translator *s)
{
    engine_of_translator(s)->stream.translated.references++;
}

/* Enters MMX mode after the reference of an MMX instruction, if it has to be entered. */
static void enter_pending_mmx(uc_translator *s)
{
    engine *e = engine_of_translator(s);
    if (!e->stream.translated.mmx_pending)
        return;
    e->stream.translated.mmx_pending = false;
    uintptr_t env = uc_temporary_of(s, uc_translator_field(s, UC_TCG_ENV));
    call(s, (uintptr_t)WRAP(helper_enter_mmx), 0, 1, &env);
}

/* Returns true for PUNPCKLBW, PUNPCKLWD and PUNPCKLDQ, which read a dword; Unicorn reads eight bytes. */
static bool reads_half(const uc_translator *s)
{
    const isa_insn *insn = current_insn(s);
    return insn && insn->flags & ISA_MMX && insn->operand_bytes == 4;
}

/* Returns the mode with which the instruction's references are checked against their segment (access_mode). In
 * real and V86 mode, ACCESS_REAL suffices for references to whole operands at 16-bit addresses. */
static access_mode mode_of(const uc_translator *s)
{
    if (!engine_of_translator(s)->stream.translated.real)
        return ACCESS_PROTECTED;
    const isa_insn *insn = current_insn(s);
    if (!insn || insn->address32 || insn->flags & ISA_VARIABLE_ACCESSES)
        return ACCESS_ANY;
    const isa_form *form = &isa_forms[insn->form];
    return form->accesses != 0 && form->data_reads <= 1 && form->data_writes <= 1 ? ACCESS_REAL : ACCESS_ANY;
}

/* Generates a load into the temporary `value` from the address in the temporary `address`, with the privilege of
 * MMU index `index`. `kind` is the translator's MemOp. */
static void load(uc_translator *s, uintptr_t value, uintptr_t address, uintptr_t index, unsigned kind)
{
    uintptr_t arguments[2] = {uc_temporary_of(s, uc_translator_field(s, UC_TCG_ENV)),
                              uc_temporary_of(s, address)};
    count_reference(s);
    block_kind block = engine_of_translator(s)->stream.translated.kind;
    /* The instruction stores after it has changed the flags, so the faults of its store are raised here. */
    if (block == BLOCK_FLAGS || block == BLOCK_COUNT)
        call(s, (uintptr_t)access_checks[kind & KIND_SIZE], 0, 2, arguments);
    if ((kind & KIND_SIZE) == KIND_SIZE && reads_half(s))
        kind = KIND_DWORD;
    call(s, (uintptr_t)access_loads[mode_of(s)][index == UC_MMU_INDEX_USER][kind], uc_temporary_of(s, value),
         2, arguments);
    enter_pending_mmx(s);
}

/* Generates a store of the temporary `value` to the address in the temporary `address`. `index` and `kind` are as for
 * `load`. */
static void store(uc_translator *s, uintptr_t value, uintptr_t address, uintptr_t index, unsigned kind)
{
    uintptr_t arguments[3] = {uc_temporary_of(s, uc_translator_field(s, UC_TCG_ENV)),
                              uc_temporary_of(s, address), uc_temporary_of(s, value)};
    count_reference(s);
    uintptr_t function = (uintptr_t)access_stores[mode_of(s)][index == UC_MMU_INDEX_USER][kind & KIND_SIZE];
    if (engine_of_translator(s)->stream.translated.kind == BLOCK_ARPL)
        function = (uintptr_t)access_store_changed;
    if (!join_calls(s, function, 3, arguments))
        call(s, function, 0, 3, arguments);
    enter_pending_mmx(s);
}

void REAL(tcg_gen_op3)(uc_translator *s, int opcode, uintptr_t a, uintptr_t b, uintptr_t c);

/* Generates a store of the opcode of the x87 instruction that is being translated: the low bits of its first byte,
 * and its second. Unicorn stores only its address. `env` is the processor state's temporary. */
static void store_opcode(uc_translator *s, uintptr_t env)
{
    const stream_translated *block = &engine_of_translator(s)->stream.translated;
    const isa_insn *insn = current_insn(s);
    if (!insn || !block->bytes)
        return;
    const uint8_t *bytes = block->bytes + (insn->address - block->linear) + insn->prefixes;
    uintptr_t value = uc_temporary_of(s, UC_INTERNAL(tcg_const_i64)(s, x87_opcode(bytes)));
    REAL(tcg_gen_op3)(s, UC_OP_ST16_I64, value, env, offsetof(uc_env, fpop));
    UC_INTERNAL(tcg_temp_free_internal)(s, value);
}

/* Generates an operation with three arguments; a store into the processor state has the value `a`, the state `b`
 * and the offset `c`. Corrects three kinds of them. The store of the last x87 instruction's CS (fpcs) is followed
 * by one of its opcode. A MOVQ into an MMX register stores 64 bits, so the exponent of ones is stored here; all
 * other instructions that write an MMX register are calls. Instructions that do not change the pointer to the last
 * x87 instruction (FNSTSW AX, and no-operations that the 80287 executed) do not store it (fpop up to fpdp). */
void WRAP(tcg_gen_op3)(uc_translator *s, int opcode, uintptr_t a, uintptr_t b, uintptr_t c)
{
    const uintptr_t env = uc_temporary_of(s, uc_translator_field(s, UC_TCG_ENV)),
                    first = offsetof(uc_env, fpregs), pointer = offsetof(uc_env, fpop);
    if (b == env && c - pointer < offsetof(uc_env, fpdp) - pointer && current_is(s, ISA_E_KEEPS_POINTER))
        return;
    REAL(tcg_gen_op3)(s, opcode, a, b, c);
    if (b == env && c == offsetof(uc_env, fpcs))
        store_opcode(s, env);
    if (opcode != UC_OP_ST_I64 || b != env || c - first >= sizeof((uc_env *)NULL)->fpregs)
        return;
    uintptr_t ones = uc_temporary_of(s, UC_INTERNAL(tcg_const_i64)(s, MMX_EXPONENT));
    REAL(tcg_gen_op3)(s, UC_OP_ST16_I64, ones, env, c + offsetof(uc_fpreg, exponent));
    UC_INTERNAL(tcg_temp_free_internal)(s, ones);
}

/* Generates BSWAP. BSWAP of 16 bits clears the lower half and keeps the upper half. Unicorn's swaps all four
 * bytes. */
void REAL(tcg_gen_bswap32_i64)(uc_translator *s, uintptr_t result, uintptr_t value);
void WRAP(tcg_gen_bswap32_i64)(uc_translator *s, uintptr_t result, uintptr_t value)
{
    const isa_insn *insn = current_insn(s);
    if (insn && insn->operand_bytes == 2)
        UC_INTERNAL(tcg_gen_andi_i64)(s, result, value, 0xffff0000);
    else
        REAL(tcg_gen_bswap32_i64)(s, result, value);
}

/* Generates a rotation to the left as one to the right by the negative count. When optimisation makes the
 * count a constant of 0, Unicorn's code for ARM would be an instruction that does not exist. */
void WRAP(tcg_gen_rotl_i32)(uc_translator *s, uintptr_t result, uintptr_t value, uintptr_t count)
{
    uintptr_t negative = UC_INTERNAL(tcg_const_i32)(s, 0);
    UC_INTERNAL(tcg_gen_subfi_i32)(s, negative, 0, count);
    UC_INTERNAL(tcg_gen_rotr_i32)(s, result, value, negative);
    UC_INTERNAL(tcg_temp_free_internal)(s, uc_temporary_of(s, negative));
}

/* Unicorn calls these to generate loads and stores. Those that need more than a size and a sign remain Unicorn's. */
#define GENERATE(name, generate)                                                                             \
    void REAL(name)(uc_translator * s, uintptr_t value, uintptr_t address, uintptr_t index, unsigned kind);  \
    void WRAP(name)(uc_translator * s, uintptr_t value, uintptr_t address, uintptr_t index, unsigned kind)   \
    {                                                                                                        \
        if (kind & ~(unsigned)KIND_SIZE_AND_SIGN)                                                            \
            REAL(name)(s, value, address, index, kind);                                                      \
        else                                                                                                 \
            generate(s, value, address, index, kind);                                                        \
    }
GENERATE(tcg_gen_qemu_ld_i32, load)
GENERATE(tcg_gen_qemu_ld_i64, load)
GENERATE(tcg_gen_qemu_st_i32, store)
GENERATE(tcg_gen_qemu_st_i64, store)
