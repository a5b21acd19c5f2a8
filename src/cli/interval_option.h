/* The option -I of stat and trace, and places in a run: --from, --to. */
#ifndef CLI_INTERVAL_OPTION_H
#define CLI_INTERVAL_OPTION_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "p5scope/trace.h"

/* N[c|i]: clocks, or instructions. CLI_USAGE after a message. */
error_t interval_option(const char *text, uint64_t *clocks, uint64_t *instructions);

/* Nc, Ni, begin:ID, end:ID, or a symbol or address of the guest at `path` (NULL: it has none). False after a
 * message. */
bool bound_option(const char *option, const char *text, const char *path, p5_bound *bound);
/* False after a message if `to`, which stands at column `column` of `text`, lies before `from` or at it. */
bool bounds_in_order(const p5_bound *from, const p5_bound *to, const char *option, const char *text,
                     unsigned column);

#endif
