/* Memory and registers of a guest. A program writes them to prepare a run, and reads them to check what the guest
 * computed.
 *
 *     const uint32_t count = 1000;
 *     p5_machine_registers registers = {.size = sizeof registers};
 *     p5_machine_write_memory(machine, 0x200000, &count, sizeof count, &error);
 *     p5_machine_run(machine, NULL, NULL, &error);
 *     p5_machine_read_registers(machine, &registers, &error);
 *     printf("EAX = %08x\n", (unsigned)registers.eax);
 *
 * Nothing here is counted, and the caches, TLBs and branch target buffer of the core model keep their contents. Reading
 * changes nothing. It is possible as soon as the machine has a guest, also after the guest has ended. Writing is
 * possible between runs, until the guest has ended.
 *
 * Callbacks of a run (p5scope/observe.h) may read, too. `exception` and `port` find the state before the instruction at
 * the address that they get. So does `observed`, without counts_only, at markers and instructions of the monitor. In
 * other callbacks the guest may be some instructions ahead, and EIP may be an earlier one. */
#ifndef P5SCOPE_INSPECT_H
#define P5SCOPE_INSPECT_H

#include <stddef.h>
#include <stdint.h>

#include "p5scope/machine.h"
#include "p5scope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies `size` bytes of the guest's memory at linear `address` to `bytes`, through the guest's current page tables. In
 * real mode and in DOS programs, the linear address of segment:offset is 16 * segment + offset. Memory of devices,
 * such as the screen's, is read as far as reading has no effect.
 *
 * P5_ERR_RANGE: a page is not present, no memory answers there, or the bytes reach beyond 4 GB; *bytes is then
 * unchanged. P5_ERR_STATE: the machine has no guest. */
p5_status p5_machine_read_memory(const p5_machine *machine, uint32_t address, void *bytes, size_t size,
                                 p5_error *error);

/* Copies `size` bytes from `bytes` to the guest's memory at linear `address`. The page's protection does not matter,
 * and its accessed and dirty bits stay. If code that has run already is overwritten, the new code is executed.
 *
 * The errors are those of p5_machine_read_memory, after which nothing has been written, and: P5_ERR_STATE during a
 * run or after the guest's end; P5_ERR_UNSUPPORTED for memory of the emulated kernel of a Linux program. */
p5_status p5_machine_write_memory(p5_machine *machine, uint32_t address, const void *bytes, size_t size,
                                  p5_error *error);

/* A segment register with its hidden part. The layout is fixed. */
typedef struct p5_segment_register {
    uint32_t selector; /* 16 bits */
    uint32_t base;     /* linear */
    uint32_t limit;    /* in bytes */
    uint32_t rights;   /* bits 8-23 are those of the descriptor's second dword */
} p5_segment_register;

/* The registers of the processor. The performance monitor's registers, and other MSRs, are those of p5scope/pmu.h. */
typedef struct p5_machine_registers {
    size_t size;                                     /* sizeof (p5_machine_registers) */
    uint32_t eax, ecx, edx, ebx, esp, ebp, esi, edi; /* AX is the low half of EAX, and so on */
    uint32_t eip;    /* an offset in CS; cs.base + eip is the linear address of the next instruction */
    uint32_t eflags; /* with VM and IOPL */
    p5_segment_register es, cs, ss, ds, fs, gs, ldtr, tr; /* the last two are system segments */
    uint32_t cr0, cr2, cr3, cr4;                          /* control registers */
    /* The x87 state as FNSAVE stores it in 32-bit protected mode: the control word at byte 0, the status word at 4, the
     * tag word at 8, ST(0) to ST(7) from 28 on, ten bytes each. MMi is the first eight bytes of ST((i - TOP) & 7), with
     * TOP in bits 13-11 of the status word. */
    uint8_t x87[108];
} p5_machine_registers;

/* Reads all registers. The caller sets registers->size. P5_ERR_STATE: the machine has no guest, or the size is
 * impossible. */
p5_status p5_machine_read_registers(const p5_machine *machine, p5_machine_registers *registers,
                                    p5_error *error);

/* Writes the registers that differ from the present ones. Read them first, change some, and write all back.
 *
 * General registers, EIP, EFLAGS and the x87 state can always be written. Of EFLAGS, VM and the bits that the
 * processor lacks keep their values; in a Linux program only the flags change that a debugger may set there (CF, PF,
 * AF, ZF, SF, TF, DF, OF, RF and AC). The x87 state is taken as by FRSTOR: unknown bits of the control word are
 * ignored, and ES and B of the status word follow from its flags and the masks. Selectors can be written in real and
 * virtual-8086 mode; the base follows. CR2, CR3 and CR4 can be written except in Linux programs. P5_ERR_UNSUPPORTED:
 * another register differs, or one of these where it cannot be written. P5_ERR_RANGE: CR4 has a bit that the processor
 * lacks. P5_ERR_STATE: no guest, during a run, after the guest's end, or while a Linux program is in a system call,
 * where one instruction more leaves it. After an error, nothing has been written. */
p5_status p5_machine_write_registers(p5_machine *machine, const p5_machine_registers *registers,
                                     p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
