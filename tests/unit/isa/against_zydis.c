/* Lengths, prefixes, and use of registers and memory, of every form of the P55C, compared with Zydis. `differences` lists where
 * the two differ in meaning, with the reason; anything else fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "../unit.h"
#include "isa/isa.h"

enum { SEGMENT_SS = 3, SEGMENT_DS }; /* as in isa_insn.segment */

/* What is compared. */
enum {
    LENGTH,
    READS,
    WRITES,
    ADDRESS,
    DATA,
    MMX,
    DISPLACEMENT,
    IMMEDIATE,
    TARGET,
    PREFIXES,
    MEMORY,
    SEGMENT,
    KINDS
};
static const char *const kind_names[KINDS] = {"length",
                                              "registers read",
                                              "registers written",
                                              "address registers",
                                              "data (2 read, 1 written)",
                                              "MMX registers",
                                              "displacement",
                                              "immediate",
                                              "target",
                                              "prefixes (and 16 times those of sizes)",
                                              "bytes of the memory operand",
                                              "segment and 32-bit address"};

typedef struct difference {
    const char *mnemonic; /* of the form */
    unsigned kind;
    const char *why;
    bool met; /* a difference that never shows is an error too */
} difference;

static difference differences[] = {
    {"MOV moffs", WRITES, "the store pairs as if it wrote EAX", false},
    {"PUSHA", DATA, "eight pushes, one operand there", false},
    {"PUSHAD", DATA, "the same", false},
    {"POPA", DATA, "eight pops, one operand there", false},
    {"POPAD", DATA, "the same", false},
    {"INS", WRITES, "Zydis leaves out that EDI moves", false},
    {"OUTS", WRITES, "the same for ESI", false},
    {"CMPS", WRITES, "the same", false},
    {"SCAS", WRITES, "the same", false},
    {"REP INS", WRITES, "the same", false},
    {"REP OUTS", WRITES, "the same", false},
    {"REP CMPS", WRITES, "the same", false},
    {"REP SCAS", WRITES, "the same", false},
    {"ENTER", DATA, "by level", false},
    {"BOUND", DATA, "two reads, one operand there", false},
    {"BSF", READS, "a zero source keeps the destination, so it is read", false},
    {"BSR", READS, "the same", false},
    {"XLAT", ADDRESS, "AL is an address here", false},
    {"LEAVE", READS, "EBP becomes ESP, which is the address of the pop", false},
    {"LEAVE", ADDRESS, "the same", false},
    {"ENTER", READS, "ESP is the address of the pushes, and EBP gets it", false},
    {"PUSHA", READS, "ESP is pushed, too", false},
    {"PUSHAD", READS, "the same", false},
    {"LAR", READS, "the destination is kept when the selector is bad", false},
    {"RSM", WRITES, "restores everything", false},
    {"CPUID", READS, "ECX is an input of later leaves only", false},
    {"INVLPG", DATA, "the address is named, not read", false},
    {"INVLPG", MEMORY, "the same", false},
    {"INVLPG", SEGMENT, "the same", false},
    {"BOUND", MEMORY, "two operands of that size", false},
    {"LDS", MEMORY, "an offset of that size and a selector", false},
    {"LES", MEMORY, "the same", false},
    {"LSS", MEMORY, "the same", false},
    {"LFS", MEMORY, "the same", false},
    {"LGS", MEMORY, "the same", false},
    {"CALL", MEMORY, "the same of the far ones", false},
    {"JMP", MEMORY, "the same of the far ones", false},
    {"LAR", MEMORY, "the size of the result", false},
    {"LSL", MEMORY, "the same", false},
    {"FLDENV", MEMORY, "several words", false},
    {"FNSTENV", MEMORY, "the same", false},
    {"FRSTOR", MEMORY, "the same", false},
    {"FNSAVE", MEMORY, "the same", false},
    {"LGDT/LIDT", MEMORY, "the same", false},
    {"SGDT/SIDT", MEMORY, "the same", false},
};

/* True if this disagreement is a listed one. */
static bool is_listed(const isa_form *form, unsigned kind)
{
    bool listed = false;
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
        difference *d = &differences[i];
        bool same = strcmp(d->mnemonic, form->mnemonic) == 0 ||
                    (strcmp(d->mnemonic, "MOV moffs") == 0 && form->flags & ISA_MOFFS);
        if (same && d->kind == kind)
            d->met = listed = true;
    }
    return listed;
}

