/* Lists which oracle has executed each form of the instruction table, from the output of its programs.
 *   coverage OTHERS SNIPPETS SYSTEM OUT     OTHERS lists forms that neither program executes, each with a test that
 *                                           does; exit status 1 if a form is nowhere */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "record.h"
#include "system_read.h"

enum { BY_PROCESSOR = 1, BY_EMULATORS = 2 };
static isa_decoder *decoder;
static uint8_t *executed;

static bool decode(const uint8_t *code, size_t size, bool wide, isa_insn *insn)
{
    return isa_decode(decoder, code, size, 0, wide, insn) && !(insn->flags & ISA_UNDEFINED);
}

static void read_snippets(FILE *in)
{
    static record r;
    while (fread(&r, sizeof r, 1, in) == 1)
        for (unsigned i = 0; i < r.count; i++) {
            isa_insn insn, branch;
            unsigned at = r.starts[i];
            if (!decode(r.code + at, sizeof r.code - at, true, &insn))
                break;
            executed[insn.form] |= BY_PROCESSOR;
            at += insn.length; /* what loads a target stands before JMP r and its like */
            if (at < r.starts[i + 1] && decode(r.code + at, sizeof r.code - at, true, &branch) &&
                at + branch.length == r.starts[i + 1] && isa_forms[branch.form].branch != ISA_NOT_BRANCH &&
                isa_forms[branch.form].branch <= ISA_CALL_INDIRECT) {
                executed[branch.form] |= BY_PROCESSOR;
                break;
            }
            if (r.code_at + r.starts[i] == r.eip || isa_forms[insn.form].branch != ISA_NOT_BRANCH)
                break;
        }
}

/* From the first instruction to the one that faulted, or that control left by. */
static void read_system(FILE *in)
{
    system_record r;
    while (system_next(in, &r)) {
        uint8_t code[sizeof r.code];
        for (unsigned i = 0; i < sizeof code; i++)
            code[i] = (uint8_t)(r.code[i / 4] >> (24 - i % 4 * 8));
        uint32_t end = r.eip & 4095;
        isa_insn insn;
        for (unsigned at = 0; at <= end && at < sizeof code; at += insn.length) {
            if (!decode(code + at, sizeof code - at, r.kind & 1, &insn))
                break;
            executed[insn.form] |= BY_EMULATORS;
            if (isa_forms[insn.form].branch != ISA_NOT_BRANCH)
                break;
        }
    }
}

static const char *name_of(unsigned form)
{
    static char text[100];
    snprintf(text, sizeof text, "%s %s", isa_forms[form].mnemonic, isa_forms[form].operands);
    if (isa_forms[form].operands[0] == '\0')
        text[strlen(text) - 1] = '\0';
    return text;
}

/* The test that OTHERS names for it; NULL: none. */
static const char *other(FILE *others, const char *name)
{
    static char line[200];
    rewind(others);
    while (fgets(line, sizeof line, others) != NULL) {
        char *tab = strchr(line, '\t');
        line[strcspn(line, "\n")] = '\0';
        if (tab != NULL && (size_t)(tab - line) == strlen(name) && memcmp(line, name, strlen(name)) == 0)
            return tab + 1;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    FILE *others = argc > 1 ? fopen(argv[1], "r") : NULL, *snippets = argc > 2 ? fopen(argv[2], "rb") : NULL;
    FILE *system = argc > 3 ? fopen(argv[3], "rb") : NULL, *out = argc > 4 ? fopen(argv[4], "w") : NULL;
    decoder = isa_decoder_open(ISA_P55C);
    executed = calloc(isa_form_count, 1);
    if (!others || !snippets || !system || !out || !decoder || !executed) {
        fprintf(stderr, "usage: coverage OTHERS SNIPPETS SYSTEM OUT\n");
        return 2;
    }
    read_snippets(snippets);
    read_system(system);
    fprintf(out, "# Which oracle has executed each form\n\n"
                 "Each form of `src/isa/instructions.tsv` that a Pentium with MMX has, and the oracles that "
                 "it is compared with: the host's *processor*\n"
                 "(`tests/differential/snippets.c`), the *emulators* Bochs and QEMU (`system.c`), or a test "
                 "of its own where neither can say. Made by\n"
                 "`tests/differential/coverage.c` from what these programs executed; `differential.coverage` "
                 "fails if a form has none.\n\n"
                 "| form | compared with |\n|---|---|\n");
    unsigned missing = 0;
    for (unsigned i = 1; i < isa_form_count; i++) {
        if (!(isa_forms[i].models & ISA_P55C) || !strcmp(isa_forms[i].mnemonic, "#UD"))
            continue;
        const char *name = name_of(i), *test = executed[i] ? NULL : other(others, name);
        fprintf(out, "| %s | %s%s%s%s |\n", name, executed[i] & BY_PROCESSOR ? "processor" : "",
                executed[i] == (BY_PROCESSOR | BY_EMULATORS) ? ", " : "",
                executed[i] & BY_EMULATORS ? "emulators" : "", test != NULL ? test : "");
        if (!executed[i] && test == NULL) {
            printf("no oracle executes %s (form %u of src/isa/instructions.tsv)\n", name, i);
            missing++;
        }
    }
    return fclose(out) != 0 || missing != 0;
}
