/* Decoded fields on which pairing, AGI and the engine depend, instruction by instruction. Expected values follow from
 * the encoding tables of the manual and from the pairing rules (optimisation manual, 3.3 and appendix A). */
#include <string.h>

#include "../unit.h"
#include "isa/isa.h"

enum { AX = 1, CX = 2, DX = 4, BX = 8, SP = 16, BP = 32, SI = 64, DI = 128 };

static isa_decoder *decoder;

static int set_up(void **state)
{
    (void)state;
    decoder = isa_decoder_open(ISA_P54C | ISA_P55C);
    return decoder == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    isa_decoder_close(decoder);
    return 0;
}

UNIT_FIXTURE(set_up, tear_down);

static isa_insn decode(const uint8_t *bytes, size_t size, bool code32, const char *text)
{
    isa_insn insn;
    if (!isa_decode(decoder, bytes, size, 0x1000, code32, &insn))
        fail_msg("%s: not decoded from %u bytes", text, (unsigned)size);
    if (insn.flags & ISA_UNDEFINED)
        fail_msg("%s: #UD", text);
    return insn;
}

static void expect(const char *text, const char *field, unsigned expected, unsigned found)
{
    if (expected != found)
        fail_msg("%s: %s: expected %x, is %x", text, field, expected, found);
}

/* Masks of registers where the second decoder of against_zydis.c has others. It compares all other encodings. */
static const struct {
    const char *text;
    bool code32;
    uint8_t length, bytes[10];
    uint8_t read, write, address;
} registers[] = {
    {"mov [moffs],eax: pairs as a write of EAX", true, 5, {0xa3, 0, 0, 0, 0}, AX, AX, 0},
    {"leave", true, 1, {0xc9}, BP, SP | BP, SP},
    {"enter 8,0", true, 4, {0xc8, 8, 0, 0}, SP | BP, SP | BP, SP},
    {"pushad", true, 1, {0x60}, 0xff, SP, SP},
    {"xlat", true, 1, {0xd7}, 0, AX, BX | AX},
    {"repne scasb", true, 2, {0xf2, 0xae}, AX | CX, CX | DI, DI},
    {"cmpsb", true, 1, {0xa6}, 0, SI | DI, SI | DI},
    {"cpuid", true, 2, {0x0f, 0xa2}, AX, AX | BX | CX | DX, 0},
    {"bsf eax,ebx: a zero source keeps the destination", true, 3, {0x0f, 0xbc, 0xc3}, AX | BX, AX, 0},
    {"lar eax,bx: a bad selector keeps it", true, 3, {0x0f, 0x02, 0xc3}, AX | BX, AX, 0},
    {"insb", true, 1, {0x6c}, DX, DI, DI},
    {"outsb", true, 1, {0x6e}, DX, SI, SI},
};

TEST(test_registers)
{
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        isa_insn insn =
            decode(registers[i].bytes, registers[i].length, registers[i].code32, registers[i].text);
        expect(registers[i].text, "length", registers[i].length, insn.length);
        expect(registers[i].text, "registers read", registers[i].read, insn.read_gpr);
        expect(registers[i].text, "registers written", registers[i].write, insn.write_gpr);
        expect(registers[i].text, "address registers", registers[i].address, insn.address_gpr);
    }
}

