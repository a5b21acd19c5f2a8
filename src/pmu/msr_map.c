/* The numbers of RDMSR and WRMSR (manual table 26-1), by family. registers.c has the registers. */
#include "pmu/msr_map.h"

#include <stddef.h>

/* Specification update 242480, erratum 33 (all P54C steppings, fixed in the P55C): numbers from 80000000h do
 * not fault but select a register by their low 5 bits. Here, a register that does not exist then reads as 0.
 * The following registers can only be selected by such a number: */
static const p5_register p54c_hidden[] = {
    {.name = "msr1c", .msr = MSR_CONSTANT_4, .title = "Constant", .read_mask = 7},
    {.name = "msr1e",
     .msr = MSR_SCRATCH_0,
     .title = "Scratch",
     .read_mask = UINT32_MAX,
     .write_mask = UINT32_MAX},
    {.name = "msr1f",
     .msr = MSR_SCRATCH_1,
     .title = "Scratch",
     .read_mask = UINT32_MAX,
     .write_mask = UINT32_MAX},
    {0},
};

enum { ALIAS_MASK = 0x1f };            /* the bits of such a number that select the register */
#define ALIAS_BIT UINT32_C(0x80000000) /* set in every such number */

/* Returns the register of that number in a list that ends with a NULL name, or NULL. */
static const p5_register *find_in(const p5_register *registers, uint32_t msr)
{
    for (; registers->name != NULL; registers++)
        if (registers->msr == msr)
            return registers;
    return NULL;
}

/* Returns whether `ecx` is one of the P54C's numbers from 80000000h on. */
static bool is_alias(unsigned family, uint32_t ecx)
{
    return (family & ~(unsigned)P5_MONITORS) == P5_FAMILY_P54C && (ecx & ALIAS_BIT) != 0;
}

bool msr_map_has(unsigned family, uint32_t ecx)
{
    return is_alias(family, ecx) || find_in(p5_registers(family), ecx) != NULL;
}

const p5_register *msr_map_find(unsigned family, uint32_t ecx)
{
    if (!is_alias(family, ecx))
        return find_in(p5_registers(family), ecx);
    const p5_register *visible = find_in(p5_registers(family), ecx & ALIAS_MASK);
    return visible != NULL ? visible : find_in(p54c_hidden, ecx & ALIAS_MASK);
}
