#include "core/return_stack.h"

void return_stack_init(return_stack *stack, unsigned entries)
{
    *stack = (return_stack){.entries = entries};
}

bool return_stack_push(return_stack *stack, uint32_t address)
{
    if (stack->entries == 0)
        return false;
    stack->top = (stack->top + 1) % stack->entries;
    stack->address[stack->top] = address;
    if (stack->count == stack->entries)
        return true;
    stack->count++;
    return false;
}

uint32_t return_stack_pop(return_stack *stack)
{
    if (stack->entries == 0)
        return 0;
    uint32_t address = stack->address[stack->top];
    stack->top = (stack->top + stack->entries - 1) % stack->entries;
    if (stack->count > 0)
        stack->count--;
    return address;
}
