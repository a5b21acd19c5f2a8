/* Whole x87 instructions. Unicorn's translator generates several calls for one: of a function that makes the reference
 * to memory, and of one to three helpers to which the operand is passed. stream/emit.c replaces pairs of calls by a
 * call of one of the functions here, which executes both parts; a further call may join that one. A whole instruction
 * is executed on the host's x87 if that holds the guest's registers, or can take them (x87_host.h), and if there is no
 * stack fault. In every other case the function calls the functions that it replaces, one after the other.
 *
 * A pending exception is raised before the reference is made, as on the processor. */
#ifndef ENGINE_X87_X87_WHOLE_H
#define ENGINE_X87_X87_WHOLE_H

#include "engine/memory/access.h"
#include "engine/x87/emit.h"
#include "engine/x87/x87_host.h"

/* Types of operands in memory: real numbers (m32, m64, as their bits) and integers. */
#define IN_MEMORY __attribute__((aligned(1), may_alias))
typedef uint32_t m32 IN_MEMORY;
typedef uint64_t m64 IN_MEMORY;
typedef int16_t i16 IN_MEMORY;
typedef int32_t i32 IN_MEMORY;
typedef int64_t i64 IN_MEMORY;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A function that makes a reference is written as two: `name` handles the usual case, and returns false without an
 * effect in all others, which `name`_rare handles. Their parameter `by` is the reference's privilege and mode
 * (ACCESS_*). BY_PRIVILEGE defines the functions that translated code calls: `name`_supervisor, `name`_user,
 * `name`_real and `name`_v86. They call `name`_rare last, so that they need no stack frame. */
#define RARE static void __attribute__((noinline))
#define BY_ONE(name, suffix, by)                                                                             \
    static void name##_##suffix(uc_env *env, uint64_t address)                                               \
    {                                                                                                        \
        if (!name(env, address, by))                                                                         \
            name##_rare(env, address, by, X87_RETADDR);                                                      \
    }
#define BY_PRIVILEGE(name)                                                                                   \
    BY_ONE(name, supervisor, ACCESS_BY(false) | ACCESS_MODE(ACCESS_PROTECTED))                               \
    BY_ONE(name, user, ACCESS_BY(true) | ACCESS_MODE(ACCESS_PROTECTED))                                      \
    BY_ONE(name, real, ACCESS_BY(false) | ACCESS_MODE(ACCESS_REAL))                                          \
    BY_ONE(name, v86, ACCESS_BY(true) | ACCESS_MODE(ACCESS_REAL))
/* Defines the functions for a `name`_rare without a fast path. */
#define ALWAYS_RARE(name)                                                                                    \
    ALWAYS_INLINE bool name(uc_env *env, uint64_t address, uint32_t by)                                      \
    {                                                                                                        \
        (void)env, (void)address, (void)by;                                                                  \
        return false;                                                                                        \
    }                                                                                                        \
    BY_PRIVILEGE(name)

/* Looks up a reference in the page cache (access_find). Returns true if it is found there and cannot violate its
 * segment. */
ALWAYS_INLINE bool whole_find(const engine *e, uint64_t address, unsigned size, uint32_t by, bool write,
                              access_place *at)
{
    return access_find(e, address, size, by & ACCESS_USER, write, at) &&
           access_inside(e, (uint32_t)address, size, by);
}

void WRAP(helper_fpop)(uc_env *env);

/* --- Rows of the tables of pairs: the two functions that are called, and the one that replaces them --- */

/* These numbers stand for functions that make a reference, by size; USERS is added for those with user privilege,
 * REALS for those in real or V86 mode. LOADS_WORD extends the sign, LOADS_CONTROL does not. */
enum {
    LOADS_WORD = 1,
    LOADS_DWORD,
    LOADS_QWORD,
    STORES_WORD,
    STORES_DWORD,
    STORES_QWORD,
    LOADS_CONTROL,
    USERS = 8,
    REALS = 16
};

#define ADDRESS(function) ((uintptr_t)(function))
#define HELPER(name)      ADDRESS(WRAP(helper_##name))
/* Two calls without a reference, or whose reference was joined before. */
#define JOIN(one, two, function)                                                                             \
    {                                                                                                        \
        .first = ADDRESS(one), .second = ADDRESS(two), .whole = ADDRESS(function)                            \
    }
/* JOIN for the four functions of BY_PRIVILEGE(one). */
#define JOIN_EITHER(one, two, function)                                                                      \
    JOIN(one##_supervisor, two, function##_supervisor), JOIN(one##_user, two, function##_user),              \
        JOIN(one##_real, two, function##_real), JOIN(one##_v86, two, function##_v86)
/* A reference, and the helper that takes its value. */
#define FETCH_AT(loads, helper, function)                                                                    \
    {                                                                                                        \
        .first = loads, .second = HELPER(helper), .whole = ADDRESS(function), .passes = true                 \
    }
#define FETCH(loads, helper, function)                                                                       \
    FETCH_AT(loads, helper, function##_supervisor), FETCH_AT((loads) + USERS, helper, function##_user),      \
        FETCH_AT((loads) + REALS, helper, function##_real),                                                  \
        FETCH_AT((loads) + REALS + USERS, helper, function##_v86)
/* The helper that makes a value, and the reference that stores it. */
#define KEEP_AT(helper, stores, function)                                                                    \
    {                                                                                                        \
        .first = HELPER(helper), .second = stores, .whole = ADDRESS(function), .passes = true,               \
        .from_second = true                                                                                  \
    }
#define KEEP(helper, stores, function)                                                                       \
    KEEP_AT(helper, stores, function##_supervisor), KEEP_AT(helper, (stores) + USERS, function##_user),      \
        KEEP_AT(helper, (stores) + REALS, function##_real),                                                  \
        KEEP_AT(helper, (stores) + REALS + USERS, function##_v86)

/* `name` and a pop after it. */
#define POPPED(name) JOIN_EITHER(name, WRAP(helper_fpop), name##_pop)

/* A table of pairs. */
typedef struct x87_pairs {
    const emit_pair *rows;
    size_t count;
} x87_pairs;
extern const x87_pairs x87_whole_operations; /* x87_whole_operate.c */
extern const x87_pairs x87_whole_moves;      /* x87_whole_move.c */
extern const x87_pairs x87_whole_control;    /* x87_control.c */

#endif
