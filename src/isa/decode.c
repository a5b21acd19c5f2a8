/* Decodes instructions by the opcode map that instructions_gen.c generates from instructions.tsv. Lengths
 * come from the same table, also those of instructions that the processor lacks, and of those that general decoders
 * refuse (SALC, the aliases of the 80h and D0h groups and of the x87). Manual:
 * instruction format, prefixes, ModRM and SIB. */
#include <assert.h>
#include <string.h>

#include "isa/decoder.h"
#include "isa/opcode_map.h"

enum { NO_GPR = 8 }; /* a register number that means none */

/* The bytes of one instruction while it is being read. */
typedef struct reader {
    const uint8_t *bytes;
    size_t size;         /* of `bytes` */
    unsigned at;         /* index of the next byte */
    bool short_of_bytes; /* the buffer ended before the instruction */
    bool too_long;       /* a 16th byte would be needed */
} reader;

/* Returns the next byte. If there is none, returns 0 and sets the reason. */
static uint8_t read_byte(reader *r)
{
    if (r->at >= ISA_LONGEST)
        r->too_long = true;
    else if (r->at >= r->size)
        r->short_of_bytes = true;
    else
        return r->bytes[r->at++];
    return 0;
}

/* Reads a little-endian number of 1, 2 or 4 bytes, sign-extended. */
static uint32_t read_number(reader *r, unsigned bytes)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint32_t)read_byte(r) << (8 * i);
    if (bytes == 1)
        return (uint32_t)(int32_t)(int8_t)number;
    return bytes == 2 ? (uint32_t)(int32_t)(int16_t)number : number;
}

static bool read_failed(const reader *r)
{
    return r->short_of_bytes || r->too_long;
}

/* The effect of the prefixes. */
typedef struct prefix_effects {
    bool operand32, address32;
    bool operand_prefix; /* 66h */
    uint8_t repeat;      /* F2h, F3h or 0 */
} prefix_effects;

/* Reads the prefixes into `insn` and `s`, and returns the opcode byte after them. Of the repeat prefixes and of the
 * segment overrides, the last one counts. 66h or 67h twice is the same as once, but each still costs its decode
 * clock. */
static uint8_t read_prefixes(reader *r, isa_insn *insn, bool code32, prefix_effects *s)
{
    *s = (prefix_effects){.operand32 = code32, .address32 = code32};
    for (;;) {
        uint8_t byte = read_byte(r);
        if (read_failed(r))
            return 0;
        switch (byte) {
        case 0x66:
            s->operand32 = !code32;
            s->operand_prefix = true;
            insn->size_prefixes++;
            break;
        case 0x67:
            s->address32 = !code32;
            insn->size_prefixes++;
            break;
        case 0xf0:
            insn->lock = 1;
            break;
        case 0xf2:
        case 0xf3:
            insn->repne = byte == 0xf2;
            insn->rep = byte == 0xf3;
            insn->had_f2 |= byte == 0xf2;
            s->repeat = byte;
            break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
            insn->segment = (uint8_t)(1 + (byte >> 3 & 3)); /* ES, CS, SS, DS */
            break;
        case 0x64:
        case 0x65:
            insn->segment = (uint8_t)(5 + (byte & 1)); /* FS, GS */
            break;
        default:
            return byte;
        }
        insn->prefixes++;
    }
}

/* Returns the bit of a register in a mask of registers, 0 for NO_GPR. */
static uint8_t gpr_bit(unsigned gpr)
{
    assert(gpr <= NO_GPR);
    if (gpr >= NO_GPR)
        return 0;
    return (uint8_t)(1u << gpr);
}

/* Records the registers of a memory operand with a 16-bit address, and skips its displacement, whose value is not
 * needed. Base and index by r/m: BX+SI, BX+DI, BP+SI, BP+DI, SI, DI, BP (mod 0: only a 16-bit displacement), BX. */
static void read_address16(reader *r, isa_insn *insn, unsigned mod, unsigned rm)
{
    static const uint8_t base[8] = {ISA_EBX, ISA_EBX, ISA_EBP, ISA_EBP, ISA_ESI, ISA_EDI, ISA_EBP, ISA_EBX};
    static const uint8_t index[8] = {ISA_ESI, ISA_EDI, ISA_ESI, ISA_EDI, NO_GPR, NO_GPR, NO_GPR, NO_GPR};
    assert(mod < 3 && rm < 8);
    bool absolute = mod == 0 && rm == 6;
    if (!absolute)
        insn->address_gpr |= (uint8_t)(gpr_bit(base[rm]) | gpr_bit(index[rm]));
    insn->stack_base = !absolute && base[rm] == ISA_EBP;
    if (absolute || mod != 0) {
        insn->has_disp = 1;
        read_number(r, mod == 1 ? 1 : 2);
    }
}

