/* Tests of the tables of fields. Every member of a structure is in its table (FIELD_DERIVED if it is not saved). A
 * snapshot in which a field has a value beyond its limits is refused with the field's name. A snapshot that the first
 * build of the format wrote continues as a fresh run does.
 *
 *   snapshot_fields FILE GUEST KIND [GUEST KIND...]    KIND: linux, disk, dos or flat; FILE is written and removed
 *   snapshot_fields FILE --write FIXTURE MODEL         writes such a snapshot
 *   snapshot_fields FILE --read FIXTURE MODEL          continues it */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../unit/base/snapshot_parts.h"
#include "snapshot_sections.h"
#include "base/host_line.h"
#include "machine/snapshot/machine_tables.h"
#include "p5scope/snapshot.h"
#include "p5tool/machine.h"
#include "p5tool/core.h"

static const char *path; /* FILE */

static void fail(const char *what, const p5_error *error)
{
    fprintf(stderr, "%s: %s%s%s\n", what, error->where, error->where[0] != '\0' ? ": " : "", error->message);
    exit(1);
}

static void nothing(void *context, const void *text, size_t size)
{
    (void)context, (void)text, (void)size;
}

/* ---- tables -------------------------------------------------------------------------------------------- */

static unsigned tables;

/* Returns true for structs of the public headers, whose size_t `size` is not saved. */
static bool begins_with_size(const snapshot_table *t)
{
    static const char *const sized[] = {"preface", "control", "pin"};
    for (size_t i = 0; i < sizeof sized / sizeof *sized; i++)
        if (t->name != NULL && strcmp(t->name, sized[i]) == 0 && t->fields[0].offset == sizeof(size_t))
            return true;
    return false;
}

/* Returns an upper bound of the alignment of what has `bytes` bytes: the largest power of two, at most `most`, that
 * divides them. */
static uint32_t alignment(uint32_t bytes, uint32_t most)
{
    const uint32_t power = bytes & -bytes;
    return power < most ? power : most;
}

/* Returns whether the fields of a table are in order, and between them and at the end there is less than what the
 * alignment of the next one, or of the structure, may leave free. */
static bool covers(const snapshot_table *t)
{
    uint32_t end = begins_with_size(t) ? sizeof(size_t) : 0;
    tables++;
    for (unsigned i = 0; i < t->count; i++) {
        const snapshot_field *f = &t->fields[i];
        const uint32_t bytes = f->kind == FIELD_KIND_TABLE ? f->of->bytes : f->element;
        if (!t->partial && (f->offset < end || f->offset - end >= alignment(bytes, 8))) {
            printf("%s: the member before %s is in no field, or %s is not in order\n", t->name, f->name,
                   f->name);
            return false;
        }
        end = f->offset + f->bytes;
        if (f->kind == FIELD_KIND_TABLE && !covers(f->of))
            return false;
    }
    if (!t->partial && t->bytes - end >= alignment(t->bytes, HOST_LINE)) {
        printf("%s: the last member is in no field\n", t->name);
        return false;
    }
    return true;
}

static bool all_covered(void)
{
    bool good = true;
    for (unsigned list = 0; machine_tables[list] != NULL; list++)
        for (unsigned i = 0; machine_tables[list][i] != NULL; i++)
            good &= covers(machine_tables[list][i]);
    printf("%u tables\n", tables);
    return good;
}

/* ---- every field --------------------------------------------------------------------------------------- */

static p5_machine *open_guest(const char *guest, const char *kind)
{
    static const char *const none[] = {NULL};
    const p5_share share = {.size = sizeof share, .host = ".", .guest = "/data", .writable = true};
    const p5_machine_options options = {
        .size = sizeof options, .shares = &share, .share_count = 1, .console = nothing};
    const char *const arguments[] = {guest, NULL};
    p5_machine *m;
    p5_error error = {0};
    if (p5_machine_open(&options, &m, &error) != P5_OK)
        fail("open", &error);
    p5_status status = strcmp(kind, "linux") == 0  ? p5_machine_load_linux(m, guest, arguments, none, &error)
                       : strcmp(kind, "disk") == 0 ? p5_machine_load_disk(m, guest, &error)
                       : strcmp(kind, "dos") == 0  ? p5_machine_load_dos(m, guest, arguments, none, &error)
                                                   : p5_machine_load_flat(m, guest, 0x8000, &error);
    if (status != P5_OK)
        fail(guest, &error);
    return m;
}

static p5_status load(const char *guest, p5_error *error)
{
    const p5_share share = {.size = sizeof share, .host = ".", .guest = "/data", .writable = true};
    const p5_machine_options options = {
        .size = sizeof options, .shares = &share, .share_count = 1, .image = guest, .console = nothing};
    p5_machine *m;
    p5_status status = p5_machine_restore(path, &options, &m, error);
    p5_machine_close(m);
    return status;
}

