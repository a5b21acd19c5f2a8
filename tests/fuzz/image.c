#include "image.h"

#include <string.h>

#include "image_code.h"
#include "machine/load/segment.h"

enum { FLAG_IF = 1 << 9, FLAG_VM = 1 << 17 };

/* ---- tables -------------------------------------------------------------------------------------------- */

static void put64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

static uint64_t gate(unsigned type, unsigned dpl, unsigned selector, uint32_t offset)
{
    return (uint64_t)(offset & 0xffff0000) << 32 | (uint64_t)(0x8000 | dpl << 13 | type << 8) << 32 |
           (uint64_t)selector << 16 | (offset & 0xffff);
}

/* Makes a segment descriptor. `type` includes the S bit. */
static uint64_t segment(unsigned type, unsigned dpl, bool code32, uint32_t base, uint32_t limit)
{
    engine_segment s = {.base = base,
                        .limit = limit,
                        .flags = DESCRIPTOR_P | dpl << 13 | type << 8 | (code32 ? DESCRIPTOR_B : 0)};
    if (limit > 0xfffff)
        s.flags |= DESCRIPTOR_G;
    return segment_descriptor(&s);
}

static void gdt_make(uint8_t *gdt, fuzz_input *input)
{
    for (unsigned level = 0; level < 4; level++) {
        put64(gdt + SELECTOR_CODE + level * 16, segment(0x1a, level, true, 0, 0xffffffff));
        put64(gdt + SELECTOR_DATA + level * 16, segment(0x12, level, true, 0, 0xffffffff));
        put64(gdt + SELECTOR_CODE16 + level * 16, segment(0x1a, level, false, IMAGE_ADDRESS, 0xffff));
        put64(gdt + SELECTOR_CODE16 + level * 16 + 8, segment(0x12, level, false, IMAGE_ADDRESS, 0xffff));
    }
    for (unsigned i = 0; i < 4; i++)
        put64(gdt + SELECTOR_TSS + i * 8,
              segment(i == 3 ? 1 : 9, i & 2 ? 3 : 0, false, IMAGE_ADDRESS + AT_TSS + i * TSS_BYTES,
                      i == 0 ? TSS_BYTES - 1 : 0x67));
    put64(gdt + SELECTOR_LDT, segment(2, 0, false, IMAGE_ADDRESS + AT_LDT, 0x1ff));
    for (unsigned at = SELECTOR_REST; at < GDT_ENTRIES * 8; at += 8) {
        static const uint8_t gates[] = {0xc, 0xc, 0x4, 0x5, 0xc, 0x5, 0xe, 0x6};
        unsigned how = fuzz_byte(input);
        uint32_t offset =
            IMAGE_ADDRESS + (how & 0x20 ? AT_DISPATCH : AT_SNIPPETS + (how & 15u) * SNIPPET_ROOM);
        unsigned selector = how & 1 ? SELECTOR_TSS + (how & 0x18u) : SELECTOR_CODE + (how >> 1 & 3u) * 16;
        if (how < 0x80)
            put64(gdt + at, gate(gates[how & 7], how >> 3 & 3, selector, offset) | (how & 31u) << 0);
        else
            put64(gdt + at, segment(how & 31, how >> 2 & 3, how & 1, (how & 64 ? IMAGE_ADDRESS : 0),
                                    how & 32 ? 0xffffffff : how << 4));
    }
}

static void idt_make(uint8_t *idt, fuzz_input *input)
{
    for (unsigned vector = 0; vector < 256; vector++) {
        unsigned how = vector < 0x40 ? fuzz_byte(input) : vector;
        uint32_t handler = AT_DISPATCH;
        if ((how & 0xc0) == 0x40)
            handler = AT_HANDLERS + how % HANDLERS * HANDLER_BYTES;
        uint64_t entry = gate(how & 0x20 ? 0xf : 0xe, vector == 0x80 ? 3 : how >> 3 & 3, SELECTOR_CODE,
                              IMAGE_ADDRESS + handler);
        if (how >= 0xf0)
            entry = gate(5, how & 3, SELECTOR_TSS + 8 + (how & 8), 0);
        else if (how >= 0xe8)
            entry = gate(how & 1 ? 6 : 0xe, 3, how & 2 ? SELECTOR_CODE16 : SELECTOR_CODE + 32,
                         how & 4 ? AT_DISPATCH : 0);
        put64(idt + vector * 8u, entry);
    }
}

