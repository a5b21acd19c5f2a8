/* How a guest ends, and the disassembly of the instruction at which it stopped. */
#ifndef MACHINE_BASE_END_H
#define MACHINE_BASE_END_H

#include <stddef.h>
#include <stdint.h>

#include "p5scope/machine.h"

/* Ends the guest for good, with this reason and exit status (0 if the guest gives none). Only the first call has an
 * effect. The run loop stops at the next instruction boundary. */
void machine_end(p5_machine *machine, p5_end end, int status);
/* Sets the result's address and disassembly to those of the instruction at CS:`eip`. The disassembly is empty if the
 * instruction cannot be read. */
void machine_end_at(p5_machine *machine, uint32_t eip);
/* Sets the result's message. */
void machine_end_message(p5_machine *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Which processors have an instruction that the model's processor lacks. */
typedef struct machine_elsewhere {
    const char *of;     /* such as "of later processors" */
    const char *remedy; /* what to do, as a sentence without its end */
} machine_elsewhere;
/* Returns which other processors have the instruction at CS:`eip`, and how to run it if p5scope can. NULL: the model's
 * processor has it, or none. */
const machine_elsewhere *machine_lacks(p5_machine *machine, uint32_t eip);
/* Returns true if the instruction at CS:`eip` is RDPMC. */
bool machine_is_rdpmc(p5_machine *machine, uint32_t eip);
/* Writes the instruction at `linear` as text, decoded with the D bit of the current CS. */
void machine_disassemble(p5_machine *machine, uint32_t linear, char *text, size_t size);

#endif
