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
    /* --repeat: the cost of one copy of the code is measured, by a loop with so many copies and one with twice as
     * many. 0: the cost of a trip is measured. */
    unsigned repeat;
    unsigned trips[2]; /* --n: N1 and N2; 0: those of the case, else 200 and 1200 */
    unsigned cpl;      /* privilege level of code and functions */
} bench_terms;

typedef struct bench {
    const bench_input *input;
    p5_case_program *programs[2]; /* the code with N1 and N2 trips, which is also shown in diagrams */
    /* --repeat: the loop with twice the copies, from which the cost of programs[] is subtracted. Of a function: the
     * calls of an empty function, whose cost is subtracted from that of programs[]. Else NULL. */
    p5_case_program *others[2];
    unsigned trips[2]; /* N1 and N2 */
    bool elsewhere;    /* of a function: its calls are at the second of two addresses */
    bool wrong_setup;  /* of code: the error is in bench_terms.setup, not in the code */
    p5_case_conditions conditions;
    p5_case case_file;         /* its path is NULL if the input is not a case file */
    char *name;                /* names the input in reports: "dot of f.o" */
    char *per;                 /* says to what the counts apply: "per trip (...)" */
    p5_case_measured measured; /* totals with N1 and N2 trips */
    unsigned divisor[2];       /* the number of trips, copies or calls that measured.counts[i] contain */
} bench;

/* Reads and assembles the input. Returns false after a message; it must be released all the same. */
bool bench_prepare(bench *out, const bench_input *input, const bench_terms *terms);
/* Runs the input on the model named `model` and fills in the counts. May choose fewer trips. Returns false after a
 * message. */
bool bench_measure(bench *of, const char *model, const bench_terms *terms);
void bench_release(bench *of);

#endif
