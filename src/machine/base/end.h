/* How a guest ends, and the instruction at which it stands in words. */
#ifndef MACHINE_BASE_END_H
#define MACHINE_BASE_END_H

#include <stddef.h>
#include <stdint.h>

#include "p5scope/machine.h"

/* Ends the guest for good. The first end counts. */
void machine_end(p5_machine *machine, p5_end end, int status);
/* Fills address and disassembly of the result. */
void machine_end_at(p5_machine *machine, uint32_t eip);
void machine_end_message(p5_machine *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* True if the instruction at CS:`eip` is one of those that run only with p5_machine_options.permissive. */
bool machine_is_later(p5_machine *machine, uint32_t eip);
/* The instruction at `linear`, in the mode that runs, as text. */
void machine_disassemble(p5_machine *machine, uint32_t linear, char *text, size_t size);

#endif
