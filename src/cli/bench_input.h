/* The inputs of `p5scope bench`: a case file, code from the command line, or a function. Each becomes two
 * programs whose difference is one trip. */
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
    unsigned copies;   /* of code in one trip */
    unsigned repeat;   /* per copy; 0: per trip */
    unsigned trips[2]; /* 0: the case's, or 200 and 1200 */
    unsigned cpl;      /* of code and functions */
} bench_terms;

typedef struct bench {
    const bench_input *input;
    p5_case_program *programs[2]; /* what is shown, and measured with N1 and N2 trips */
    p5_case_program *others[2];   /* measured, too: --repeat's loop with twice the copies, from which
                                     programs[] are subtracted; or the calls of an empty function, which are
                                     subtracted from programs[]. NULL: nothing is subtracted */
    unsigned trips[2];
    bool elsewhere;   /* of a function: where its calls are */
    bool wrong_setup; /* of code: an error is about terms.setup */
    p5_case_conditions conditions;
    p5_case case_file; /* of a case */
    char *name;        /* what it is: "dot of f.o" */
    char *per;         /* what one is: "per trip (...)" */
    p5_case_measured measured;
    unsigned divisor[2]; /* measured.counts[i] are of so many */
} bench;

/* Reads and assembles the input. Returns false after a message; it must be released all the same. */
bool bench_prepare(bench *out, const bench_input *input, const bench_terms *terms);
/* Runs the input on the model named `model` and fills in the counts. Returns false after a message. */
bool bench_measure(bench *of, const char *model, const bench_terms *terms);
void bench_release(bench *of);

#endif
