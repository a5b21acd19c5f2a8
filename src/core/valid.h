/* Checks what a program feeds the core by p5_core_retire and p5_core_exception. A mistake there would be an index beyond an
 * array of the core. The machine feeds its stretches by core_price, without these checks. */
#ifndef CORE_VALID_H
#define CORE_VALID_H

#include <stdbool.h>

#include "p5scope/core.h"

/* Return whether each member is in its range, and each array exists whose count is not 0. */
bool valid_retired(const p5_retired *retired);
bool valid_exception(const p5_exception *exception);

#endif
