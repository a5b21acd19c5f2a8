/* p5scope/inspect.h: memory and registers are what the guest's own arithmetic makes them, and it computes with what is written. */
#include <string.h>
#include <unistd.h>

#include "../unit.h"
#include "p5scope/inspect.h"
#include "p5scope/observe.h"

enum { CODE = 0x100000, DATA = 0x200000 };

static p5_machine *machine;
static p5_error error;
static p5_machine_registers registers;

static void read_registers(void)
{
    registers = (p5_machine_registers){.size = sizeof registers};
    assert_int_equal(p5_machine_read_registers(machine, &registers, &error), P5_OK);
}

static p5_status write_registers(void)
{
    return p5_machine_write_registers(machine, &registers, &error);
}

static void open_machine(void)
{
    const p5_machine_options options = {.size = sizeof options};
    assert_int_equal(p5_machine_open(&options, &machine, &error), P5_OK);
}

static void open_code(const void *code, size_t size)
{
    open_machine();
    assert_int_equal(p5_machine_load_code(machine, code, size, NULL, &error), P5_OK);
    read_registers();
}

static void run(uint64_t instructions)
{
    const p5_limits limits = {.size = sizeof limits, .max_instructions = instructions};
    assert_int_equal(p5_machine_run(machine, &limits, NULL, &error), P5_OK);
}

/* add eax, ebx; mov ecx, [200000h]; lea edx, [ecx + ecx*2]; mov [200004h], edx */
static const uint8_t sums[] = {0x01, 0xd8, 0x8b, 0x0d, 0,    0, 0x20, 0, 0x8d,
                               0x14, 0x49, 0x89, 0x15, 0x04, 0, 0x20, 0};

TEST(a_guest_computes_with_what_is_written)
{
    static const uint32_t seven = 7;
    uint32_t product;
    open_code(sums, sizeof sums);
    assert_int_equal(registers.eip, CODE);
    registers.eax = 40;
    registers.ebx = 2;
    assert_int_equal(write_registers(), P5_OK);
    assert_int_equal(p5_machine_write_memory(machine, DATA, &seven, sizeof seven, &error), P5_OK);
    run(2); /* add, mov */
    read_registers();
    assert_int_equal(registers.eax, 42);
    assert_int_equal(registers.ecx, 7);
    assert_int_equal(registers.edx, 0);
    assert_int_equal(registers.eip, CODE + 8);
    run(0);
    read_registers(); /* reading is possible after the end */
    assert_int_equal(registers.edx, 21);
    assert_int_equal(registers.eip, CODE + sizeof sums);
    assert_int_equal(p5_machine_read_memory(machine, DATA + 4, &product, sizeof product, &error), P5_OK);
    assert_int_equal(product, 21);
    registers.eax = 1;
    assert_int_equal(write_registers(), P5_ERR_STATE); /* writing is not */
    assert_int_equal(p5_machine_write_memory(machine, DATA, &seven, sizeof seven, &error), P5_ERR_STATE);
    p5_machine_close(machine);
}

TEST(flags_and_code_are_written)
{
    /* jc +1; inc eax; inc eax; inc eax */
    static const uint8_t code[] = {0x72, 0x01, 0x40, 0x40, 0x40};
    static const uint8_t dec_eax = 0x48;
    open_code(code, sizeof code);
    const uint32_t flags = registers.eflags;
    registers.eflags =
        flags | 1 | 1u << 17 | 0xffc08028; /* CF; VM keeps its value, and so do bits that do not exist */
    assert_int_equal(write_registers(), P5_OK);
    read_registers();
    assert_int_equal(registers.eflags, flags | 1);
    run(1);
    read_registers();
    assert_int_equal(registers.eip, CODE + 3); /* the jump was taken */
    registers.eip = CODE;
    registers.eflags &= ~1u;
    assert_int_equal(write_registers(), P5_OK);
    run(4); /* jc, inc, inc, inc after the first jc: instructions count from the start */
    assert_int_equal(p5_machine_write_memory(machine, CODE + 4, &dec_eax, 1, &error), P5_OK);
    run(0);
    read_registers();
    assert_int_equal(registers.eax, 2 - 1);
    p5_machine_close(machine);
}

