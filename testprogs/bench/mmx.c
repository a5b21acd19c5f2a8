/* mmx ROUNDS: mixes two 16-bit signals with saturation and sums their products, four samples at a time. */
#include <mmintrin.h>

#include "guest.h"

enum { COUNT = 1024, VECTORS = COUNT / 4 };

int main(int argc, char **argv)
{
    static union {
        int16_t sample[COUNT];
        __m64 vector[VECTORS];
    } a, b, out;
    uint32_t rounds = number_argument(argc, argv, 1, 30000), state = 1;
    for (size_t i = 0; i < COUNT; i++) {
        a.sample[i] = (int16_t)random_next(&state);
        b.sample[i] = (int16_t)random_next(&state);
    }
    __m64 energy = _mm_setzero_si64();
    for (uint32_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < VECTORS; i++) {
            __m64 mixed =
                _mm_adds_pi16(_mm_srai_pi16(a.vector[i], 1), _mm_mulhi_pi16(b.vector[i], a.vector[i]));
            energy = _mm_add_pi32(energy, _mm_madd_pi16(mixed, b.vector[i]));
            out.vector[i] = _mm_subs_pi16(mixed, out.vector[i]);
        }
    }
    uint32_t hash = checksum(CHECKSUM_START, &energy, sizeof energy);
    _mm_empty();
    print_checksum("mmx", checksum(hash, &out, sizeof out));
    return 0;
}
