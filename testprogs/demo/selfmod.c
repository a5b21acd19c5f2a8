/* selfmod: a loop that rewrites the immediate of its own ADD in every trip; the sum is right only if the new
 * bytes run. */
#include "measure.h"

/* The code is in a section that can be written and executed. */
__asm__(".section .patched, \"awx\", @progbits\n"
        ".intel_syntax noprefix\n"
        ".balign 32\n"
        "add_numbers:\n" /* (count) -> 1 + 2 + ... + count */
        "        push ebx\n"
        "        mov ecx, [esp + 8]\n"
        "        xor eax, eax\n"
        "        xor ebx, ebx\n"
        "1:      inc ebx\n"
        "        mov [patched_immediate], ebx\n"
        "        jmp 2f\n" /* the manual's rule for the i486 and Pentium: a jump between the write and the new
                              code */
        "2:      .byte 0x05\n" /* ADD EAX, imm32 */
        "patched_immediate:\n"
        "        .long 0\n"
        "        dec ecx\n"
        "        jnz 1b\n"
        "        pop ebx\n"
        "        ret\n"
        ".att_syntax prefix\n"
        ".text\n");

uint32_t add_numbers(uint32_t count);

int main(int argc, char **argv)
{
    uint32_t count = number_argument(argc, argv, 1, 1000);
    uint32_t sum = add_numbers(count);
    print_checksum("selfmod", sum);
    return sum == count * (count + 1) / 2 ? 0 : 1;
}