TEST(x87_and_mmx_are_one_image)
{
    /* fldpi; fld1; mov eax, 5; emms would end it: movd mm3, eax after finit */
    static const uint8_t code[] = {0xd9, 0xeb, 0xd9, 0xe8, 0x9b, 0xdb, 0xe3, 0xb8,
                                   5,    0,    0,    0,    0x0f, 0x6e, 0xd8};
    static const uint8_t one[10] = {0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f};
    static const uint8_t two[10] = {0, 0, 0, 0, 0, 0, 0, 0x80, 0x00, 0x40};
    open_code(code, sizeof code);
    run(2);
    read_registers();
    assert_memory_equal(registers.x87 + 28, one, sizeof one); /* ST(0) */
    assert_int_equal(registers.x87[28 + 10 + 9], 0x40);       /* ST(1), pi: exponent 4000h */
    assert_int_equal(registers.x87[5] >> 3 & 7, 6);           /* TOP */
    memcpy(registers.x87 + 28, two, sizeof two);
    assert_int_equal(write_registers(), P5_OK);
    read_registers();
    assert_memory_equal(registers.x87 + 28, two, sizeof two);
    memset(registers.x87, 0xff, 2); /* the control word: all exceptions masked, and bits that do not exist */
    registers.x87[4] |= 0x81;       /* the status word: IE, and ES, which only an unmasked exception sets */
    assert_int_equal(write_registers(), P5_OK);
    read_registers();
    assert_int_equal(registers.x87[0] | registers.x87[1] << 8, 0x1f7f);
    assert_int_equal(registers.x87[4], 0x01);
    registers.x87[0] &= 0xfe; /* IM */
    assert_int_equal(write_registers(), P5_OK);
    read_registers();
    assert_int_equal(registers.x87[4], 0x81);
    registers.x87[0] |= 1; /* FINIT, which follows, has a WAIT */
    assert_int_equal(write_registers(), P5_OK);
    run(0);
    read_registers();
    const unsigned top = registers.x87[5] >> 3 & 7;
    uint64_t mm3;
    memcpy(&mm3, registers.x87 + 28 + 10 * ((3 - top) & 7), sizeof mm3);
    assert_int_equal(mm3, 5);
    p5_machine_close(machine);
}

TEST(bad_addresses_are_named)
{
    uint8_t bytes[8] = {1, 2, 3};
    open_code(sums, sizeof sums);
    assert_int_equal(p5_machine_read_memory(machine, 0x02000000 - 4, bytes, 8, &error), P5_ERR_RANGE);
    assert_non_null(strstr(error.message, "0x02000000")); /* the first address after its 32 MB */
    assert_int_equal(bytes[0], 1);
    assert_int_equal(p5_machine_write_memory(machine, 0x02000000 - 4, bytes, 8, &error), P5_ERR_RANGE);
    assert_int_equal(p5_machine_read_memory(machine, 0x02000000 - 4, bytes, 4, &error), P5_OK);
    assert_int_equal(bytes[0], 0); /* nothing of the write was done */
    assert_int_equal(p5_machine_read_memory(machine, 0xfffffffc, bytes, 8, &error), P5_ERR_RANGE);
    assert_non_null(strstr(error.message, "4 GB"));
    assert_int_equal(p5_machine_read_memory(machine, 0, bytes, SIZE_MAX, &error), P5_ERR_RANGE);
    assert_int_equal(p5_machine_read_memory(machine, DATA, NULL, 0, &error), P5_OK);
    p5_machine_close(machine);
}

