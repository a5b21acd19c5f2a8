/* What limits a loop: pictures of its trips (iterations), bounds of its clocks, and rewritings that save some. Like
 * report.h, whose programs and windows it uses, it serves `p5scope bench`. A loop is given as in p5_case_measure: two
 * programs, of which programs[i] executes trips[i] trips, so that the difference is the cost of the trips alone. */
#ifndef P5TOOL_LOOP_H
#define P5TOOL_LOOP_H

#include "p5tool/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Pictures ---- */

/* Draws the window as an SVG picture: stages, waits by cause, arrows from what held instructions back. */
p5_status p5_window_write_svg(FILE *out, const p5_window *window, const char *title, p5_error *error);
/* Writes a page with that picture, the details of each instruction, and the lines of `summary` (may be
 * NULL). */
p5_status p5_window_write_html(FILE *out, const p5_window *window, const char *title, const char *summary,
                               p5_error *error);

/* ---- Limits ---- */

/* What can limit a loop. The model prices the loop once more without each of the first five
 * (p5_core_set_ideal). */
typedef enum p5_limit {
    P5_LIMIT_RESULTS,  /* waits for addresses (AGI), x87 and MMX results, short of the chain */
    P5_LIMIT_PAIRS,    /* instructions that issue alone although they need nothing of their neighbour */
    P5_LIMIT_FETCH,    /* prefetch, F, D1, prefixes */
    P5_LIMIT_MEMORY,   /* misses, misaligned references, bank conflicts, write buffers */
    P5_LIMIT_BRANCHES, /* mispredictions */
    P5_LIMIT_PRICED,   /* number of those */
    P5_LIMIT_CHAIN = P5_LIMIT_PRICED, /* a result that every trip needs of the trip before */
    P5_LIMIT_EXECUTION,               /* none of these: the instructions' own clocks */
    P5_LIMIT_SEVERAL,                 /* several of the first five, none of which costs much without the others */
    P5_LIMITS
} p5_limit;

/* All figures are clocks per trip, or numbers per trip. */
typedef struct p5_loop_limits {
    double clocks;                     /* of the loop as it is */
    double without[P5_LIMIT_PRICED];   /* of the loop if this limit were removed; without results not below
                                        `chain`, without pairing rules not above `clocks` */
    double without_all;                /* if all of them were removed */
    double chain;                      /* the longest chain of results from trip to trip; 0: there is none */
    double alone[P5_UNPAIRED_REASONS]; /* instructions that issued alone, by reason: lost slots of V */
    p5_limit limit;                    /* the chain, if it takes at least nine tenths of the clocks; else
                                        execution, if without_all does; else the one that costs most, if
                                        it costs a twentieth; else several */
    char chain_text[400];              /* its instructions */
    bool of_calls;                     /* the loop calls a function; it is not the function's own */
} p5_loop_limits;

/* Finds the limits of the loop that `window` shows; the loop is run for each of them. */
p5_status p5_loop_limits_find(p5_case_program *const programs[2], const unsigned trips[2],
                              const p5_case_conditions *conditions, const p5_window *window,
                              p5_loop_limits *out, p5_error *error);
/* Writes the limits as text, or as JSON lines (docs/schemas/bench.json). */
void p5_loop_limits_write(FILE *out, p5_row_format format, const p5_loop_limits *limits);

/* ---- Rewritings ---- */

/* Tries rewritings of the loop and writes those that save clocks, the best first, each with what it saves by the
 * model; then what the best ones save together, step by step. Every figure is of a run of the rewritten loop. */
p5_status p5_suggest_write(FILE *out, p5_row_format format, p5_case_program *const programs[2],
                           const unsigned trips[2], const p5_case_conditions *conditions, p5_error *error);

/* ---- Listings ---- */

/* Lists the code of a program, executed or not, with its pairs by rule from a cold pipe, as text or JSON lines
 * (docs/schemas/bench-static.json): the code between these two labels; or the function that the program was made for
 * (p5_case_function.listed); or all functions. `name`: of the program, for JSON. */
#define P5_STATIC_FIRST "p5scope_trip"
#define P5_STATIC_END   "p5scope_trip_end"
p5_status p5_static_write(FILE *out, p5_row_format format, const char *name, const p5_case_program *program,
                          const char *model, p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