/* Zydis' view in our terms. */
typedef struct use {
    uint8_t read, write, address, read_mm, write_mm;
    bool data_read, data_write;
    unsigned memory_bytes, segment; /* of the explicit operand in memory; 0: none */
} use;

static uint8_t gpr_bit(ZydisRegister reg)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LEGACY_32, reg);
    if (whole < ZYDIS_REGISTER_EAX || whole > ZYDIS_REGISTER_EDI)
        return 0;
    return (uint8_t)(1u << (whole - ZYDIS_REGISTER_EAX));
}

static uint8_t mm_bit(ZydisRegister reg)
{
    if (reg < ZYDIS_REGISTER_MM0 || reg > ZYDIS_REGISTER_MM7)
        return 0;
    return (uint8_t)(1u << (reg - ZYDIS_REGISTER_MM0));
}

static use zydis_use(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands)
{
    use u = {0};
    uint8_t hidden_reads = 0, hidden_address = 0;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const ZydisDecodedOperand *o = &operands[i];
        bool read = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
             write = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            *(o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN ? &hidden_reads : &u.read) |=
                read ? gpr_bit(o->reg.value) : 0;
            u.write |= write ? gpr_bit(o->reg.value) : 0;
            u.read_mm |= read ? mm_bit(o->reg.value) : 0;
            u.write_mm |= write ? mm_bit(o->reg.value) : 0;
        } else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            const uint8_t address = gpr_bit(o->mem.base) | gpr_bit(o->mem.index);
            u.address |= address;
            hidden_address |= o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN ? address : 0;
            if (o->mem.type == ZYDIS_MEMOP_TYPE_MEM) {
                u.data_read |= read;
                u.data_write |= write;
                if (o->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT) {
                    u.memory_bytes = o->size / 8;
                    u.segment = 1u + o->mem.segment - ZYDIS_REGISTER_ES;
                }
            }
        }
    }
    u.read |= (uint8_t)(hidden_reads & ~hidden_address); /* ESP of PUSH is an address */
    return u;
}

typedef struct fixture {
    isa_decoder *decoder;
    ZydisDecoder zydis[2]; /* 16-bit, 32-bit code */
    unsigned compared;
} fixture;

static void fail_bytes(const char *what, const uint8_t *bytes, unsigned length, const isa_form *form,
                       unsigned expected, unsigned found)
{
    char hex[64] = "";
    for (unsigned i = 0; i < length && i < 16; i++)
        snprintf(hex + 3 * i, sizeof hex - 3 * i, "%02x ", bytes[i]);
    fail_msg("%s(%s %s): %s: Zydis says %x, the table %x", hex, form->mnemonic, form->operands, what,
             expected, found);
}

static void compare(fixture *f, const uint8_t *bytes, size_t size, bool code32)
{
    isa_insn insn;
    if (!isa_decode(f->decoder, bytes, size, 0, code32, &insn) || insn.flags & ISA_UNDEFINED)
        return;
    const isa_form *form = &isa_forms[insn.form];
    ZydisDecodedInstruction theirs;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&f->zydis[code32], bytes, size, &theirs, operands)))
        fail_bytes("refused", bytes, insn.length, form, 0, 0);
    f->compared++;
    use u = zydis_use(&theirs, operands);
    bool relative = theirs.raw.imm[0].is_relative,
         far_pointer = form->branch == ISA_FAR && theirs.raw.imm[1].size != 0;
    bool fixed = !(insn.flags & ISA_VARIABLE_ACCESSES);
    unsigned sizes = 0;
    for (unsigned i = 0; i < theirs.raw.prefix_count; i++)
        sizes += theirs.raw.prefixes[i].value == 0x66 || theirs.raw.prefixes[i].value == 0x67;
    const unsigned segment = insn.segment != 0 ? insn.segment : insn.stack_base ? SEGMENT_SS : SEGMENT_DS;
    const struct {
        unsigned kind, theirs, ours;
    } facts[] = {
        {LENGTH, theirs.length, insn.length},
        {READS, u.read, insn.read_gpr},
        {ADDRESS, u.address, insn.address_gpr},
        {WRITES, u.write, insn.write_gpr},
        {MMX, (unsigned)u.read_mm << 8 | u.write_mm, (unsigned)insn.read_mm << 8 | insn.write_mm},
        {DATA, fixed ? (u.data_read ? 2u : 0) | (u.data_write ? 1u : 0) : 0,
         fixed ? (form->data_reads != 0 ? 2u : 0) | (form->data_writes != 0 ? 1u : 0) : 0},
        {DISPLACEMENT, theirs.raw.disp.size != 0, insn.has_disp},
        {IMMEDIATE, theirs.raw.imm[0].size != 0 && !relative && !far_pointer, insn.has_imm},
        {TARGET, relative ? theirs.length + (uint32_t)theirs.raw.imm[0].value.s : 0,
         relative ? insn.target : 0},
        {PREFIXES, theirs.raw.prefix_count | sizes << 4, insn.prefixes | (unsigned)insn.size_prefixes << 4},
        {MEMORY, u.memory_bytes, insn.memory ? insn.operand_bytes : 0},
        {SEGMENT, u.memory_bytes != 0 ? u.segment | (unsigned)theirs.address_width << 4 : 0,
         insn.memory ? segment | (insn.address32 ? 32u : 16u) << 4 : 0},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        if (facts[i].theirs != facts[i].ours && !is_listed(form, facts[i].kind))
            fail_bytes(kind_names[facts[i].kind], bytes, insn.length, form, facts[i].theirs, facts[i].ours);
    }
    /* Only the number of references is of our own making for these: the operand agrees, there are just more
     * of them. */
    if (fixed && form->accesses > (unsigned)(u.data_read + u.data_write))
        is_listed(form, DATA);
}

