/* Cache lines of the host. When one thread writes to a line while another uses other data of the same line,
 * the line moves between processors each time although nothing is shared (false sharing). */
#ifndef BASE_HOST_LINE_H
#define BASE_HOST_LINE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { HOST_LINE = 64 }; /* bytes */

/* Makes the struct member that follows begin a line. */
#define BEGINS_LINE _Alignas(HOST_LINE)

/* Returns a zeroed object that begins a line and shares no line with other objects. The caller frees it with free().
 * Returns NULL if memory runs out. */
static inline void *host_line_calloc(size_t bytes)
{
    /* aligned_alloc requires a multiple of the alignment. */
    void *object = aligned_alloc(HOST_LINE, round_up(bytes, HOST_LINE));
    return object == NULL ? NULL : memset(object, 0, bytes);
}

/* How many lines ahead a loop prefetches in an array that another thread has written or read. A line takes longer to
 * arrive than one step of the loop. */
enum { HOST_LINES_AHEAD = 6 };

/* Prefetch, for reading or for writing, the line HOST_LINES_AHEAD lines after `at`. They never fault, whatever the
 * address. */
static inline void host_line_will_read(const void *at)
{
    __builtin_prefetch((const void *)((uintptr_t)at + HOST_LINES_AHEAD * HOST_LINE));
}

static inline void host_line_will_write(const void *at)
{
    uintptr_t ahead = (uintptr_t)at + HOST_LINES_AHEAD * HOST_LINE;
#ifdef __x86_64__ /* from __builtin_prefetch, GCC makes this instruction only if an option permits it */
    __asm__ volatile("prefetchw (%0)" : : "r"(ahead));
#else
    __builtin_prefetch((const void *)ahead, 1);
#endif
}

/* Pauses for some clocks between two reads of a variable that another thread writes (spin-wait hint). */
static inline void host_line_wait(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb");
#endif
}

#endif
