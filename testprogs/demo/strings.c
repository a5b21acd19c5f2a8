/* strings ROUNDS: REP strings of every kind and size, short and long, in both directions, with all alignments,
 * on cached and uncached memory. */
#include "guest.h"

enum { BYTES = 1 << 16, MOST = 48 };

static uint8_t from[BYTES + 8 * MOST], to[BYTES + 8 * MOST];

typedef struct string {
    const uint8_t *source;
    uint8_t *target;
    uint32_t count, value;
} string;

#define STRING(instruction)                                                                                  \
    asm volatile(instruction                                                                                 \
                 : "+S"(s->source), "+D"(s->target), "+c"(s->count), "+a"(s->value)                          \
                 :                                                                                           \
                 : "memory", "cc")

static void execute(string *s, unsigned kind)
{
    switch (kind) {
    case 0:
        STRING("rep movsl");
        break;
    case 1:
        STRING("rep movsb");
        break;
    case 2:
        STRING("rep stosl");
        break;
    case 3:
        STRING("rep stosw");
        break;
    case 4:
        STRING("rep lodsl");
        break;
    case 5:
        STRING("repne scasb");
        break;
    case 6:
        STRING("repe scasl");
        break;
    default:
        STRING("repe cmpsb");
    }
}

int main(int argc, char **argv)
{
    enum { KINDS = 8, NEAR = 1 << 10 };
    uint32_t rounds = number_argument(argc, argv, 1, 20000), state = 1, hash = CHECKSUM_START;
    for (uint32_t i = 0; i < rounds; i++) {
        const uint32_t reach = i & 64 ? BYTES : NEAR, kind = random_next(&state) >> 16;
        string s = {.source = from + 4 * MOST + random_next(&state) / 4 % reach,
                    .target = to + 4 * MOST + random_next(&state) / 4 % reach,
                    .count = random_next(&state) / 16 % (i & 32 ? MOST : 9),
                    .value = random_next(&state) & 0x01010101};
        if (i & 16) { /* on a boundary */
            s.source -= (uintptr_t)s.source % 4;
            s.target -= (uintptr_t)s.target % 4;
        }
        const bool down = kind / KINDS % 8 == 0;
        if (down)
            asm volatile("std");
        execute(&s, kind % KINDS);
        if (down)
            asm volatile("cld");
        const uint32_t left[2] = {s.count, s.value};
        hash = checksum(hash, left, sizeof left);
    }
    print_checksum("strings", checksum(hash, to, sizeof to));
    return 0;
}