/* Every opcode, ModRM byte and a few SIB bytes, without and with each kind of prefix, in 16- and 32-bit code.
 */
TEST(test_all_encodings)
{
    fixture *f = *state;
    static const uint8_t prefixes[] = {0, 0x66, 0x67, 0x2e, 0x64, 0xf0, 0xf2, 0xf3};
    static const uint8_t sibs[] = {0x00, 0x25, 0x8d, 0xe4};
    for (unsigned code32 = 0; code32 < 2; code32++) {
        for (unsigned p = 0; p < sizeof prefixes; p++) {
            for (unsigned escape = 0; escape < 2; escape++) {
                for (unsigned opcode = 0; opcode < 256; opcode++) {
                    for (unsigned modrm = 0; modrm < 256; modrm++) {
                        for (unsigned s = 0; s < sizeof sibs; s++) {
                            uint8_t bytes[16];
                            unsigned at = 0;
                            memset(bytes, 0x12, sizeof bytes);
                            if (prefixes[p] != 0)
                                bytes[at++] = prefixes[p];
                            if (escape)
                                bytes[at++] = 0x0f;
                            bytes[at++] = (uint8_t)opcode;
                            bytes[at++] = (uint8_t)modrm;
                            bytes[at] = sibs[s];
                            compare(f, bytes, sizeof bytes, code32);
                        }
                    }
                }
            }
        }
    }
    /* At least half of all of them exist: 8 prefixes x 2 x 256 x 256 x 4 x 2. */
    assert_true(f->compared > 1000000);
}

/* Random bytes after random prefixes. */
TEST(test_random_bytes)
{
    fixture *f = *state;
    uint64_t seed = 1;
    for (unsigned n = 0; n < 300000; n++) {
        uint8_t bytes[16];
        for (unsigned i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(unit_random(&seed) >> 23);
        compare(f, bytes, sizeof bytes, n & 1);
    }
}

static int set_up(void **state)
{
    static fixture f;
    f.decoder = isa_decoder_open(ISA_P55C);
    if (f.decoder == NULL ||
        !ZYAN_SUCCESS(ZydisDecoderInit(&f.zydis[0], ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16)) ||
        !ZYAN_SUCCESS(ZydisDecoderInit(&f.zydis[1], ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32)))
        return -1;
    /* Later meanings of bytes that this processor reads as before. */
    static const ZydisDecoderMode later[] = {ZYDIS_DECODER_MODE_AMD_BRANCHES, ZYDIS_DECODER_MODE_MPX,
                                             ZYDIS_DECODER_MODE_CET,          ZYDIS_DECODER_MODE_LZCNT,
                                             ZYDIS_DECODER_MODE_TZCNT,        ZYDIS_DECODER_MODE_WBNOINVD,
                                             ZYDIS_DECODER_MODE_CLDEMOTE};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned m = 0; m < sizeof later / sizeof later[0]; m++)
            ZydisDecoderEnableMode(&f.zydis[i], later[m], ZYAN_FALSE);
    }
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    isa_decoder_close(((fixture *)*state)->decoder);
    return 0;
}

UNIT_FIXTURE(set_up, tear_down);

TEST(test_differences_are_real)
{
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
        if (!differences[i].met)
            fail_msg("%s: no difference (%s)", differences[i].mnemonic, differences[i].why);
    }
}