static void tss_make(uint8_t *tss, unsigned number, fuzz_input *input)
{
    uint32_t at = IMAGE_ADDRESS, fields[26] = {0};
    for (unsigned level = 0; level < 3; level++) {
        fields[1 + level * 2] = at + AT_STACK + 0x380 - level * 0x80;
        fields[2 + level * 2] = SELECTOR_DATA + level * 17;
    }
    unsigned how = fuzz_byte(input), level = how & 0x40 ? 3 : 0;
    fields[7] = at + AT_DIRECTORY;
    fields[8] = at + (how & 0x80 ? AT_SNIPPETS + (how & 7u) * SNIPPET_ROOM : AT_DISPATCH);
    fields[9] = 2 | (how & 8 ? FLAG_IF : 0) | (how & 0x10 ? 0x100 : 0);
    fields[14] = at + AT_STACK + 0x180; /* ESP */
    fields[19] = SELECTOR_CODE + level * 17;
    for (unsigned i = 18; i < 24; i++)
        if (i != 19)
            fields[i] = SELECTOR_DATA + level * 17;
    fields[24] = how & 1 ? SELECTOR_LDT : 0;
    fields[25] = 0x680000u | (how & 0x20) >> 5; /* I/O bitmap at 68h, T bit */
    memcpy(tss, fields, sizeof fields);
    if (number == 3) { /* 16 bits */
        uint16_t small[22] = {0, AT_STACK + 0x200, SELECTOR_CODE16 + 8};
        small[7] = AT_DISPATCH;
        small[8] = 2;
        small[13] = AT_STACK + 0x100;
        small[17] = how & 2 ? SELECTOR_DATA : SELECTOR_CODE16 + 8;
        small[18] = how & 4 ? SELECTOR_CODE : SELECTOR_CODE16;
        small[19] = small[17];
        small[20] = SELECTOR_DATA;
        memcpy(tss, small, sizeof small);
    }
    for (unsigned port = 0; number == 0 && port < TSS_BYTES - 0x68; port++)
        tss[0x68 + port] = (how & 3) == 0 ? 0 : port % 5 == 0 ? 0xff : 0;
}

/* Maps the first 4 MB to themselves, and once more at 4 MB, with arbitrary rights for pages of the image. In the first
 * mapping, the pages that the dispatcher needs stay present and writable. */
static void pages_make(uint8_t *bytes, fuzz_input *input)
{
    uint32_t directory[1024] = {0}, tables[2][1024];
    for (uint32_t i = 0; i < 1024; i++)
        tables[0][i] = tables[1][i] = i << 12 | 7;
    for (unsigned i = 0; i < 16; i++) {
        static const uint16_t rights[8] = {7, 5, 3, 1, 0, 0x1f, 0x67, 0x107};
        unsigned how = fuzz_byte(input), page = IMAGE_ADDRESS / 4096 + i;
        bool free = i >= AT_SNIPPETS >> 12 && i != AT_STACK >> 12;
        if (how & 8)
            tables[0][page] = page << 12 | (free ? rights[how & 7] : how & 1 ? 3 : 7);
        tables[1][page] = (page ^ (how >> 4 & 3)) << 12 | rights[how & 7];
    }
    unsigned how = fuzz_byte(input);
    directory[0] = (IMAGE_ADDRESS + AT_TABLE) | 7;
    directory[1] = (IMAGE_ADDRESS + AT_TABLE2) | (how & 1 ? 5 : 7);
    directory[2] = 0x87;
    directory[3] = 0x400000 | (how & 0xe7);
    directory[0x3ff] = how & 2 ? (IMAGE_ADDRESS + AT_DIRECTORY) | 3 : 0;
    memcpy(bytes + AT_DIRECTORY, directory, sizeof directory);
    memcpy(bytes + AT_TABLE, tables, sizeof tables);
}

