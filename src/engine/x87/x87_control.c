/* Control instructions of the x87: control and status word, environments, and entering and leaving MMX mode. To wait
 * means to raise a pending unmasked exception (x87_wait). */
#include <string.h>

#include "engine/x87/mmx.h"
#include "engine/x87/x87_whole.h"

/* Bits of the control word that exist; bit 6 reads as one. */
enum { CONTROL_BITS = 0x1f3f, CONTROL_ONE = 0x40 };

/* Loads the control word. The registers stay in the host's x87 if that has them and all exceptions are masked. */
void WRAP(helper_fldcw)(uc_env *env, uint32_t value)
{
    uint16_t control = (uint16_t)((value & CONTROL_BITS) | CONTROL_ONE);
    if (x87_held(env) && x87_masked(control)) {
        X87_ON_HOST("fldcw %0" : : "m"(control));
        env->fpuc = control;
        return;
    }
    x87_settle(engine_of(env));
    env->fpuc = control;
    x87_update_summary(env);
}

/* Executes FLDCW as one function (x87_whole.h), which has no fast path. */
RARE load_control_rare(uc_env *env, uint64_t address, uint32_t by, uintptr_t retaddr)
{
    if (!x87_held(env))
        x87_wait(env, retaddr);
    WRAP(helper_fldcw)(env, (uint32_t)access_load_quick(env, address, 2, by, retaddr));
}
ALWAYS_RARE(load_control)

/* FLDCW is generated as a load of a word and helper_fldcw. */
static const emit_pair rows[] = {FETCH(LOADS_CONTROL, fldcw, load_control)};
const x87_pairs x87_whole_control = {rows, sizeof rows / sizeof rows[0]};

/* FNSTSW and FNCLEX do not wait. */
uint32_t WRAP(helper_fnstsw)(uc_env *env)
{
    return x87_held(env) ? x87_host_status() : x87_status_word(env);
}

void REAL(helper_fclex)(uc_env *env);
void WRAP(helper_fclex)(uc_env *env)
{
    if (x87_held(env))
        X87_ON_HOST("fnclex");
    else
        REAL(helper_fclex)(env);
}

/* FINCSTP and FDECSTP. */
static void move_top(uc_env *env, unsigned by, uintptr_t retaddr)
{
    x87_wait(env, retaddr);
    env->fpstt = (env->fpstt + by) & 7;
    x87_set_conditions(env, 0, X87_C1); /* clears C1 */
}

void WRAP(helper_fincstp)(uc_env *env)
{
    move_top(env, 1, X87_RETADDR);
}

void WRAP(helper_fdecstp)(uc_env *env)
{
    move_top(env, 7, X87_RETADDR);
}

void WRAP(helper_ffree_STN)(uc_env *env, int i)
{
    x87_wait(env, X87_RETADDR);
    engine_of(env)->x87.suppressed = false;
    env->fptags[x87_slot(env, (unsigned)i)] = 1;
    x87_set_conditions(env, 0, X87_C1);
}

/* --- Environments, by index of the word ---
 *            32-bit protected            16-bit protected   in real and V86 mode
 *   0        control                     control
 *   1        status                      status
 *   2        tags                        tags
 *   3        FIP                         FIP                linear FIP, low word
 *   4        opcode : FCS                FCS                its high part from bit 12, opcode in bits 0-10
 *   5        FDP                         FDP                linear FDP, low word
 *   6        FDS                         FDS                its high part from bit 12
 * Seven references of 4 or 2 bytes. */
enum { ENVIRONMENT_WORDS = 7 };

/* Convert between the state and an environment: `wide` has words of 32 bits, otherwise of 16. */
static void pack(const uc_env *env, bool wide, uint32_t words[ENVIRONMENT_WORDS])
{
    uint32_t ones = wide ? 0xffff0000u : 0; /* reserved halves */
    uint32_t opcode = env->fpop & 0x7ff;
    words[0] = env->fpuc | ones;
    words[1] = x87_status_word(env) | ones;
    words[2] = x87_tag_word(env) | ones;
    if (!uc_env_is_real(env)) {
        words[3] = (uint32_t)env->fpip;
        words[4] = wide ? env->fpcs | opcode << 16 : env->fpcs;
        words[5] = (uint32_t)env->fpdp;
        words[6] = env->fpds | ones;
        return;
    }
    uint32_t ip = (uint32_t)env->fpip + env->fpcs * 16u, dp = (uint32_t)env->fpdp + env->fpds * 16u;
    words[3] = (ip & 0xffff) | ones;
    words[4] = (ip >> 16) << 12 | opcode;
    words[5] = (dp & 0xffff) | ones;
    words[6] = (dp >> 16) << 12;
}

