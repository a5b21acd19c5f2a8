/* OpenSSL: its assembler routines for processors without SSE2. Units are bytes. */
#include "driver.h"

typedef struct aes_key {
    uint32_t schedule[60];
    uint32_t rounds;
} aes_key;

uint32_t OPENSSL_ia32cap_P[4]; /* CPUID's bits: none */

void sha1_block_data_order(uint32_t *state, const void *in, unsigned blocks);
void sha256_block_data_order(uint32_t *state, const void *in, unsigned blocks);
void sha512_block_data_order(uint64_t *state, const void *in, unsigned blocks);
void RC4_set_key(uint32_t *key, int bytes, const void *data);
void RC4(uint32_t *key, unsigned bytes, const void *in, void *out);
void ChaCha20_ctr32(void *out, const void *in, unsigned bytes, const uint32_t key[8],
                    const uint32_t counter[4]);
int poly1305_init(void *context, const void *key, void *functions);
void poly1305_blocks(void *context, const void *in, unsigned bytes, uint32_t pad);
void gcm_ghash_4bit_x86(uint64_t state[2], const uint64_t table[32], const void *in, unsigned bytes);
int AES_set_encrypt_key(const void *user, int bits, aes_key *key);
void AES_cbc_encrypt(const void *in, void *out, unsigned bytes, const aes_key *key, void *iv, int encrypt);
/* The same of the source with $small_footprint = 0 */
void unrolled_AES_cbc_encrypt(const void *in, void *out, unsigned bytes, const aes_key *key, void *iv,
                              int encrypt);

enum { SMALL = 512, LARGE = 1536, HALF = 64, BLOCKS = 192 /* bytes: less than what SHA-256 unrolls for */ };

#define IN  ((const void *)area[0])
#define OUT ((void *)area[1])
static uint32_t state[16], rc4_key[258], context[48];
static uint64_t ghash_state[2], ghash_table[32];
static aes_key encrypt_key;

void prepare(void)
{
    for (unsigned i = 0; i < 32; i++)
        ghash_table[i] = (uint64_t)draw() << 32 | draw();
    RC4_set_key(rc4_key, 16, area[3]);
    poly1305_init(context, area[3], context + 40);
    AES_set_encrypt_key(area[3], 128, &encrypt_key);
}

static void sha1(unsigned n)
{
    sha1_block_data_order(state, IN, n / 64);
}

static void sha256(unsigned n)
{
    sha256_block_data_order(state, IN, n / 64);
}

static void sha512(unsigned n)
{
    sha512_block_data_order((uint64_t *)state, IN, n / 128);
}

static void rc4(unsigned n)
{
    RC4(rc4_key, n, IN, OUT);
}

static void chacha20(unsigned n)
{
    ChaCha20_ctr32(OUT, IN, n, state, state + 8);
}

static void poly1305(unsigned n)
{
    poly1305_blocks(context, IN, n, 1);
}

static void ghash(unsigned n)
{
    gcm_ghash_4bit_x86(ghash_state, ghash_table, IN, n);
}

static void aes(unsigned n)
{
    AES_cbc_encrypt(IN, OUT, n, &encrypt_key, state, 1);
}

static void aes_unrolled(unsigned n)
{
    unrolled_AES_cbc_encrypt(IN, OUT, n, &encrypt_key, state, 1);
}

const routine routines[] = {{"openssl.sha1", sha1, SMALL, LARGE, 0, false},
                            {"openssl.sha256.folded", sha256, HALF, BLOCKS, 0, false},
                            {"openssl.sha256.unrolled", sha256, SMALL, LARGE, 0, false},
                            {"openssl.sha512", sha512, SMALL, LARGE, 0, false},
                            {"openssl.rc4", rc4, SMALL, LARGE, 0, false},
                            {"openssl.chacha20", chacha20, SMALL, LARGE, 0, false},
                            {"openssl.poly1305", poly1305, SMALL, LARGE, 0, false},
                            {"openssl.ghash", ghash, SMALL, LARGE, 0, false},
                            {"openssl.aes", aes, SMALL, LARGE, 0, false},
                            {"openssl.aes.unrolled", aes_unrolled, SMALL, LARGE, 0, false},
                            {0}};
