#include "image_code.h"

#include <string.h>

#include "isa/isa.h"
#include "isa/opcode_map.h"

void code_put(code *c, const void *bytes, uint32_t size)
{
    if (size > c->end - c->at)
        size = c->end - c->at;
    memcpy(c->bytes + c->at, bytes, size);
    c->at += size;
}

void code_byte(code *c, unsigned value)
{
    const uint8_t byte = (uint8_t)value;
    code_put(c, &byte, 1);
}

void code_word(code *c, uint32_t value)
{
    code_byte(c, value & 0xff);
    code_byte(c, value >> 8 & 0xff);
}

void code_dword(code *c, uint32_t value)
{
    code_word(c, value);
    code_word(c, value >> 16);
}

static void code_size32(code *c)
{
    if (!c->code32)
        code_byte(c, 0x66);
}

void code_mov(code *c, unsigned reg, uint32_t value)
{
    code_size32(c);
    code_byte(c, 0xb8 + reg);
    code_dword(c, value);
}

void code_push(code *c, uint32_t value)
{
    code_size32(c);
    code_byte(c, 0x68);
    code_dword(c, value);
}

/* Appends an immediate, displacement or offset of the code's width. */
static void code_wide(code *c, uint32_t value)
{
    if (c->code32)
        code_dword(c, value);
    else
        code_word(c, value);
}

/* ---- values -------------------------------------------------------------------------------------------- */

uint32_t code_value(fuzz_input *input)
{
    static const uint32_t edges[] = {
        0,        1,        2,        3,          7,          8,          0x1f,       0x20,       0x3f,
        0x7f,     0x80,     0xff,     0x100,      0x200,      0x7ff,      0xfff,      0x1000,     0x3000,
        0x4000,   0x7fff,   0x8000,   0xfffe,     0xffff,     0x10000,    0x20000,    0xfffff,    0x100000,
        0x200000, 0x3fffff, 0x400000, 0x7fffffff, 0x80000000, 0x80000011, 0xfffff000, 0xfffffffe, 0xffffffff};
    unsigned how = fuzz_byte(input);
    uint32_t value = fuzz_word(input);
    if (how < 0x70)
        return edges[how % (sizeof edges / sizeof edges[0])] + (how < 0x10 ? value % 16 - 8 : 0);
    if (how < 0xa0)
        return IMAGE_ADDRESS + value % IMAGE_BYTES;
    return how < 0xd0 ? value & 0xff : value;
}

uint32_t code_address(fuzz_input *input)
{
    static const uint32_t places[] = {IMAGE_ADDRESS + AT_DATA,
                                      IMAGE_ADDRESS + AT_DATA,
                                      IMAGE_ADDRESS + AT_DATA + 0xff8,
                                      IMAGE_ADDRESS + AT_STACK,
                                      IMAGE_ADDRESS + AT_SNIPPETS,
                                      IMAGE_ADDRESS + AT_SNIPPETS,
                                      IMAGE_ADDRESS + AT_GDT,
                                      IMAGE_ADDRESS + AT_IDT,
                                      IMAGE_ADDRESS + AT_TSS,
                                      IMAGE_ADDRESS + AT_TABLE,
                                      IMAGE_ADDRESS + AT_DIRECTORY,
                                      IMAGE_ADDRESS + AT_DATA + 0x1ff8,
                                      0x400000 + AT_DATA,
                                      0x410000 + AT_SNIPPETS,
                                      0x3ffff8,
                                      0xb8000,
                                      0xffff0,
                                      0xfffffff0};
    unsigned how = fuzz_byte(input);
    uint32_t offset = fuzz_word(input);
    uint32_t spread = how < 0x80 ? 16 : how < 0xc0 ? 256 : 4096;
    return places[how % (sizeof places / sizeof places[0])] + offset % spread;
}

/* ---- forms --------------------------------------------------------------------------------------------- */

/* An encoding of a form of isa/instructions.tsv. */
typedef struct encoding {
    uint16_t form;
    bool second_map, has_modrm;
    uint8_t opcode, modrm;
} encoding;

static encoding encodings[8192];
static unsigned encoding_count, form_at[1024], form_count;

static int by_form(const void *a, const void *b)
{
    return ((const encoding *)a)->form - ((const encoding *)b)->form;
}

