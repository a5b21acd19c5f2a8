#include "core/branch/return_stack.h"

#include <assert.h>

void return_stack_init(return_stack *stack, unsigned entries)
{
    assert(entries <= RETURN_STACK_ENTRIES);
    *stack = (return_stack){.entries = entries};
}