/* Pairing class on P54C and P55C, references, flags that must be on and off. */
static const struct {
    const char *text;
    uint8_t length, bytes[10];
    uint8_t pair, accesses;
    uint32_t on, off;
} classes[] = {
    {"nop", 1, {0x90}, ISA_UV, 0, 0, ISA_STACK},
    {"adc eax,ebx", 2, {0x11, 0xd8}, ISA_U, 0, ISA_READS_CARRY | ISA_WRITES_FLAGS, 0},
    {"add [ebx],eax", 2, {0x01, 0x03}, ISA_UV, 2, ISA_WRITES_FLAGS | ISA_LOCKABLE, ISA_READS_CARRY},
    {"shl eax,1", 2, {0xd1, 0xe0}, ISA_U, 0, ISA_WRITES_FLAGS, ISA_READS_CARRY},
    {"shl eax,cl", 2, {0xd3, 0xe0}, ISA_NP, 0, 0, 0},
    {"rol eax,5", 3, {0xc1, 0xc0, 5}, ISA_NP, 0, 0, 0},
    {"rol eax,1", 2, {0xd1, 0xc0}, ISA_U, 0, 0, 0},
    {"rcl eax,1", 2, {0xd1, 0xd0}, ISA_U, 0, ISA_READS_CARRY, 0},
    {"test eax,imm (A9)", 5, {0xa9, 0, 0, 0, 0}, ISA_UV, 0, 0, 0},
    {"test eax,imm (F7)", 6, {0xf7, 0xc0, 0, 0, 0, 0}, ISA_NP, 0, 0, 0},
    {"neg eax", 2, {0xf7, 0xd8}, ISA_NP, 0, 0, 0},
    {"jz", 2, {0x74, 0}, ISA_V, 0, 0, 0},
    {"jz near", 6, {0x0f, 0x84, 0, 0, 0, 0}, ISA_V, 0, 0, 0},
    {"jmp eax", 2, {0xff, 0xe0}, ISA_NP, 0, 0, 0},
    {"call rel", 5, {0xe8, 0, 0, 0, 0}, ISA_V, 1, ISA_STACK, 0},
    {"ret", 1, {0xc3}, ISA_NP, 1, ISA_STACK, 0},
    {"ret 4", 3, {0xc2, 4, 0}, ISA_NP, 1, 0, ISA_STACK},
    {"push eax", 1, {0x50}, ISA_UV, 1, ISA_STACK, 0},
    {"push 5", 2, {0x6a, 5}, ISA_UV, 1, ISA_STACK, 0},
    {"push [ebx]", 2, {0xff, 0x33}, ISA_NP, 2, ISA_STACK, 0},
    {"pop eax", 1, {0x58}, ISA_UV, 1, ISA_STACK, 0},
    {"pop esp: no bypass", 1, {0x5c}, ISA_UV, 1, 0, ISA_STACK},
    {"leave", 1, {0xc9}, ISA_NP, 1, 0, ISA_STACK},
    {"enter 0,0", 4, {0xc8, 0, 0, 0}, ISA_NP, 1, 0, ISA_STACK},
    {"enter 0,1: EBP, the frame pointer", 4, {0xc8, 0, 0, 1}, ISA_NP, 2, 0, 0},
    {"enter 0,3: two copied", 4, {0xc8, 0, 0, 3}, ISA_NP, 6, 0, 0},
    {"enter 0,33: modulo 32", 4, {0xc8, 0, 0, 33}, ISA_NP, 2, 0, 0},
    {"pushad", 1, {0x60}, ISA_NP, 8, 0, 0},
    {"bound", 2, {0x62, 0x03}, ISA_NP, 2, 0, 0},
    {"movsd", 1, {0xa5}, ISA_NP, 2, ISA_STRING, ISA_VARIABLE_ACCESSES},
    {"rep movsd", 2, {0xf3, 0xa5}, ISA_NP, 0, ISA_STRING | ISA_VARIABLE_ACCESSES, 0},
    {"lock add [ebx],eax", 3, {0xf0, 0x01, 0x03}, ISA_UV, 2, ISA_LOCKABLE, 0},
    {"xchg [ebx],eax", 2, {0x87, 0x03}, ISA_NP, 2, ISA_IMPLICIT_LOCK, 0},
    {"xchg eax,ebx", 2, {0x87, 0xc3}, ISA_NP, 0, 0, ISA_IMPLICIT_LOCK},
    {"mov ds,ax", 2, {0x8e, 0xd8}, ISA_NP, 0, ISA_SEGMENT_LOAD | ISA_VARIABLE_ACCESSES, ISA_SYSTEM},
    {"rdtsc", 2, {0x0f, 0x31}, ISA_NP, 0, ISA_SYSTEM, ISA_SERIALISING},
    {"cpuid", 2, {0x0f, 0xa2}, ISA_NP, 0, ISA_SYSTEM | ISA_SERIALISING, 0},
    {"wrmsr", 2, {0x0f, 0x30}, ISA_NP, 0, ISA_SYSTEM | ISA_SERIALISING, 0},
    {"in al,dx", 1, {0xec}, ISA_NP, 0, ISA_SYSTEM | ISA_IO, ISA_STRING},
    {"iret",
     1,
     {0xcf},
     ISA_NP,
     0,
     ISA_SYSTEM | ISA_SERIALISING | ISA_FAR_TRANSFER | ISA_VARIABLE_ACCESSES,
     0},
    {"mov [moffs],al", 5, {0xa2, 0, 0, 0, 0}, ISA_UV, 1, ISA_MOFFS, 0},
    {"imul eax,ebx", 3, {0x0f, 0xaf, 0xc3}, ISA_NP, 0, ISA_FLOP, ISA_X87},
    {"fadd st,st(1)", 2, {0xd8, 0xc1}, ISA_FX, 0, ISA_X87 | ISA_FLOP, 0},
    {"fld tbyte [ebx]: 8 and 2 bytes", 2, {0xdb, 0x2b}, ISA_NP, 2, ISA_X87, ISA_FLOP},
    {"fstp tbyte [ebx]", 2, {0xdb, 0x3b}, ISA_NP, 2, ISA_X87, 0},
    {"fxch st(3)", 2, {0xd9, 0xcb}, ISA_V, 0, ISA_X87, 0},
    {"fnsave [ebx]: 7 and 8 times 2", 2, {0xdd, 0x33}, ISA_NP, 23, ISA_X87, 0},
    {"fnstenv [ebx]", 2, {0xd9, 0x33}, ISA_NP, 7, ISA_X87, 0},
    {"fwait", 1, {0x9b}, ISA_NP, 0, ISA_X87, 0},
    {"paddd mm0,mm1", 3, {0x0f, 0xfe, 0xc1}, ISA_UV, 0, ISA_MMX, ISA_SATURATING},
    {"paddd mm0,[ebx]", 3, {0x0f, 0xfe, 0x03}, ISA_U, 1, ISA_MMX, 0},
    {"paddsw mm0,mm1", 3, {0x0f, 0xed, 0xc1}, ISA_UV, 0, ISA_MMX | ISA_SATURATING, 0},
    {"movd mm0,eax", 3, {0x0f, 0x6e, 0xc0}, ISA_U, 0, ISA_MMX, 0},
    {"emms", 2, {0x0f, 0x77}, ISA_NP, 0, ISA_MMX, ISA_X87},
};

