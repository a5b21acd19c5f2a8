/* Maps opcodes to forms: tables that instructions_gen.c generates from the `opcodes` column and decode.c
 * reads. */
#ifndef ISA_OPCODE_MAP_H
#define ISA_OPCODE_MAP_H

#include <stdint.h>

/* What follows the opcode byte. */
typedef enum isa_immediate {
    ISA_IMM_NONE,
    ISA_IMM_BYTE,  /* ib */
    ISA_IMM_WORD,  /* iw */
    ISA_IMM_FULL,  /* iz: 2 or 4 bytes by operand size */
    ISA_IMM_ENTER, /* iw ib */
    ISA_IMM_REL8,  /* cb */
    ISA_IMM_REL,   /* cz: 2 or 4 bytes by operand size */
    ISA_IMM_FAR,   /* cp: 2 or 4 bytes and a selector */
    ISA_IMM_MOFFS  /* mo: 2 or 4 bytes by address size */
} isa_immediate;

/* What the decoder has to know of one encoding. Encodings of the same form may differ in the rest. */
typedef struct isa_cell {
    uint16_t form;         /* index into isa_forms; 0 = no processor of this family has it */
    uint8_t immediate;     /* isa_immediate */
    uint8_t operand_bytes; /* width of the operand (isa_insn.operand_bytes): 0 none, or ISA_BY_OPERAND_SIZE */
    uint8_t has_modrm : 1;
    uint8_t mod_ignored : 1;    /* r/m is a register whatever mod is (MOV CRn, DRn) */
    uint8_t byte_registers : 1; /* numbers 4-7 name AH, CH, DH, BH */
} isa_cell;

enum { ISA_BY_OPERAND_SIZE = 0xff }; /* 2 or 4 bytes */

/* Variants of an opcode: ModRM.reg (8), r/m in memory or a register, 32- or 16-bit operand size, without or with F2 or
 * F3. ISA_VARIANT is the number of one. */
enum { ISA_VARIANTS = 64 };
#define ISA_VARIANT(REG, IS_REGISTER, IS_16, IS_REP)                                                         \
    ((unsigned)(REG) | (unsigned)(IS_REGISTER) << 3 | (unsigned)(IS_16) << 4 | (unsigned)(IS_REP) << 5)

/* An opcode byte: one cell if all variants are equal, else ISA_VARIANTS of them. */
typedef struct isa_opcode {
    uint16_t first; /* index into isa_cells, of the cell or of variant 0 */
    uint8_t has_variants;
    uint8_t has_modrm; /* some variant has a ModRM byte */
} isa_opcode;

extern const isa_cell isa_cells[];
extern const isa_opcode isa_opcodes[2][256]; /* [1] = after 0Fh */
/* x87 with mod = 3: [opcode - D8h][low 6 bits of ModRM] -> index into isa_cells. */
extern const uint16_t isa_x87_cells[8][64];

#endif
