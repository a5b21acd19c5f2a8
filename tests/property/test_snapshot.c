/* A core that is saved and loaded into another one counts what it would have counted without the snapshot;
 * and snapshots that are cut off, changed, or of another model are refused. property_snapshot [SEEDS [FIRST]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/base/snapshot_bytes.h"
#include "../unit/base/snapshot_parts.h"
#include "core/snapshot.h"
#include "p5scope/model.h"
#include "random_core.h"
#include "random_model.h"

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
    random_core_change(model, memo, seed, STRETCHES,
                       &(random_core_successor){1 + (unsigned)(seed * 7919 % STRETCHES), hand_over, b},
                       &pieces);
    if (memcmp(&whole, &pieces, sizeof whole) == 0)
        return true;
    printf("%s, seed %lu: %llu clocks at CPL 3 in one run, %llu with a snapshot\n", p5_model_name(model),
           seed, (unsigned long long)whole.clocks[P5_CPL_USER],
           (unsigned long long)pieces.clocks[P5_CPL_USER]);
    return false;
}

static p5_status load(const p5_model *model, unsigned char *data, size_t size, p5_error *error)
{
    snapshot_bytes copy = {.data = data, .size = size};
    p5_core *core;
    if (p5_core_open(model, NULL, &core, error) != P5_OK)
        abort();
    p5_status status = p5_core_load(core, snapshot_bytes_get, &copy, error);
    p5_core_close(core);
    return status;
}

/* Bytes of the object that says the revision, with which a snapshot begins: its name and what it has, and
 * those of its only field. */
enum { REVISION = 1 + 8 + 8 + 2 + 1 + 6 + 1 + 2 + 8 + 8 };

/* The first builds did not say it. */
static bool takes_without_revision(const p5_model *model, const snapshot_bytes *b)
{
    p5_error error;
    if (load(model, b->data + REVISION, b->size - REVISION, &error) == P5_OK)
        return true;
    printf("without a revision: %s\n", error.message);
    return false;
}

/* `b` holds a snapshot of a core of `model`. */
static bool refuses(const p5_model *model, const p5_model *other, const snapshot_bytes *b)
{
    enum { FIRST_ROWS = REVISION + 1 + 5 }; /* after the length and the name "model" */
    const struct {
        const char *what;
        const p5_model *model;
        size_t size;
        long changed; /* this byte, or none */
        const char *says;
    } cases[] = {
        {"nothing", model, 0, -1, "revision: the snapshot ends"},
        {"nothing but the revision", model, REVISION, -1, "model: the snapshot ends"},
        {"half of it", model, b->size / 2, -1, "ends"},
        {"all but a byte", model, b->size - 1, -1, "the snapshot ends"},
        {"another object's name", model, b->size, REVISION + 1,
         "model: the snapshot has 'lodel' in its place"},
        {"other rows", model, b->size, FIRST_ROWS, "model: the snapshot has 0 of them, not 1"},
        {"another model", other, b->size, -1, "made with another model"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        p5_error error;
        unsigned char *copy = malloc(b->size);
        if (copy == NULL)
            abort();
        memcpy(copy, b->data, b->size);
        if (cases[i].changed >= 0)
            copy[cases[i].changed] ^= 1;
        p5_status status = load(cases[i].model, copy, cases[i].size, &error);
        free(copy);
        if (status == P5_ERR_FORMAT && strstr(error.message, cases[i].says) != NULL)
            continue;
        printf("%s: expected \"... %s ...\", came status %d, \"%s\"\n", cases[i].what, cases[i].says,
               (int)status, status == P5_OK ? "" : error.message);
        return false;
    }
    return true;
}

/* Each field with a value that it may not have is refused by its name. */
static bool refuses_fields(const p5_model *model, const snapshot_bytes *b)
{
    snapshot_parts parts = {.data = b->data, .size = b->size, .at = REVISION};
    snapshot_part part;
    unsigned fields = 0, limited = 0;
    unsigned char *copy = malloc(b->size);
    if (copy == NULL)
        abort();
    while (snapshot_parts_next(&parts, &part)) {
        const snapshot_field *field = snapshot_field_of(core_tables, &part);
        char name[600];
        p5_error error;
        snprintf(name, sizeof name, "%s.%s", part.table, part.field);
        memcpy(copy, b->data, b->size);
        fields++;
        if (field == NULL) {
            printf("no table has %s\n", name);
            return false;
        }
        if (part.count == 0 || !snapshot_forbid(field, &part, part.count - 1, copy + part.at))
            continue;
        limited++;
        p5_status status = load(model, copy, b->size, &error);
        if (status != P5_ERR_FORMAT || strncmp(error.message, name, strlen(name)) != 0) {
            printf("%s has a wrong value: %s\n", name, status == P5_OK ? "it was loaded" : error.message);
            return false;
        }
    }
    free(copy);
    printf("%u fields, %u of them with limits\n", fields, limited);
    return fields > 0 && limited > 0 && parts.at == b->size;
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
    for (unsigned long seed = first; seed < first + seeds; seed++) {
        p5_model *model = random_model(seed);
        if (!same_with(model, seed % 2 == 0, seed, &b)) {
            random_model_print(stdout, model);
            return 1;
        }
        p5_model_close(model);
    }
    for (unsigned long seed = first; seed < first + seeds; seed++)
        if (!same_with(p54c, seed % 2 == 0, seed, &b) || !same_with(p55c, seed % 2 == 0, seed, &b))
            return 1;
    if (!takes_without_revision(p55c, &b) || !refuses(p55c, p54c, &b) || !refuses_fields(p55c, &b))
        return 1;
    p5_model_close(p54c);
    p5_model_close(p55c);
    printf("%lu runs with a snapshot in them, %zu bytes each\n", 3 * seeds, b.size);
    free(b.data);
    return 0;
}
