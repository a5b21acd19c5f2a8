#include "core/branch/return_stack.h"

void return_stack_init(return_stack *stack, unsigned entries)
{
    *stack = (return_stack){.entries = entries};
}
