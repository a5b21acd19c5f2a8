/* Which segment a data reference goes through (operand.c). */
#ifndef ENGINE_MEMORY_OPERAND_H
#define ENGINE_MEMORY_OPERAND_H

#include "engine/internal.h"

/* The segment of the `nth` access of an instruction. */
engine_segment_name operand_segment(const isa_insn *insn, bool write, unsigned nth);
/* It reads its operand in memory and writes it. */
bool operand_modified(const isa_insn *insn);
/* ESI as the address size of a string instruction has it. */
uint32_t operand_source_offset(const engine *e, const isa_insn *insn);

#endif