void x87_load_words(uc_env *env, uint32_t control, uint32_t status)
{
    env->fpuc = (uint16_t)((control & CONTROL_BITS) | CONTROL_ONE);
    env->fpus = (uint16_t)(status & (X87_CC | X87_SF | X87_EXCEPTIONS));
    env->fpstt = status >> 11 & 7;
    x87_update_summary(env);
}

static void unpack(uc_env *env, bool wide, const uint32_t words[ENVIRONMENT_WORDS])
{
    x87_load_words(env, words[0], words[1]);
    for (unsigned i = 0; i < 8; i++)
        env->fptags[i] = (words[2] >> 2 * i & 3) == 3;
    if (!uc_env_is_real(env)) {
        env->fpip = words[3];
        env->fpcs = (uint16_t)words[4];
        env->fpop = wide ? words[4] >> 16 & 0x7ff : 0;
        env->fpdp = words[5];
        env->fpds = (uint16_t)words[6];
    } else {
        env->fpip = (words[3] & 0xffff) | (words[4] >> 12) << 16;
        env->fpop = words[4] & 0x7ff;
        env->fpdp = (words[5] & 0xffff) | (words[6] >> 12) << 16;
        env->fpcs = env->fpds = 0; /* the offsets are linear addresses */
    }
}

static void load_environment(uc_env *env, uint64_t address, bool wide, uint32_t words[ENVIRONMENT_WORDS],
                             uintptr_t retaddr)
{
    for (unsigned i = 0; i < ENVIRONMENT_WORDS; i++)
        words[i] = wide ? WRAP(cpu_ldl_data_ra)(env, address + 4 * i, retaddr)
                        : WRAP(cpu_lduw_data_ra)(env, address + 2 * i, retaddr);
}

/* Raises the faults of stores to the first and last word, so that nothing is stored if not everything can be. */
static void check_stores(uc_env *env, uint64_t address, unsigned bytes, uintptr_t retaddr)
{
    access_check_store(env, (uint32_t)address, 2, retaddr);
    access_check_store(env, (uint32_t)address + bytes - 2, 2, retaddr);
}

static void store_environment(uc_env *env, uint64_t address, bool wide, uintptr_t retaddr)
{
    uint32_t words[ENVIRONMENT_WORDS];
    pack(env, wide, words);
    for (unsigned i = 0; i < ENVIRONMENT_WORDS; i++) {
        if (wide)
            WRAP(cpu_stl_data_ra)(env, address + 4 * i, words[i], retaddr);
        else
            WRAP(cpu_stw_data_ra)(env, address + 2 * i, words[i] & 0xffff, retaddr);
    }
}

/* FNSTENV, FLDENV, FNSAVE and FRSTOR. `wide`: 32-bit operands. */
void WRAP(helper_fstenv)(uc_env *env, uint64_t address, int wide)
{
    x87_settle(engine_of(env));
    check_stores(env, address, (wide ? 4 : 2) * ENVIRONMENT_WORDS, X87_RETADDR);
    store_environment(env, address, wide, X87_RETADDR);
    env->fpuc |= X87_EXCEPTIONS; /* FSTENV masks all exceptions afterwards */
    x87_update_summary(env);
}

void WRAP(helper_fldenv)(uc_env *env, uint64_t address, int wide)
{
    uintptr_t retaddr = X87_RETADDR;
    uint32_t words[ENVIRONMENT_WORDS];
    x87_wait(env, retaddr);
    load_environment(env, address, wide, words, retaddr);
    unpack(env, wide, words);
}

