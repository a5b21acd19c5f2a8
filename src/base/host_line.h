/* Cache lines of the host. What one thread writes while another reads or writes something else of the same line
 * goes from processor to processor each time, though nothing is shared. */
#ifndef BASE_HOST_LINE_H
#define BASE_HOST_LINE_H

#include <stdlib.h>
#include <string.h>

enum { HOST_LINE = 64 };

/* The member of a struct that this stands before begins a line. */
#define BEGINS_LINE _Alignas(HOST_LINE)

/* A cleared object of a type that is aligned so; for free(). NULL: out of memory. */
static inline void *host_line_calloc(size_t bytes)
{
    void *object = aligned_alloc(HOST_LINE, bytes);
    return object == NULL ? NULL : memset(object, 0, bytes);
}

/* Soon to be written: the line is fetched so that it need not be waited for then. Never faults. */
static inline void host_line_will_write(void *address)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*(char *)address));
#else
    __builtin_prefetch(address, 1);
#endif
}

/* ... or read. */
static inline void host_line_will_read(const void *address)
{
    __builtin_prefetch(address);
}

#endif
