/* Unicorn's translator generates several calls for one x87 instruction. An emit_pair describes two such calls, and the
 * function that emit.c calls instead of both. */
#ifndef ENGINE_X87_EMIT_H
#define ENGINE_X87_EMIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct emit_pair {
    uintptr_t first, second, whole; /* addresses of functions; `whole` does the work of the others */
    bool passes;                    /* the second takes the result of the first, which nothing else uses */
    /* `whole` is called with the second's first argument after the processor state (an address, or a register's
     * number), else with the arguments of the first. */
    bool from_second;
} emit_pair;

/* Returns the row for calls of `first` and then `second`, or NULL. */
const emit_pair *x87_find_pair(uintptr_t first, uintptr_t second);

#endif
