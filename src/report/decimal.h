/* Decimal numbers with a suffix, in options, formulas and budgets. */
#ifndef REPORT_DECIMAL_H
#define REPORT_DECIMAL_H

#include <math.h>
#include <stdbool.h>

/* Returns what a suffix multiplies by: 10^3 for k and K, 10^6 for M, 10^9 for G, 1 for other characters. */
static inline double decimal_factor(char suffix)
{
    return suffix == 'k' || suffix == 'K' ? 1e3 : suffix == 'M' ? 1e6 : suffix == 'G' ? 1e9 : 1;
}

/* Sets *product to number * factor. Returns whether that is a whole number. A number that was read from text is rounded:
 * 1.001 * 1e3 is less than 1001. If a whole number divided by `factor` is `number`, it is therefore the product. */
static inline bool decimal_scale(double number, double factor, double *product)
{
    const double whole = round(number * factor);
    const bool is_whole = whole / factor == number;
    *product = is_whole ? whole : number * factor;
    return is_whole;
}

#endif
