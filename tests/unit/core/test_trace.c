/* The instructions that produced an instruction's operands, as pipeline diagrams show them. Expected: the
 * registers that each instruction reads and writes by the definition of the instruction set. */
#include <string.h>

#include "../unit.h"
#include "model_timing.h"
#include "core/block.h"
#include "core/pipe/pipe.h"
#include "core/pipe/trace.h"

/* Compares the sources of each instruction with `expected`: distances, 0 ends a row. */
static void expect(const uint8_t *bytes, size_t size, unsigned count,
                   const uint16_t expected[][P5_TRACE_SOURCES + 1])
{
    PREPARED(block, timing_of(P5_FAMILY_P55C), bytes, size, 32);
    assert_int_equal(block->count, count);
    trace_sink sink = {0};
    for (unsigned i = 0; i < count; i++) {
        p5_trace_source typed[P5_TRACE_SOURCES] = {{0}};
        uint16_t sources[P5_TRACE_SOURCES + 1] = {0};
        trace_sources(&sink, &block->ops[i], typed);
        for (unsigned s = 0; s < P5_TRACE_SOURCES; s++)
            sources[s] = typed[s].distance;
        if (memcmp(sources, expected[i], sizeof sources) != 0)
            fail_msg("instruction %u: sources %u %u %u %u, expected %u %u %u %u", i, sources[0], sources[1],
                     sources[2], sources[3], expected[i][0], expected[i][1], expected[i][2], expected[i][3]);
    }
}

#define EXPECT(count, expected, ...)                                                                         \
    expect((const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}), count, expected)

typedef uint16_t row[P5_TRACE_SOURCES + 1];

TEST(general_registers)
{
    /* mov eax,1; mov ebx,2; add eax,ebx; mov edi,3; mov ecx,[eax+edi]; mov [eax],edx, where nothing wrote EDX;
     * mov edx,ecx; add ecx,edx */
    const row rows[] = {{0}, {0}, {2, 1}, {0}, {2, 1}, {3}, {2}, {3, 1}};
    EXPECT(8, rows, 0xb8, 1, 0, 0, 0, 0xbb, 2, 0, 0, 0, 0x01, 0xd8, 0xbf, 3, 0, 0, 0, 0x8b, 0x0c, 0x38, 0x89,
           0x10, 0x89, 0xca, 0x01, 0xd1);
}

/* PUSHA reads eight registers. The first ones are named, as many as there is room for. */
TEST(more_producers_than_room)
{
    static const uint8_t bytes[] = {0x43, 0x42, 0x41,
                                    0x40, 0x47, 0x60}; /* inc ebx, edx, ecx, eax, edi; pusha */
    PREPARED(block, timing_of(P5_FAMILY_P55C), bytes, sizeof bytes, 32);
    assert_int_equal(block->count, 6);
    trace_sink sink = {0};
    p5_trace_source sources[P5_TRACE_SOURCES + 1];
    for (unsigned i = 0; i < block->count; i++) {
        memset(sources, 0, sizeof sources);
        trace_sources(&sink, &block->ops[i], sources);
    }
    const p5_trace_source expected[P5_TRACE_SOURCES + 1] = {{2, P5_SOURCE_REGISTER, 0},
                                                            {3, P5_SOURCE_REGISTER, 1},
                                                            {4, P5_SOURCE_REGISTER, 2},
                                                            {5, P5_SOURCE_REGISTER, 3}};
    assert_memory_equal(sources, expected, sizeof expected);
}

/* One producer is named once, however many operands are its. */
TEST(the_same_producer)
{
    const row rows[] = {{0}, {1}, {1}}; /* mov eax,1; lea ecx,[eax+eax]; add ecx,ecx */
    EXPECT(3, rows, 0xb8, 1, 0, 0, 0, 0x8d, 0x0c, 0x00, 0x01, 0xc9);
}

TEST(mmx_registers)
{
    /* pxor mm0,mm0; pxor mm7,mm7; paddb mm0,mm7; movq [eax],mm0; movq mm1,mm7 */
    const row rows[] = {{0}, {0}, {2, 1}, {1}, {3}};
    EXPECT(5, rows, 0x0f, 0xef, 0xc0, 0x0f, 0xef, 0xff, 0x0f, 0xfc, 0xc7, 0x0f, 0x7f, 0x00, 0x0f, 0x6f, 0xcf);
}