static void encoding_add(isa_decoder *decoder, bool second_map, unsigned opcode, unsigned modrm,
                         bool has_modrm)
{
    uint8_t bytes[16] = {0};
    unsigned size = 0;
    isa_insn insn;
    if (second_map)
        bytes[size++] = 0x0f;
    bytes[size++] = (uint8_t)opcode;
    bytes[size] = (uint8_t)modrm;
    isa_decode(decoder, bytes, sizeof bytes, 0, true, &insn);
    if (encoding_count < sizeof encodings / sizeof encodings[0])
        encodings[encoding_count++] = (encoding){.form = insn.form,
                                                 .second_map = second_map,
                                                 .opcode = (uint8_t)opcode,
                                                 .modrm = (uint8_t)modrm,
                                                 .has_modrm = has_modrm};
}

static bool is_prefix(unsigned opcode)
{
    return (opcode & 0xe7) == 0x26 || (opcode >= 0x64 && opcode <= 0x67) || opcode == 0xf0 ||
           opcode == 0xf2 || opcode == 0xf3 || opcode == 0x0f;
}

/* Finds the encodings of each form with the decoder. */
static void forms_find(void)
{
    isa_decoder *decoder = isa_decoder_open(ISA_P55C);
    LAW(decoder != NULL);
    for (unsigned opcode = 0; opcode < 512; opcode++) {
        bool second_map = opcode > 0xff, x87 = (opcode & 0x1f8) == 0xd8;
        if (!second_map && is_prefix(opcode))
            continue;
        bool has_modrm = x87 || isa_opcodes[second_map][opcode & 0xff].has_modrm;
        for (unsigned modrm = 0; modrm < (has_modrm ? 0x40 : 1); modrm += 8)
            encoding_add(decoder, second_map, opcode & 0xff, modrm, has_modrm);
        for (unsigned modrm = 0xc0; has_modrm && modrm < 0x100; modrm += x87 ? 1 : 9)
            encoding_add(decoder, second_map, opcode & 0xff, modrm, true);
    }
    isa_decoder_close(decoder);
    qsort(encodings, encoding_count, sizeof encodings[0], by_form);
    for (unsigned i = 0; i < encoding_count; i++)
        if (i == 0 || encodings[i].form != encodings[i - 1].form)
            form_at[form_count++] = i;
    form_at[form_count] = encoding_count;
}

/* Appends the ModRM byte, and the SIB byte and displacement if it needs them. */
static void code_modrm(code *c, const encoding *e, fuzz_input *record)
{
    unsigned how = fuzz_byte(record), modrm = e->modrm;
    if (modrm >= 0xc0) {
        code_byte(c, modrm ^ (how & 7));
        return;
    }
    if (how < 0x90) {
        uint32_t address = code_address(record);
        code_byte(c, modrm | (c->code32 ? 5 : 6));
        code_wide(c, c->code32 ? address : address - IMAGE_ADDRESS);
        return;
    }
    unsigned mod = how >> 3 & 3, rm = how & 7;
    mod = mod == 3 ? 1 : mod;
    code_byte(c, (modrm & 0x38) | mod << 6 | rm);
    if (c->code32 && rm == 4)
        code_byte(c, fuzz_byte(record));
    if (mod == 1)
        code_byte(c, fuzz_byte(record));
    else if (mod == 2 || rm == (c->code32 ? 5u : 6u))
        code_wide(c, code_value(record));
}

static void code_form(code *c, fuzz_input *record)
{
    if (form_count == 0)
        forms_find();
    static const uint8_t prefixes[16] = {0x66, 0x66, 0x67, 0xf0, 0xf2, 0xf3,
                                         0xf3, 0x2e, 0x36, 0x26, 0x64, 0x65};
    unsigned form = (unsigned)fuzz_byte(record) << 8 | fuzz_byte(record), how = fuzz_byte(record);
    const unsigned *at = &form_at[form % form_count];
    const encoding *e = &encodings[at[0] + (form / form_count + how) % (at[1] - at[0])];
    if ((how & 0x30) == 0 && prefixes[how & 15] != 0)
        code_byte(c, prefixes[how & 15]);
    if (e->second_map)
        code_byte(c, 0x0f);
    code_byte(c, e->opcode);
    if (e->has_modrm)
        code_modrm(c, e, record);
    /* These bytes are its immediate, or begin another instruction if it has none. */
    for (unsigned i = 0; i < (how >> 6) && record->size > 0; i++)
        code_byte(c, fuzz_byte(record));
}

/* ---- templates ----------------------------------------------------------------------------------------- */

