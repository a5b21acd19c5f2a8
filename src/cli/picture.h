/* Pictures of a guest's screen: as files, and in a terminal. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include <stdio.h>

#include "p5scope/machine.h"

/* Writes a PNG. False after a message. */
bool picture_write(const p5_picture *picture, const char *path);
/* The machine's picture to a PNG. False after a message. */
bool picture_save(const p5_machine *machine, const char *path);
/* Shows it by half blocks, two pixels in a character, as wide as `columns` allow. */
void picture_show(FILE *out, const p5_picture *picture, unsigned columns);
/* Of the terminal at standard output. */
unsigned picture_columns(void);

/* A file DIRECTORY/NNNNNN.png for each time that it is called, numbered from 0. */
typedef struct picture_series {
    const char *directory;
    unsigned next;
    bool failed;
} picture_series;
void picture_series_add(picture_series *series, const p5_machine *machine);

#endif
