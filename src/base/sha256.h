/* SHA-256 (FIPS 180-4), which identifies a guest's file. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stdio.h>

enum { SHA256_TEXT = 65 };

/* Writes the digest of the rest of `in` as 64 hexadecimal digits, as sha256sum does. Returns `text`. */
const char *sha256_of(FILE *in, char text[SHA256_TEXT]);

#endif
