/* SHA-256 (FIPS 180-4), by which a guest's file is known again. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stdio.h>

enum { SHA256_TEXT = 65 };

/* Writes the digest of what is left of `in` as 64 hexadecimal digits, as sha256sum does; returns `text`. */
const char *sha256_of(FILE *in, char text[SHA256_TEXT]);

#endif
