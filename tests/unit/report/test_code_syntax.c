/* Assembly of users: what the GNU assembler would misread is refused at its place; what it reads as NASM does assembles
 * to the same bytes as there. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "p5tool/report.h"

TEST(refused)
{
    static const struct {
        const char *code;
        unsigned line, column;
        const char *hint;
    } forms[] = {
        {"movq mm0, qword [esi]", 1, 11, "qword ptr ["},
        {"nop\nnop; mov eax, DWORD[ESI]", 2, 15, "DWORD ptr ["},
        {"fld tword [esi]", 1, 5, "tbyte ptr ["},
        {"push byte 5", 1, 6, "leave it out"},
        {"lea eax, [dword esi + 8]", 1, 11, "leave it out"},
        {"call near [eax]", 1, 6, "leave out"},
        {"jmp far [eax]", 1, 5, "fword ptr ["},
        {"fadd st0, st1", 1, 6, "st(0)"},
        {"mov eax, 0ffh", 1, 10, "0x0ff"},
        {"int 80h", 1, 5, "0x80"},
        {"mov eax, 010", 1, 10, "0x"},
        {"mov eax, 0x100000000", 1, 10, ""},
        {"mov eax, $5", 1, 10, "dollar"},
        {"item: times 4 nop", 1, 7, ".rept"},
        {"item dd 5", 1, 6, ".long"},
        {"size equ 5", 1, 6, "VALUE"},
        {"section .data", 1, 1, ".section"},
        {"%define A 5", 1, 1, ".macro"},
        {"nop\n  ; add eax, ebx", 2, 5, "#"},
        {"item: nop\nmov eax, item", 2, 10, "offset item"},
        {"add [esi], eax /* qword [esi] */ ; add item + 4, eax\nitem: nop", 1, 40, "[item]"},
        {"mov %eax, ebx", 1, 11, "%ebx"},
        {"mov eax, %ebx # %ecx", 1, 5, "%eax"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        p5_error error = {0};
        if (p5_code_check(forms[i].code, &error) != P5_ERR_SYNTAX || error.line != forms[i].line ||
            error.column != forms[i].column || strstr(error.hint, forms[i].hint) == NULL)
            fail_msg("%s: %u:%u %s; %s", forms[i].code, error.line, error.column, error.message, error.hint);
    }
}

static const char *const both[] = {"mov eax, [esi + ecx*4 + 8]",
                                   "mov eax, -5",
                                   "mov eax, 0xffffffff",
                                   "add eax, 0",
                                   "mov al, ';'",
                                   "1: dec ecx",
                                   "item: dec eax\njnz item",
                                   "mov eax, [item]\nitem: nop",
                                   "jmp short item\nitem: nop",
                                   "rep movsd",
                                   "movq mm0, [esi]",
                                   "shl eax, cl",
                                   "bswap eax",
                                   "imul eax, ebx, 5"};
static const char *const gnu_only[] = {"mov eax, dword ptr [esi]",
                                       "fld tbyte ptr [esi]",
                                       "mov eax, es:[edi]",
                                       "item: mov eax, offset item",
                                       "call near ptr item\nitem: nop",
                                       ".long 010, 5",
                                       ".ascii \"qword [esi]; ; $5\"",
                                       "nop # dword [esi]",
                                       "nop; nop",
                                       ".equ size, 4\nmov eax, size",
                                       "fadd st, st(1)",
                                       "movl $5, %eax; pushl $010",
                                       "mov %EAX, %Ebx",
                                       "pushl $5"};

TEST(accepted)
{
    for (size_t i = 0; i < sizeof both / sizeof both[0] + sizeof gnu_only / sizeof gnu_only[0]; i++) {
        const size_t count = sizeof both / sizeof both[0];
        const char *code = i < count ? both[i] : gnu_only[i - count];
        p5_error error = {0};
        if (p5_code_check(code, &error) != P5_OK)
            fail_msg("%s: %u:%u %s", code, error.line, error.column, error.message);
    }
    assert_true(p5_code_is_att("mov %EAX, %ebx"));
    assert_true(p5_code_is_att("pushl $5"));
    assert_false(p5_code_is_att("mov eax, $5 # %ebx"));
    assert_false(p5_code_is_att("%define ax 5"));
}

UNIT_FILE(path, "/tmp/p5scope-nasm-XXXXXX");

/* NASM is the oracle: what is accepted and is not GNU's alone means the same to both. */
TEST(same_as_nasm)
{
    unit_needs("as nasm");
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++) {
        if (both[i][0] == '1')
            continue; /* a local label of GNU's */
        char text[256], command[256];
        snprintf(text, sizeof text, "bits 32\norg 0x100000\n%s\n", both[i]);
        unit_write(path, text);
        snprintf(command, sizeof command, "nasm -f bin -o /dev/stdout %s", path);
        FILE *nasm = popen(command, "r");
        assert_non_null(nasm);
        uint8_t bytes[64];
        const size_t size = fread(bytes, 1, sizeof bytes, nasm);
        assert_int_equal(pclose(nasm), 0);
        p5_case_program *program;
        p5_error error = {0};
        if (p5_case_assemble_text("code", both[i], 1, &program, &error) != P5_OK)
            fail_msg("%s: %s", both[i], error.message);
        p5_case_image image;
        p5_case_program_image(program, &image);
        if (image.text_size != size + 2 || memcmp(image.text, bytes, size) != 0) /* UD2 is ours */
            fail_msg("%s: not what NASM makes of it", both[i]);
        p5_case_program_free(program);
    }
}

/* The assembler's own messages have line and column, too. */
TEST(assembler_messages)
{
    unit_needs("as");
    static const struct {
        const char *code;
        unsigned line, column;
    } forms[] = {{"nop\nnop; frob eax", 2, 6},
                 {"nop\n  mov al, 256", 2, 3},
                 {"nop\nmov eax, [nowhere]", 2, 11},
                 {"nop; mov [esi], 5", 1, 6}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        p5_case_program *program;
        p5_error error = {0};
        if (p5_case_assemble_text("code", forms[i].code, 1, &program, &error) == P5_OK ||
            error.line != forms[i].line || error.column != forms[i].column)
            fail_msg("%s: %u:%u %s", forms[i].code, error.line, error.column, error.message);
    }
}