static void pointers_make(uint8_t *at, fuzz_input *input)
{
    static const struct {
        uint16_t limit;
        uint32_t base;
    } tables[] = {{GDT_ENTRIES * 8 - 1, AT_GDT},
                  {0x7ff, AT_IDT},
                  {0x3ff, 0},
                  {0x1ff, AT_IDT},
                  {0xffff, AT_GDT},
                  {0, AT_IDT},
                  {0x7ff, AT_IDT + 1},
                  {0x7f, AT_GDT}};
    for (unsigned i = 0; i < 8; i++, at += 8) {
        uint32_t base = tables[i].base != 0 ? IMAGE_ADDRESS + tables[i].base : 0;
        unsigned how = i > 1 ? fuzz_byte(input) : 0;
        uint16_t limit = (uint16_t)(tables[i].limit ^ (how > 0xc0 ? how : 0));
        memcpy(at, &limit, sizeof limit);
        memcpy(at + 2, &base, sizeof base);
    }
}

/* ---- start, dispatcher and handlers --------------------------------------------------------------------- */

static code code_at(image *made, uint8_t *bytes, uint32_t at, uint32_t room)
{
    return (code){.bytes = bytes, .at = at, .end = at + room, .code32 = made->kind == IMAGE_FLAT};
}

/* Sets up the interrupt controllers, timer, clock, keyboard and COM1, each if its bit in `how` is set. */
static void start_devices(code *c, unsigned how)
{
    static const uint16_t out[][2] = {{0x20, 0x11}, {0x21, 0x20}, {0x21, 0x04}, {0x21, 0x01}, {0xa0, 0x11},
                                      {0xa1, 0x28}, {0xa1, 0x02}, {0xa1, 0x01}, {0x21, 0x00}, {0xa1, 0x00},
                                      {0x43, 0x34}, {0x40, 0x40}, {0x40, 0x00}, {0x70, 0x0b}, {0x71, 0x72}};
    for (unsigned i = 0; i < sizeof out / sizeof out[0]; i++) {
        if ((how & (i < 10 ? 1u : 2u)) == 0)
            continue;
        code_byte(c, 0xb0);
        code_byte(c, out[i][1]);
        code_byte(c, 0xe6);
        code_byte(c, out[i][0]);
    }
    if (how & 4) /* COM1's interrupts */
        code_put(c, &"\x66\xba\xf9\x03\xb0\x0f\xee\x66\xba\xfc\x03\xb0\x0b\xee"[c->code32 ? 0 : 1],
                 c -> code32 ? 14 : 7);
}

static void start_protected(image *made, uint8_t *bytes, fuzz_input *input)
{
    code c = code_at(made, bytes, AT_START, AT_POINTERS - AT_START);
    code_put(&c, "\x0f\x01\x15", 3);
    code_dword(&c, IMAGE_ADDRESS + AT_POINTERS);
    code_put(&c, "\x0f\x01\x1d", 3);
    code_dword(&c, IMAGE_ADDRESS + AT_POINTERS + 8);
    unsigned how = fuzz_byte(input), devices = fuzz_byte(input);
    code_mov(&c, 0, SELECTOR_LDT);
    if ((how & 7) != 0)
        code_put(&c, "\x0f\x00\xd0", 3);
    code_mov(&c, 0, SELECTOR_TSS);
    code_put(&c, "\x0f\x00\xd8", 3);
    code_put(&c, "\xdb\xe3", 2);
    start_devices(&c, devices);
    code_mov(&c, 0, fuzz_byte(input) & 0x5f); /* CR4 */
    code_put(&c, "\x0f\x22\xe0", 3);
    code_mov(&c, 0, IMAGE_ADDRESS + AT_DIRECTORY);
    code_put(&c, "\x0f\x22\xd8", 3);
    static const uint32_t modes[8] = {0x31,       0x11,       0x80000031, 0x80050031,
                                      0x80010011, 0x8000003b, 0x80040035, 0xe0000031};
    code_mov(&c, 0, modes[how >> 5]);
    code_put(&c, "\x0f\x22\xc0", 3);
    code_byte(&c, 0xe9);
    code_dword(&c, AT_DISPATCH - c.at - 4);

    c = code_at(made, bytes, AT_DISPATCH, AT_HANDLERS - AT_DISPATCH);
    code_mov(&c, 0, SELECTOR_DATA);
    code_put(&c, "\x8e\xd8\x8e\xc0\x8e\xd0", 6);
    code_mov(&c, 4, IMAGE_ADDRESS + AT_STACK + 0x3c0);
    code_put(&c, "\x6a\x02\x9d\xa1", 4); /* PUSH 2; POPF; MOV EAX,[] */
    code_dword(&c, IMAGE_ADDRESS + AT_COUNTER);
    code_put(&c, "\xff\x05", 2); /* INC [] */
    code_dword(&c, IMAGE_ADDRESS + AT_COUNTER);
    code_put(&c, "\x83\xe0\x1f\xff\x24\x85", 6); /* AND EAX,31; JMP [EAX*4+] */
    code_dword(&c, IMAGE_ADDRESS + AT_ENTRIES);
}

