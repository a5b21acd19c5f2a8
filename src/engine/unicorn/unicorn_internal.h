/* What p5scope knows of the inside of Unicorn 2.0.1 (the QEMU 5.0 x86 target in libunicorn.a): the leading
 * part of the processor state, the few fields of other structures that are used, and the internal functions
 * that are called or, by the linker's --wrap (unicorn.cmake), replaced. Layouts are checked when an engine
 * opens (layout.c). */
#ifndef ENGINE_UNICORN_UNICORN_INTERNAL_H
#define ENGINE_UNICORN_UNICORN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <unicorn/unicorn.h>

typedef struct uc_segment {
    uint32_t selector;
    uint32_t unused; /* has a name so that it is cleared, and snapshots hold nothing of the host */
    uint64_t base;
    uint32_t limit;
    uint32_t flags; /* the descriptor's high dword */
} uc_segment;

/* An x87 or MMX register in its 16-byte slot; Unicorn's temporary ones lie at multiples of 8. */
typedef union __attribute__((packed, aligned(8))) uc_fpreg {
    uint8_t bytes[16];
    struct {
        uint64_t mantissa;
        uint16_t exponent; /* with the sign in bit 15 */
    };
    uint64_t mmx;
} uc_fpreg;

/* The processor state (CPUX86State), as far as it is used. Registers are 64 bits wide, also for 32-bit
 * guests. */
typedef struct uc_env {
    uint64_t regs[16];
    uint64_t eip;    /* offset in CS; only current after a state restore */
    uint64_t eflags; /* without the arithmetic flags and DF */
    uint64_t cc_dst, cc_src, cc_src2;
    uint32_t cc_op;
    int32_t df; /* 1 or -1 */
    uint32_t hflags, hflags2;
    uc_segment segs[6]; /* ES CS SS DS FS GS */
    uc_segment ldt, tr, gdt, idt;
    uint64_t cr[5];
    uint8_t before_x87[0x23c - 464];
    uint32_t fpstt;
    uint16_t fpus, fpuc;
    uint8_t fptags[8]; /* by physical register; 0 valid, 1 empty */
    uint8_t before_fpregs[0x250 - 0x24c];
    uc_fpreg fpregs[8]; /* by physical register */
    uint16_t fpop, fpcs, fpds;
    uint64_t fpip, fpdp;
    uint8_t fp_status[8];
    uc_fpreg ft0;
    uint8_t before_owner[0x12e0 - 0x300];
    void *owner; /* the engine: kernelgsbase, which no 32-bit instruction reaches */
    uint8_t before_error_code[0x14e8 - 0x12e8];
    int32_t error_code;
    int32_t exception_is_int;
    uint64_t exception_next_eip;
    uint64_t dr[8];
    uint8_t before_old_exception[0x1558 - 0x1538];
    int32_t old_exception;
    uint8_t before_uc[0x1b38 - 0x155c];
    uc_engine *uc;
} uc_env;

_Static_assert(offsetof(uc_env, eip) == 128 && offsetof(uc_env, hflags) == 176, "state layout");
_Static_assert(offsetof(uc_env, segs) == 184 && offsetof(uc_env, cr) == 424, "state layout");
_Static_assert(offsetof(uc_env, fpstt) == 0x23c && offsetof(uc_env, fpregs) == 0x250, "state layout");
_Static_assert(offsetof(uc_env, fpop) == 0x2d0 && offsetof(uc_env, fpip) == 0x2d8, "state layout");
_Static_assert(offsetof(uc_env, ft0) == 0x2f0 && offsetof(uc_env, owner) == 0x12e0, "state layout");
_Static_assert(offsetof(uc_env, error_code) == 0x14e8 && offsetof(uc_env, dr) == 0x14f8, "state layout");
_Static_assert(offsetof(uc_env, old_exception) == 0x1558 && offsetof(uc_env, uc) == 0x1b38, "state layout");

/* hflags */
enum {
    UC_HF_CPL = 3u << 0,
    UC_HF_INHIBIT_IRQ = 1u << 3, /* shadow of STI and of loads of SS */
    UC_HF_CS32 = 1u << 4,
    UC_HF_SS32 = 1u << 5,
    UC_HF_ADDSEG = 1u << 6,
    UC_HF_PE = 1u << 7,
    UC_HF_CS64 = 1u << 15,
    UC_HF_STEP = 1u << 26 /* MPX's "bound registers in use": without MPX it only tells blocks apart */
};
/* Which bits of EFLAGS are in the flags of a block beside hflags. */
enum { UC_EFLAGS_VM = 1u << 17 };

enum { UC_CC_OP_DYNAMIC = 0, UC_CC_OP_EFLAGS = 1 };
enum { UC_CC_MASK = 0x8d5 }; /* OF SF ZF AF PF CF */

/* Exception numbers beyond the vectors. */
enum { UC_EXCP_HLT = 0x10001 };

typedef struct uc_cpu uc_cpu; /* CPUState */

/* Fields of CPUState by offset. The state is part of the same object. */
enum { UC_CPU_ENV = 0x8750, UC_CPU_UC = 0x81a8, UC_CPU_EXCEPTION_INDEX = 0x81a0, UC_CPU_ENV_POINTER = 0x128 };
static inline uc_cpu *uc_cpu_of(uc_env *env)
{
    return (uc_cpu *)((char *)env - UC_CPU_ENV);
}
static inline uc_env *uc_env_of(uc_cpu *cpu)
{
    return (uc_env *)((char *)cpu + UC_CPU_ENV);
}
static inline int32_t *uc_exception_index(uc_cpu *cpu)
{
    return (int32_t *)(void *)((char *)cpu + UC_CPU_EXCEPTION_INDEX);
}

