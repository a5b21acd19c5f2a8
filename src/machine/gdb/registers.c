/* Registers in gdb's numbering: those of its i386 core feature, then control registers and MSRs of the performance
 * monitor. */
#include <stddef.h>
#include <string.h>

#include "machine/gdb/gdb.h"
#include "p5scope/inspect.h"

enum { FIRST_MSR = 36, REGISTERS = 40 }; /* numbers of the first MSR, and of all registers */

#define R32(name)    "<reg name=\"" name "\" bitsize=\"32\" type=\"int32\"/>"
#define DATA(name)   "<reg name=\"" name "\" bitsize=\"32\" type=\"data_ptr\"/>"
#define X87(name)    "<reg name=\"" name "\" bitsize=\"80\" type=\"i387_ext\"/>"
#define FLOAT(name)  "<reg name=\"" name "\" bitsize=\"32\" type=\"int\" group=\"float\"/>"
#define R64(name)    "<reg name=\"" name "\" bitsize=\"64\" type=\"uint64\" group=\"system\"/>"
#define SYSTEM(name) "<reg name=\"" name "\" bitsize=\"32\" type=\"uint32\" group=\"system\"/>"

const char *gdb_description(void)
{
    return "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM "
           "\"gdb-target.dtd\"><target><architecture>i386</architecture>"
           "<feature name=\"org.gnu.gdb.i386.core\">" R32("eax") R32("ecx") R32("edx") R32("ebx") DATA("esp")
               DATA("ebp") R32("esi")
                   R32("edi") "<reg name=\"eip\" bitsize=\"32\" type=\"code_ptr\"/>" R32("eflags") R32("cs")
                       R32("ss") R32("ds") R32("es") R32("fs") R32("gs") X87("st0") X87("st1") X87("st2")
                           X87("st3") X87("st4") X87("st5") X87("st6") X87("st7") FLOAT("fctrl")
                               FLOAT("fstat") FLOAT("ftag") FLOAT("fiseg") FLOAT("fioff") FLOAT("foseg")
                                   FLOAT("fooff")
                                       FLOAT("fop") "</feature>"
                                                    "<feature name=\"org.p5scope.system\">" SYSTEM("cr0")
                                                        SYSTEM("cr2") SYSTEM("cr3") SYSTEM("cr4") R64("tsc")
                                                            R64("cesr") R64("ctr0")
                                                                R64("ctr1") "</feature></target>";
}

unsigned gdb_register_count(void)
{
    return REGISTERS;
}

/* Where a register is in p5_machine_registers, and how many bytes it has there. gdb sees registers of less than 4 bytes
 * extended with zeros. */
typedef struct place {
    size_t offset;
    unsigned bytes;
} place;

/* A member of the structure; a part of its x87 image, which is that of FNSAVE for 32-bit protected mode (there, bytes
 * 16 and 17 are FCS and the next two the opcode); register ST(i) in that image. */
#define MEMBER(name)       offsetof(p5_machine_registers, name), 4
#define IMAGE(byte, bytes) offsetof(p5_machine_registers, x87) + (byte), bytes
#define STACK(i)           IMAGE(28 + 10 * (i), 10)

/* In the order of gdb_description. */
static const place places[FIRST_MSR] = {{MEMBER(eax)},
                                        {MEMBER(ecx)},
                                        {MEMBER(edx)},
                                        {MEMBER(ebx)},
                                        {MEMBER(esp)},
                                        {MEMBER(ebp)},
                                        {MEMBER(esi)},
                                        {MEMBER(edi)},
                                        {MEMBER(eip)},
                                        {MEMBER(eflags)},
                                        {MEMBER(cs.selector)},
                                        {MEMBER(ss.selector)},
                                        {MEMBER(ds.selector)},
                                        {MEMBER(es.selector)},
                                        {MEMBER(fs.selector)},
                                        {MEMBER(gs.selector)},
                                        {STACK(0)},
                                        {STACK(1)},
                                        {STACK(2)},
                                        {STACK(3)},
                                        {STACK(4)},
                                        {STACK(5)},
                                        {STACK(6)},
                                        {STACK(7)},
                                        {IMAGE(0, 2)},
                                        {IMAGE(4, 2)},
                                        {IMAGE(8, 2)},
                                        {IMAGE(16, 2)},
                                        {IMAGE(12, 4)},
                                        {IMAGE(24, 2)},
                                        {IMAGE(20, 4)},
                                        {IMAGE(18, 2)},
                                        {MEMBER(cr0)},
                                        {MEMBER(cr2)},
                                        {MEMBER(cr3)},
                                        {MEMBER(cr4)}};
static const uint32_t msrs[REGISTERS - FIRST_MSR] = {P5_MSR_TSC, P5_MSR_CESR, P5_MSR_CTR0, P5_MSR_CTR1};
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