void WRAP(helper_fninit)(uc_env *env);
void WRAP(helper_fsave)(uc_env *env, uint64_t address, int wide)
{
    uintptr_t retaddr = X87_RETADDR;
    x87_settle(engine_of(env));
    check_stores(env, address, (wide ? 4 : 2) * ENVIRONMENT_WORDS + 8 * 10, retaddr);
    store_environment(env, address, wide, retaddr);
    address += wide ? 4 * ENVIRONMENT_WORDS : 2 * ENVIRONMENT_WORDS;
    for (unsigned i = 0; i < 8; i++) {
        const uc_fpreg *r = x87_st(env, i);
        WRAP(cpu_stq_data_ra)(env, address + 10 * i, r->mantissa, retaddr);
        WRAP(cpu_stw_data_ra)(env, address + 10 * i + 8, r->exponent, retaddr);
    }
    WRAP(helper_fninit)(env);
}

void WRAP(helper_frstor)(uc_env *env, uint64_t address, int wide)
{
    uintptr_t retaddr = X87_RETADDR;
    uint32_t words[ENVIRONMENT_WORDS];
    uc_fpreg registers[8];
    x87_wait(env, retaddr);
    load_environment(env, address, wide, words, retaddr);
    address += wide ? 4 * ENVIRONMENT_WORDS : 2 * ENVIRONMENT_WORDS;
    for (unsigned i = 0; i < 8; i++) {
        registers[i].mantissa = WRAP(cpu_ldq_data_ra)(env, address + 10 * i, retaddr);
        registers[i].exponent = (uint16_t)WRAP(cpu_lduw_data_ra)(env, address + 10 * i + 8, retaddr);
    }
    unpack(env, wide, words);
    for (unsigned i = 0; i < 8; i++)
        memcpy(x87_st(env, i)->bytes, registers[i].bytes, 10);
}

void WRAP(helper_fninit)(uc_env *env)
{
    x87_settle(engine_of(env));
    env->fpuc = X87_DEFAULT_CONTROL;
    env->fpus = 0;
    env->fpstt = 0;
    memset(env->fptags, 1, sizeof env->fptags);
    env->fpip = env->fpdp = 0;
    env->fpcs = env->fpds = env->fpop = 0;
}

/* Begins MMX mode: waits, sets TOP to 0 and marks all registers as valid. */
static void __attribute__((noinline)) enter_mmx(uc_env *env, uintptr_t retaddr)
{
    x87_wait(env, retaddr);
    env->fpstt = 0;
    memset(env->fptags, 0, sizeof env->fptags);
    engine_of(env)->x87.place = X87_IN_STATE_MMX;
}

void WRAP(helper_enter_mmx)(uc_env *env)
{
    if (__builtin_expect(engine_of(env)->x87.place != X87_IN_STATE_MMX, 0))
        enter_mmx(env, X87_RETADDR);
}

/* Waits before an MMX instruction. In MMX mode no exception is pending. */
void mmx_wait(uc_env *env)
{
    if (__builtin_expect(engine_of(env)->x87.place != X87_IN_STATE_MMX, 0))
        x87_wait(env, X87_RETADDR);
}

void WRAP(helper_emms)(uc_env *env)
{
    x87_wait(env, X87_RETADDR);
    env->fpstt = 0;
    memset(env->fptags, 1, sizeof env->fptags); /* all empty */
}

/* Moves the registers to Unicorn's state before Unicorn's own function for an instruction of later processors.
 * `give` is return, or nothing for a void function. */
#define SETTLED(type, give, name, parameters, ...)                                                           \
    type REAL(helper_##name) parameters;                                                                     \
    type WRAP(helper_##name) parameters;                                                                     \
    type WRAP(helper_##name) parameters                                                                      \
    {                                                                                                        \
        x87_settle(engine_of(env));                                                                          \
        give REAL(helper_##name)(__VA_ARGS__);                                                               \
    }
SETTLED(int32_t, return, fistt_ST0, (uc_env * env), env)
SETTLED(int32_t, return, fisttl_ST0, (uc_env * env), env)
SETTLED(int64_t, return, fisttll_ST0, (uc_env * env), env)
SETTLED(void, , fxsave, (uc_env * env, uint64_t address), env, address)
SETTLED(void, , fxrstor, (uc_env * env, uint64_t address), env, address)
SETTLED(void, , xsave, (uc_env * env, uint64_t address, uint64_t features), env, address, features)
SETTLED(void, , xsaveopt, (uc_env * env, uint64_t address, uint64_t features), env, address, features)
SETTLED(void, , xrstor, (uc_env * env, uint64_t address, uint64_t features), env, address, features)
