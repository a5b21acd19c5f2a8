/* Registers in gdb's numbering: those of its i386 core feature, then control registers and MSRs of the performance
 * monitor. */
#include <stddef.h>
#include <string.h>

#include "machine/gdb/gdb.h"
#include "p5scope/inspect.h"

/* Elements of the target description by the type of the register. */
#define R32(name)    "<reg name=\"" name "\" bitsize=\"32\" type=\"int32\"/>"
#define DATA(name)   "<reg name=\"" name "\" bitsize=\"32\" type=\"data_ptr\"/>"
#define CODE(name)   "<reg name=\"" name "\" bitsize=\"32\" type=\"code_ptr\"/>"
#define FLAGS(name)  "<reg name=\"" name "\" bitsize=\"32\" type=\"i386_eflags\"/>"
#define X87(name)    "<reg name=\"" name "\" bitsize=\"80\" type=\"i387_ext\"/>"
#define FLOAT(name)  "<reg name=\"" name "\" bitsize=\"32\" type=\"int\" group=\"float\"/>"
#define R64(name)    "<reg name=\"" name "\" bitsize=\"64\" type=\"uint64\" group=\"system\"/>"
#define SYSTEM(name) "<reg name=\"" name "\" bitsize=\"32\" type=\"uint32\" group=\"system\"/>"

/* The type of EFLAGS, with gdb's name for it: a bit with a name each, so that gdb shows those that are set. */
#define FLAG(name, bit) "<field name=\"" name "\" start=\"" #bit "\" end=\"" #bit "\"/>"
#define FLAGS_TYPE                                                                                           \
    "<flags id=\"i386_eflags\" size=\"4\">" FLAG("CF", 0) FLAG("", 1) FLAG("PF", 2) FLAG("AF", 4)            \
        FLAG("ZF", 6) FLAG("SF", 7) FLAG("TF", 8) FLAG("IF", 9) FLAG("DF", 10) FLAG("OF", 11) FLAG("NT", 14) \
            FLAG("RF", 16) FLAG("VM", 17) FLAG("AC", 18) FLAG("VIF", 19) FLAG("VIP", 20)                     \
                FLAG("ID", 21) "</flags>"

/* Where a register is in p5_machine_registers, and how many bytes it has there. gdb sees registers of less than 4 bytes
 * extended with zeros. */
typedef struct place {
    size_t offset;
    unsigned bytes;
} place;

/* A place: a member of the structure; a part of its x87 image, which is that of FNSAVE for 32-bit protected mode
 * (there, bytes 16 and 17 are FCS and the next two the opcode); register ST(i) in that image. */
#define MEMBER(name)       offsetof(p5_machine_registers, name), 4
#define IMAGE(byte, bytes) offsetof(p5_machine_registers, x87) + (byte), bytes
#define STACK(i)           IMAGE(28 + 10 * (i), 10)

/* X(element, place) or X(element, MSR) for each register, in the order of gdb's numbers. */
#define CORE_REGISTERS(X)                                                                                    \
    X(R32("eax"), MEMBER(eax))                                                                               \
    X(R32("ecx"), MEMBER(ecx))                                                                               \
    X(R32("edx"), MEMBER(edx))                                                                               \
    X(R32("ebx"), MEMBER(ebx))                                                                               \
    X(DATA("esp"), MEMBER(esp))                                                                              \
    X(DATA("ebp"), MEMBER(ebp))                                                                              \
    X(R32("esi"), MEMBER(esi))                                                                               \
    X(R32("edi"), MEMBER(edi))                                                                               \
    X(CODE("eip"), MEMBER(eip))                                                                              \
    X(FLAGS("eflags"), MEMBER(eflags))                                                                       \
    X(R32("cs"), MEMBER(cs.selector))                                                                        \
    X(R32("ss"), MEMBER(ss.selector))                                                                        \
    X(R32("ds"), MEMBER(ds.selector))                                                                        \
    X(R32("es"), MEMBER(es.selector))                                                                        \
    X(R32("fs"), MEMBER(fs.selector))                                                                        \
    X(R32("gs"), MEMBER(gs.selector))                                                                        \
    X(X87("st0"), STACK(0))                                                                                  \
    X(X87("st1"), STACK(1))                                                                                  \
    X(X87("st2"), STACK(2))                                                                                  \
    X(X87("st3"), STACK(3))                                                                                  \
    X(X87("st4"), STACK(4))                                                                                  \
    X(X87("st5"), STACK(5))                                                                                  \
    X(X87("st6"), STACK(6))                                                                                  \
    X(X87("st7"), STACK(7))                                                                                  \
    X(FLOAT("fctrl"), IMAGE(0, 2))                                                                           \
    X(FLOAT("fstat"), IMAGE(4, 2))                                                                           \
    X(FLOAT("ftag"), IMAGE(8, 2))                                                                            \
    X(FLOAT("fiseg"), IMAGE(16, 2))                                                                          \
    X(FLOAT("fioff"), IMAGE(12, 4))                                                                          \
    X(FLOAT("foseg"), IMAGE(24, 2))                                                                          \
    X(FLOAT("fooff"), IMAGE(20, 4))                                                                          \
    X(FLOAT("fop"), IMAGE(18, 2))