/* Fields of uc_struct by offset. */
enum { UC_UC_CPU = 0x180, UC_UC_STOP_INTERRUPT = 0xc8, UC_UC_TRANSLATOR = 0x2c0 };
static inline uc_cpu *uc_cpu_of_handle(uc_engine *uc)
{
    return *(uc_cpu **)(void *)((char *)uc + UC_UC_CPU);
}

/* A translated block (TranslationBlock). */
typedef struct uc_translated {
    uint64_t pc; /* linear */
    uint64_t cs_base;
    uint32_t flags;  /* hflags and some of EFLAGS */
    uint16_t size;   /* bytes, after translation */
    uint16_t icount; /* instructions, after translation */
    uint32_t cflags;
} uc_translated;
_Static_assert(offsetof(uc_translated, size) == 0x14 && offsetof(uc_translated, cflags) == 0x18,
               "block layout");

/* A hook (struct hook); user_data is compiled into a block when it is translated. */
typedef struct uc_hook_head {
    uint8_t before_callback[0x28];
    void *callback;
    void *user_data;
} uc_hook_head;

/* The translator's state (TCGContext), fields by offset. Its temporaries are named by their distance from it.
 */
typedef struct uc_translator uc_translator;
typedef struct uc_temporary uc_temporary;
enum { UC_TCG_OPS = 0x7388, UC_TCG_LAST_OP = 0x7390, UC_TCG_ENV = 0x98f0, UC_TCG_UC = 0x9970 };
static inline uc_translator *uc_translator_of(uc_engine *uc)
{
    return *(uc_translator **)(void *)((char *)uc + UC_UC_TRANSLATOR);
}
static inline uintptr_t uc_translator_field(const uc_translator *s, size_t offset)
{
    return *(const uintptr_t *)(const void *)((const char *)s + offset);
}
static inline uintptr_t uc_temporary_of(const uc_translator *s, uintptr_t name)
{
    return (uintptr_t)s + name;
}

/* An intermediate operation (TCGOp): of a call the result, if any, then the arguments, the function and
 * UC_CALL_*. */
enum { UC_OP_CALL = 2, UC_OP_ST16_I64 = 75, UC_OP_ST_I64 = 77, UC_CALL_WRITES_NO_GLOBALS = 2 };
typedef struct uc_op {
    uint8_t opcode;
    uint8_t inputs : 4, outputs : 4; /* of a call */
    uint32_t life;
    struct uc_op *next, **previous_next;
    uintptr_t arguments[12];
} uc_op;
_Static_assert(offsetof(uc_op, next) == 8 && offsetof(uc_op, arguments) == 0x18 && sizeof(uc_op) == 0x78,
               "operation layout");
/* The operation that was generated last, or NULL. */
static inline uc_op *uc_last_op(const uc_translator *s)
{
    uintptr_t link = uc_translator_field(s, UC_TCG_LAST_OP);
    return link == (uintptr_t)s + UC_TCG_OPS ? NULL : (uc_op *)(link - offsetof(uc_op, next));
}
/* The one before `later`, or NULL. */
static inline uc_op *uc_op_before(const uc_translator *s, const uc_op *later)
{
    uintptr_t link = (uintptr_t)later->previous_next;
    return link == (uintptr_t)s + UC_TCG_OPS ? NULL : (uc_op *)(link - offsetof(uc_op, next));
}

/* Internal functions that are called. */
#define UC_INTERNAL(name) name##_x86_64
_Noreturn void UC_INTERNAL(raise_exception_err_ra)(uc_env *env, int vector, int error_code,
                                                   uintptr_t retaddr);
_Noreturn void UC_INTERNAL(cpu_loop_exit)(uc_cpu *cpu);
void UC_INTERNAL(cpu_x86_update_cr0)(uc_env *env, uint32_t value);
void UC_INTERNAL(cpu_x86_update_cr3)(uc_env *env, uint64_t value);
void UC_INTERNAL(cpu_x86_update_cr4)(uc_env *env, uint32_t value);
uint32_t UC_INTERNAL(cpu_cc_compute_all)(uc_env *env, int op);
void *UC_INTERNAL(page_collection_lock)(uc_engine *uc, uint64_t start, uint64_t end);
void UC_INTERNAL(page_collection_unlock)(void *pages);
void UC_INTERNAL(tb_invalidate_phys_page_fast)(uc_engine *uc, void *pages, uint64_t start, int length,
                                               uintptr_t retaddr);
void UC_INTERNAL(tb_invalidate_phys_range)(uc_engine *uc, uint64_t start, uint64_t end);
void UC_INTERNAL(tb_flush)(uc_cpu *cpu);
void UC_INTERNAL(tcg_func_start)(uc_translator *s);
uc_op *UC_INTERNAL(tcg_emit_op)(uc_translator *s, int opcode);
void UC_INTERNAL(tcg_op_remove)(uc_translator *s, uc_op *op);
uintptr_t UC_INTERNAL(tcg_const_i64)(uc_translator *s, int64_t value); /* answers a temporary's name */
void UC_INTERNAL(tcg_temp_free_internal)(uc_translator *s, uintptr_t temporary);
bool UC_INTERNAL(cpu_restore_state)(uc_cpu *cpu, uintptr_t retaddr, bool will_exit);

/* Replaced functions: WRAP(name) is ours, REAL(name) the archive's. */
#define WRAP(name) __wrap_##name##_x86_64
#define REAL(name) __real_##name##_x86_64

#endif
