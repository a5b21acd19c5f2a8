/* Access to the inside of Unicorn 2 (the QEMU 5.0 x86 target in libunicorn.a): members of its structures, and
 * the internal functions that are called or replaced by the linker's --wrap (unicorn.cmake). */
#ifndef ENGINE_UNICORN_INSIDE_H
#define ENGINE_UNICORN_INSIDE_H

#include "isa/processor.h"
#include "engine/unicorn/unicorn_state.h"
#include "p5scope/status.h"
/* What layout_gen.c found: offsets of members (UC_CPU_*, UC_UC_*, UC_TCG_*) and opcodes (UC_OP_*). */
#include "unicorn_layout.h"

/* uc_env.hflags: the state on which the translation of a block depends */
enum {
    UC_HF_CPL = 3u << 0,
    UC_HF_INHIBIT_IRQ = 1u << 3, /* shadow of STI and of loads of SS */
    UC_HF_CS32 = 1u << 4,
    UC_HF_SS32 = 1u << 5,
    UC_HF_ADDSEG = 1u << 6, /* a data or stack segment has a base that must be added */
    UC_HF_PE = 1u << 7,
    UC_HF_EM = 1u << 10,
    UC_HF_TS = 1u << 11,
    UC_HF_CS64 = 1u << 15, /* long mode: never set */
    /* p5scope's own: blocks translated with it have one instruction. Unicorn uses this bit for MPX, which the
     * guest does not have. */
    UC_HF_STEP = 1u << 26
};
/* The bits of EFLAGS that distinguish blocks: TF, IOPL, RF, VM, AC. */
enum { UC_BLOCK_EFLAGS = 0x73100 };
/* Return whether the mode is real or V86 mode: from the flags of a block, or from the state. */
static inline bool uc_is_real(uint32_t flags)
{
    return !(flags & UC_HF_PE) || flags & EFLAGS_VM;
}
static inline bool uc_env_is_real(const uc_env *env)
{
    return uc_is_real(env->hflags | (env->eflags & EFLAGS_VM));
}

/* uc_env.cc_op: how the arithmetic flags follow from cc_dst, cc_src and cc_src2. EFLAGS: they are in cc_src.
 * DYNAMIC: while a block is translated, the kind is only known when it runs. */
enum { UC_CC_OP_DYNAMIC = 0, UC_CC_OP_EFLAGS = 1 };
enum { UC_CC_MASK = 0x8d5 }; /* OF SF ZF AF PF CF */

/* Unicorn's number for HLT, beyond the vectors. As uc_exception_index it ends the run. */
enum { UC_EXCP_HLT = 0x10001 };

/* Unicorn's MMU index of an access is its privilege: 1 is the user's, 0 and 2 are the supervisor's. */
enum { UC_MMU_INDEX_USER = 1 };

static inline uc_cpu *uc_cpu_of(uc_env *env)
{
    return (uc_cpu *)((char *)env - UC_CPU_ENV);
}
static inline uc_env *uc_env_of(uc_cpu *cpu)
{
    return (uc_env *)((char *)cpu + UC_CPU_ENV);
}
/* Returns where the number of the exception lies that Unicorn is about to handle; -1: there is none. */
static inline int32_t *uc_exception_index(uc_cpu *cpu)
{
    return (int32_t *)(void *)((char *)cpu + UC_CPU_EXCEPTION_INDEX);
}

static inline uc_cpu *uc_cpu_of_handle(uc_engine *uc)
{
    return *(uc_cpu **)(void *)((char *)uc + UC_UC_CPU);
}

/* Unicorn's functions name a temporary of its intermediate code by the offset of its description from the
 * translator, in which it lies. Operations refer to it by address. */
static inline uc_translator *uc_translator_of(uc_engine *uc)
{
    return *(uc_translator **)(void *)((char *)uc + UC_UC_TRANSLATOR);
}
/* Returns the word at an offset (UC_TCG_*) in the translator. */
static inline uintptr_t uc_translator_field(const uc_translator *s, size_t offset)
{
    return *(const uintptr_t *)(const void *)((const char *)s + offset);
}
/* Returns the address of a temporary, as operations have it in their arguments. */
static inline uintptr_t uc_temporary_of(const uc_translator *s, uintptr_t name)
{
    return (uintptr_t)s + name;
}