static void code_port(code *c, fuzz_input *record)
{
    static const uint16_t ports[] = {0x20,  0x21,  0xa0,  0xa1,  0x40,  0x41,  0x42,  0x43,  0x60,  0x61,
                                     0x64,  0x70,  0x71,  0x80,  0x92,  0xe9,  0xf0,  0xf1,  0x1f0, 0x1f1,
                                     0x1f6, 0x1f7, 0x3f8, 0x3f9, 0x3fa, 0x3fb, 0x3fc, 0x3fd, 0x3fe, 0x3ff,
                                     0x3c0, 0x3c8, 0x3d4, 0x3d5, 0x3da, 0x2f8, 0xcf8, 0xcfc};
    unsigned which = fuzz_byte(record), how = fuzz_byte(record);
    uint16_t port =
        which < 0xe0 ? ports[which % (sizeof ports / sizeof ports[0])] : (uint16_t)(which << 8 | how);
    code_mov(c, 2, port);
    code_mov(c, 0, code_value(record));
    if ((how & 0xc0) == 0xc0)
        code_byte(c, 0xf3);
    code_byte(c, ((how & 0x80) != 0 ? 0x6c : 0xec) + (how & 3)); /* INS and OUTS, or IN and OUT */
}

static void code_msr(code *c, fuzz_input *record)
{
    unsigned which = fuzz_byte(record), how = fuzz_byte(record);
    code_mov(c, 1, which < 0xe0 ? which % 0x18 : code_value(record));
    code_mov(c, 0, code_value(record));
    code_mov(c, 2, how & 0x80 ? 0 : how);
    code_put(c, how % 3 == 0 ? "\x0f\x32" : how % 3 == 1 ? "\x0f\x33" : "\x0f\x30", 2);
    if (how % 3 == 1)
        code_put(c, "\x0f\x31", 2);
}

static void code_control(code *c, fuzz_input *record)
{
    /* One bit is changed in the register's own value, so that paging mostly stays as it is. */
    static const uint32_t cr0_bits[] = {2,       4,          8,          0x20,       0x10000,
                                        0x40000, 0x20000000, 0x40000000, 0x80000000, 1};
    unsigned how = fuzz_byte(record), which = fuzz_byte(record);
    uint32_t value = code_value(record);
    if (how < 0x60) { /* changes a bit of CR0, or bits of CR4 */
        unsigned cr = how & 1 ? 4 : 0;
        code_byte(c, 0x0f);
        code_byte(c, 0x20);
        code_byte(c, 0xc0 | cr << 3);
        code_size32(c);
        code_byte(c, 0x35); /* XOR EAX,imm */
        code_dword(c, cr == 4 ? which & 0x7f : cr0_bits[which % (sizeof cr0_bits / sizeof cr0_bits[0])]);
        code_byte(c, 0x0f);
        code_byte(c, 0x22);
        code_byte(c, 0xc0 | cr << 3);
        return;
    }
    code_mov(c, 0, how < 0x90 ? IMAGE_ADDRESS + AT_DIRECTORY + (which & 0x18) : value);
    code_byte(c, 0x0f);
    code_byte(c, how < 0xb0 ? 0x22 : 0x23);
    code_byte(c, 0xc0 | (how < 0x90 ? 3 : which & 7) << 3);
}

static void code_breakpoint(code *c, fuzz_input *record)
{
    unsigned which = fuzz_byte(record) & 3;
    code_mov(c, 0, code_address(record));
    code_byte(c, 0x0f);
    code_byte(c, 0x23);
    code_byte(c, 0xc0 | which << 3);
    code_mov(c, 0, 0x300u | 3u << which * 2 | (fuzz_byte(record) & 15u) << (16 + which * 4));
    code_put(c, "\x0f\x23\xf8", 3);
}

/* Appends a MOV, or an arithmetic operation with a constant, to the memory at `address`: code or a table. */
static void code_store(code *c, fuzz_input *record, uint32_t address)
{
    static const uint8_t opcodes[4] = {0xc7, 0x81, 0x83, 0xc6};
    unsigned how = fuzz_byte(record);
    if (!c->code32)
        address -= IMAGE_ADDRESS;
    code_byte(c, opcodes[how & 3]);
    code_byte(c, ((how & 3) == 1 || (how & 3) == 2 ? how & 0x38 : 0) | (c->code32 ? 5 : 6));
    code_wide(c, address);
    if ((how & 3) < 2)
        code_wide(c, (how & 4) != 0 ? 0x90909090 : code_value(record));
    else
        code_byte(c, fuzz_byte(record));
}

