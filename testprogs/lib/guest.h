/* A replacement for the C library in C guests: entry, a few system calls, text, checksums. It is i586 code, so
 * that guests contain no instructions of later processors. */
#ifndef TESTPROGS_GUEST_H
#define TESTPROGS_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int main(int argc, char **argv); /* called by the entry in start.c; its value is the exit status */

/* int 80h with up to three arguments; a negative result is -errno. */
static inline int system_call(int number, uint32_t a, uint32_t b, uint32_t c)
{
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}

_Noreturn void quit(int status);

/* To standard output, unbuffered. */
void print(const char *text);
void print_decimal(uint64_t value);
void print_hex(uint32_t value); /* eight digits */
/* value/100 with two decimals, right-aligned in `width` columns. */
void print_hundredths(int64_t value, unsigned width);
/* `text`, filled up with blanks to `width` columns. */
void print_padded(const char *text, unsigned width);

/* Argument `index` as a decimal number, or `otherwise` if there is none; quits with status 2 if it is not a
 * number. */
uint32_t number_argument(int argc, char **argv, int index, uint32_t otherwise);

/* "NAME CHECKSUM" on one line: what every benchmark kernel prints at its end. */
void print_checksum(const char *name, uint32_t checksum);

/* FNV-1a of `size` bytes, continuing from `hash` (start with CHECKSUM_START). */
enum { CHECKSUM_START = 0x811c9dc5 };
uint32_t checksum(uint32_t hash, const void *data, size_t size);

/* Marsaglia's xorshift: the same numbers on every machine. State must not be 0. */
static inline uint32_t random_next(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

static inline uint64_t read_tsc(void)
{
    uint64_t value;
    __asm__ volatile("rdtsc" : "=A"(value));
    return value;
}

#endif
