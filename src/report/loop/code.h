/* The instructions of a measured program (a *case*: a loop, or a loop that calls a function), with what is
 * live after each of them, and copies of the program in which some instructions are replaced. */
#ifndef REPORT_LOOP_CODE_H
#define REPORT_LOOP_CODE_H

#include "report/timeline/window.h"

/* Sets of what code reads and writes, without memory, x87 and MMX: general registers (bit n: register n as
 * isa_gpr numbers them), CF, and the other flags as one. */
enum { CODE_REGISTERS = 0xff, CODE_CARRY = 1 << 8, CODE_FLAGS = 1 << 9 };

typedef struct code_insn {
    isa_insn insn;
    uint8_t bytes[ISA_LONGEST];
    unsigned live; /* set of CODE_* that code after this instruction may read before it overwrites it */
    bool executed; /* in the captured trips */
    bool leader;   /* the target of a direct branch */
    bool fixed;    /* it belongs to the generated loop that calls a function, and is not rewritten */
} code_insn;

typedef struct loop_code {
    const p5_case_program *program;
    p5_case_image image;
    isa_decoder *decoder;
    code_insn *items; /* all instructions that control can reach, by address */
    size_t count;
    unsigned free_registers; /* set of registers that no code reads after the program's end or a return */
    unsigned unused;         /* set of registers that no instruction names */
    uint32_t addressed;      /* code below this address must not move: the highest number in code or data that
                                may be an address of code, as in a jump table; 0: there is none */
    unsigned live_after_return; /* set of CODE_* that the code to which a RET returns may read: the caller of
                                   the measured function, or what follows a call in this code */
    bool has_harness;           /* the code calls a function from a generated loop */
    bool sets_direction;        /* there is an STD */
} loop_code;

/* Reads the reachable code of the program. `window` has trips of its loop. Returns false if memory is out, or
 * if two instructions overlap: such code is not rewritten (`count` is then 0). The caller calls code_close in
 * any case. */
bool code_open(loop_code *code, const p5_case_program *program, const p5_window *window,
               unsigned free_registers);
void code_close(loop_code *code);

/* Return what the instruction reads, and what it may write, as sets of CODE_*. */
unsigned code_reads(const isa_insn *insn);
unsigned code_writes(const isa_insn *insn);
/* Returns what the instruction overwrites completely each time: its old value is then dead before it. */
unsigned code_kills(const isa_insn *insn);
/* Returns true for a near branch whose target its encoding contains. */
bool code_is_direct(const isa_insn *insn);
/* Returns the index in code->items of the instruction at `address`; code->count: there is none. */
size_t code_find(const loop_code *code, uint32_t address);

/* Other code for the instructions [first, first + count). */
typedef struct code_edit {
    size_t first, count;
    uint8_t bytes[160];
    size_t size;          /* of `bytes` in use */
    size_t jump_at;       /* offset in `bytes` of the one-byte displacement of a branch at the end, which
                             code_edited fills in; 0: there is no such branch */
    uint32_t jump_target; /* that branch's target, as an address before the edit */
} code_edit;

/* Returns a copy of `program` with the edit in it. `program` must have the same instructions at the same
 * addresses as code->program; it may differ in constants, such as the trip count. The code after the edit moves,
 * and branches go to the same instructions as before. Returns NULL if memory is out, or if the code cannot
 * move. */
p5_case_program *code_edited(const loop_code *code, const p5_case_program *program, const code_edit *edit);

#endif
