/* A core that is saved, loaded into another one and goes on counts what it would have counted without that;
 * and snapshots that are cut off, changed, or of another model are refused. property_snapshot [SEEDS [FIRST]]
 */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../snapshot_bytes.h"
#include "p5scope/model.h"
#include "random_core.h"

/* Saves the first core and loads the second, which has been opened anew. */
static void hand_over(void *context, p5_core *from, p5_core *to)
{
    snapshot_bytes *b = context;
    p5_error error;
    b->size = b->at = 0;
    if (p5_core_save(from, snapshot_bytes_put, b, &error) != P5_OK ||
        p5_core_load(to, snapshot_bytes_get, b, &error) != P5_OK) {
        printf("%s\n", error.message);
        exit(1);
    }
    if (b->at != b->size) {
        printf("%zu bytes were saved, %zu loaded\n", b->size, b->at);
        exit(1);
    }
}

static bool same_with(const p5_model *model, bool memo, unsigned long seed, snapshot_bytes *b)
{
    enum { STRETCHES = 3000 };
    static p5_counts whole, pieces;
    random_core_run(model, memo, seed, STRETCHES, &whole);
    random_core_change(model, memo, seed, STRETCHES, 1 + (unsigned)(seed * 7919 % STRETCHES), hand_over, b,
                       &pieces);
    if (memcmp(&whole, &pieces, sizeof whole) == 0)
        return true;
    printf("%s, seed %lu: %llu clocks at CPL 3 in one run, %llu with a snapshot\n", p5_model_name(model),
           seed, (unsigned long long)whole.clocks[P5_CPL_USER],
           (unsigned long long)pieces.clocks[P5_CPL_USER]);
    return false;
}

/* `b` holds a snapshot of a core of `model`. */
static bool refuses(const p5_model *model, const p5_model *other, snapshot_bytes *b)
{
    p5_error error;
    p5_core *core;
    struct {
        const char *what;
        const p5_model *model;
        size_t size;
        long changed; /* this byte, or none */
        const char *says;
    } cases[] = {
        {"nothing", model, 0, -1, "ends before its part model"},
        {"half of it", model, b->size / 2, -1, "ends "},
        {"all but a byte", model, b->size - 1, -1, "ends within its part core.recent_count"},
        {"another part's name", model, b->size, 0, "has a part 'Model' where model should be"},
        {"another size", model, b->size, 24, "bytes, not"},
        {"another model", other, b->size, -1, "made with another model"},
        {"a class that is none", model, b->size, -2, "core.class of the snapshot is"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snapshot_bytes copy = {.data = malloc(b->size), .size = cases[i].size};
        if (copy.data == NULL || p5_core_open(cases[i].model, NULL, &core, &error) != P5_OK)
            abort();
        memcpy(copy.data, b->data, b->size);
        if (cases[i].changed == 0)
            copy.data[0] = 'M';
        else if (cases[i].changed > 0)
            copy.data[cases[i].changed] ^= 1;
        else if (cases[i].changed == -2) {
            static const char name[] = "core.class";
            unsigned char *at = memmem(copy.data, copy.size, name, sizeof name);
            if (at == NULL)
                abort();
            at[32] = 9;
        }
        p5_status status = p5_core_load(core, snapshot_bytes_get, &copy, &error);
        if (status != P5_ERR_FORMAT || strstr(error.message, cases[i].says) == NULL) {
            printf("%s: expected \"... %s ...\", came status %d, \"%s\"\n", cases[i].what, cases[i].says,
                   (int)status, status == P5_OK ? "" : error.message);
            return false;
        }
        p5_core_close(core);
        free(copy.data);
    }
    return true;
}

int main(int argc, char **argv)
{
    unsigned long seeds = argc > 1 ? strtoul(argv[1], NULL, 10) : 60;
    unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    p5_model *p54c, *p55c;
    p5_error error;
    snapshot_bytes b = {0};
    if (p5_model_open("p54c-133", &p54c, &error) != P5_OK ||
        p5_model_open("p55c-200", &p55c, &error) != P5_OK)
        return 1;
    for (unsigned long seed = first; seed < first + seeds; seed++)
        if (!same_with(p54c, seed % 2 == 0, seed, &b) || !same_with(p55c, seed % 2 == 0, seed, &b))
            return 1;
    if (!refuses(p55c, p54c, &b))
        return 1;
    p5_model_close(p54c);
    p5_model_close(p55c);
    printf("%lu runs with a snapshot in them, %zu bytes each\n", 2 * seeds, b.size);
    free(b.data);
    return 0;
}
