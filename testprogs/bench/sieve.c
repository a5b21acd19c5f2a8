/* sieve ROUNDS: primes below 65536 by byte flags; strided writes, one short loop per prime. */
#include "guest.h"

enum { LIMIT = 65536 };

static uint32_t sieve(uint8_t composite[LIMIT])
{
    uint32_t primes = 0;
    for (uint32_t n = 0; n < LIMIT; n++)
        composite[n] = 0;
    for (uint32_t n = 2; n < LIMIT; n++) {
        if (composite[n])
            continue;
        primes++;
        for (uint32_t multiple = 2 * n; multiple < LIMIT; multiple += n)
            composite[multiple] = 1;
    }
    return primes;
}

int main(int argc, char **argv)
{
    static uint8_t composite[LIMIT];
    uint32_t rounds = number_argument(argc, argv, 1, 80), hash = CHECKSUM_START;
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t primes = sieve(composite);
        hash = checksum(hash, &primes, sizeof primes);
    }
    print_checksum("sieve", hash);
    return 0;
}
