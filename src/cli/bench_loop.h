/* The loop that `p5scope bench` makes around code from the command line. */
#ifndef CLI_BENCH_LOOP_H
#define CLI_BENCH_LOOP_H

/* Returns a register for the loop's counter that neither `code` nor `setup` (may be NULL) uses; NULL if there
 * is none. */
const char *loop_counter(const char *code, const char *setup);

/* Returns assembler source of `setup` and a loop of N trips with `copies` copies of `code`, which the caller
 * frees; NULL when memory is out. */
char *loop_source(const char *code, const char *setup, const char *counter, unsigned copies);

#endif
