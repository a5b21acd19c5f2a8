/* digests [ROUNDS [NAME]]: every digest and cipher of nettle (or those whose names begin so) over generated
 * bytes, 64 KB a round; prints what comes out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettle-meta.h"

enum { BYTES = 1 << 16, BLOCK = 4096 };

static void print(const char *name, const uint8_t *bytes, size_t count)
{
    printf("%-16s ", name);
    for (size_t i = 0; i < count; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}

/* Work that begins with `name`; all without one. */
static int wanted(const char *name, const char *prefix)
{
    return prefix == NULL || strncmp(name, prefix, strlen(prefix)) == 0;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    const char *prefix = argc > 2 ? argv[2] : NULL;
    static uint8_t text[BYTES], other[BYTES], context[1 << 16], digest[256], key[256];
    for (unsigned i = 0; i < BYTES; i++)
        text[i] = (uint8_t)(i * i >> 7 ^ i);
    for (unsigned i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)(7 * i + 1);
    const struct nettle_hash *const *hashes = nettle_get_hashes();
    for (; *hashes; hashes++) {
        const struct nettle_hash *h = *hashes;
        if (!wanted(h->name, prefix))
            continue;
        h->init(context);
        for (unsigned round = 0; round < rounds; round++)
            for (unsigned at = 0; at < BYTES; at += BLOCK)
                h->update(context, BLOCK, text + at);
        h->digest(context, h->digest_size, digest);
        print(h->name, digest, h->digest_size);
    }
    const struct nettle_cipher *const *ciphers = nettle_get_ciphers();
    for (; *ciphers; ciphers++) {
        const struct nettle_cipher *c = *ciphers;
        if (!wanted(c->name, prefix))
            continue;
        c->set_encrypt_key(context, key);
        for (unsigned round = 0; round < rounds; round++)
            c->encrypt(context, BYTES / c->block_size * c->block_size, other, round ? other : text);
        print(c->name, other, 16);
    }
    return 0;
}
