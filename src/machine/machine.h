/* The machine for the floors above, beside the public headers. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "p5scope/machine.h"

/* p5_machine_core for who does not want to be told of things by the core. */
p5_core *machine_core(const p5_machine *machine);
/* The page directory in use; 0 for a guest that has its pages from p5scope. */
uint32_t machine_page_directory(const p5_machine *machine);
/* What the addresses of a linker's map are relative to: where DOS has loaded the program, else 0. */
uint32_t machine_program_base(const p5_machine *machine);
/* Code that is p5scope's and not the guest's: the gates of a Linux guest's kernel, a stub of the BIOS. */
typedef struct machine_own_code {
    uint32_t start, last; /* its first and last byte */
    char name[24];        /* "[kernel]", "[bios]", "[int 21h]" */
} machine_own_code;
/* True if `linear` lies in such code; *own is filled in then. */
bool machine_is_own_code(const p5_machine *machine, uint32_t linear, machine_own_code *own);

/* What a case has left behind at its end. */
typedef struct case_left {
    uint32_t esp;
    uint64_t x87_underflows, x87_overflows; /* stack faults: engine_x87_faults */
} case_left;
/* The guest is a case that has run to its end. */
void machine_case_left(p5_machine *machine, case_left *left);

#endif