TEST(test_classes)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        const char *text = classes[i].text;
        isa_insn insn = decode(classes[i].bytes, classes[i].length, true, text);
        expect(text, "length", classes[i].length, insn.length);
        expect(text, "pairing on P54C", classes[i].pair, isa_forms[insn.form].pair[0]);
        expect(text, "pairing on P55C", classes[i].pair, isa_forms[insn.form].pair[1]);
        expect(text, "references", classes[i].accesses, insn.accesses);
        expect(text, "flags that must be set", classes[i].on, insn.flags & classes[i].on);
        expect(text, "flags that must be clear", 0, insn.flags & classes[i].off);
    }
}

/* The size of the main operand if there is none in memory. */
TEST(test_operand_bytes)
{
    static const struct {
        const char *text;
        bool code32;
        uint8_t length, bytes[8], operand_bytes;
    } shapes[] = {
        {"66 66 mov ax,5", true, 5, {0x66, 0x66, 0xb8, 5, 0}, 2},
        {"add ax,5", true, 4, {0x66, 0x05, 5, 0}, 2},
        {"add ax,5 sign-extended", true, 4, {0x66, 0x83, 0xc0, 5}, 2},
        {"jz rel8", true, 2, {0x74, 5}, 4},
        {"call far", true, 7, {0x9a, 0, 0, 0, 0, 8, 0}, 4},
        {"call far in 16-bit code", false, 5, {0x9a, 0, 0, 8, 0}, 2},
        {"push 5", true, 2, {0x6a, 5}, 4},
        {"lea eax,[ebx+4]: no reference", true, 3, {0x8d, 0x43, 4}, 4},
        {"rep stosw", true, 3, {0xf3, 0x66, 0xab}, 2},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        isa_insn insn = decode(shapes[i].bytes, shapes[i].length, shapes[i].code32, shapes[i].text);
        expect(shapes[i].text, "length", shapes[i].length, insn.length);
        expect(shapes[i].text, "memory operand", false, insn.memory);
        expect(shapes[i].text, "operand bytes", shapes[i].operand_bytes, insn.operand_bytes);
    }
}

