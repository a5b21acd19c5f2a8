/* Sixel graphics of terminals (DEC STD 070, chapter 9). */
#ifndef CLI_SIXEL_H
#define CLI_SIXEL_H

#include <stdbool.h>
#include <stdio.h>

#include "p5scope/machine.h"

/* Asks the terminal at standard output whether it shows sixels: its device attributes contain a 4. A terminal that does
 * not answer within a fifth of a second shows none. */
bool sixel_terminal(void);
/* Writes a picture. Up to 256 colours are exact to one percent; if there are more, each is reduced to eight bits.
 * Returns false if memory is exhausted. */
bool sixel_write(FILE *out, const p5_picture *picture);

#endif
