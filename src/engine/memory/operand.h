/* Which segment a data reference uses (operand.c). */
#ifndef ENGINE_MEMORY_OPERAND_H
#define ENGINE_MEMORY_OPERAND_H

#include "engine/internal.h"

/* Returns the segment of the `nth` access of an instruction. */
engine_segment_name operand_segment(const isa_insn *insn, bool write, unsigned nth);
/* Returns true if the instruction reads its operand in memory and writes it. */
bool operand_modified(const isa_insn *insn);
/* Returns ESI with the address size of a string instruction. */
uint32_t operand_source_offset(const engine *e, const isa_insn *insn);

#endif
