/* The P55C's return stack: a ring of four return addresses. A call overwrites the oldest one, and a return
 * pops the youngest. Returns in excess of calls find what is left in the ring. */
#ifndef CORE_BRANCH_RETURN_STACK_H
#define CORE_BRANCH_RETURN_STACK_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { RETURN_STACK_ENTRIES = 4 };

typedef struct return_stack {
    uint32_t address[RETURN_STACK_ENTRIES];
    unsigned entries; /* 0: the processor has no return stack */
    unsigned top;     /* index of the youngest */
    unsigned count;   /* addresses pushed and not yet popped, at most `entries` */
} return_stack;

/* Empties the stack. `entries`: its size. */
static inline void return_stack_init(return_stack *stack, unsigned entries)
{
    assert(entries <= RETURN_STACK_ENTRIES);
    *stack = (return_stack){.entries = entries};
}

/* Pushes an address. Returns true if the oldest address was lost ("RSB overflow", which no event counts). */
static inline bool return_stack_push(return_stack *stack, uint32_t address)
{
    if (stack->entries == 0)
        return false;
    assert(stack->top < stack->entries && stack->count <= stack->entries);
    stack->top = stack->top + 1 < stack->entries ? stack->top + 1 : 0;
    stack->address[stack->top] = address;
    bool full = stack->count == stack->entries;
    stack->count += !full;
    return full;
}

/* Removes the youngest address and returns it; 0 if the processor has no return stack. */
static inline uint32_t return_stack_pop(return_stack *stack)
{
    if (stack->entries == 0)
        return 0;
    assert(stack->top < stack->entries && stack->count <= stack->entries);
    uint32_t address = stack->address[stack->top];
    stack->top = (stack->top > 0 ? stack->top : stack->entries) - 1;
    stack->count -= stack->count > 0;
    return address;
}

#endif