static const snapshot_field *field_of(const snapshot_part *part)
{
    const snapshot_field *field = NULL;
    for (unsigned list = 0; machine_tables[list] != NULL && field == NULL; list++)
        field = snapshot_field_of(machine_tables[list], part);
    return field;
}

/* Returns whether the snapshot is refused with the field's name if a number of `part` is beyond the field's limits: its
 * last number, or all characters of a text. Returns true for a field without limits; *limited counts the others. */
static bool refused(snapshot_sections *all, snapshot_section *section, const snapshot_part *part,
                    const snapshot_field *field, const char *guest, unsigned *limited)
{
    uint64_t index = part->type >= SNAPSHOT_TEXT ? 0 : part->count - 1;
    char name[600];
    p5_error error = {0};
    unsigned char *kept = malloc(section->size);
    if (kept == NULL)
        abort();
    memcpy(kept, section->bytes, section->size);
    bool wrong = snapshot_forbid(field, part, index, section->bytes + part->at);
    p5_status status = P5_ERR_FORMAT;
    snprintf(name, sizeof name, "%s.%s", part->table, part->field);
    if (wrong) {
        (*limited)++;
        snapshot_section_changed(section);
        snapshot_sections_write(path, all);
        status = load(guest, &error);
        memcpy(section->bytes, kept, section->size);
        snapshot_section_changed(section);
    }
    free(kept);
    if (!wrong || (status == P5_ERR_FORMAT && strncmp(error.message, name, strlen(name)) == 0))
        return true;
    printf("%s has a wrong value: %s\n", name, status == P5_OK ? "it was loaded" : error.message);
    return false;
}

/* Sets the field "table.field" in the first section that has it. */
static void put_number(snapshot_sections *all, const char *name, uint64_t value)
{
    for (unsigned i = 0; i < SNAPSHOT_SECTIONS; i++) {
        snapshot_section *section = &all->section[i];
        snapshot_parts parts = {.data = section->bytes, .size = section->size};
        snapshot_part part;
        char found[600];
        while (snapshot_parts_next(&parts, &part)) {
            snprintf(found, sizeof found, "%s.%s", part.table, part.field);
            if (strcmp(found, name) != 0)
                continue;
            memcpy(section->bytes + part.at, &value, part.size);
            snapshot_section_changed(section);
            return;
        }
    }
    fprintf(stderr, "no %s\n", name);
    exit(1);
}

/* Returns whether a fetch before clock 0 is refused. core.now is 40 and the clock of the fetch, which is relative to it,
 * is -41. Each of the two numbers is valid by itself. */
static bool early_fetch_refused(snapshot_sections *all, const char *guest)
{
    static const char clock[] = "pipe_state.prefetch.clock";
    p5_error error = {0};
    put_number(all, "core.now", 40);
    put_number(all, "bus.counted_all", 0); /* at most the clocks for which the bus was in use */
    put_number(all, "bus.counted_own", 0);
    put_number(all, "pipe_state.prefetch.redirect", 0);
    put_number(all, clock, (uint64_t)-41);
    snapshot_sections_write(path, all);
    if (load(guest, &error) == P5_ERR_FORMAT && strncmp(error.message, clock, strlen(clock)) == 0)
        return true;
    printf("a fetch at clock -1: %s\n", error.message);
    return false;
}

/* Returns whether every invalid field of a guest's snapshot is refused. */
static bool all_refused(const char *guest, const char *kind)
{
    const p5_limits limits = {.size = sizeof limits, .max_instructions = 60};
    p5_run_result result = {.size = sizeof result};
    p5_error error = {0};
    p5_machine *m = open_guest(guest, kind);
    unsigned fields = 0, limited = 0;
    if (p5_machine_run(m, &limits, &result, &error) != P5_OK ||
        p5_machine_save(m, path, NULL, &error) != P5_OK)
        fail("save", &error);
    p5_machine_close(m);
    snapshot_sections all;
    snapshot_sections_read(path, &all);
    for (unsigned i = 0; i < SNAPSHOT_SECTIONS; i++) {
        snapshot_section *section = &all.section[i];
        snapshot_parts parts = {.data = section->bytes, .size = section->size};
        snapshot_part part;
        while (snapshot_parts_next(&parts, &part)) {
            const snapshot_field *field = field_of(&part);
            fields++;
            /* raw bytes, empty lists and strings, and single numbers (snapshot_number) have no limits in a table */
            if (part.type == 0 || part.count == 0 || strcmp(part.field, "number") == 0)
                continue;
            if (field == NULL) {
                printf("no table has %s.%s\n", part.table, part.field);
                return false;
            }
            if (!refused(&all, section, &part, field, guest, &limited))
                return false;
        }
    }
    bool good = early_fetch_refused(&all, guest);
    snapshot_sections_free(&all);
    printf("%s: %u fields, %u of them with limits\n", guest, fields, limited);
    return good && limited > 100;
}