/* x87 registers are followed through loads, exchanges and pops. Farther registers stand first. */
TEST(the_x87_stack)
{
    const row rows[] = {
        {0},    /* fld1 */
        {0},    /* fldz */
        {0},    /* fldpi */
        {3, 1}, /* fadd st,st(2): st(2) is fld1 */
        {0},    /* fxch st(1): a rename without producer */
        {2, 4}, /* faddp st(1),st: st is fldz, st(1) the fadd */
        {6, 1}, /* fmul st(1),st: st is the faddp, st(1) fld1 */
        {2},    /* fstp dword [eax]: the faddp */
        {2},    /* fchs: the fmul */
        {1},    /* fst st(3) */
        {2},    /* fld st(0): what fchs made */
        {2},    /* fld st(4): what fst made */
    };
    EXPECT(12, rows, 0xd9, 0xe8, 0xd9, 0xee, 0xd9, 0xeb, 0xd8, 0xc2, 0xd9, 0xc9, 0xde, 0xc1, 0xdc, 0xc9, 0xd9,
           0x18, 0xd9, 0xe0, 0xdd, 0xd3, 0xd9, 0xc0, 0xd9, 0xc4);
}

/* FCOMPP pops two registers, FSINCOS pushes one; FNSTSW, FNSTCW and compares produce no register. */
TEST(pops_and_pushes)
{
    const row rows[] = {
        {0},    /* fld1 */
        {0},    /* fldz */
        {0},    /* fldpi */
        {2, 1}, /* fcompp: fldz and fldpi */
        {0},    /* fnstcw [eax] */
        {5},    /* fsincos: fld1 is on top */
        {1},    /* fadd st,st(1): both are the fsincos */
        {1},    /* fcom st(5): no instruction wrote st(5) */
        {2},    /* fstp st(0): the fadd */
        {4},    /* fchs: the sine */
    };
    EXPECT(10, rows, 0xd9, 0xe8, 0xd9, 0xee, 0xd9, 0xeb, 0xde, 0xd9, 0xd9, 0x38, 0xd9, 0xfb, 0xd8, 0xc1, 0xd8,
           0xd5, 0xdd, 0xd8, 0xd9, 0xe0);
}

TEST(kinds)
{
    static const struct {
        uint8_t bytes[4];
        p5_pipe_kind kind;
    } rows[] = {
        {{0x89, 0xd8}, P5_PIPE_INTEGER},
        {{0x0f, 0xaf, 0xc3}, P5_PIPE_INTEGER}, /* mov, imul */
        {{0x0f, 0xfc, 0xc7}, P5_PIPE_MMX},
        {{0x0f, 0x7f, 0x00}, P5_PIPE_MMX},          /* paddb, movq store */
        {{0x0f, 0xd5, 0xc7}, P5_PIPE_MMX_MULTIPLY}, /* pmullw */
        {{0x0f, 0xf5, 0xc7}, P5_PIPE_MMX_MULTIPLY}, /* pmaddwd */
        {{0xd8, 0xc1}, P5_PIPE_X87},
        {{0xd9, 0x00}, P5_PIPE_X87}, /* fadd, fld */
        {{0xd9, 0xfe}, P5_PIPE_X87},
        {{0xd9, 0xc9}, P5_PIPE_INTEGER}, /* fsin, fxch */
        {{0xd9, 0x18}, P5_PIPE_INTEGER},
        {{0xdf, 0xe0}, P5_PIPE_INTEGER}, /* fstp, fnstsw ax */
        {{0xd9, 0x38}, P5_PIPE_INTEGER}, /* fnstcw */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        PREPARED(block, timing_of(P5_FAMILY_P55C), rows[i].bytes, 4, 1);
        if (trace_kind(&block->ops[0]) != rows[i].kind)
            fail_msg("row %zu: kind %d", i, trace_kind(&block->ops[0]));
    }
}

