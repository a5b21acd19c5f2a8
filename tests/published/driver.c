/* The common part: entry, the measurement, text to port E9h. */
#include "driver.h"

enum { WARM = 4 }; /* calls before the one that counts: caches filled, branches learned */

__attribute__((aligned(4096))) uint8_t area[AREAS][AREA];
__attribute__((aligned(4096), used)) static uint8_t stack[16384];

__asm__(".globl start\n"
        "start: movl $stack+16384-64,%esp\n"
        "call main\n"
        "movl %eax,%eax\n"
        "outl %eax,$0xf4\n"
        "hlt\n");

static void put(char c)
{
    __asm__ volatile("outb %0,$0xe9" : : "a"(c));
}

static void text(const char *s)
{
    while (*s != '\0')
        put(*s++);
}

static void number(uint32_t n)
{
    if (n >= 10)
        number(n / 10);
    put((char)('0' + n % 10));
}

static uint32_t clocks(void)
{
    uint32_t low;
    __asm__ volatile("rdtsc" : "=a"(low) : : "edx", "memory");
    return low;
}

uint32_t draw(void)
{
    static uint32_t x = 1;
    x = x * 1664525 + 1013904223;
    return x >> 16 | x << 16;
}

static void nothing(unsigned n)
{
    (void)n;
}

static uint32_t measure(void (*call)(unsigned n), unsigned n)
{
    uint32_t took = 0;
    for (unsigned i = 0; i < sizeof area; i += 32) /* a write does not bring its line in */
        *(volatile uint8_t *)((uint8_t *)area + i);
    for (unsigned i = 0; i <= WARM; i++) {
        uint32_t before = clocks();
        call(n);
        took = clocks() - before;
    }
    return took;
}

static bool has_mmx(void)
{
    uint32_t leaf = 1, features;
    __asm__ volatile("cpuid" : "+a"(leaf), "=d"(features) : : "ebx", "ecx");
    return features >> 23 & 1;
}

int main(void)
{
    for (unsigned i = 0; i < sizeof area / 4; i++)
        ((uint32_t *)area)[i] = draw();
    prepare();
    for (const routine *r = routines; r->figure; r++) {
        if (r->mmx && !has_mmx())
            continue;
        uint32_t large = measure(r->call, r->large);
        uint32_t small = measure(r->small > 0 ? r->call : nothing, r->small);
        text(r->figure);
        put(' ');
        number(large - small);
        put(' ');
        number(r->units > 0 ? r->units : r->large - r->small);
        put('\n');
    }
    return 0;
}
