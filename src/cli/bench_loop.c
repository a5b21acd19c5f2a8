#define _GNU_SOURCE /* asprintf */
#include "cli/bench_loop.h"

#include "p5tool/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Returns whether `text` has a word that is `word` or, for a prefix, begins with it. Upper and lower case are equal. */
static bool has_word(const char *text, const char *word, bool prefix)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t size = strlen(word);
    for (const char *at = text; *(at += strcspn(at, letters)) != '\0'; at += strspn(at, letters))
        if (strncasecmp(at, word, size) == 0 && (prefix || strspn(at, letters) == size))
            return true;
    return false;
}

/* A register that may be the loop's counter: its names, and the first letters of mnemonics that use it as an implicit
 * operand. */
typedef struct candidate {
    const char *names[4], *mnemonics[28];
} candidate;

/* Returns whether `text` may use the register. Any word that begins like a mnemonic counts, which at worst excludes a
 * register that is free. */
static bool is_used(const candidate *of, const char *text)
{
    bool used = false;
    for (unsigned i = 0; i < 4 && of->names[i] != NULL; i++)
        used |= has_word(text, of->names[i], false);
    for (const char *const *mnemonic = of->mnemonics; *mnemonic != NULL; mnemonic++)
        used |= has_word(text, *mnemonic, true);
    return used;
}

/* Returns a register that neither text uses; NULL if there is none. The table lists mnemonics of both syntaxes. */
const char *loop_counter(const char *code, const char *setup)
{
    static const candidate candidates[] = {
        {{"ebp", "bp"}, {"enter", "leave", "popa"}},
        {{"ebx", "bx", "bl", "bh"}, {"cpuid", "popa", "xlat", "cmpxchg8b"}},
        {{"edi", "di"}, {"movs", "stos", "scas", "cmps", "ins", "popa"}},
        {{"esi", "si"}, {"movs", "lods", "outs", "cmps", "popa"}},
        {{"ecx", "cx", "cl", "ch"},
         {"rep", "loop", "jcxz", "jecxz", "cpuid", "rdmsr", "wrmsr", "rdpmc", "popa", "cmpxchg8b"}},
        {{"edx", "dx", "dl", "dh"},
         {"mul", "imul", "div", "idiv", "cdq", "cwd", "cltd", "cwtd", "ins", "outs", "cpuid", "rdtsc",
          "rdmsr", "wrmsr", "rdpmc", "popa", "cmpxchg8b"}},
        {{"eax", "ax", "al", "ah"},
         {"mul",     "imul",  "div",   "idiv",  "cdq",   "cwd",  "cltd", "cwtd", "cbw",
          "cbtw",    "cwtl",  "lods",  "stos",  "scas",  "xlat", "lahf", "sahf", "salc",
          "cmpxchg", "cpuid", "rdtsc", "rdmsr", "wrmsr", "aa",   "da",   "int",  "popa"}},
    };
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (!is_used(&candidates[i], code) && (setup == NULL || !is_used(&candidates[i], setup)))
            return candidates[i].names[0];
    return NULL;
}

/* Returns the assembler directive for the syntax of `code`. The code and --setup may differ in syntax. */
static const char *syntax_of(const char *code)
{
    return p5_code_is_att(code) ? ".att_syntax prefix\n" : "";
}

/* Returns the source of the loop; the caller frees it, and NULL means that memory is out. The assembler gets the
 * number of trips as the symbol N. The loop's JNZ always has a displacement of 32 bits, so its form does not depend
 * on the code's length, and its last byte is 7 bytes after the code's last byte. The P55C has one entry of its
 * branch target buffer for each aligned dword, and a branch that ends the code must not share the entry of JNZ. */
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