/* Returns the operation that was generated last, or NULL. */
static inline uc_op *uc_last_op(const uc_translator *s)
{
    uintptr_t link = uc_translator_field(s, UC_TCG_LAST_OP);
    return link == (uintptr_t)s + UC_TCG_OPS ? NULL : (uc_op *)(link - offsetof(uc_op, next));
}
/* Returns the operation before `later`, or NULL. */
static inline uc_op *uc_op_before(const uc_translator *s, const uc_op *later)
{
    uintptr_t link = (uintptr_t)later->previous_next;
    return link == (uintptr_t)s + UC_TCG_OPS ? NULL : (uc_op *)(link - offsetof(uc_op, next));
}

/* Internal functions that are called. `retaddr` is an address in translated code to which a call returns. From it
 * Unicorn finds the guest's instruction and its EIP; 0 means that the state's EIP is current. */
#define UC_INTERNAL(name) name##_x86_64
_Noreturn void UC_INTERNAL(raise_exception_err_ra)(uc_env *env, int vector, int error_code,
                                                   uintptr_t retaddr);
_Noreturn void UC_INTERNAL(cpu_loop_exit)(uc_cpu *cpu);
void UC_INTERNAL(cpu_x86_update_cr0)(uc_env *env, uint32_t value);
void UC_INTERNAL(cpu_x86_update_cr3)(uc_env *env, uint64_t value);
void UC_INTERNAL(cpu_x86_update_cr4)(uc_env *env, uint32_t value);
uint32_t UC_INTERNAL(cpu_cc_compute_all)(uc_env *env, int op);
/* Discard translated code: in `length` bytes of one page, while page_collection_lock holds it; in the physical range
 * [start, end); all of it. */
void *UC_INTERNAL(page_collection_lock)(uc_engine *uc, uint64_t start, uint64_t end);
void UC_INTERNAL(page_collection_unlock)(void *pages);
void UC_INTERNAL(tb_invalidate_phys_page_fast)(uc_engine *uc, void *pages, uint64_t start, int length,
                                               uintptr_t retaddr);
void UC_INTERNAL(tb_invalidate_phys_range)(uc_engine *uc, uint64_t start, uint64_t end);
void UC_INTERNAL(tb_flush)(uc_cpu *cpu);
/* Generate intermediate code. */
void UC_INTERNAL(tcg_func_start)(uc_translator *s);
uc_op *UC_INTERNAL(tcg_emit_op)(uc_translator *s, int opcode);
void UC_INTERNAL(tcg_op_remove)(uc_translator *s, uc_op *op);
uintptr_t UC_INTERNAL(tcg_const_i64)(uc_translator *s, int64_t value); /* returns a temporary's name */
uintptr_t UC_INTERNAL(tcg_const_i32)(uc_translator *s, int32_t value);
void UC_INTERNAL(tcg_gen_subfi_i32)(uc_translator *s, uintptr_t to, int32_t a, uintptr_t b); /* a - b */
void UC_INTERNAL(tcg_gen_andi_i64)(uc_translator *s, uintptr_t to, uintptr_t a, int64_t b);
void UC_INTERNAL(tcg_gen_rotr_i32)(uc_translator *s, uintptr_t to, uintptr_t value, uintptr_t count);
void UC_INTERNAL(tcg_temp_free_internal)(uc_translator *s, uintptr_t address); /* of a temporary */
/* Sets EIP and cc_op as they were before the instruction whose code calls at `retaddr`. Returns false if that is not in
 * translated code. `will_exit`: the caller then leaves the block. */
bool UC_INTERNAL(cpu_restore_state)(uc_cpu *cpu, uintptr_t retaddr, bool will_exit);
/* For uc_hook_head.places. */
void g_hash_table_remove_all(void *table);
int g_hash_table_size(void *table);

/* Replaced functions: WRAP(name) is the replacement, REAL(name) the archive's function. */
#define WRAP(name) __wrap_##name##_x86_64
#define REAL(name) __real_##name##_x86_64

/* Checks that a newly opened Unicorn is laid out as these headers say, and returns its processor state in *env. Also
 * makes it raise #UD like other exceptions, instead of ending the run (layout.c). */
p5_status layout_check(uc_engine *uc, uc_env **env, p5_error *error);

#endif
