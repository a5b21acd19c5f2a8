/* What MMX instructions compute, against the host's own MMX, and the x87's state after them (241430, 8.2).
 */
#include "guest.h"

enum { FIRST = GUEST_DATA, SECOND = FIRST + 8, BY_REGISTER = FIRST + 16, BY_MEMORY = FIRST + 24 };

#define OPERATIONS(X)                                                                                        \
    X(paddb)                                                                                                 \
    X(paddw)                                                                                                 \
    X(paddd)                                                                                                 \
    X(psubb)                                                                                                 \
    X(psubw)                                                                                                 \
    X(psubd)                                                                                                 \
    X(paddsb)                                                                                                \
    X(paddsw)                                                                                                \
    X(paddusb)                                                                                               \
    X(paddusw)                                                                                               \
    X(psubsb)                                                                                                \
    X(psubsw)                                                                                                \
    X(psubusb)                                                                                               \
    X(psubusw)                                                                                               \
    X(pmaddwd)                                                                                               \
    X(pmulhw)                                                                                                \
    X(pmullw)                                                                                                \
    X(pcmpeqb)                                                                                               \
    X(pcmpeqw)                                                                                               \
    X(pcmpeqd)                                                                                               \
    X(pcmpgtb)                                                                                               \
    X(pcmpgtw)                                                                                               \
    X(pcmpgtd)                                                                                               \
    X(pand)                                                                                                  \
    X(pandn)                                                                                                 \
    X(por)                                                                                                   \
    X(pxor)                                                                                                  \
    X(psllw)                                                                                                 \
    X(pslld)                                                                                                 \
    X(psllq)                                                                                                 \
    X(psrlw)                                                                                                 \
    X(psrld)                                                                                                 \
    X(psrlq)                                                                                                 \
    X(psraw)                                                                                                 \
    X(psrad)                                                                                                 \
    X(punpcklbw)                                                                                             \
    X(punpcklwd)                                                                                             \
    X(punpckldq)                                                                                             \
    X(punpckhbw)                                                                                             \
    X(punpckhwd)                                                                                             \
    X(punpckhdq)                                                                                             \
    X(packsswb)                                                                                              \
    X(packuswb)                                                                                              \
    X(packssdw)

#define DEFINE(name)                                                                                         \
    GUEST(guest_##name, "movq mm0, [0x30000]\n movq mm1, [0x30008]\n " #name " mm0, mm1\n"                   \
                        "movq [0x30010], mm0\n movq mm0, [0x30000]\n " #name " mm0, [0x30008]\n"             \
                        "movq [0x30018], mm0\n hlt");                                                        \
    static uint64_t host_##name(uint64_t a, uint64_t b)                                                      \
    {                                                                                                        \
        __asm__("movq %0, %%mm0\n\t" #name " %1, %%mm0\n\tmovq %%mm0, %0\n\temms" : "+m"(a) : "m"(b));       \
        return a;                                                                                            \
    }
OPERATIONS(DEFINE)

typedef struct operation {
    const char *name;
    const uint8_t *code, *end;
    uint64_t (*host)(uint64_t a, uint64_t b);
} operation;

#define ROW(name) {#name, guest_##name, guest_##name##_end, host_##name},

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ *state >> 31;
}

/* All bits, few bits, or elements next to their limits; and counts around the widths of elements. */
static uint64_t operand(uint64_t *state)
{
    static const uint64_t limits[] = {0, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000};
    uint64_t number = next(state), kind = next(state) >> 60;
    if (kind < 4)
        return number;
    if (kind < 8)
        return number >> 58; /* 0 to 63 */
    if (kind < 10)
        return number >> 57; /* 0 to 127 */
    uint64_t limit = limits[number % 9];
    return limit | (number & 0xff00) << 16 | limits[number >> 8 & 7] << 32;
}

static void compute(const operation *o)
{
    OPEN_GUEST(g);
    guest_put(&g, GUEST_CODE, o->code, o->end);
    uint64_t state = 1;
    for (unsigned round = 0; round < 200; round++) {
        uint64_t a = operand(&state), b = operand(&state), expected = o->host(a, b), by_register, by_memory;
        memcpy(engine_ram(g.e, FIRST, 8), &a, 8);
        memcpy(engine_ram(g.e, SECOND, 8), &b, 8);
        guest_enter(&g, 0, GUEST_CODE, GUEST_STACK);
        guest_run(&g, ENGINE_HALTED);
        memcpy(&by_register, engine_ram(g.e, BY_REGISTER, 8), 8);
        memcpy(&by_memory, engine_ram(g.e, BY_MEMORY, 8), 8);
        if (by_register != expected || by_memory != expected)
            fail_msg("%s %016llx, %016llx: %016llx and %016llx from memory, expected %016llx", o->name,
                     (unsigned long long)a, (unsigned long long)b, (unsigned long long)by_register,
                     (unsigned long long)by_memory, (unsigned long long)expected);
    }
}

TEST(test_results)
{
    static const operation all[] = {OPERATIONS(ROW)};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        compute(&all[i]);
}

/* Each begins in MMX mode and leaves it; FNSTENV at the end writes the tag word to 30018 and the status word
 * to 30014. */
#define STORE "fnstenv [0x30010]\n hlt"
GUEST(stays,
      "fninit\n fld1\n paddb mm0, mm1\n add eax, [0x30000]\n movq mm2, [0x30008]\n pxor mm0, mm2\n" STORE);
