/* The inputs of `p5scope bench`: a case file, code from the command line, or a function. Each becomes two programs
 * that make N1 and N2 trips through it: iterations of a loop, or calls. The difference of their costs, divided by N2
 * - N1, is the cost of one trip. */
#ifndef CLI_BENCH_INPUT_H
#define CLI_BENCH_INPUT_H

#include "p5tool/report.h"

typedef struct bench_input {
    const char *path, *code;   /* a file, or --asm's text */
    p5_case_function function; /* a function of `path`, if its name is set */
} bench_input;

/* The conditions of the measurement. */
typedef struct bench_terms {
    const char *setup; /* of code; may be NULL */
    unsigned copies;   /* --unroll: copies of the code in one trip */
    /* --repeat: measures the cost of one copy of the code, by loops with so many copies and with twice as many. 0:
     * measures that of a trip. */
    unsigned repeat;
    unsigned trips[2]; /* N1 and N2; 0: those of the case, or 200 and 1200 */
    unsigned cpl;      /* privilege level of code and functions */
} bench_terms;

typedef struct bench {
    const bench_input *input;
    p5_case_program *programs[2]; /* what is shown, and measured with N1 and N2 trips */
    p5_case_program *others[2];   /* measured, too: --repeat's loop with twice the copies, from which
                                     programs[] are subtracted; or the calls of an empty function, which are
                                     subtracted from programs[]. NULL: nothing is subtracted */
    unsigned trips[2];            /* N1 and N2 */
    bool elsewhere;               /* of a function: its calls are at other addresses than usual */
    bool wrong_setup;             /* of code: an error is about terms.setup */
    p5_case_conditions conditions;
    p5_case case_file;         /* of a case; path NULL: it is none */
    char *name;                /* names the input in reports: "dot of f.o" */
    char *per;                 /* says to what the counts apply: "per trip (...)" */
    p5_case_measured measured; /* totals with N1 and N2 trips */
    unsigned divisor[2];       /* measured.counts[i] are the costs of so many trips, copies or calls */
} bench;

/* Reads and assembles the input. Returns false after a message; it must be released all the same. */
bool bench_prepare(bench *out, const bench_input *input, const bench_terms *terms);
/* Runs the input on the model named `model` and fills in the counts. May choose fewer trips. Returns false after a
 * message. */
bool bench_measure(bench *of, const char *model, const bench_terms *terms);
void bench_release(bench *of);

#endif
