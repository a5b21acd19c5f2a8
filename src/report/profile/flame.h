/* The flame graph: calling contexts as frames whose width is their cost with everything called, the root on
 * top. Positions are per cent, so that it fits any width; a click on a frame makes it as wide as the graph.
 */
#ifndef REPORT_PROFILE_FLAME_H
#define REPORT_PROFILE_FLAME_H

#include "report/profile/profile_internal.h"

/* Writes the element <svg>; the script that flame_script has makes it react. False: out of memory. */
bool flame_write(FILE *out, const p5_profile *p, const profile_value *value);
extern const char flame_style[], flame_script[];

#endif
