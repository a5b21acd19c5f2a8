/* Whole x87 instructions. Unicorn's translator generates a reference to memory and one to three calls that pass
 * the operand on; emit.c replaces them by one of these functions. Each executes its instruction on the host's
 * x87 if that holds the guest's registers, or can take them (x87_host.h), and if there is no stack fault. In
 * every other case it calls the functions that it replaces, one after the other.
 *
 * The wait for a pending exception comes before the reference, as on the processor. */
#ifndef ENGINE_X87_X87_WHOLE_H
#define ENGINE_X87_X87_WHOLE_H

#include "engine/memory/access.h"
#include "engine/x87/emit.h"
#include "engine/x87/x87_host.h"

/* Types of operands in memory. */
#define IN_MEMORY __attribute__((aligned(1), may_alias))
typedef uint32_t m32 IN_MEMORY;
typedef uint64_t m64 IN_MEMORY;
typedef int16_t i16 IN_MEMORY;
typedef int32_t i32 IN_MEMORY;
typedef int64_t i64 IN_MEMORY;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A function that makes a reference is written once, with the reference's privilege as a parameter. It handles
 * the usual case, and calls `name`_rare last for all others, so that it needs no frame. */
#define RARE static void __attribute__((noinline))
#define BY_PRIVILEGE(name)                                                                                   \
    static void name##_supervisor(uc_env *env, uint64_t address)                                             \
    {                                                                                                        \
        if (!name(env, address, false))                                                                      \
            name##_rare(env, address, false, X87_RETADDR);                                                   \
    }                                                                                                        \
    static void name##_user(uc_env *env, uint64_t address)                                                   \
    {                                                                                                        \
        if (!name(env, address, true))                                                                       \
            name##_rare(env, address, true, X87_RETADDR);                                                    \
    }

void WRAP(helper_fpop)(uc_env *env);

/* --- Pairs of calls that a function replaces --- */

/* Stand for references by size; USERS is added for those with user privilege. */
enum {
    LOADS_WORD = 1,
    LOADS_DWORD,
    LOADS_QWORD,
    STORES_WORD,
    STORES_DWORD,
    STORES_QWORD,
    LOADS_CONTROL,
    USERS = 8
};

#define ADDRESS(function) ((uintptr_t)(function))
#define HELPER(name)      ADDRESS(WRAP(helper_##name))
#define JOIN(one, two, function)                                                                             \
    {                                                                                                        \
        .first = ADDRESS(one), .second = ADDRESS(two), .whole = ADDRESS(function)                            \
    }
#define JOIN_EITHER(one, two, function)                                                                      \
    JOIN(one##_supervisor, two, function##_supervisor), JOIN(one##_user, two, function##_user)
/* A reference, and the helper that takes its value. */
#define FETCH_AT(loads, helper, function)                                                                    \
    {                                                                                                        \
        .first = loads, .second = HELPER(helper), .whole = ADDRESS(function), .passes = true                 \
    }
#define FETCH(loads, helper, function)                                                                       \
    FETCH_AT(loads, helper, function##_supervisor), FETCH_AT((loads) + USERS, helper, function##_user)
/* The helper that makes a value, and the reference that stores it. */
#define KEEP_AT(helper, stores, function)                                                                    \
    {                                                                                                        \
        .first = HELPER(helper), .second = stores, .whole = ADDRESS(function), .passes = true,               \
        .from_second = true                                                                                  \
    }
#define KEEP(helper, stores, function)                                                                       \
    KEEP_AT(helper, stores, function##_supervisor), KEEP_AT(helper, (stores) + USERS, function##_user)

/* Replaces `name` when a pop follows. */
#define POPPED(name) JOIN_EITHER(name, WRAP(helper_fpop), name##_pop)

typedef struct x87_wholes {
    const emit_whole *rows;
    size_t count;
} x87_wholes;
extern const x87_wholes x87_whole_operations; /* x87_whole_operate.c */
extern const x87_wholes x87_whole_moves;      /* x87_whole_move.c */
extern const x87_wholes x87_whole_control;    /* x87_control.c */

#endif