TEST(what_cannot_be_written_is_named)
{
    open_code(sums, sizeof sums);
    static const struct {
        size_t offset;
        const char *words;
        p5_status status;
    } rows[] = {{offsetof(p5_machine_registers, cr0), "cr0", P5_ERR_UNSUPPORTED},
                {offsetof(p5_machine_registers, cr4), "cr4", P5_ERR_RANGE},
                {offsetof(p5_machine_registers, ds.selector), "ds", P5_ERR_UNSUPPORTED},
                {offsetof(p5_machine_registers, fs.base), "fs cannot be written in protected mode",
                 P5_ERR_UNSUPPORTED},
                {offsetof(p5_machine_registers, tr.selector), "tr", P5_ERR_UNSUPPORTED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const uint32_t value = 0x80000018;
        read_registers();
        registers.eax = 77;
        memcpy((char *)&registers + rows[i].offset, &value, sizeof value);
        assert_int_equal(write_registers(), rows[i].status);
        assert_non_null(strstr(error.message, rows[i].words));
        read_registers();
        assert_int_equal(registers.eax, 0); /* nothing was written */
    }
    registers.size = 3;
    assert_int_equal(write_registers(), P5_ERR_STATE);
    p5_machine_close(machine);
}

TEST(selectors_are_written_in_real_mode)
{
    static const uint8_t code[] = {0xa1, 0x04, 0x00, 0xf4}; /* mov ax, [4]; hlt */
    static const uint16_t value = 0x1234;
    char path[] = "/tmp/p5scope-inspect-XXXXXX";
    unit_file(path, code, sizeof code);
    const p5_load_options load = {
        .size = sizeof load, .kind = P5_GUEST_REAL, .segment = 0x1000, .offset = 0x100};
    open_machine();
    assert_int_equal(p5_machine_load(machine, path, &load, &error), P5_OK);
    unlink(path);
    assert_int_equal(p5_machine_write_memory(machine, 0x30004, &value, sizeof value, &error), P5_OK);
    read_registers();
    assert_int_equal(registers.cs.base + registers.eip, 0x10100);
    registers.ds.base = 0x30000;
    assert_int_equal(write_registers(), P5_ERR_UNSUPPORTED);
    assert_string_equal(error.message, "only the selector of ds can be written");
    read_registers();
    registers.ds.selector = 0x3000;
    assert_int_equal(write_registers(), P5_OK);
    read_registers();
    assert_int_equal(registers.ds.base, 0x30000);
    run(1);
    read_registers();
    assert_int_equal(registers.eax & 0xffff, value);
    registers.ds.selector = 0x10000;
    assert_int_equal(write_registers(), P5_ERR_RANGE);
    p5_machine_close(machine);
}

/* --- Callbacks --- */

static unsigned calls;

static void expect_place(p5_machine *of, uint32_t address)
{
    static const uint32_t four;
    read_registers();
    assert_ptr_equal(of, machine);
    assert_int_equal(registers.cs.base + registers.eip, address);
    assert_int_equal(p5_machine_write_memory(of, DATA, &four, sizeof four, &error), P5_ERR_STATE);
    registers.eax++;
    assert_int_equal(write_registers(), P5_ERR_STATE);
    calls++;
}

static void observed(void *context, p5_machine *of, const p5_observation *observation)
{
    (void)context;
    expect_place(of, observation->address);
    assert_int_equal(registers.ecx, observation->kind == P5_OBSERVE_BEGIN ? 2 : 3);
}

static void excepted(void *context, p5_machine *of, const p5_exception_info *exception)
{
    (void)context;
    expect_place(of, exception->address);
}

static void port(void *context, p5_machine *of, const p5_port_access *access)
{
    (void)context;
    expect_place(of, access->address);
}

TEST(callbacks_read_the_state_at_their_place)
{
    /* inc ecx; inc ecx; begin; inc ecx; out 80h, al; end; div ebx, by zero */
    static const uint8_t code[] = {0x41, 0x41, 0x64, 0x67, 0x90, 0x41, 0xe6,
                                   0x80, 0x65, 0x67, 0x90, 0xf7, 0xf3};
    const p5_observe_options options = {
        .size = sizeof options, .markers = true, .observed = observed, .exception = excepted, .port = port};
    open_code(code, sizeof code);
    assert_int_equal(p5_machine_observe(machine, &options, NULL, &error), P5_OK);
    calls = 0;
    run(0);
    assert_int_equal(calls, 4);
    p5_machine_close(machine);
}
