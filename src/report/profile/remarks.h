/* Remarks on an instruction of a profile, for listings and for the HTML report, and the source lines that
 * these show. */
#ifndef REPORT_PROFILE_REMARKS_H
#define REPORT_PROFILE_REMARKS_H

#include "isa/isa.h"
#include "report/profile/profile_internal.h"

/* Costs of one instruction, summed over contexts and privilege classes. */
typedef struct insn_costs {
    uint64_t of[P5_PROFILE_QUANTITIES]; /* by quantity */
    uint64_t clocks;                    /* of all stall causes */
} insn_costs;

/* Returns the costs of each instruction, by index in the profile; the caller frees them. NULL: out of
 * memory. */
insn_costs *remarks_costs(const p5_profile *p);
/* Returns "U" or "V" if all executions were in this pipe, "-" if there were none, or in `buffer` the
 * percentage in V. */
const char *remarks_pipe(const insn_costs *c, char buffer[16]);
/* Returns in words the clocks of stall causes, misses, mispredictions, and the most frequent reason why the
 * instruction did not pair. "": there were none. The caller frees it. NULL: out of memory. */
char *remarks_text(const insn_costs *c);
/* Returns the index of the guest's function with the largest own cost, the sum of the `values` of its
 * instructions. Returns a function of p5scope's own code (its BIOS, for example) if the guest has none, and
 * PROFILE_NO_INDEX if there is none at all. */
int remarks_hottest(const p5_profile *p, const uint64_t *values);
/* Disassembles an instruction in the syntax that is set in the decoder. */
void remarks_disassemble(isa_decoder *decoder, const profile_insn *insn, char *text, size_t size);

/* A source file, which is read when it is first needed. */
typedef struct source_file {
    char *text;   /* NULL: cannot be read */
    char **lines; /* within `text`, each ended by a NUL */
    size_t count; /* of lines */
    bool tried;   /* reading it was tried */
    bool newer;   /* it was changed after the profile was written, so its lines may have changed */
} source_file;

typedef struct sources {
    const p5_profile *p;
    source_file *files; /* by index in p->files */
} sources;
/* Returns false when memory is out; the caller calls sources_close in any case. */
bool sources_open(sources *s, const p5_profile *p);
/* Returns line number `line`, from 1, of a source file. NULL: the file (PROFILE_NO_INDEX) or line (0) is
 * unknown, the file cannot be read, or it has fewer lines. */
const char *sources_line(sources *s, int file, unsigned line);
/* Returns true the first time that it is called for a file that sources_line has read and that is newer than the
 * profile. */
bool sources_newer(sources *s, int file);
void sources_close(sources *s);

#endif
