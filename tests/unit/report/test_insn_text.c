/* Texts of instructions by address: they follow the memory and the mode of the processor. */
#include <unistd.h>

#include "../unit.h"
#include "p5tool/machine.h"
#include "report/insn_text.h"

/* A program in real mode at 0:7C00h that enters 32-bit protected mode. Its first bytes are a MOV of 16 bits with an
 * ADD after it, or a MOV of 32 bits. */
enum { PLACE = 0x7c00 };
static const uint8_t program[] = {
    0xb8, 0x34, 0x12, 0x00, 0x00,                /* mov ax,1234h; add [bx+si],al */
    0xfa,                                        /* cli */
    0x0f, 0x01, 0x16, 0x20, 0x7c,                /* lgdt [7C20h] */
    0x0f, 0x20, 0xc0,                            /* mov eax,cr0 */
    0x0c, 0x01,                                  /* or al,1 */
    0x0f, 0x22, 0xc0,                            /* mov cr0,eax */
    0xea, 0x18, 0x7c, 0x08, 0x00,                /* jmp 8:7C18h */
    0xeb, 0xfe, 0,    0,    0,    0,    0,    0, /* jmp $ */
    15,   0,    0x28, 0x7c, 0,    0,    0,    0, /* GDT: limit and address */
    0,    0,    0,    0,    0,    0,    0,    0, /* the null descriptor */
    0xff, 0xff, 0,    0,    0,    0x9b, 0xcf, 0, /* flat 32-bit code */
};

TEST(the_same_bytes_have_another_text_in_another_mode)
{
    char path[] = "/tmp/p5scope-insn-text-XXXXXX";
    const p5_machine_options options = {.size = sizeof options};
    p5_limits limits = {.size = sizeof limits, .max_instructions = 1};
    p5_run_result result = {.size = sizeof result};
    p5_machine *machine;
    p5_error error = {0};
    unit_file(path, program, sizeof program);
    assert_int_equal(p5_machine_open(&options, &machine, &error), P5_OK);
    assert_int_equal(p5_machine_load_real(machine, path, 0, PLACE, &error), P5_OK);
    insn_text *texts = insn_text_open(machine);
    assert_non_null(texts);
    assert_int_equal(p5_machine_run(machine, &limits, &result, &error), P5_OK);
    assert_string_equal(insn_text_at(texts, PLACE), "mov ax, 0x1234");
    assert_string_equal(insn_text_at(texts, PLACE + 3), "add byte ptr [bx + si], al");
    limits.max_instructions = 100;
    assert_int_equal(p5_machine_run(machine, &limits, &result, &error), P5_OK);
    assert_int_equal(result.end, P5_END_INSTRUCTIONS);
    assert_int_equal(result.address, PLACE + 0x18);
    assert_string_equal(insn_text_at(texts, PLACE), "mov eax, 0x1234");
    assert_string_equal(insn_text_at(texts, PLACE + 3), "add byte ptr [eax], al");
    insn_text_close(texts);
    p5_machine_close(machine);
    unlink(path);
}
