/* The machine's interface for the layers above, in addition to the public headers. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "p5tool/machine.h"

/* Returns the core to a caller that installs no callbacks in it. Otherwise, p5_machine_core must be called: from then
 * on, the machine takes the guest's x87 state out of the host's x87 each time before it prices code, because a
 * callback may use the host's x87. */
p5_core *machine_core(const p5_machine *machine);
/* Returns CR3, the page directory in use; 0 for a Linux program, whose pages p5scope manages. */
uint32_t machine_page_directory(const p5_machine *machine);
/* Returns the linear address to which the addresses of a linker's map are relative: the PSP of a COM program, the image
 * of an MZ program, 0 for other guests. */
uint32_t machine_program_base(const p5_machine *machine);
/* Code of p5scope in the guest's memory: the entries of the kernel that it emulates for Linux programs, or a stub of
 * its BIOS or DOS. */
typedef struct machine_own_code {
    uint32_t start, last; /* linear addresses of its first and last byte */
    char name[24];        /* "[kernel]", "[bios]", "[int 21h]" */
} machine_own_code;
/* Gets in *own the first such code that ends at or after `linear`. Returns false if there is none. */
bool machine_next_own_code(const p5_machine *machine, uint32_t linear, machine_own_code *own);

/* A case is a guest without an operating system: code and data of a case file, which run in a fixed environment until
 * an exit address (load/case.c). This struct is the exception or interrupt, if any, that ended the case before that
 * address. */
typedef struct case_fault {
    bool raised; /* false: there was none */
    uint8_t vector;
    uint32_t error_code; /* 0 for an exception without one */
    uint32_t address;    /* the EIP that its delivery would have pushed */
} case_fault;

/* The state in which a case ended. */
typedef struct case_left {
    uint32_t registers[8]; /* EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI */
    uint32_t eflags;
    uint64_t mmx[8];
    case_fault fault;
    uint64_t x87_underflows, x87_overflows; /* stack faults: engine_x87_faults */
} case_left;
/* Fills in *left. The guest must be a case that has ended, in either way. */
void machine_case_left(p5_machine *machine, case_left *left);
/* Copies bytes from the memory of a case to `bytes`. Returns false, without copying, if some are outside of it. */
bool machine_case_memory(p5_machine *machine, uint32_t address, uint8_t *bytes, uint32_t size);

#endif
