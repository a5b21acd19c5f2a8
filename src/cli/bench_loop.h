/* The loop around code from the command line. */
#ifndef CLI_BENCH_LOOP_H
#define CLI_BENCH_LOOP_H

/* A register for the loop's counter that neither `code` nor `setup` (may be NULL) uses; NULL if there is
 * none. */
const char *loop_counter(const char *code, const char *setup);

/* Assembler source of `setup` and a loop of N trips with `copies` copies of `code`; NULL when memory is out.
 * The caller frees it. */
char *loop_source(const char *code, const char *setup, const char *counter, unsigned copies);

#endif