/* A producer that is too far away for 16 bits is not named. */
TEST(far_producers)
{
    static const uint8_t bytes[] = {0xb8, 1, 0, 0, 0, 0x90, 0x89, 0xc1}; /* mov eax,1; nop; mov ecx,eax */
    PREPARED(block, timing_of(P5_FAMILY_P55C), bytes, sizeof bytes, 3);
    for (unsigned between = 65533; between < 65537; between++) {
        trace_sink sink = {0};
        p5_trace_source sources[P5_TRACE_SOURCES] = {{0}};
        trace_sources(&sink, &block->ops[0], sources);
        for (unsigned i = 0; i < between; i++)
            trace_sources(&sink, &block->ops[1], sources);
        trace_sources(&sink, &block->ops[2], sources);
        assert_int_equal(sources[0].distance, between + 1 <= UINT16_MAX ? between + 1 : 0);
    }
}

/* An address needs its register one clock before EX; INC leaves CF to the ADC behind it, and SETC needs CF. */
TEST(kinds_of_sources)
{
    const uint8_t bytes[] = {0x01,
                             0xd8,
                             /* add eax,ebx */ 0x43,
                             /* inc ebx */ 0x83,
                             0xd1,
                             0x00, /* adc ecx,0 */
                             0x8b,
                             0x14,
                             0x08,
                             /* mov edx,[eax+ecx] */ 0x0f,
                             0x94,
                             0xc2 /* sete dl */};
    const p5_trace_source expected[][2] = {{{0}},
                                           {{0}},
                                           {{2, P5_SOURCE_FLAGS, 0}},
                                           {{3, P5_SOURCE_ADDRESS, 0}, {1, P5_SOURCE_ADDRESS, 1}},
                                           {{2, P5_SOURCE_FLAGS, 0}}};
    PREPARED(block, timing_of(P5_FAMILY_P55C), bytes, sizeof bytes, 32);
    assert_int_equal(block->count, 5);
    trace_sink sink = {0};
    for (unsigned i = 0; i < block->count; i++) {
        p5_trace_source sources[P5_TRACE_SOURCES] = {{0}};
        trace_sources(&sink, &block->ops[i], sources);
        assert_memory_equal(sources, expected[i], sizeof expected[i]);
    }
}

/* D2 has the ESP of PUSH and POP and the ESI of LODS in time, but not that of ADD, LEAVE and other instructions. */
TEST(late_addresses)
{
    static const uint8_t bytes[] = {0x50,             /* push eax */
                                    0x8b, 0x0c, 0x24, /* mov ecx,[esp] */
                                    0x83, 0xc4, 0x04, /* add esp,4 */
                                    0x5a,             /* pop edx */
                                    0xc9,             /* leave */
                                    0x55,             /* push ebp */
                                    0xac,             /* lodsb */
                                    0x8a, 0x06,       /* mov al,[esi] */
                                    0x88, 0x08,       /* mov [eax],cl */
                                    0x5b,             /* pop ebx */
                                    0x53};            /* push ebx */
    const p5_trace_source expected[][2] = {
        {{0}},
        {{1, P5_SOURCE_REGISTER, ISA_ESP}},
        {{2, P5_SOURCE_REGISTER, ISA_ESP}},
        {{1, P5_SOURCE_ADDRESS, ISA_ESP}},
        {{1, P5_SOURCE_REGISTER, ISA_ESP}},
        {{1, P5_SOURCE_ADDRESS, ISA_ESP}}, /* EBP is of the same instruction */
        {{0}},
        {{1, P5_SOURCE_REGISTER, ISA_ESI}},
        {{1, P5_SOURCE_ADDRESS, ISA_EAX}, {7, P5_SOURCE_REGISTER, ISA_ECX}},
        {{4, P5_SOURCE_REGISTER, ISA_ESP}},
        {{1, P5_SOURCE_REGISTER, ISA_EBX}}, /* it takes longer than ESP */
    };
    enum { COUNT = sizeof expected / sizeof expected[0] };
    PREPARED(block, timing_of(P5_FAMILY_P55C), bytes, sizeof bytes, 32);
    assert_int_equal(block->count, COUNT);
    trace_sink sink = {0};
    for (unsigned i = 0; i < COUNT; i++) {
        p5_trace_source sources[P5_TRACE_SOURCES] = {{0}};
        trace_sources(&sink, &block->ops[i], sources);
        if (memcmp(sources, expected[i], sizeof expected[i]) != 0)
            fail_msg("instruction %u: %u %u %u, %u %u %u", i, sources[0].distance, sources[0].kind,
                     sources[0].number, sources[1].distance, sources[1].kind, sources[1].number);
    }
}
