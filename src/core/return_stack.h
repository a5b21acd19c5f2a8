/* The P55C's return stack: four return addresses in a ring. A call overwrites the oldest, a return takes the
 * youngest; more returns than calls find what is left in the ring. */
#ifndef CORE_RETURN_STACK_H
#define CORE_RETURN_STACK_H

#include <stdbool.h>
#include <stdint.h>

enum { RETURN_STACK_ENTRIES = 4 };

typedef struct return_stack {
    uint32_t address[RETURN_STACK_ENTRIES];
    unsigned entries; /* 0: the processor has none */
    unsigned top;     /* the youngest */
    unsigned count;   /* addresses pushed and not yet popped, at most `entries` */
} return_stack;

void return_stack_init(return_stack *stack, unsigned entries);
/* True if the oldest address was lost: event 39h/1 of the 1997 manual, "RSB overflows". */
bool return_stack_push(return_stack *stack, uint32_t address);
uint32_t return_stack_pop(return_stack *stack);

#endif
