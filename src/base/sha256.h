/* SHA-256 (FIPS 180-4), which identifies a guest's file. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stdio.h>

enum { SHA256_TEXT = 65 }; /* 64 digits and a NUL */

/* Writes the digest of the rest of `in` to `text` as 64 hexadecimal digits, as sha256sum does. Returns `text`. A read
 * error looks like the end of the file; the caller must check ferror. */
const char *sha256_of(FILE *in, char text[SHA256_TEXT]);

#endif
