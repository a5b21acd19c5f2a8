#include "programs.h"

#include <stdlib.h>
#include <string.h>

uint32_t random_next(random_source *r)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = r->state;
    x ^= x >> 33;
    return (uint32_t)(x >> 16);
}

uint32_t random_below(random_source *r, uint32_t n)
{
    return random_next(r) % n;
}

/* Encodings; REGISTERS: the low six bits of the last byte are random (register forms). */
enum { REGISTERS = 1, MMX_ONLY = 2, X87 = 4 };
static const struct {
    uint8_t length, flags;
    uint8_t bytes[12];
} menu[] = {
    {1, 0, {0x90}},               /* nop */
    {2, REGISTERS, {0x89, 0xc0}}, /* mov r,r */
    {2, REGISTERS, {0x01, 0xc0}}, /* add r,r */
    {2, REGISTERS, {0x11, 0xc0}}, /* adc r,r */
    {1, 0, {0x40}},
    {1, 0, {0x46}}, /* inc eax, esi */
    {2, 0, {0x8b, 0x06}},
    {2, 0, {0x8b, 0x0f}},
    {2, 0, {0x8b, 0x36}}, /* mov r,[r] */
    {2, 0, {0x89, 0x07}},
    {2, 0, {0x89, 0x13}}, /* mov [r],r */
    {2, 0, {0x03, 0x06}},
    {2, 0, {0x03, 0x0f}}, /* add r,[r] */
    {2, 0, {0x01, 0x06}},
    {2, 0, {0x01, 0x17}}, /* add [r],r */
    {3, 0, {0x8d, 0x04, 0x8b}},
    {3, 0, {0x8d, 0x34, 0x24}}, /* lea */
    {2, 0, {0xd1, 0xe0}},
    {2, 0, {0xd3, 0xe3}},               /* shl r,1  shl r,cl */
    {3, REGISTERS, {0x66, 0x01, 0xc0}}, /* add r16,r16 */
    {4, 0, {0x66, 0x67, 0x01, 0xc8}},   /* two size prefixes */
    {3, 0, {0x2e, 0x8b, 0x06}},         /* cs: */
    {2, 0, {0x0f, 0xc9}},
    {3, 0, {0x0f, 0xb6, 0xc3}}, /* bswap, movzx */
    {3, 0, {0x0f, 0x94, 0xc0}}, /* sete */
    {1, 0, {0x50}},
    {1, 0, {0x53}},
    {1, 0, {0x58}},
    {1, 0, {0x5d}},
    {2, 0, {0x6a, 0x01}},
    {1, 0, {0x54}}, /* push, pop */
    {1, 0, {0x99}},
    {3, 0, {0x0f, 0xaf, 0xc3}},
    {2, 0, {0xf7, 0xe1}},                   /* cdq, imul, mul */
    {7, 0, {0xc7, 0x46, 0x04, 1, 0, 0, 0}}, /* mov [r+d8],imm32 */
    {7, 0, {0x8b, 0x84, 0x8b, 0, 1, 0, 0}}, /* mov r,[r+r*4+d32] */
    {8, 0, {0x2e, 0x8b, 0x84, 0x8b, 0, 1, 0, 0}},
    {11, 0, {0x81, 0x84, 0x8b, 0, 1, 0, 0, 1, 0, 0, 0}}, /* add [r+r*4+d32],imm32 */
    {6, 0, {0x81, 0xc3, 0, 0, 1, 0}},                    /* add r,imm32 */
    {2, X87, {0xd9, 0xc1}},
    {2, X87, {0xd8, 0xc1}},
    {2, X87, {0xd8, 0xca}},
    {2, X87, {0xdc, 0xc3}},
    {2, X87, {0xde, 0xc1}},
    {2, X87, {0xd9, 0xc9}},
    {2, X87, {0xd9, 0xca}},
    {2, X87, {0xd9, 0x06}},
    {2, X87, {0xd9, 0x17}},
    {2, X87, {0xd9, 0xe0}},
    {2, X87, {0xdf, 0xe0}},
    {2, X87, {0xd8, 0xd1}},
    {2, X87, {0xd8, 0xf1}},
    {3, MMX_ONLY | REGISTERS, {0x0f, 0xfc, 0xc1}},
    {3, MMX_ONLY | REGISTERS, {0x0f, 0xd5, 0xc1}},
    {3, MMX_ONLY | REGISTERS, {0x0f, 0xf1, 0xc1}},
    {3, MMX_ONLY, {0x0f, 0x6f, 0x06}},
    {3, MMX_ONLY, {0x0f, 0x7f, 0x07}},
    {3, MMX_ONLY, {0x0f, 0x7e, 0xc0}},
    {3, MMX_ONLY, {0x0f, 0x6e, 0xc1}},
    {3, MMX_ONLY, {0x0f, 0xef, 0x0e}},
    {2, MMX_ONLY, {0x0f, 0x77}},
};
enum { MENU = sizeof menu / sizeof menu[0] };

