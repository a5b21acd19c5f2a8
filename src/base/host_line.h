/* Cache lines of the host. What one thread writes while another reads or writes something else of the same
 * line goes from processor to processor each time, though nothing is shared. */
#ifndef BASE_HOST_LINE_H
#define BASE_HOST_LINE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_LINE = 64 };

/* The member of a struct that this stands before begins a line. */
#define BEGINS_LINE _Alignas(HOST_LINE)

/* A cleared object of a type that is aligned so, in lines of its own; for free(). NULL: out of memory. */
static inline void *host_line_calloc(size_t bytes)
{
    size_t lines = (bytes + HOST_LINE - 1) / HOST_LINE * HOST_LINE; /* aligned_alloc wants whole ones */
    void *object = aligned_alloc(HOST_LINE, lines);
    return object == NULL ? NULL : memset(object, 0, bytes);
}

/* Who goes through an array that another thread has written or read fetches so many lines ahead of where it
 * is: a line is on its way for longer than one step takes. */
enum { HOST_LINES_AHEAD = 6 };

/* Never fault, whatever lies there. */
static inline void host_line_will_read(const void *at)
{
    __builtin_prefetch((const void *)((uintptr_t)at + HOST_LINES_AHEAD * HOST_LINE));
}

static inline void host_line_will_write(const void *at)
{
    uintptr_t ahead = (uintptr_t)at + HOST_LINES_AHEAD * HOST_LINE;
#ifdef __x86_64__ /* GCC makes it of the function below only for hosts that it is told of */
    __asm__ volatile("prefetchw (%0)" : : "r"(ahead));
#else
    __builtin_prefetch((const void *)ahead, 1);
#endif
}

/* Between two looks at what another thread writes. */
static inline void host_line_wait(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb");
#endif
}

#endif
