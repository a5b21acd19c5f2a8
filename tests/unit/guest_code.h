/* Guest code in the source of a test. */
#ifndef TEST_GUEST_CODE_H
#define TEST_GUEST_CODE_H

#include <stdint.h>

/* Guest code in place: GUEST(name, "mov eax, 1\n" ...) gives name[] and name_end[]. Jumps are relative;
 * addresses are numbers. */
#ifdef __x86_64__
#define GUEST_BITS(name, bits, text)                                                                         \
    __asm__(".pushsection .rodata\n" bits "\n.intel_syntax noprefix\n" #name ":\n" text "\n" #name           \
            "_end:\n.att_syntax prefix\n.code64\n.popsection\n");                                            \
    extern const uint8_t name[], name##_end[]
#else /* guest_code.sh assembles the text */
#define GUEST_BITS(name, bits, text)                                                                         \
    static const char name##_text[] __attribute__((section("guest_text"), used)) =                           \
        bits "\n.intel_syntax noprefix\n" #name ":\n" text "\n" #name "_end:\n";                             \
    extern const uint8_t name[], name##_end[]
#endif
#define GUEST(name, text)   GUEST_BITS(name, ".code32", text)
#define GUEST16(name, text) GUEST_BITS(name, ".code16", text)

#endif