unsigned program_bytes(uint8_t *bytes, random_source *r, const timing *t, unsigned kinds)
{
    unsigned size = 0, n = random_below(r, PROGRAM_INSNS - 1);
    for (unsigned i = 0; i < n; i++) {
        unsigned pick;
        do
            pick = random_below(r, MENU);
        while (((menu[pick].flags & MMX_ONLY) && (!t->fifo || !(kinds & MMX_ONLY))) ||
               ((menu[pick].flags & X87) && !(kinds & X87)));
        memcpy(bytes + size, menu[pick].bytes, menu[pick].length);
        size += menu[pick].length;
        if (menu[pick].flags & REGISTERS)
            bytes[size - 1] = (uint8_t)(0xc0 | random_below(r, 64));
    }
    bytes[size++] = 0x74;
    bytes[size++] = 0x00;
    return size;
}

/* Returns a wait for memory: mostly less than `usual` clocks, sometimes as long as a slow board's. */
static uint16_t wait_clocks(random_source *r, unsigned usual)
{
    return (uint16_t)(1 + random_below(r, random_below(r, 16) == 0 ? 2000 : usual));
}

static void references(program *p, unsigned b, random_source *r, unsigned unusual)
{
    const p5_block *block = p->blocks[b].block;
    unsigned n = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const isa_form *f = &isa_forms[block->ops[i].form];
        for (unsigned j = 0; j < block->ops[i].accesses; j++) {
            p5_access *a = &p->blocks[b].accesses[n];
            outcome *o = &p->blocks[b].outcomes[n++];
            *a = (p5_access){.linear = 0x8000 + 4 * random_below(r, 8),
                             .size = 4,
                             .flags = j >= f->data_reads ? P5_ACCESS_WRITE : 0};
            a->physical = a->linear;
            *o = (outcome){0, 0};
            if (random_below(r, 100) < unusual)
                o->misaligned = 3;
            if (random_below(r, 100) < unusual)
                o->read = wait_clocks(r, 30);
        }
    }
    p->blocks[b].access_count = n;
}

void program_make(program *p, random_source *r, const timing *t, isa_decoder *decoder, unsigned unusual)
{
    p->count = 1 + random_below(r, PROGRAM_BLOCKS);
    unsigned kinds = random_below(r, 8);
    uint32_t address = 0x1000 + random_below(r, 64);
    for (unsigned b = 0; b < p->count; b++) {
        uint8_t bytes[PROGRAM_BLOCK_BYTES];
        unsigned size = program_bytes(bytes, r, t, kinds);
        isa_block *code =
            isa_block_decode(decoder, &(isa_code){bytes, size, address, true}, address, PROGRAM_INSNS);
        p->blocks[b].block = code ? block_prepare(t, code) : NULL;
        if (!p->blocks[b].block)
            abort();
        p->blocks[b].taken = random_below(r, 2) == 0;
        p->blocks[b].right = random_below(r, 100) >= unusual;
        address += size;
        if (p->blocks[b].taken)
            address += 1 + random_below(r, 100);
        p->blocks[b].next = address;
        references(p, b, r, unusual);
    }
    p->lines_hit = random_below(r, 4) == 0;
    for (unsigned i = 0; i < sizeof p->line_waits / sizeof p->line_waits[0]; i++)
        p->line_waits[i] =
            (uint16_t)(!p->lines_hit && random_below(r, 100) < unusual ? wait_clocks(r, 60) : 0);
}

void program_free(program *p)
{
    for (unsigned b = 0; b < p->count; b++)
        block_free(p->blocks[b].block);
}
