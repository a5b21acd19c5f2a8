/* What there is to say about an instruction of a profile, for listings on paper and on the page. */
#ifndef REPORT_PROFILE_REMARKS_H
#define REPORT_PROFILE_REMARKS_H

#include "isa/isa.h"
#include "report/profile/profile_internal.h"

/* Sums of all quantities of one instruction, contexts and privilege classes together. */
typedef struct insn_costs {
    uint64_t of[P5_PROFILE_QUANTITIES];
    uint64_t clocks;
} insn_costs;

/* One for each instruction of the profile. NULL: out of memory. */
insn_costs *remarks_costs(const p5_profile *p);
/* "U", "V", or how many percent of its executions were in V. */
const char *remarks_pipe(const insn_costs *c, char room[16]);
/* What stalled it, why it went alone, misses and mispredictions; may be empty. */
void remarks_write(FILE *out, const insn_costs *c);
/* The same as a text of the caller's; NULL: out of memory. */
char *remarks_text(const insn_costs *c);
/* The guest's function with the largest own cost; one of p5scope's if there is no other, and PROFILE_NO_INDEX
 * if there is none at all. */
int remarks_hottest(const p5_profile *p, const insn_costs *costs, const uint64_t *values);
/* Intel syntax. */
void remarks_disassemble(isa_decoder *decoder, const profile_insn *insn, char *text, size_t size);

/* The lines of source files, as they are needed. */
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
/* NULL: the file cannot be read, or is not so long. */
const char *sources_line(sources *s, int file, unsigned line);
void sources_close(sources *s);

#endif