static void handler(code *c, unsigned number, fuzz_input *input)
{
    static const struct {
        uint8_t size, bytes[14];
    } handlers[HANDLERS] = {
        {2, {0x66, 0xcf}},
        {1, {0xcf}},
        {4, {0x83, 0xc4, 0x04, 0xcf}},
        {4, {0xff, 0x04, 0x24, 0xcf}},                      /* INC [ESP]: EIP */
        {8, {0x83, 0xc4, 0x04, 0xff, 0x04, 0x24, 0xcf, 0}}, /* INC of EIP above an error code */
        {6, {0x80, 0x74, 0x24, 0x09, 0x01, 0xcf}},          /* XOR TF */
        {7, {0x50, 0xb0, 0x20, 0xe6, 0x20, 0x58, 0xcf}},    /* EOI */
        {10, {0x50, 0xb0, 0x20, 0xe6, 0xa0, 0xe6, 0x20, 0x58, 0xfb, 0xcf}},
        {6, {0x80, 0x64, 0x24, 0x09, 0xfe, 0xcf}}, /* AND ~TF */
        {9, {0x60, 0xe4, 0x60, 0xb0, 0x20, 0xe6, 0x20, 0x61, 0xcf}},
        {3, {0xfb, 0xf4, 0xcf}},
        {0, {0}}};
    if (handlers[number].size != 0) {
        code_put(c, handlers[number].bytes, handlers[number].size);
        return;
    }
    for (unsigned i = 0; i < 10; i++)
        code_byte(c, fuzz_byte(input));
    code_byte(c, 0xcf);
}

/* Makes the start and the dispatcher for real mode. The start replaces all or some of the BIOS's interrupt vectors. */
static void start_real(image *made, uint8_t *bytes, fuzz_input *input)
{
    unsigned how = fuzz_byte(input), devices = fuzz_byte(input);
    code c = code_at(made, bytes, AT_START, AT_POINTERS - AT_START);
    code_put(&c, "\xfa\xb8\x00\x10\x8e\xd8\x31\xc0\x8e\xc0\xfc", 11); /* CLI; DS image; ES 0 */
    for (unsigned part = 0; part < 4; part++) {
        /* Vectors 0-7, 8-15, 16-31 and the rest: each part is copied by REP MOVSD, or left to the BIOS. */
        static const uint16_t first[5] = {0, 8, 16, 32, 256};
        if (part != 0 && (how >> part & 1) == 0)
            continue;
        code_byte(&c, 0xbe);
        code_word(&c, AT_VECTORS + first[part] * 4u);
        code_byte(&c, 0xbf);
        code_word(&c, first[part] * 4u);
        code_byte(&c, 0xb9);
        code_word(&c, (unsigned)(first[part + 1] - first[part]));
        code_put(&c, "\xf3\x66\xa5", 3);
    }
    if (how & 0x20)
        code_put(&c, "\xe4\x92\x0c\x02\xe6\x92", 6); /* A20 */
    start_devices(&c, devices & ~1u);
    code_byte(&c, 0xe9);
    code_word(&c, AT_DISPATCH - c.at - 2);

    c = code_at(made, bytes, AT_DISPATCH, AT_HANDLERS - AT_DISPATCH);
    code_put(&c, "\xb8\x00\x10\x8e\xd8\x8e\xd0\x66\xbc", 9);
    code_dword(&c, AT_STACK + 0x3c0);
    code_byte(&c, 0xa1);
    code_word(&c, AT_COUNTER);
    code_put(&c, "\xff\x06", 2);
    code_word(&c, AT_COUNTER);
    code_put(&c, "\x83\xe0\x1f\x89\xc3\xc1\xe3\x02\xff\xa7", 10); /* AND AX,31; BX = AX * 4; JMP [BX+] */
    code_word(&c, AT_ENTRIES);
    for (unsigned vector = 0; vector < 256; vector++) {
        unsigned which = vector < 0x40 ? fuzz_byte(input) : 0;
        uint16_t entry[2] = {AT_DISPATCH, IMAGE_ADDRESS >> 4};
        if (which >= 0xa0)
            entry[0] = (uint16_t)(AT_HANDLERS + which % HANDLERS * HANDLER_BYTES);
        memcpy(bytes + AT_VECTORS + vector * 4, entry, sizeof entry);
    }
}