/* Does what read_address16 does, for a 32-bit address, which may have a SIB byte. */
static void read_address32(reader *r, isa_insn *insn, unsigned mod, unsigned rm)
{
    assert(mod < 3 && rm < 8);
    unsigned base = rm;
    if (rm == ISA_ESP) {
        uint8_t sib = read_byte(r);
        base = sib & 7;
        unsigned index = sib >> 3 & 7;
        if (index != ISA_ESP) /* 4 = no index */
            insn->address_gpr |= gpr_bit(index);
    }
    bool absolute = mod == 0 && base == ISA_EBP;
    if (!absolute)
        insn->address_gpr |= gpr_bit(base);
    insn->stack_base = !absolute && (base == ISA_ESP || base == ISA_EBP);
    if (absolute || mod != 0) {
        insn->has_disp = 1;
        read_number(r, mod == 1 ? 1 : 4);
    }
}

/* Reads what follows the opcode and addressing bytes: an immediate operand or an address within the instruction.
 * *relative gets the displacement of a relative branch. */
static void read_immediate(reader *r, isa_insn *insn, isa_immediate kind, const prefix_effects *s,
                           uint32_t *relative)
{
    unsigned full = s->operand32 ? 4 : 2;
    uint32_t value = 0;
    switch (kind) {
    case ISA_IMM_NONE:
        return;
    case ISA_IMM_BYTE:
        value = read_number(r, 1);
        break;
    case ISA_IMM_WORD:
        value = read_number(r, 2);
        break;
    case ISA_IMM_FULL:
        value = read_number(r, full);
        break;
    case ISA_IMM_ENTER:
        insn->imm16 = (uint16_t)read_number(r, 2);
        insn->imm8 = (uint8_t)read_number(r, 1);
        insn->has_imm = 1;
        return;
    case ISA_IMM_REL8:
        *relative = read_number(r, 1);
        return;
    case ISA_IMM_REL:
        *relative = read_number(r, full);
        return;
    case ISA_IMM_FAR:
        read_number(r, full);
        read_number(r, 2);
        return;
    case ISA_IMM_MOFFS:
        insn->has_disp = 1;
        read_number(r, s->address32 ? 4 : 2);
        return;
    }
    insn->has_imm = 1;
    insn->imm8 = (uint8_t)value;
    insn->imm16 = (uint16_t)value;
}

/* The operands of one encoding as register numbers (general or MMX registers, by the form). */
typedef struct operands {
    unsigned rm;         /* ModRM.rm; NO_GPR if it is memory */
    unsigned reg;        /* ModRM.reg */
    unsigned op;         /* low three bits of the opcode */
    bool byte_registers; /* numbers 4-7 name AH, CH, DH, BH */
} operands;

/* Returns the mask of the general registers that `uses` (ISA_USE_*, and bits 0-7 for fixed registers) means with these
 * operands. */
static uint8_t used_gprs(uint32_t uses, const operands *o)
{
    unsigned byte_mask = o->byte_registers ? 3 : 7; /* AH, CH, DH, BH are in EAX, ECX, EDX, EBX */
    uint8_t gprs = (uint8_t)uses;
    if (uses & ISA_USE_RM && o->rm != NO_GPR)
        gprs |= gpr_bit(o->rm & byte_mask);
    if (uses & ISA_USE_RM8 && o->rm != NO_GPR)
        gprs |= gpr_bit(o->rm & 3);
    if (uses & ISA_USE_REG)
        gprs |= gpr_bit(o->reg & byte_mask);
    if (uses & ISA_USE_OP)
        gprs |= gpr_bit(o->op & byte_mask);
    return gprs;
}

/* Returns the mask of the MMX registers that `uses` means with these operands. */
static uint8_t used_mmx(uint32_t uses, const operands *o)
{
    uint8_t registers = 0;
    if (uses & ISA_USE_MM_RM)
        registers |= gpr_bit(o->rm);
    if (uses & ISA_USE_MM_REG)
        registers |= gpr_bit(o->reg);
    return registers;
}

/* Returns the number of ENTER's data references. With nesting level n > 0 it pushes EBP, copies n - 1 frame
 * pointers (a read and a push each) and pushes the new one. */
static uint8_t enter_accesses(unsigned level)
{
    level &= 31;
    return (uint8_t)(level == 0 ? 1 : 2 + 2 * (level - 1));
}

