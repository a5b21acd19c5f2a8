/* SHA-256. Section numbers are those of FIPS 180-4. */
#include "base/sha256.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64 /* bytes */, ROUNDS = 64, WORDS = 8 /* 32-bit words of the hash value */ };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2). */
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated_right(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

/* Computes the next hash value from the current one, `state`, and a block of the message (6.2.2). */
static void compress(uint32_t state[WORDS], const uint8_t block[BLOCK])
{
    uint32_t w[ROUNDS], s[WORDS];
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < ROUNDS; i++)
        w[i] = w[i - 16] + w[i - 7] +
               (rotated_right(w[i - 15], 7) ^ rotated_right(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (rotated_right(w[i - 2], 17) ^ rotated_right(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, state, sizeof s);
    /* s[0] to s[7] are the standard's working variables a to h, and `one` and `two` its T1 and T2. */
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t one = s[7] + (rotated_right(s[4], 6) ^ rotated_right(s[4], 11) ^ rotated_right(s[4], 25)) +
                       ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
        uint32_t two = (rotated_right(s[0], 2) ^ rotated_right(s[0], 13) ^ rotated_right(s[0], 22)) +
                       ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (unsigned i = 0; i < WORDS; i++)
        state[i] += s[i];
}

const char *sha256_of(FILE *in, char text[SHA256_TEXT])
{
    /* The initial hash value (5.3.3). */
    uint32_t state[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t block[BLOCK];
    uint64_t bytes = 0;
    size_t got;
    while ((got = fread(block, 1, BLOCK, in)) == BLOCK) {
        compress(state, block);
        bytes += BLOCK;
    }
    bytes += got;
    /* The padding is a one bit, zeros, and 64 bits with the length in bits, which end a block (5.1.1). */
    memset(block + got, 0, BLOCK - got);
    block[got] = 0x80;
    if (got >= BLOCK - 8) {
        compress(state, block);
        memset(block, 0, BLOCK);
    }
    for (unsigned i = 0; i < 8; i++)
        block[BLOCK - 1 - i] = (uint8_t)(bytes * 8 >> 8 * i);
    compress(state, block);
    for (unsigned i = 0; i < WORDS; i++)
        snprintf(text + 8 * (size_t)i, 9, "%08x", state[i]);
    return text;
}
