/* Pairs of calls in generated code that make up one instruction, and the call that replaces them. */
#ifndef ENGINE_X87_EMIT_H
#define ENGINE_X87_EMIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct emit_whole {
    uintptr_t first, second, whole; /* functions */
    bool passes;                    /* the second takes the first one's result, which is not used elsewhere */
    bool from_second;               /* the whole is called with the second's address, else like the first */
} emit_whole;

/* Returns the whole instruction that `first` and `second` make up, or NULL. */
const emit_whole *x87_find_whole(uintptr_t first, uintptr_t second);

#endif