TEST(test_prefix_bits)
{
    static const uint8_t bytes[] = {0xf2, 0x2e, 0xf3, 0x66, 0xa5}; /* the later F3 counts */
    isa_insn insn = decode(bytes, sizeof bytes, true, "repne cs rep movsw");
    assert_int_equal(insn.prefixes, 4);
    assert_true(insn.rep);
    assert_false(insn.repne);
    assert_int_equal(insn.segment, 2); /* CS */
    assert_false(insn.lock);
    assert_false(insn.escape_0f);
    static const uint8_t bswap[] = {0x0f, 0xc8};
    insn = decode(bswap, sizeof bswap, true, "bswap eax");
    assert_int_equal(insn.prefixes, 0);
    assert_true(insn.escape_0f);
}

TEST(test_branches)
{
    static const struct {
        const char *text;
        bool code32;
        uint8_t length, bytes[6];
        isa_branch branch;
        uint32_t target; /* from address 1000h; 0 = none to compare */
    } branches[] = {
        {"jz -2", true, 2, {0x74, 0xfe}, ISA_JCC, 0x1000},
        {"jnz near", true, 6, {0x0f, 0x85, 0x00, 0x01, 0, 0}, ISA_JCC, 0x1106},
        {"jmp -0x100", true, 5, {0xe9, 0x00, 0xff, 0xff, 0xff}, ISA_JMP, 0xf05},
        {"jmp in 16-bit code", false, 3, {0xe9, 0xfd, 0xff}, ISA_JMP, 0x1000},
        {"call", true, 5, {0xe8, 0, 0, 0, 0}, ISA_CALL, 0x1005},
        {"loop", true, 2, {0xe2, 0x7f}, ISA_LOOP, 0x1081},
        {"jecxz", true, 2, {0xe3, 0x80}, ISA_LOOP, 0xf82},
        {"ret", true, 1, {0xc3}, ISA_RET, 0},
        {"jmp [ebx]", true, 2, {0xff, 0x23}, ISA_JMP_INDIRECT, 0},
        {"call eax", true, 2, {0xff, 0xd0}, ISA_CALL_INDIRECT, 0},
        {"retf", true, 1, {0xcb}, ISA_FAR, 0},
        {"int 80h", true, 2, {0xcd, 0x80}, ISA_INT, 0},
        {"iret", true, 1, {0xcf}, ISA_IRET, 0},
        {"nop", true, 1, {0x90}, ISA_NOT_BRANCH, 0},
    };
    for (size_t i = 0; i < sizeof branches / sizeof branches[0]; i++) {
        isa_insn insn = decode(branches[i].bytes, branches[i].length, branches[i].code32, branches[i].text);
        expect(branches[i].text, "length", branches[i].length, insn.length);
        expect(branches[i].text, "kind", branches[i].branch, isa_forms[insn.form].branch);
        if (branches[i].target != 0)
            expect(branches[i].text, "target", branches[i].target, insn.target);
    }
    static const uint8_t jle[] = {0x7e, 0}, int80[] = {0xcd, 0x80};
    assert_int_equal(decode(jle, 2, true, "jle").condition, 0xe);
    assert_int_equal(decode(int80, 2, true, "int 80h").imm8, 0x80);
}

