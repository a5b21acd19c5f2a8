/* What walks of testprogs/stride must hit and miss in a data cache, from its geometry alone: 128 sets of
 * 32-byte lines, the set chosen by address bits 11-5, replaced by true LRU (2 ways, P54C) or by the tree of
 * three bits (4 ways, P55C: B0 names the older half, B1 and B2 the older way of each half).
 *
 *   stride_geometry WAYS cell KB STRIDE ROUNDS    prints hits and misses of that walk, by a naive cache
 *   stride_geometry WAYS table KB... <OUTPUT      compares a table that `stride hits KB...` has printed;
 * status 1 if a cell differs or is missing
 *
 * Each cell is derived twice: by the naive cache and by counting. An array of no more lines per set than ways
 * misses once per line; of a larger one no line survives a round, so that every round misses each line once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 32, SETS = 128, SET_BYTES = LINE * SETS, LARGEST_STRIDE = 1024 };

typedef struct set {
    unsigned long line[4]; /* + 1; 0 = invalid */
    unsigned long used[4]; /* LRU: when */
    unsigned b0, b1, b2;   /* tree */
} set;

typedef struct cell {
    unsigned long hits, misses;
} cell;

static unsigned victim(const set *s, unsigned ways)
{
    for (unsigned way = 0; way < ways; way++)
        if (s->line[way] == 0)
            return way;
    if (ways == 2)
        return s->used[0] < s->used[1] ? 0 : 1;
    return s->b0 == 0 ? s->b1 : 2 + s->b2;
}

/* Bits point away from the way that was used. */
static void used(set *s, unsigned way, unsigned long when)
{
    s->used[way] = when;
    s->b0 = way < 2;
    if (way < 2)
        s->b1 = way == 0;
    else
        s->b2 = way == 2;
}

static int look_up(set sets[SETS], unsigned ways, unsigned long at, unsigned long when)
{
    set *s = &sets[at / LINE % SETS];
    unsigned long line = at / LINE + 1;
    unsigned way = 0;
    while (way < ways && s->line[way] != line)
        way++;
    int hit = way < ways;
    if (!hit) {
        way = victim(s, ways);
        s->line[way] = line;
    }
    used(s, way, when);
    return hit;
}

/* The program walks through 64 KB of something else first, so that nothing of the array is there. */
static cell simulate(unsigned ways, unsigned long kb, unsigned long stride, unsigned long rounds)
{
    static set sets[SETS];
    unsigned long other = 64 * 1024, when = 0;
    cell c = {0, 0};
    memset(sets, 0, sizeof sets);
    for (unsigned long at = 0; at < other; at += LINE)
        look_up(sets, ways, at, ++when);
    for (; rounds > 0; rounds--)
        for (unsigned long at = 0; at + stride <= kb * 1024; at += stride)
            if (look_up(sets, ways, other + at, ++when))
                c.hits++;
            else
                c.misses++;
    return c;
}

static cell counted(unsigned ways, unsigned long kb, unsigned long stride, unsigned long rounds)
{
    unsigned long bytes = kb * 1024, reads = bytes / stride * rounds;
    unsigned long lines = bytes / (stride > LINE ? stride : LINE);
    unsigned long misses = bytes <= (unsigned long)ways * SET_BYTES ? lines : lines * rounds;
    return (cell){reads - misses, misses};
}

static int check_table(unsigned ways, int argc, char **argv)
{
    char line[200];
    unsigned long kb = 0, stride = 2 * LARGEST_STRIDE;
    int sizes = 0, wrong = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        unsigned long first, row, hits, misses;
        double clocks;
        char unit[3];
        if (sscanf(line, "%lu %2s", &first, unit) == 2 && strcmp(unit, "KB") == 0) {
            wrong |= stride != 2 * LARGEST_STRIDE || sizes >= argc || strtoul(argv[sizes], NULL, 10) != first;
            kb = first;
            sizes++;
            stride = 1;
        } else if (sscanf(line, "%lu %lf %lu %lu", &row, &clocks, &hits, &misses) == 4) {
            cell a = simulate(ways, kb, stride, stride), b = counted(ways, kb, stride, stride);
            if (row != stride || hits != a.hits || misses != a.misses || hits != b.hits ||
                misses != b.misses) {
                printf("%lu KB, stride %lu: %lu hits, %lu misses; the naive cache has %lu and %lu, counting "
                       "gives "
                       "%lu and %lu for stride %lu\n",
                       kb, row, hits, misses, a.hits, a.misses, b.hits, b.misses, stride);
                wrong = 1;
            }
            stride *= 2;
        }
    }
    if (sizes != argc || stride != 2 * LARGEST_STRIDE) {
        printf("the table is not complete: %d of %d arrays, the last one up to stride %lu\n", sizes, argc,
               stride / 2);
        wrong = 1;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    unsigned ways = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    if (argc > 3 && (ways == 2 || ways == 4) && strcmp(argv[2], "table") == 0)
        return check_table(ways, argc - 3, argv + 3);
    if (argc == 6 && (ways == 2 || ways == 4) && strcmp(argv[2], "cell") == 0) {
        unsigned long n[3];
        for (int i = 0; i < 3; i++)
            n[i] = strtoul(argv[3 + i], NULL, 10);
        cell a = simulate(ways, n[0], n[1], n[2]), b = counted(ways, n[0], n[1], n[2]);
        printf("%lu %lu\n", a.hits, a.misses);
        return a.hits != b.hits || a.misses != b.misses;
    }
    fprintf(stderr, "usage: stride_geometry 2|4 table KB... | cell KB STRIDE ROUNDS\n");
    return 2;
}
