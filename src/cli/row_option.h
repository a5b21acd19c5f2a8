/* --json and --csv: rows for programs in the place of text for people. A child of a verb's argp, whose input
 * is a p5_row_format. */
#ifndef CLI_ROW_OPTION_H
#define CLI_ROW_OPTION_H

#include "cli/cli.h"
#include "p5scope/report.h"

extern const struct argp row_argp;

/* A verb's own option for one of them. */
error_t row_option_set(p5_row_format *format, p5_row_format wanted);

#endif