#define CONTROL_REGISTERS(X)                                                                                 \
    X(SYSTEM("cr0"), MEMBER(cr0))                                                                            \
    X(SYSTEM("cr2"), MEMBER(cr2))                                                                            \
    X(SYSTEM("cr3"), MEMBER(cr3))                                                                            \
    X(SYSTEM("cr4"), MEMBER(cr4))
#define MSRS(X)                                                                                              \
    X(R64("tsc"), P5_MSR_TSC)                                                                                \
    X(R64("cesr"), P5_MSR_CESR)                                                                              \
    X(R64("ctr0"), P5_MSR_CTR0)                                                                              \
    X(R64("ctr1"), P5_MSR_CTR1)

#define ELEMENT(element, ...) element
#define PLACE(element, ...)   {__VA_ARGS__},
#define MSR(element, number)  number,
static const place places[] = {CORE_REGISTERS(PLACE) CONTROL_REGISTERS(PLACE)};
static const uint32_t msrs[] = {MSRS(MSR)};
enum {
    FIRST_MSR = sizeof places / sizeof places[0], /* number of the first MSR */
    REGISTERS = FIRST_MSR + sizeof msrs / sizeof msrs[0]
};

const char *gdb_description(void)
{
    /* clang-format off */
    return "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target><architecture>i386</architecture>"
           "<feature name=\"org.gnu.gdb.i386.core\">" FLAGS_TYPE CORE_REGISTERS(ELEMENT) "</feature>"
           "<feature name=\"org.p5scope.system\">" CONTROL_REGISTERS(ELEMENT) MSRS(ELEMENT) "</feature></target>";
    /* clang-format on */
}

unsigned gdb_register_count(void)
{
    return REGISTERS;
}

static const p5_privilege cpl_0 = {.mode = P5_MODE_PROTECTED, .cpl = 0};

/* Reads all registers but MSRs, with EIP as a linear address. */
static p5_machine_registers read_all(const gdb *g)
{
    p5_machine_registers r = {.size = sizeof r};
    p5_machine_read_registers(g->machine, &r, NULL);
    r.eip += r.cs.base;
    return r;
}

/* Writes the registers back after a change. A new CS keeps the offset EIP: the base is that of the CS before. */
static bool write_all(gdb *g, p5_machine_registers *r)
{
    r->eip -= read_all(g).cs.base;
    return p5_machine_write_registers(g->machine, r, NULL) == P5_OK;
}

uint32_t gdb_eip_read(const gdb *g)
{
    return read_all(g).eip;
}

bool gdb_eip_write(gdb *g, uint32_t linear)
{
    p5_machine_registers r = read_all(g);
    r.eip = linear;
    return write_all(g, &r);
}

unsigned gdb_register_read(gdb *g, unsigned number, uint8_t bytes[16])
{
    if (number >= REGISTERS)
        return 0;
    if (number >= FIRST_MSR) {
        uint64_t wide = p5_pmu_peek(g->machine->pmu, msrs[number - FIRST_MSR]);
        memcpy(bytes, &wide, sizeof wide);
        return sizeof wide;
    }
    const p5_machine_registers r = read_all(g);
    const place *p = &places[number];
    memset(bytes, 0, 4);
    memcpy(bytes, (const char *)&r + p->offset, p->bytes);
    return p->bytes < 4 ? 4 : p->bytes;
}

bool gdb_register_write(gdb *g, unsigned number, const uint8_t *bytes, size_t size)
{
    uint8_t before[16];
    const unsigned width = gdb_register_read(g, number, before);
    if (width == 0 || size != width)
        return false;
    if (memcmp(before, bytes, width) == 0)
        return true; /* `G` and `P` often write the current value */
    if (number < FIRST_MSR) {
        p5_machine_registers r = read_all(g);
        memcpy((char *)&r + places[number].offset, bytes, places[number].bytes);
        return write_all(g, &r);
    }
    uint64_t wide;
    memcpy(&wide, bytes, sizeof wide);
    return p5_pmu_wrmsr(g->machine->pmu, &cpl_0, msrs[number - FIRST_MSR], wide) == P5_NO_FAULT;
}