/* ST(i), where the result goes, and the depth of the stack. */
TEST(test_x87_stack)
{
    static const struct {
        const char *text;
        uint8_t bytes[2], index, to_sti;
        int8_t push;
        isa_fp fp;
    } forms[] = {
        {"fadd st,st(3)", {0xd8, 0xc3}, 3, 0, 0, ISA_FP_ADD},
        {"fadd st(3),st", {0xdc, 0xc3}, 3, 1, 0, ISA_FP_ADD},
        {"fsubp st(1),st", {0xde, 0xe9}, 1, 1, -1, ISA_FP_ADD},
        {"fsubr st(1),st", {0xdc, 0xe1}, 1, 1, 0, ISA_FP_ADD},
        {"fdivrp st(2),st", {0xde, 0xf2}, 2, 1, -1, ISA_FP_DIV},
        {"fmul st,st(0)", {0xd8, 0xc8}, 0, 0, 0, ISA_FP_MUL},
        {"fld st(5)", {0xd9, 0xc5}, 5, 0, 1, ISA_FP_LOAD},
        {"fstp st(2)", {0xdd, 0xda}, 2, 1, -1, ISA_FP_STORE},
        {"fxch st(4)", {0xd9, 0xcc}, 4, 1, 0, ISA_FP_XCH},
        {"fcompp", {0xde, 0xd9}, 1, 0, -2, ISA_FP_COMPARE},
        {"fucompp", {0xda, 0xe9}, 1, 0, -2, ISA_FP_COMPARE},
        {"fchs", {0xd9, 0xe0}, 0, 0, 0, ISA_FP_SIGN},
        {"fldpi", {0xd9, 0xeb}, 0, 0, 1, ISA_FP_LOAD_SLOW},
        {"fsincos", {0xd9, 0xfb}, 0, 0, 1, ISA_FP_TRANSCENDENTAL},
        {"fpatan", {0xd9, 0xf3}, 1, 1, -1, ISA_FP_TRANSCENDENTAL},
        {"fprem", {0xd9, 0xf8}, 1, 0, 0, ISA_FP_REMAINDER},
        {"fsqrt", {0xd9, 0xfa}, 0, 0, 0, ISA_FP_SQRT},
        {"fdecstp", {0xd9, 0xf6}, 0, 0, 1, ISA_FP_OTHER},
        {"fstp m32", {0xd9, 0x18}, 0, 0, -1, ISA_FP_STORE},
        {"fistp m64", {0xdf, 0x38}, 0, 0, -1, ISA_FP_STORE},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        isa_insn insn = decode(forms[i].bytes, 2, true, forms[i].text);
        expect(forms[i].text, "i of ST(i)", forms[i].index, insn.fp_index);
        expect(forms[i].text, "result to ST(i)", forms[i].to_sti, insn.fp_to_sti);
        expect(forms[i].text, "class", forms[i].fp, isa_forms[insn.form].fp);
        if (isa_forms[insn.form].fp_push != forms[i].push)
            fail_msg("%s: stack depth changes by %d, is %d", forms[i].text, forms[i].push,
                     isa_forms[insn.form].fp_push);
    }
}

