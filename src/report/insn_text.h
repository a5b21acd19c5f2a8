/* Disassembles a machine's code by address and caches the texts, because traces ask for the same ones again and
 * again. */
#ifndef REPORT_INSN_TEXT_H
#define REPORT_INSN_TEXT_H

#include "p5scope/machine.h"

typedef struct insn_text insn_text;

/* Opens an empty cache. `machine` must outlive it. Returns NULL if memory runs out. */
insn_text *insn_text_open(const p5_machine *machine);
void insn_text_close(insn_text *texts); /* NULL is allowed */
/* Returns the text (Intel syntax) of the instruction that is at linear `address` now; "?" if its page is not
 * present or its last bytes are missing. The text is valid until the next call. */
const char *insn_text_at(insn_text *texts, uint32_t address);

#endif