/* ---- snippets ------------------------------------------------------------------------------------------ */

/* How a snippet is entered. */
typedef struct entry {
    unsigned mode; /* ignored in real-mode images */
    uint32_t flags;
    uint32_t at;
} entry;

enum { MODE_LEVEL0, MODE_LEVEL0_16, MODE_LEVEL3, MODE_LEVEL3_16, MODE_V86, MODE_LEVEL1 };

static unsigned mode_of(unsigned how)
{
    static const uint8_t modes[16] = {0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 4, 4, 4, 5, 0};
    return modes[how & 15];
}

static void enter_protected(code *c, const entry *e, fuzz_input *input)
{
    static const uint8_t levels[] = {0, 0, 3, 3, 3, 1};
    unsigned level = levels[e->mode], segments = fuzz_byte(input);
    bool wide = e->mode != MODE_LEVEL0_16 && e->mode != MODE_LEVEL3_16;
    unsigned flat = SELECTOR_DATA + level * 17, own = SELECTOR_CODE16 + 8 + level * 17;
    uint32_t stack = IMAGE_ADDRESS + AT_USER_STACK + 0x380;
    if (e->mode == MODE_V86) {
        for (unsigned i = 0; i < 5; i++) /* GS FS DS ES SS */
            code_push(c, IMAGE_ADDRESS >> 4);
        code_push(c, AT_USER_STACK + 0x380);
        code_push(c, e->flags | FLAG_VM);
        code_push(c, IMAGE_ADDRESS >> 4);
        code_push(c, e->at);
        return;
    }
    code_mov(c, 0, segments & 1 || wide ? flat : own);
    code_put(c, "\x8e\xd8\x8e\xc0", 4);
    if (segments & 2)
        code_put(c, "\x8e\xe0\x8e\xe8", 4);
    if (level != 0) {
        code_push(c, segments & 4 ? own : flat);
        code_push(c, segments & 4 ? stack - IMAGE_ADDRESS : stack);
    }
    code_push(c, e->flags);
    code_push(c, (wide ? SELECTOR_CODE : SELECTOR_CODE16) + level * 17);
    code_push(c, wide ? IMAGE_ADDRESS + e->at : e->at);
}

static void enter_real(code *c, const entry *e, fuzz_input *input)
{
    unsigned segments = fuzz_byte(input);
    if (segments & 1)
        code_put(c, "\x8e\xc0\x8e\xe0\x8e\xe8", 6); /* ES, FS, GS: AX is the counter */
    code_push(c, e->flags);
    code_push(c, IMAGE_ADDRESS >> 4);
    code_push(c, e->at);
}

static void snippet_make(image *made, uint8_t *bytes, unsigned number, fuzz_input *input)
{
    unsigned how = fuzz_byte(input), flags = fuzz_byte(input);
    entry e = {.mode = mode_of(how),
               .flags = 2 | (flags & 0x40 ? FLAG_IF : 0) | (flags & 0x30u) << 8 |
                        ((flags & 0xf) == 0xf ? 0x100 : 0) | ((flags & 0x8f) == 0x8e ? 0x40000 : 0) |
                        ((flags & 0x8f) == 0x8d ? 0x400 : 0),
               .at = AT_SNIPPETS + number * SNIPPET_ROOM};
    code c = code_at(made, bytes, AT_STUBS + number * STUB_BYTES, STUB_BYTES);
    if (made->kind == IMAGE_FLAT)
        enter_protected(&c, &e, input);
    else
        enter_real(&c, &e, input);
    for (unsigned reg = 0; reg < 8; reg++)
        if (reg != 4) {
            fuzz_input value = {input->data, input->size < 5 ? input->size : 5};
            code_mov(&c, reg, (how & 0x10) != 0 ? code_value(&value) : code_address(&value));
            fuzz_byte(input);
            fuzz_byte(input);
        }
    if (!c.code32)
        code_byte(&c, 0x66);
    code_byte(&c, 0xcf);

    uint32_t start = e.at;
    c = code_at(made, bytes, start, SNIPPET_ROOM);
    c.code32 = made->kind == IMAGE_FLAT && e.mode != MODE_LEVEL0_16 && e.mode != MODE_LEVEL3_16 &&
               e.mode != MODE_V86;
    while (input->size % IMAGE_RECORD_BYTES != 0 && input->size > 0)
        fuzz_byte(input);
    for (unsigned i = 0; i < IMAGE_RECORDS && input->size > 0; i++) {
        fuzz_input record = {input->data,
                             input->size < IMAGE_RECORD_BYTES ? input->size : IMAGE_RECORD_BYTES};
        input->data += record.size;
        input->size -= record.size;
        code_record(&c, record, start + (how >> 5) * 2);
    }
    /* It ends with INT 80h, with STI and HLT, or without an end, so that execution continues in the next snippet. */
    if (how & 0x80)
        code_put(&c, how & 0x40 ? "\xcd\x80" : "\xfb\xf4", 2);
}