/* Clocks that were measured on real processors, or that both manuals print. */
TEST(test_clocks)
{
    static const struct {
        const char *text;
        uint8_t length, bytes[4];
        unsigned p54c, p55c;
    } figures[] = {
        {"add eax,ebx", 2, {0x01, 0xd8}, 1, 1},
        {"add eax,[ebx]", 2, {0x03, 0x03}, 2, 2},
        {"add [ebx],eax", 2, {0x01, 0x03}, 3, 3},
        {"movzx eax,bl", 3, {0x0f, 0xb6, 0xc3}, 3, 3},
        {"mul ecx", 2, {0xf7, 0xe1}, 9, 9},
        {"mul cl", 2, {0xf6, 0xe1}, 11, 11},
        {"mul cx", 3, {0x66, 0xf7, 0xe1}, 11, 11},
        {"div cl", 2, {0xf6, 0xf1}, 17, 17},
        {"div cx", 3, {0x66, 0xf7, 0xf1}, 25, 25},
        {"div ecx", 2, {0xf7, 0xf1}, 41, 41},
        {"idiv cl", 2, {0xf6, 0xf9}, 22, 22},
        {"idiv cx", 3, {0x66, 0xf7, 0xf9}, 30, 30},
        {"idiv ecx", 2, {0xf7, 0xf9}, 46, 46},
        {"shld eax,ebx,cl", 3, {0x0f, 0xa5, 0xd8}, 4, 4},
        {"bt eax,ebx", 3, {0x0f, 0xa3, 0xd8}, 4, 4},
        {"bts eax,ebx", 3, {0x0f, 0xab, 0xd8}, 7, 7},
        {"xadd eax,ebx", 3, {0x0f, 0xc1, 0xd8}, 3, 3},
        {"cmpxchg eax,ebx", 3, {0x0f, 0xb1, 0xd8}, 6, 6},
        {"xchg eax,ecx", 2, {0x87, 0xc1}, 3, 3},
        {"xchg eax,ecx (91)", 1, {0x91}, 2, 2},
        {"cwde", 1, {0x98}, 3, 3},
        {"cdq", 1, {0x99}, 2, 2},
        {"lahf", 1, {0x9f}, 3, 3},
        {"clc", 1, {0xf8}, 2, 2},
        {"daa", 1, {0x27}, 3, 3},
        {"pushad", 1, {0x60}, 5, 5},
        {"rdmsr", 2, {0x0f, 0x32}, 22, 23},
        {"wrmsr", 2, {0x0f, 0x30}, 33, 35},
        {"fadd", 2, {0xd8, 0xc1}, 3, 3},
        {"fxam", 2, {0xd9, 0xe5}, 17, 17},
        {"fsqrt", 2, {0xd9, 0xfa}, 70, 70},
        {"fincstp", 2, {0xd9, 0xf7}, 1, 1},
        {"pmullw: 1, latency 3", 3, {0x0f, 0xd5, 0xc1}, 1, 1},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        isa_insn insn = decode(figures[i].bytes, figures[i].length, true, figures[i].text);
        expect(figures[i].text, "clocks on P54C (hexadecimal)", figures[i].p54c,
               isa_forms[insn.form].clocks[0]);
        expect(figures[i].text, "clocks on P55C (hexadecimal)", figures[i].p55c,
               isa_forms[insn.form].clocks[1]);
    }
    static const uint8_t pmullw[] = {0x0f, 0xd5, 0xc1}, movs[] = {0xf3, 0xa4};
    assert_int_equal(isa_forms[decode(pmullw, 3, true, "pmullw").form].latency[1], 3);
    const isa_form *rep_movs = &isa_forms[decode(movs, 2, true, "rep movsb").form];
    assert_int_equal(rep_movs->cost, ISA_COST_REP);
    assert_int_equal(rep_movs->clocks[1], 12);   /* 12 + n */
    assert_int_equal(rep_movs->cost_args[0], 1); /* a clock for each iteration */
}

TEST(test_text)
{
    static const struct {
        uint8_t length, bytes[8];
        bool code32;
        const char *text;
    } texts[] = {
        {3, {0x8b, 0x04, 0x8b}, true, "mov eax, dword ptr [ebx + ecx*4]"},
        {2, {0x75, 0xfe}, true, "jne 0x1000"},
        {2, {0x8b, 0x00}, false, "mov ax, word ptr [bx + si]"},
        {1, {0xd6}, true, "salc"},
        {3, {0x82, 0xc0, 0x05}, true, "add al, 5"},
        {2, {0xdc, 0xd1}, true, "fcom st(1)"},
        {4, {0xf3, 0x0f, 0xbc, 0xc1}, true, "bsf eax, ecx"}, /* not TZCNT */
        {1, {0x60}, true, "pushad"},
        {3, {0x0f, 0x45, 0xc1}, true, "cmovne eax, ecx"}, /* #UD, shown by its later name */
        {3, {0xf0, 0x01, 0xc3}, true, "(bad)"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[64];
        assert_int_equal(
            isa_disassemble(decoder, &(isa_code){texts[i].bytes, texts[i].length, 0x1000, texts[i].code32},
                            text, sizeof text),
            texts[i].length);
        assert_string_equal(text, texts[i].text);
        assert_int_equal(isa_disassemble(decoder,
                                         &(isa_code){texts[i].bytes, texts[i].length - 1u, 0x1000, true},
                                         text, sizeof text),
                         0);
        assert_int_equal(
            isa_disassemble(decoder, &(isa_code){texts[i].bytes, texts[i].length, 0x1000, true}, text, 3),
            texts[i].length);
        assert_true(strlen(text) < 3);
    }
}
