#define _GNU_SOURCE /* asprintf, strcasestr */
#include "cli/bench_loop.h"

#include "p5tool/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* True if `code` or `setup` has the word `part` anywhere, whatever the case. */
static bool mentions(const char *code, const char *setup, const char *part)
{
    return strcasestr(code, part) != NULL || (setup != NULL && strcasestr(setup, part) != NULL);
}

/* Returns a register that is not used. The table lists the names of each register's parts, and mnemonics that use it
 * without naming it. Any text that contains one of these counts as a use; a false match only excludes a register. */
const char *loop_counter(const char *code, const char *setup)
{
    static const struct {
        const char *name;
        const char *parts[12];
    } registers[] = {
        {"ebp", {"bp", "enter", "leave", "popa"}},
        {"ebx", {"bx", "bl", "bh", "cpuid", "popa", "xlat", "cmpxchg8b"}},
        {"edi", {"di", "movs", "stos", "scas", "cmps", "ins", "popa"}},
        {"esi", {"si", "movs", "lods", "outs", "cmps", "popa"}},
    };
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        bool used = false;
        for (const char *const *part = registers[i].parts; *part != NULL; part++)
            used |= mentions(code, setup, *part);
        if (!used)
            return registers[i].name;
    }
    return NULL;
}

/* Returns the assembler's directive for the syntax of `code`: the code and --setup may differ in syntax. */
static const char *syntax_of(const char *code)
{
    return p5_code_is_att(code) ? ".att_syntax prefix\n" : "";
}

/* Returns the source of the loop. N is a symbol that the assembler gets with the number of trips. The loop's JNZ has
 * a displacement of 32 bits, so that it does not depend on the code's length, and so that its last byte is 7 bytes
 * after the code's: the P55C has one entry of its branch target buffer for each aligned dword, and a branch that
 * ends the code must not share that of JNZ. */
char *loop_source(const char *code, const char *setup, const char *counter, unsigned copies)
{
    char *text = NULL;
    int length = asprintf(&text,
                          "%s%s\n.intel_syntax noprefix\n"
                          "        mov %s, N\n"
                          "        .balign 32\n" P5_STATIC_FIRST ":\n"
                          "        .rept %u\n"
                          "%s%s\n.intel_syntax noprefix\n"
                          "        .endr\n" P5_STATIC_END ":\n"
                          "        dec %s\n"
                          "        {disp32} jnz " P5_STATIC_FIRST "\n",
                          setup != NULL ? syntax_of(setup) : "", setup != NULL ? setup : "", counter, copies,
                          syntax_of(code), code, counter);
    return length >= 0 ? text : NULL;
}
