/* The fonts in the BIOS ROM: by character, a byte for each line, with the left pixel in bit 7. */
#ifndef MACHINE_BIOS_FONT_H
#define MACHINE_BIOS_FONT_H

#include <stdint.h>

enum { FONT_CHARACTERS = 256 };
extern const uint8_t font_8[FONT_CHARACTERS][8], font_14[FONT_CHARACTERS][14], font_16[FONT_CHARACTERS][16];

#endif
