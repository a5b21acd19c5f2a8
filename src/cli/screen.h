/* Text screens on the terminal. */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

#include "p5scope/machine.h"

/* Writes the screen: in colour with the terminal's sequences, or its text alone, without what is empty at the
 * ends. */
void screen_write(FILE *out, const p5_screen *screen, bool colour);
/* The same over what was written before: from the terminal's first line on, with the cursor where it is. */
void screen_rewrite(FILE *out, const p5_screen *screen);

#endif