GUEST(after_init, "paddb mm0, mm1\n fninit\n psubsw mm0, mm1\n" STORE);
GUEST(after_emms, "paddb mm0, mm1\n emms\n pand mm0, mm1\n" STORE);
GUEST(after_load, "emms\n paddb mm0, mm1\n emms\n fld1\n fld1\n por mm0, mm1\n" STORE);
GUEST(after_frstor,
      "fninit\n fld1\n fnsave [0x30040]\n pxor mm0, mm0\n frstor [0x30040]\n pxor mm1, mm1\n" STORE);
GUEST(emms_last, "paddb mm0, mm1\n pxor mm1, mm1\n emms\n" STORE);

static void mode(const uint8_t *code, const uint8_t *end, bool empty)
{
    enum { TOP = 7 << 11, LOW_BITS = 0x5555 };
    OPEN_GUEST(g);
    guest_put(&g, GUEST_CODE, code, end);
    guest_run(&g, ENGINE_HALTED);
    uint32_t tags = guest_peek32(&g, 0x30018);
    assert_int_equal(tags & tags >> 1 & LOW_BITS, empty ? LOW_BITS : 0); /* 11: empty */
    assert_int_equal(guest_peek32(&g, 0x30014) & TOP, 0);
}

/* Every MMX instruction but EMMS makes all registers valid and TOP 0, wherever in a block it stands. */
TEST(test_mode)
{
    mode(stays, stays_end, false);
    mode(after_init, after_init_end, false);
    mode(after_emms, after_emms_end, false);
    mode(after_load, after_load_end, false);
    mode(after_frstor, after_frstor_end, false);
    mode(emms_last, emms_last_end, true);
}

/* Name, and what stands before and after an operand in memory. */
#define SEQUENCES(X)                                                                                         \
    X(movq_from_memory, "movq mm2, ", "")                                                                    \
    X(movq_from_register, "movq mm4, mm5\n movq mm5, ", "\n movq mm6, mm5")                                  \
    X(movd_from_memory, "movd mm6, ", "")                                                                    \
    X(movd_from_register, "mov ecx, 7\n movd mm3, ecx\n paddd mm3, ", "")                                    \
    X(computed, "paddb mm0, mm1\n pmullw mm7, ", "")                                                         \
    X(clipped, "paddusb mm1, mm1\n packsswb mm6, ", "")                                                      \
    X(shifted, "psllq mm5, 3\n psrad mm6, ", "")                                                             \
    X(only_read, "movd ecx, mm7\n movq ", ", mm6")                                                           \
    X(then_emms, "pxor mm6, ", "\n emms")                                                                    \
    X(then_loaded, "por mm7, ", "\n emms\n fld1\n fldl2e")                                                   \
    X(then_exchanged, "movq mm0, ", "\n fxch st(6)\n fchs")                                                  \
    X(between, "fldpi\n pxor mm7, ", "\n fstp st(2)\n movq mm1, mm2")

#define FILL "fninit\n fld1\n fldl2t\n fldz\n"

#define DEFINE_SEQUENCE(name, before, after)                                                                 \
    GUEST(sequence_##name, FILL before "[0x30000]" after "\n fnsave [0x30040]\n hlt");                       \
    static void host_sequence_##name(uint64_t *operand, uint8_t image[IMAGE_BYTES])                          \
    {                                                                                                        \
        __asm__ volatile(".intel_syntax noprefix\n\t" FILL before "[rbx]" after                              \
                         "\n\tfnsave [rdx]\n\t.att_syntax" ::"b"(operand),                                   \
                         "d"(image)                                                                          \
                         : "ecx", "memory", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)",      \
                           "st(7)");                                                                         \
    }
enum { IMAGE = GUEST_DATA + 0x40, IMAGE_BYTES = 108, IMAGE_TAGS = 8, IMAGE_REGISTERS = 28 };
SEQUENCES(DEFINE_SEQUENCE)

static void same_image(const char *name, const uint8_t *code, const uint8_t *end,
                       void (*host)(uint64_t *operand, uint8_t *image))
{
    uint64_t operand = 0x8001000280030004u;
    const uint8_t before[IMAGE_BYTES] = {0x7f, 0x03, 0, 0, 0, 0, 0, 0, 0xff, 0xff}; /* as after FNINIT */
    uint8_t expected[IMAGE_BYTES];
    OPEN_GUEST(g);
    guest_put(&g, GUEST_CODE, code, end);
    engine_set_x87(g.e, before);
    memcpy(engine_ram(g.e, GUEST_DATA, 8), &operand, 8);
    guest_run(&g, ENGINE_HALTED);
    __asm__ volatile("frstor %0" : : "m"(before));
    host(&operand, expected);
    const uint8_t *image = engine_ram(g.e, IMAGE, IMAGE_BYTES);
    if (memcmp(image + IMAGE_TAGS, expected + IMAGE_TAGS, 2) != 0)
        fail_msg("%s: tags %02x%02x, expected %02x%02x", name, image[IMAGE_TAGS + 1], image[IMAGE_TAGS],
                 expected[IMAGE_TAGS + 1], expected[IMAGE_TAGS]);
    for (unsigned i = 0; i < 8; i++) {
        const size_t at = IMAGE_REGISTERS + 10 * i;
        uint16_t ours, theirs;
        memcpy(&ours, image + at + 8, 2);
        memcpy(&theirs, expected + at + 8, 2);
        if (memcmp(image + at, expected + at, 8) != 0 || ours != theirs)
            fail_msg("%s: ST(%u) has exponent %04x, expected %04x, or another mantissa", name, i, ours,
                     theirs);
    }
}

/* What an MMX instruction writes has sign and exponent of ones as an x87 register; nothing else changes. */
TEST(test_as_x87)
{
#define RUN_SEQUENCE(name, ...)                                                                              \
    same_image(#name, sequence_##name, sequence_##name##_end, host_sequence_##name);
    SEQUENCES(RUN_SEQUENCE)
}
