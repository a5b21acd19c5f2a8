/* Pictures of a guest's screen: as files, and in a terminal. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include <stdio.h>

#include "p5scope/machine.h"

/* Writes the screen of the machine's guest as a PNG file. Returns false after a message. */
bool picture_save(const p5_machine *machine, const char *path);
/* Shows a picture on the terminal at standard output: as sixels (sixel_terminal), or by half blocks, two pixels per
 * character, as wide as the terminal. */
void picture_show(FILE *out, const p5_picture *picture, bool sixels);

/* Writes a file DIRECTORY/NNNNNN.png at each call, numbered from 0. */
typedef struct picture_series {
    const char *directory;
    unsigned next; /* number of the next file */
    bool failed;   /* a file could not be written, so no more are written; a message was shown */
} picture_series;
void picture_series_add(picture_series *series, const p5_machine *machine);

#endif
