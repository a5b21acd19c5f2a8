/* Remarks on an instruction of a profile, for listings and for the page, and the source lines that they
 * show. */
#ifndef REPORT_PROFILE_REMARKS_H
#define REPORT_PROFILE_REMARKS_H

#include "isa/isa.h"
#include "report/profile/profile_internal.h"

/* Sums of all quantities of one instruction, contexts and privilege classes together. */
typedef struct insn_costs {
    uint64_t of[P5_PROFILE_QUANTITIES];
    uint64_t clocks;
} insn_costs;

/* Returns the costs of each instruction of the profile; the caller frees them. NULL: out of memory. */
insn_costs *remarks_costs(const p5_profile *p);
/* Returns "U", "V", "-" if it was not executed, or the percentage of its executions in V. */
const char *remarks_pipe(const insn_costs *c, char buffer[16]);
/* Writes stall causes, the reason why it did not pair, misses and mispredictions; may write nothing. */
void remarks_write(FILE *out, const insn_costs *c);
/* Returns the same as a string that the caller frees. NULL: out of memory. */
char *remarks_text(const insn_costs *c);
/* Returns the guest's function with the largest own cost. Returns one of p5scope's own if the guest has none,
 * and PROFILE_NO_INDEX if there is none at all. */
int remarks_hottest(const p5_profile *p, const insn_costs *costs, const uint64_t *values);
/* Disassembles an instruction in Intel syntax. */
void remarks_disassemble(isa_decoder *decoder, const profile_insn *insn, char *text, size_t size);

/* A source file, which is read when it is first needed. */
typedef struct source_file {
    char *text;   /* NULL: cannot be read */
    char **lines; /* within `text` */
    size_t count;
    bool tried;
} source_file;
typedef struct sources {
    const p5_profile *p;
    source_file *files;
} sources;
bool sources_open(sources *s, const p5_profile *p);
/* Returns a line of a source file. NULL: the file cannot be read, or has fewer lines. */
const char *sources_line(sources *s, int file, unsigned line);
void sources_close(sources *s);

#endif
