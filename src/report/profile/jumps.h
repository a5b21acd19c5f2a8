/* Arrows beside a listing, for the jumps within a function. */
#ifndef REPORT_PROFILE_JUMPS_H
#define REPORT_PROFILE_JUMPS_H

#include "report/profile/profile_internal.h"

typedef struct jump_arrows {
    char *text;   /* of all rows, each with a NUL at its end; NULL: the function has no jumps */
    size_t width; /* characters of a row without the NUL */
} jump_arrows;

/* Draws the arrows of the profile's instructions [first, end), which are the rows. Returns false if memory is
 * out; the caller closes the arrows in any case. */
bool jump_arrows_open(jump_arrows *arrows, const p5_profile *p, size_t first, size_t end);
/* Returns the text beside a row, "" if the function has no jumps. All rows have texts of the same length. */
const char *jump_arrows_at(const jump_arrows *arrows, size_t row);
void jump_arrows_close(jump_arrows *arrows);

#endif
