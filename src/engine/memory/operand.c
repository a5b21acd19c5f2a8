/* Which segment register a data reference uses. Manual: segment-override prefixes, default segments, string
 * instructions. */
#include "engine/memory/operand.h"

/* Returns the segment of a read or a write of the instruction. `nth` is the number of the access, which only matters
 * for CMPS. */
engine_segment_name operand_segment(const isa_insn *insn, bool write, unsigned nth)
{
    const isa_form *form = &isa_forms[insn->form];
    const bool stack = form->address & 1 << ENGINE_ESP,
               source = form->address & 1 << ENGINE_ESI; /* uses ESP, ESI */
    engine_segment_name operand = insn->stack_base ? ENGINE_SS : ENGINE_DS;
    if (insn->segment)
        operand = (engine_segment_name)(insn->segment - 1); /* the override */
    if (insn->memory) {                                     /* POP reads the stack, PUSH and CALL write it */
        bool pop = form->traits & ISA_T_POP;
        return stack && write != pop ? ENGINE_SS : operand;
    }
    if (insn->flags & ISA_STRING) { /* ESI's has an override, EDI's is ES */
        if (!(form->address & 1 << ENGINE_EDI))
            return operand;
        if (form->engine == ISA_E_CMPS) /* Unicorn reads the second string first */
            return nth == 0 ? ENGINE_ES : operand;
        return source && !write ? operand : ENGINE_ES;
    }
    return form->address & 1 << ENGINE_EBX ? operand /* XLAT */ : ENGINE_SS; /* PUSH, RET and others */
}

/* Returns true for an instruction that reads its operand in memory and writes it. Its read is made with the
 * intent to write, so a page that forbids the access reports a write. Measured on later processors;
 * docs/fidelity.md. */
bool operand_modified(const isa_insn *insn)
{
    const isa_form *form = &isa_forms[insn->form];
    return insn->memory && form->data_reads && form->data_writes && !(insn->flags & ISA_STACK) &&
           form->branch == ISA_NOT_BRANCH;
}

/* Returns the offset in ESI or SI, by the address size. */
uint32_t operand_source_offset(const engine *e, const isa_insn *insn)
{
    return (uint32_t)e->env->regs[ENGINE_ESI] & (insn->address32 ? UINT32_MAX : 0xffff);
}
