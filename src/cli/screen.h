/* Shows text screens on the terminal. */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

#include "p5scope/machine.h"

/* Writes the screen, in colour with the terminal's sequences, or as text only, without trailing blanks. */
void screen_write(FILE *out, const p5_screen *screen, bool colour);
/* Writes the screen over earlier output, from the terminal's first line on, and places the cursor. */
void screen_rewrite(FILE *out, const p5_screen *screen);

#endif