/* Makes a boot sector that loads the image to IMAGE_ADDRESS. */
static void boot_sector(uint8_t *sector)
{
    static const uint8_t load[] = {0x31, 0xc0, 0x8e, 0xd8, 0x8e, 0xd0, 0xbc, 0x00, 0x7c, /* DS = SS = 0, SP */
                                   0xbe, 0x20, 0x7c, 0xb4, 0x42, 0xcd, 0x13,             /* INT 13h, AH 42h */
                                   0xea, 0x00, 0x00, 0x00, 0x10};                        /* JMP 1000:0 */
    static const uint8_t packet[] = {16, 0, IMAGE_BYTES / 512, 0, 0, 0, 0, 0x10, 1};
    memset(sector, 0, 512);
    memcpy(sector, load, sizeof load);
    memcpy(sector + 0x20, packet, sizeof packet);
    sector[510] = 0x55;
    sector[511] = 0xaa;
}

void image_make(image *made, image_kind kind, fuzz_input input)
{
    fuzz_input tables = {input.data, input.size < IMAGE_TABLE_BYTES ? input.size : IMAGE_TABLE_BYTES};
    input.data += tables.size;
    input.size -= tables.size;
    *made = (image){.kind = kind, .size = IMAGE_BYTES};
    uint8_t *bytes = made->bytes;
    if (kind == IMAGE_DISK) {
        boot_sector(bytes);
        bytes += 512;
        made->size += 512;
    }
    pointers_make(bytes + AT_POINTERS, &tables);
    if (kind == IMAGE_FLAT)
        start_protected(made, bytes, &tables);
    else
        start_real(made, bytes, &tables);
    for (unsigned i = 0; i < HANDLERS; i++) {
        code c = code_at(made, bytes, AT_HANDLERS + i * HANDLER_BYTES, HANDLER_BYTES);
        handler(&c, i, &tables);
    }
    gdt_make(bytes + AT_GDT, &tables);
    gdt_make(bytes + AT_LDT, &tables);
    if (kind == IMAGE_FLAT || (fuzz_byte(&tables) & 1) != 0)
        idt_make(bytes + AT_IDT, &tables);
    for (unsigned i = 0; i < 4; i++)
        tss_make(bytes + AT_TSS + i * TSS_BYTES, i, &tables);
    pages_make(bytes, &tables);
    for (unsigned i = 0; i < 0x1000; i++)
        bytes[AT_DATA + i] = (uint8_t)(i * 37 ^ i >> 3);

    unsigned count = 0;
    for (; count < IMAGE_SNIPPETS && (count == 0 || input.size >= IMAGE_SNIPPET_BYTES / 2); count++) {
        fuzz_input snippet = {input.data,
                              input.size < IMAGE_SNIPPET_BYTES ? input.size : IMAGE_SNIPPET_BYTES};
        input.data += snippet.size;
        input.size -= snippet.size;
        snippet_make(made, bytes, count, &snippet);
    }
    for (unsigned i = 0; i < 32; i++) {
        uint32_t stub = AT_STUBS + i % count * STUB_BYTES + (kind == IMAGE_FLAT ? IMAGE_ADDRESS : 0);
        memcpy(bytes + AT_ENTRIES + i * 4, &stub, sizeof stub);
    }
}
