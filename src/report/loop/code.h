/* The code of a program, with what is live after each instruction, and programs in which a part of the code is
 * replaced. */
#ifndef REPORT_LOOP_CODE_H
#define REPORT_LOOP_CODE_H

#include "report/timeline/window.h"

/* What code reads and writes apart from memory: general registers (bits 0-7), CF, and the other flags. */
enum { CODE_REGISTERS = 0xff, CODE_CARRY = 1 << 8, CODE_FLAGS = 1 << 9 };

typedef struct code_insn {
    isa_insn insn;
    uint8_t bytes[ISA_LONGEST];
    unsigned live; /* after it */
    bool executed; /* in the window */
    bool leader;   /* control comes to it from elsewhere */
    bool fixed;    /* it belongs to the loop that calls a function, and is not rewritten */
} code_insn;

typedef struct loop_code {
    const p5_case_program *program;
    p5_case_image image;
    isa_decoder *decoder;
    code_insn *items; /* all reachable instructions, by address */
    size_t count;
    unsigned free;   /* registers whose values nobody needs when the program ends */
    unsigned unused; /* registers that no instruction names */
    uint32_t
        addressed; /* the highest address of code that code or data contains: what is below stays where it is */
    bool sets_direction; /* there is an STD */
} loop_code;

/* Reads the reachable code of the program; `free` as above. Returns false if memory is out, or if two instructions overlap: such
 * code is not rewritten (`count` is then 0). The caller closes it in any case. */
bool code_open(loop_code *code, const p5_case_program *program, const p5_window *window, unsigned free);
void code_close(loop_code *code);

unsigned code_reads(const isa_insn *insn);
unsigned code_writes(const isa_insn *insn);
/* Returns what the instruction overwrites completely. */
unsigned code_kills(const isa_insn *insn);
/* Returns the index of the instruction at `address`, or `count`. */
size_t code_find(const loop_code *code, uint32_t address);

/* Other bytes for the instructions [first, first + count). */
typedef struct code_edit {
    size_t first, count;
    uint8_t bytes[160];
    size_t size;
    size_t jump_at;       /* not 0: the displacement of one byte, at this offset, of a branch at the end */
    uint32_t jump_target; /* its target, as an address before the edit */
} code_edit;

/* Returns a copy of `program`, which has the code's instructions at the code's addresses, with the edit in it;
 * branches lead to where they led. NULL if memory is out, or if the code cannot be moved. */
p5_case_program *code_edited(const loop_code *code, const p5_case_program *program, const code_edit *edit);

#endif