static void code_table_entry(code *c, fuzz_input *record)
{
    static const uint32_t tables[] = {AT_GDT,       AT_LDT,   AT_IDT,          AT_TSS,
                                      AT_DIRECTORY, AT_TABLE, AT_TABLE + 0x40, AT_TABLE2};
    unsigned which = fuzz_byte(record);
    uint32_t offset = fuzz_byte(record) * 4u;
    uint32_t at = IMAGE_ADDRESS + tables[which % 8] + (which % 8 < 4 ? offset : offset % 0x80);
    code_store(c, record, at);
    if (which & 0x80) {
        uint32_t linear = which % 8 == 7 ? 0x400000 + offset % 0x80 * 0x400 : offset % 0x80 * 0x400;
        code_put(c, "\x0f\x01", 2); /* INVLPG */
        code_byte(c, 0x38 | (c->code32 ? 5 : 6));
        code_wide(c, linear);
    } else if (which & 0x40) {
        code_put(c, "\x0f\x20\xd8\x0f\x22\xd8", 6); /* CR3 */
    }
}

static void code_far(code *c, fuzz_input *record)
{
    unsigned how = fuzz_byte(record), selector = fuzz_byte(record) * 8u + (how >> 3 & 7);
    uint32_t offset = how & 0x40 ? code_value(record) : c->at + (c->code32 ? IMAGE_ADDRESS + 7 : 5);
    if (!c->code32 && (how & 0x80) != 0)
        selector = IMAGE_ADDRESS >> 4;
    if ((how & 7) < 4) {
        code_byte(c, how & 1 ? 0x9a : 0xea);
        code_wide(c, offset);
        code_word(c, selector);
        return;
    }
    code_push(c, 0x202 | (how & 0x80 ? 0x100 : 0));
    code_push(c, selector);
    code_push(c, offset);
    code_size32(c);
    code_byte(c, (how & 7) < 6 ? 0xcf : 0xcb);
}

static void code_flags(code *c, fuzz_input *record)
{
    unsigned how = fuzz_byte(record);
    uint32_t flags = (uint32_t)fuzz_byte(record) << 8 | fuzz_byte(record);
    code_push(c, (how & 1) != 0 ? 0x102u | (flags & 0xcff) : flags | (uint32_t)(how & 0x38) << 13);
    code_size32(c);
    code_byte(c, 0x9d);
}

/* Appends a branch to `again` or another near address, mostly back. */
static void code_loop(code *c, fuzz_input *record, uint32_t again)
{
    static const uint8_t branches[8] = {0xe2, 0xe2, 0xe0, 0xe1, 0x75, 0xeb, 0xe3, 0x70};
    unsigned how = fuzz_byte(record);
    int32_t distance = (how & 0x80) != 0 ? (int8_t)fuzz_byte(record) : (int32_t)again - (int32_t)c->at - 2;
    if ((how & 0x40) != 0)
        distance += (int32_t)(how >> 3 & 7);
    if (distance >= -128 && distance < 128) {
        code_byte(c, branches[how & 7]);
        code_byte(c, (unsigned)distance & 0xff);
    } else {
        code_byte(c, how & 1 ? 0xe9 : 0xe8);
        code_wide(c, (uint32_t)distance);
    }
}

static void code_string(code *c, fuzz_input *record)
{
    static const uint8_t strings[] = {0xa4, 0xa5, 0xa6, 0xa7, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf, 0x6c, 0x6e};
    unsigned how = fuzz_byte(record), count = fuzz_byte(record);
    code_mov(c, 6, code_address(record));
    code_mov(c, 7, IMAGE_ADDRESS + AT_DATA - 0x1800 + fuzz_byte(record) * 0x20u);
    code_mov(c, 1, count < 0xf0 ? count & 63 : count << (count & 15));
    if ((how & 0x30) != 0)
        code_byte(c, how & 0x10 ? 0xf3 : 0xf2);
    if (how & 0x80)
        code_byte(c, how & 0x40 ? 0xfd : 0x67);
    code_byte(c, strings[(how & 15) % sizeof strings]);
}

/* LGDT, LIDT, SGDT, SIDT, SMSW, LMSW, INVLPG; SLDT, STR, LLDT, LTR, VERR, VERW; LAR, LSL; segment registers.
 */