/* ---- a snapshot of the first build of the format ------------------------------------------------------- */

/* 32-bit code: two nested loops with stores, stack, multiplications and x87. Both jumps lead into the second byte of an
 * instruction, which was an error, but the fixtures contain the same code. */
static const uint8_t code[] = {
    0xbc, 0,    0,    0x20, 0,          /* mov esp,200000h */
    0xba, 20,   0,    0,    0,          /* mov edx,20 */
    0xbe, 0,    0,    0x18, 0,          /* mov esi,180000h; its second byte: add [eax],al; sbb [eax],al */
    0xb9, 0,    1,    0,    0,          /* mov ecx,256 */
    0x8b, 0x06, 0x01, 0xc8,             /* mov eax,[esi] (its second byte: push es); add eax,ecx */
    0x0f, 0xaf, 0xc2,                   /* imul eax,edx */
    0x89, 0x06, 0x83, 0xc6, 0x40,       /* mov [esi],eax; add esi,64 */
    0xd9, 0xe8, 0xd8, 0xc0, 0xdd, 0xd8, /* fld1; fadd st,st(0); fstp st(0) */
    0x50, 0x5b, 0x49, 0x75, 0xea,       /* push eax; pop ebx; dec ecx; jnz (push es) */
    0x4a, 0x75, 0xdd,                   /* dec edx; jnz (add [eax],al) */
    0x31, 0xc0, 0xe6, 0xf4,             /* xor eax,eax; out 0f4h,al: the guest exits */
};
enum { POINT = 12345 }; /* instructions before the snapshot */

/* Returns a machine that has run the code up to `limits`. */
static p5_machine *fresh(const char *model, p5_limits limits)
{
    const p5_machine_options options = {
        .size = sizeof options, .model = model, .memory_bytes = 2 << 20, .console = nothing};
    p5_machine *m;
    p5_run_result result = {.size = sizeof result};
    p5_error error = {0};
    FILE *out = fopen(path, "wb");
    if (out == NULL || fwrite(code, sizeof code, 1, out) != 1 || fclose(out) != 0)
        abort();
    if (p5_machine_open(&options, &m, &error) != P5_OK ||
        p5_machine_load_flat(m, path, 0x100000, &error) != P5_OK ||
        p5_machine_run(m, &limits, &result, &error) != P5_OK)
        fail("a fresh run", &error);
    return m;
}

static void run_to_end(p5_machine *m)
{
    const p5_limits limits = {.size = sizeof limits, .max_instructions = 10000000};
    p5_run_result result = {.size = sizeof result};
    p5_error error = {0};
    if (p5_machine_run(m, &limits, &result, &error) != P5_OK || result.end != P5_END_EXIT)
        fail("to the end", &error);
}

/* Returns whether the fixture's machine counts the same from POINT to the end as one that has run from the start. */
static bool goes_on(const char *fixture, const char *model)
{
    static p5_counts before, loaded, whole;
    p5_error error = {0};
    p5_machine *m,
        *from_start = fresh(model, (p5_limits){.size = sizeof(p5_limits), .max_instructions = POINT});
    const p5_machine_options options = {.size = sizeof options, .console = nothing};
    if (p5_machine_restore(fixture, &options, &m, &error) != P5_OK)
        fail(fixture, &error);
    p5_machine_counts(m, &before);
    run_to_end(m);
    p5_machine_counts(m, &loaded);
    p5_counts_subtract(&loaded, &before);
    p5_machine_counts(from_start, &before);
    run_to_end(from_start);
    p5_machine_counts(from_start, &whole);
    p5_counts_subtract(&whole, &before);
    bool same = memcmp(&loaded, &whole, sizeof whole) == 0 &&
                p5_machine_instructions(m) == p5_machine_instructions(from_start);
    printf("%s: %llu clocks after it, %llu in a fresh run\n", fixture, (unsigned long long)loaded.clocks[0],
           (unsigned long long)whole.clocks[0]);
    p5_machine_close(m);
    p5_machine_close(from_start);
    return same;
}

int main(int argc, char **argv)
{
    p5_error error = {0};
    if (argc < 4 || (argc != 5 && argv[2][0] == '-'))
        return 2;
    path = argv[1];
    bool good = true;
    if (strcmp(argv[2], "--write") == 0) {
        p5_machine *m = fresh(argv[4], (p5_limits){.size = sizeof(p5_limits), .max_instructions = POINT});
        if (p5_machine_save(m, argv[3], NULL, &error) != P5_OK)
            fail("save", &error);
        p5_machine_close(m);
    } else if (strcmp(argv[2], "--read") == 0) {
        good = goes_on(argv[3], argv[4]);
    } else {
        good = all_covered();
        for (int i = 2; i + 1 < argc && good; i += 2)
            good = all_refused(argv[i], argv[i + 1]);
    }
    remove(path);
    return good ? 0 : 1;
}