/* Fills in what the form determines for this encoding. The immediate must have been read (ENTER). */
static void apply_form(isa_insn *insn, const isa_cell *cell, const operands *o, const prefix_effects *s)
{
    const isa_form *form = &isa_forms[cell->form];
    insn->form = cell->form;
    insn->flags = form->flags;
    insn->operand_bytes = cell->operand_bytes;
    if (cell->operand_bytes == ISA_BY_OPERAND_SIZE)
        insn->operand_bytes = s->operand32 ? 4 : 2;
    insn->read_gpr = used_gprs(form->reads, o);
    insn->write_gpr = used_gprs(form->writes, o);
    insn->address_gpr |= form->address;
    insn->read_mm = used_mmx(form->reads, o);
    insn->write_mm = used_mmx(form->writes, o);
    uint32_t uses = form->reads | form->writes;
    if (uses & ISA_USE_ST1)
        insn->fp_index = 1;
    if (uses & ISA_USE_STI)
        insn->fp_index = (uint8_t)o->rm;
    insn->fp_to_sti = (form->writes & (ISA_USE_STI | ISA_USE_ST1)) != 0;
    insn->accesses = cell->immediate == ISA_IMM_ENTER ? enter_accesses(insn->imm8) : form->accesses;
    /* POP ESP: the new ESP is the popped value, so nothing can be bypassed. */
    if (form->flags & ISA_STACK && used_gprs(form->writes & (ISA_USE_RM | ISA_USE_OP), o) & gpr_bit(ISA_ESP))
        insn->flags &= ~(uint32_t)ISA_STACK;
}

/* Returns whether the prefixes make an otherwise defined instruction undefined: LOCK on anything but a
 * read-modify-write in memory (manual, LOCK), and 66h, F2h and F3h before MMX opcodes, which are SSE opcodes on
 * later processors. That they raise #UD on the P55C is inferred. */
static bool bad_prefix(const isa_insn *insn, const prefix_effects *s)
{
    if (insn->lock && !(insn->flags & ISA_LOCKABLE && insn->memory))
        return true;
    return insn->flags & ISA_MMX && (s->operand_prefix || s->repeat != 0);
}

/* Turns `insn` into form 0, which is undefined, without registers and references. Prefixes, length and sizes stay. */
static void make_undefined(isa_insn *insn)
{
    insn->form = 0;
    insn->flags = ISA_UNDEFINED;
    insn->read_gpr = insn->write_gpr = insn->address_gpr = insn->read_mm = insn->write_mm = 0;
    insn->accesses = insn->operand_bytes = insn->fp_index = insn->fp_to_sti = insn->memory = 0;
}

bool isa_decode(isa_decoder *decoder, const uint8_t *bytes, size_t size, uint32_t address, bool code32,
                isa_insn *insn)
{
    reader r = {.bytes = bytes, .size = size};
    prefix_effects s;
    *insn = (isa_insn){.address = address};
    uint8_t opcode = read_prefixes(&r, insn, code32, &s);
    if (opcode == 0x0f && !read_failed(&r)) {
        insn->escape_0f = 1;
        opcode = read_byte(&r);
    }
    const isa_opcode *map = &isa_opcodes[insn->escape_0f][opcode];
    uint8_t modrm = map->has_modrm && !read_failed(&r) ? read_byte(&r) : 0;
    uint32_t relative = 0;
    if (!read_failed(&r)) {
        unsigned mod = modrm >> 6, rm = modrm & 7;
        const isa_cell *cell = &isa_cells[map->first];
        if (!insn->escape_0f && opcode >= 0xd8 && opcode <= 0xdf && mod == 3)
            cell = &isa_cells[isa_x87_cells[opcode - 0xd8][modrm & 63]];
        else if (map->has_variants)
            cell += ISA_VARIANT(modrm >> 3 & 7, mod == 3, !s.operand32, s.repeat != 0);
        /* An undefined variant has no r/m operand, though its ModRM byte has been read to find it. */
        bool memory = cell->has_modrm && mod != 3 && !cell->mod_ignored;
        insn->reg = modrm >> 3 & 7;
        insn->rm = (uint8_t)rm;
        insn->operand32 = s.operand32;
        insn->address32 = s.address32;
        if (memory && s.address32)
            read_address32(&r, insn, mod, rm);
        else if (memory)
            read_address16(&r, insn, mod, rm);
        read_immediate(&r, insn, cell->immediate, &s, &relative);

        operands o = {.rm = memory ? NO_GPR : rm,
                      .reg = modrm >> 3 & 7,
                      .op = opcode & 7,
                      .byte_registers = cell->byte_registers};
        apply_form(insn, cell, &o, &s);
        insn->condition = opcode & 15;
        insn->memory = (memory || cell->immediate == ISA_IMM_MOFFS) &&
                       (insn->accesses != 0 || insn->flags & ISA_VARIABLE_ACCESSES);
        if (!(isa_forms[cell->form].models & decoder->models) || bad_prefix(insn, &s))
            make_undefined(insn);
    }
    if (r.short_of_bytes)
        return false;
    if (r.too_long)
        make_undefined(insn);
    insn->length = (uint8_t)r.at;
    insn->target = address + insn->length + relative; /* not wrapped at 64 KB for 16-bit code */
    return true;
}