static void code_segments(code *c, fuzz_input *record)
{
    unsigned how = fuzz_byte(record), which = fuzz_byte(record), reg = fuzz_byte(record);
    switch (how & 7) {
    case 0:
        code_put(c, "\x0f\x01", 2);
        code_byte(c, (which & 0x38) | (c->code32 ? 5 : 6));
        code_wide(c, AT_POINTERS + (reg & 7) * 8u + (c->code32 ? IMAGE_ADDRESS : 0));
        return;
    case 1:
    case 2:
        code_mov(c, 0, reg * 8u + (which & 7));
        code_byte(c, 0x0f);
        code_byte(c, how & 8 ? 2u + (how >> 4 & 1) : 0);
        code_byte(c, 0xc0 | (which & 0x38));
        return;
    default:
        code_mov(c, 0, how & 0x80 ? reg * 8u + (which & 7) : (uint32_t[]){0, 0x10, 0x23, 0x43}[reg & 3]);
        code_byte(c, 0x8e);
        code_byte(c, 0xc0 | (which & 0x38));
    }
}

static void code_odds(code *c, fuzz_input *record)
{
    static const struct {
        uint8_t size, bytes[7];
    } odds[] = {{1, {0xf4}},
                {2, {0xfb, 0xf4}},
                {2, {0x0f, 0xa2}},
                {2, {0x0f, 0x31}},
                {2, {0x0f, 0x08}},
                {2, {0x0f, 0x09}},
                {1, {0x61}},
                {2, {0x90, 0x61}},
                {3, {0xf3, 0x90, 0x61}},
                {4, {0x16, 0x17, 0x58, 0x61}},
                {1, {0x60}},
                {4, {0xc8, 0x10, 0x00, 0x03}},
                {4, {0xc8, 0x00, 0x10, 0x1f}},
                {1, {0xc9}},
                {2, {0x0f, 0xaa}},
                {1, {0xf1}},
                {1, {0xcc}},
                {2, {0x0f, 0x06}},
                {2, {0xdb, 0xe3}},
                {1, {0x9b}},
                {2, {0xeb, 0xfe}},
                {2, {0xeb, 0xff}},
                {1, {0xfb}},
                {2, {0x0f, 0x77}},
                {2, {0xcd, 0x10}},
                {2, {0xcd, 0x13}},
                {2, {0xcd, 0x15}},
                {2, {0xcd, 0x16}},
                {2, {0xcd, 0x1a}},
                {7, {0xf0, 0x0f, 0xc7, 0xc8, 0, 0, 0}},
                {2, {0xd9, 0xd0}},
                {2, {0xcd, 0x80}}};
    unsigned which = fuzz_byte(record) % (sizeof odds / sizeof odds[0]);
    if (odds[which].bytes[0] == 0xcd) {
        code_mov(c, 0, code_value(record));
        code_mov(c, 2, fuzz_byte(record));
    }
    code_put(c, odds[which].bytes, odds[which].size);
}

void code_record(code *c, fuzz_input record, uint32_t again)
{
    unsigned kind = fuzz_byte(&record);
    if (c->end - c->at < 40) /* room for the longest instructions of a record */
        return;
    if (kind < 0x80) {
        code_form(c, &record);
        return;
    }
    switch (kind & 31) {
    case 0:
    case 1:
        code_put(c, record.data, (uint32_t)(record.size < 7 ? record.size : 7));
        return;
    case 2:
    case 3: {
        unsigned reg = fuzz_byte(&record) & 7;
        code_mov(c, reg, (kind & 0x20) != 0 ? code_value(&record) : code_address(&record));
        return;
    }
    case 4:
    case 5:
    case 6:
        code_port(c, &record);
        return;
    case 7:
    case 8:
        code_msr(c, &record);
        return;
    case 9:
        code_control(c, &record);
        return;
    case 10:
        code_breakpoint(c, &record);
        return;
    case 11:
    case 12:
    case 13: /* changes code: that nearby, or that of any snippet */
        code_store(c, &record,
                   IMAGE_ADDRESS + ((kind & 0x20) != 0 ? c->at + fuzz_byte(&record) % 64 - 24
                                                       : AT_SNIPPETS + fuzz_byte(&record) * 16u));
        return;
    case 14:
    case 15:
        code_table_entry(c, &record);
        return;
    case 16:
    case 17:
        code_far(c, &record);
        return;
    case 18:
    case 19:
        code_flags(c, &record);
        return;
    case 20:
    case 21:
    case 22:
        code_loop(c, &record, again);
        return;
    case 23:
    case 24:
        code_string(c, &record);
        return;
    case 25:
    case 26:
        code_segments(c, &record);
        return;
    case 27:
        code_byte(c, 0xcd);
        code_byte(c, fuzz_byte(&record));
        return;
    case 28:
        code_mov(c, 4, code_address(&record));
        return;
    default:
        code_odds(c, &record);
    }
}
