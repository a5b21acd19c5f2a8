/* Linux: the checksums of RAID 5, measured as the kernel does when it starts. Its loop has three barriers, a counter and a read of the clock tick for each call. Around the MMX routines it saves the x87 state of a task that has used the x87 before. Units are calls. */
#include "driver.h"

#define __maybe_unused __attribute__((unused))
#define prefetch(x)    ((void)0)
#define prefetchw(x)   ((void)0)
typedef unsigned long word;
struct xor_block_template {
    const char *name;
    void (*do_2)(word, word *, const word *);
    void (*do_3)(word, word *, const word *, const word *);
    void (*do_4)(word, word *, const word *, const word *, const word *);
    void (*do_5)(word, word *, const word *, const word *, const word *, const word *);
};

static volatile word jiffies, flags; /* flags: of the task, none set */
static uint8_t image[108];

static inline void kernel_fpu_begin(void)
{
    if (!(flags & 1))
        __asm__ volatile("clts");
    __asm__ volatile("fsave %0; fwait" : "=m"(image));
}

static inline void kernel_fpu_end(void)
{
    word cr0;
    __asm__ volatile("frstor %0" : : "m"(image));
    if (!(flags & 1))
        __asm__ volatile("movl %%cr0,%0; orl $8,%0; movl %0,%%cr0" : "=r"(cr0));
}

#include "xor_32.h" /* Linux's two headers, without what they include */

enum { PAGE = 4096, BYTES = PAGE - 6 * 32, CALLS = 2, MORE_CALLS = 6 };

__attribute__((aligned(4096))) static uint8_t memory[4 * PAGE];

static void barrier(void)
{
    __asm__ volatile("lock; addl $0,0(%%esp)" : : : "memory");
}

static void run(const struct xor_block_template *t, unsigned calls)
{
    word now = jiffies;
    for (unsigned count = 0; jiffies == now && count < calls;) {
        barrier();
        t->do_2(BYTES, (word *)memory, (word *)(memory + 2 * PAGE + BYTES));
        barrier();
        count++;
        barrier();
    }
}

void prepare(void)
{
    for (unsigned i = 0; i < sizeof memory; i += 4)
        *(uint32_t *)(memory + i) = draw();
}

static void mmx_of_p2(unsigned n)
{
    run(&xor_block_pII_mmx, n);
}

static void mmx_of_p5(unsigned n)
{
    run(&xor_block_p5_mmx, n);
}

static void registers_8(unsigned n)
{
    run(&xor_block_8regs, n);
}

const routine routines[] = {{"linux.pII_mmx", mmx_of_p2, CALLS, MORE_CALLS, 0, true},
                            {"linux.p5_mmx", mmx_of_p5, CALLS, MORE_CALLS, 0, true},
                            {"linux.8regs", registers_8, CALLS, MORE_CALLS, 0, false},
                            {0}};
