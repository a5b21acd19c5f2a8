/* Which segment a data reference uses (operand.c). */
#ifndef ENGINE_MEMORY_OPERAND_H
#define ENGINE_MEMORY_OPERAND_H

#include "engine/internal.h"

/* Returns the segment of an access of an instruction: a read or a write, the `nth` from 0 in Unicorn's order. Of a
 * REP string, accesses are numbered in each iteration. */
engine_segment_name operand_segment(const isa_insn *insn, bool write, unsigned nth);
/* Returns true if the instruction reads its operand in memory and writes it (ADD m,r and others). */
bool operand_modified(const isa_insn *insn);
/* Returns ESI with the address size of a string instruction. */
uint32_t operand_source_offset(const engine *e, const isa_insn *insn);

#endif
