/* Whole x87 instructions. Unicorn's translator makes one of a reference to memory and one to three calls that
 * leave each other the operand; emit.c puts one of these functions in their place. Each does the usual case
 * itself: all exceptions masked, no register empty, operands whose exponents the processor finds safe,
 * nothing new in the host's flags. In every other case it calls what it replaces, one after the other.
 *
 * The waiting for a pending exception comes before the reference, as on the processor. Registers are read and
 * written as the host's x87 does, in parts of 8 and 2 bytes: a load that has to be put together from several
 * stores waits for them. */
#ifndef ENGINE_X87_WHOLE_H
#define ENGINE_X87_WHOLE_H

#include "engine/access.h"
#include "engine/emit.h"
#include "engine/x87.h"

/* --- Operands in memory --- */

typedef uint32_t m32;
typedef uint64_t m64;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;

#define FETCH_AND_PUT(type, bits)                                                                            \
    static inline type fetch_##type(uc_env *env, uint64_t address, uintptr_t retaddr)                        \
    {                                                                                                        \
        return (type)access_load_quick(env, address, sizeof(type), access_at_user_level(env), 0, retaddr);   \
    }                                                                                                        \
    static inline void put_##type(uc_env *env, uint64_t address, type number, uintptr_t retaddr)             \
    {                                                                                                        \
        access_store_quick(env, address, (bits)number, sizeof(type), access_at_user_level(env), 0, retaddr); \
    }
FETCH_AND_PUT(m32, uint32_t)
FETCH_AND_PUT(m64, uint64_t)
FETCH_AND_PUT(i16, uint16_t)
FETCH_AND_PUT(i32, uint32_t)
FETCH_AND_PUT(i64, uint64_t)

/* --- What the functions have in common --- */

void WRAP(helper_fpop)(uc_env *env);

/* The host's operation left `status`. True if that was the usual case: the guest's conditions are set. */
static inline bool x87_whole_usual(uc_env *env, uint16_t status, unsigned conditions)
{
    if (__builtin_expect(!x87_nothing_new(env, status), 0))
        return false;
    x87_set_conditions(env, status, conditions);
    return true;
}

/* --- Which pairs of calls a function takes the place of --- */

/* In place of a function: a reference, by size, whoever makes it. */
enum { LOADS_WORD = 1, LOADS_DWORD, LOADS_QWORD, STORES_WORD, STORES_DWORD, STORES_QWORD };

#define ADDRESS(function) ((uintptr_t)(function))
#define HELPER(name)      ADDRESS(WRAP(helper_##name))
/* A reference, and the helper that takes its value. */
#define FETCH(loads, helper, function)                                                                       \
    {                                                                                                        \
        .first = loads, .second = HELPER(helper), .whole = ADDRESS(function), .passes = true                 \
    }
#define JOIN(one, two, function)                                                                             \
    {                                                                                                        \
        .first = ADDRESS(one), .second = ADDRESS(two), .whole = ADDRESS(function)                            \
    }
/* The helper that makes a value, and the reference that stores it. */
#define KEEP(helper, stores, function)                                                                       \
    {                                                                                                        \
        .first = HELPER(helper), .second = stores, .whole = ADDRESS(function), .passes = true,               \
        .from_second = true                                                                                  \
    }

/* What `name` is when a pop follows. */
#define POPPED(name) JOIN(name, WRAP(helper_fpop), name##_pop)

typedef struct x87_wholes {
    const emit_whole *rows;
    size_t count;
} x87_wholes;
extern const x87_wholes x87_whole_operations; /* x87_whole_operate.c */
extern const x87_wholes x87_whole_moves;      /* x87_whole_move.c */

#endif
