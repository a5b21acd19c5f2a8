/* Registers in gdb's numbering: those of its i386 core feature, then p5scope's own. */
#include <string.h>

#include "machine/gdb/gdb.h"
#include "machine/linux/guest.h"
#include "machine/run/processor.h"

enum {
    EIP = 8,
    FIRST_SEGMENT = 10,
    FIRST_X87 = 16,
    FIRST_X87_CONTROL = 24,
    FIRST_SYSTEM = 32,
    FIRST_MONITOR = 36,
    REGISTERS = 40,
    X87_IMAGE = 108,
    X87_STACK = 28
};

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

static const engine_segment_name segment_order[6] = {ENGINE_CS, ENGINE_SS, ENGINE_DS,
                                                     ENGINE_ES, ENGINE_FS, ENGINE_GS};
/* Offsets in the FNSAVE image: control, status, tags, FCS, FIP, FDS, FDP, and the opcode, which shares a dword
 * with FCS. */
static const uint8_t x87_offset[8] = {0, 4, 8, 16, 12, 24, 20, 18};
static const engine_register system_order[4] = {ENGINE_CR0, ENGINE_CR2, ENGINE_CR3, ENGINE_CR4};
static const uint32_t monitor_order[4] = {P5_MSR_TSC, P5_MSR_CESR, P5_MSR_CTR0, P5_MSR_CTR1};
static const p5_privilege highest = {.mode = P5_MODE_PROTECTED};

static bool x87_is_pointer(unsigned index)
{
    return index == 4 || index == 6;
}

static engine_register core_register(unsigned number)
{
    return number < EIP ? (engine_register)(ENGINE_EAX + number) : ENGINE_EFLAGS;
}

/* Returns the base of the code segment, which is added to EIP, because gdb treats EIP as a linear address. */
static uint32_t code_base(const gdb *g)
{
    engine_segment code;
    engine_get_segment(g->machine->engine, ENGINE_CS, &code);
    return code.base;
}

uint32_t gdb_eip_read(const gdb *g)
{
    return code_base(g) + engine_get(g->machine->engine, ENGINE_EIP);
}

void gdb_eip_write(gdb *g, uint32_t linear)
{
    engine_set(g->machine->engine, ENGINE_EIP, linear - code_base(g));
}

unsigned gdb_register_read(gdb *g, unsigned number, uint8_t bytes[16])
{
    engine *e = g->machine->engine;
    uint8_t image[X87_IMAGE];
    uint32_t value = 0;
    if (number < FIRST_SEGMENT) {
        value = number == EIP ? gdb_eip_read(g) : engine_get(e, core_register(number));
    } else if (number < FIRST_X87) {
        engine_segment segment;
        engine_get_segment(e, segment_order[number - FIRST_SEGMENT], &segment);
        value = segment.selector;
    } else if (number < FIRST_X87_CONTROL) {
        engine_get_x87(e, image);
        memcpy(bytes, image + X87_STACK + 10 * (number - FIRST_X87), 10);
        return 10;
    } else if (number < FIRST_SYSTEM) {
        engine_get_x87(e, image);
        unsigned index = number - FIRST_X87_CONTROL;
        memcpy(&value, image + x87_offset[index], x87_is_pointer(index) ? 4 : 2);
    } else if (number < FIRST_MONITOR) {
        value = engine_get(e, system_order[number - FIRST_SYSTEM]);
    } else if (number < REGISTERS) {
        uint64_t wide = p5_pmu_peek(g->machine->pmu, monitor_order[number - FIRST_MONITOR]);
        memcpy(bytes, &wide, sizeof wide);
        return sizeof wide;
    } else {
        return 0;
    }
    memcpy(bytes, &value, sizeof value);
    return sizeof value;
}

/* Writes a selector in real or V86 mode. Fails in protected mode, where a descriptor would have to be loaded. */
static bool write_segment(gdb *g, engine_segment_name which, uint16_t selector)
{
    engine_segment segment;
    engine_get_segment(g->machine->engine, which, &segment);
    if (engine_mode(g->machine->engine) == P5_MODE_PROTECTED)
        return false;
    segment.selector = selector;
    segment.base = (uint32_t)selector << 4;
    engine_set_segment(g->machine->engine, which, &segment);
    return true;
}

static bool write_x87(gdb *g, size_t offset, const uint8_t *bytes, size_t size)
{
    uint8_t image[X87_IMAGE];
    engine_get_x87(g->machine->engine, image);
    memcpy(image + offset, bytes, size);
    engine_set_x87(g->machine->engine, image);
    return true;
}

/* Writes EFLAGS, except VM, which would change the mode. In a Linux program, writes only the flags that ptrace
 * permits. */
static void write_flags(gdb *g, uint32_t value)
{
    uint32_t before = engine_get(g->machine->engine, ENGINE_EFLAGS);
    uint32_t free = g->machine->guest == &linux_guest ? EFLAGS_USER : ~(uint32_t)EFLAGS_VM;
    engine_set(g->machine->engine, ENGINE_EFLAGS, (before & ~free) | (value & free));
}

/* Writes CR2, CR3 or CR4. Fails for CR0, which would change the mode, and in a Linux program, where control
 * registers belong to the kernel. */
static bool write_system(gdb *g, engine_register which, uint32_t value)
{
    bool reserved =
        which == ENGINE_CR4 && (value & ~p5_pmu_cr4_mask(p5_model_family(g->machine->model))) != 0;
    if (which == ENGINE_CR0 || g->machine->guest == &linux_guest || reserved)
        return false;
    engine_set(g->machine->engine, which, value);
    processor_set_control(g->machine);
    return true;
}

bool gdb_may_redirect(const gdb *g)
{
    return g->machine->guest != &linux_guest || engine_cpl(g->machine->engine) != 0;
}

bool gdb_register_write(gdb *g, unsigned number, const uint8_t *bytes, size_t size)
{
    uint8_t before[16];
    unsigned width = number < REGISTERS ? gdb_register_read(g, number, before) : 0;
    if (width == 0 || size != width)
        return false;
    if (memcmp(before, bytes, width) == 0)
        return true; /* `G` and `P` often write the current value */
    if (!gdb_may_redirect(g))
        return false;
    uint32_t value;
    uint64_t wide;
    memcpy(&value, bytes, sizeof value);
    if (number == EIP) {
        gdb_eip_write(g, value);
        return true;
    }
    if (number < FIRST_SEGMENT) {
        if (core_register(number) == ENGINE_EFLAGS)
            write_flags(g, value);
        else
            engine_set(g->machine->engine, core_register(number), value);
        processor_set_control(g->machine); /* TF may have changed */
        return true;
    }
    if (number < FIRST_X87)
        return write_segment(g, segment_order[number - FIRST_SEGMENT], (uint16_t)value);
    if (number < FIRST_X87_CONTROL)
        return write_x87(g, X87_STACK + 10 * (number - FIRST_X87), bytes, 10);
    if (number < FIRST_SYSTEM) {
        unsigned index = number - FIRST_X87_CONTROL;
        return write_x87(g, x87_offset[index], bytes, x87_is_pointer(index) ? 4 : 2);
    }
    if (number < FIRST_MONITOR)
        return write_system(g, system_order[number - FIRST_SYSTEM], value);
    memcpy(&wide, bytes, sizeof wide);
    return p5_pmu_wrmsr(g->machine->pmu, &highest, monitor_order[number - FIRST_MONITOR], wide) ==
           P5_NO_FAULT;
}
