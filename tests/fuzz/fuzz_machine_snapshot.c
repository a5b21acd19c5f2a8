/* Loads snapshots with valid checksums and wrong contents. An input selects the guest that is saved, and the numbers of
 * its snapshot that change. The snapshot is refused with a message, or is loaded and runs for some instructions. The
 * machine can then be saved and loaded once more.
 *
 *   input    guest | change | change ...
 *   change   field (2 bytes), number in it (2), how (1), value (8)
 */
#include <string.h>
#include <unistd.h>

#include "../unit/base/snapshot_parts.h"
#include "../tool/snapshot/snapshot_sections.h"
#include "elf.h"
#include "fuzz.h"
#include "machine/snapshot/machine_tables.h"
#include "p5tool/report.h"
#include "p5scope/snapshot.h"

enum { CHANGE_BYTES = 13, GUESTS = 6, PARTS = 4096 };

/* A number, or an array of numbers, in a snapshot. */
typedef struct place {
    unsigned section;
    snapshot_part part;
    const snapshot_field *field; /* NULL: bytes of memory */
} place;

typedef struct saved_guest {
    snapshot_sections sections;
    place places[PARTS];
    unsigned count;
    uint64_t instructions, clock;
} saved_guest;

/* Calls dup(1) once, and then getpid() and brk() in a loop with loads, stores and x87 instructions. */
static const uint8_t linux_code[] = {0xb8, 0x29, 0,    0,    0,    0xbb, 0x01, 0,    0,    0,
                                     0xcd, 0x80,                                           /* dup(1) */
                                     0xb8, 0x14, 0,    0,    0,    0xcd, 0x80,             /* again: getpid */
                                     0xb8, 0x2d, 0,    0,    0,    0x31, 0xdb, 0xcd, 0x80, /* brk(0) */
                                     0x89, 0x44, 0x24, 0xf0, 0x8b, 0x54, 0x24, 0xf0, 0x01, 0xd6,
                                     0xd9, 0xe8, 0xde, 0xc1, 0xd9, 0xee, 0xe2, 0xde, 0xeb, 0xdc};
/* Reads ports, an MSR, CR0 and DR6 in a loop, sets the timer, and executes x87 and stack instructions, at CPL 0. */
static const uint8_t bare_code[] = {
    0xbc, 0,    0,    0x20, 0,                      /* mov esp, 200000h */
    0xe4, 0x40, 0xe4, 0x21, 0xe4, 0x71, 0xe4, 0x60, /* in al: timer, controller, clock, keyboard */
    0xb0, 0x36, 0xe6, 0x43, 0xb0, 0x10, 0xe6, 0x40, 0xe6,
    0x40, 0x31, 0xc9, 0x0f, 0x31, 0x0f, 0x32,          /* rdtsc, rdmsr */
    0x0f, 0x20, 0xc0, 0x0f, 0x21, 0xf0,                /* cr0, dr6 */
    0xd9, 0xe8, 0xd8, 0xc1, 0xdd, 0xd8,                /* x87 */
    0x50, 0x58, 0xff, 0x04, 0x25, 0,    0,    0x18, 0, /* push, pop, inc [180000h] */
    0x41, 0x75, 0xfd, 0xeb, 0xcd};

static void fail(const char *what, const p5_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    abort();
}

static void find_places(saved_guest *g)
{
    for (unsigned i = 0; i < SNAPSHOT_SECTIONS; i++) {
        snapshot_parts parts = {.data = g->sections.section[i].bytes, .size = g->sections.section[i].size};
        place *p = &g->places[g->count];
        while (g->count < PARTS && snapshot_parts_next(&parts, &p->part)) {
            p->section = i;
            for (unsigned list = 0; machine_tables[list] != NULL && p->field == NULL; list++)
                p->field = snapshot_field_of(machine_tables[list], &p->part);
            p = &g->places[++g->count];
        }
    }
}

/* Makes one of the guests and saves it: in Linux, protected mode or real mode, each on both processors. */
static void make_guest(saved_guest *g, unsigned which)
{
    static const char *const none[] = {NULL};
    static uint8_t bytes[ELF_CODE + 4096];
    p5_machine_options options = {.size = sizeof options,
                                  .model = which % 2 == 0 ? "p55c-200" : "p54c-133",
                                  .console = fuzz_discard,
                                  .memory_bytes = 4 << 20};
    const p5_limits limits = {.size = sizeof limits, .max_instructions = 777 + which};
    p5_machine *m;
    p5_run_result result = {.size = sizeof result};
    p5_error error = {0};
    p5_status status = p5_machine_open(&options, &m, &error);
    if (status != P5_OK)
        fail("open", &error);
    if (which / 2 == 0) {
        memcpy(bytes + ELF_CODE, linux_code, sizeof linux_code);
        fuzz_file file = fuzz_file_make("guest", bytes, elf_make(bytes, sizeof linux_code, 4096, ELF_LINUX));
        const char *const arguments[] = {file.path, NULL};
        status = p5_machine_load_linux(m, file.path, arguments, none, &error);
    } else {
        fuzz_file file = fuzz_file_make("guest", bare_code, sizeof bare_code);
        status = which / 2 == 1 ? p5_machine_load_flat(m, file.path, 0x100000, &error)
                                : p5_machine_load_real(m, file.path, 0x1000, 0, &error);
    }
    fuzz_file saved = fuzz_file_make("saved", "", 0);
    if (status != P5_OK || p5_machine_run(m, &limits, &result, &error) != P5_OK ||
        p5_machine_save(m, saved.path, NULL, &error) != P5_OK)
        fail("a guest to be changed", &error);
    g->instructions = p5_machine_instructions(m);
    g->clock = p5_machine_clock(m);
    p5_machine_close(m);
    snapshot_sections_read(saved.path, &g->sections);
    find_places(g);
    LAW(g->count > 100);
}

static uint64_t read_value(fuzz_input *in)
{
    uint64_t low = fuzz_word(in);
    return low | (uint64_t)fuzz_word(in) << 32;
}

/* Returns the new value of a number. Half of them are permitted by the field. */
static uint64_t new_value(const snapshot_field *f, uint64_t old, unsigned how, uint64_t value, uint64_t clock)
{
    switch (how % 8) {
    case 0:
        return old ^ UINT64_C(1) << value % 64;
    case 1:
        return old + value % 33 - 16;
    case 2:
        return value;
    case 3:
        return value % 2 == 0 ? 0 : UINT64_MAX;
    default:
        break;
    }
    if (f == NULL)
        return value;
    if (f->kind == FIELD_KIND_BITS)
        return value & f->most;
    if (f->kind == FIELD_KIND_TIME || f->kind == FIELD_KIND_DEADLINE)
        return how % 8 == 4 ? clock + value % 4096 : how % 8 == 5 ? clock - value % 4096 : value % clock;
    uint64_t span = f->most - (uint64_t)f->least;
    return (uint64_t)f->least + (span == UINT64_MAX ? value : value % (span + 1));
}

/* Loads a snapshot. Returns NULL if it is refused, which needs a message. */
static p5_machine *load(const char *path)
{
    p5_machine_options options = {.size = sizeof options, .console = fuzz_discard};
    p5_machine *m;
    p5_error error = {0};
    p5_status status = p5_machine_restore(path, &options, &m, &error);
    LAW(status == P5_OK || (m == NULL && error.message[0] != '\0'));
    if (getenv("P5_FUZZ_TELL") != NULL)
        printf("%s\n", status == P5_OK ? "loaded" : error.message);
    return m;
}

static void run(p5_machine *m, unsigned instructions)
{
    const p5_limits limits = {.size = sizeof limits,
                              .max_instructions = p5_machine_instructions(m) + instructions,
                              .max_clocks = p5_machine_clock(m) + 100 * instructions,
                              .timeout_seconds = 1};
    p5_run_result result = {.size = sizeof result};
    p5_error error = {0};
    unsigned checked;
    uint64_t before = p5_machine_instructions(m);
    p5_machine_run(m, &limits, &result, &error);
    fuzz_figures_now.instructions += p5_machine_instructions(m) - before;
    p5_laws_check_machine(m, NULL,
                          &checked); /* the snapshot's totals may break them, but the check must end */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static saved_guest *guests[GUESTS];
    fuzz_input in = {data, size};
    unsigned which = fuzz_byte(&in) % GUESTS;
    if (guests[which] == NULL) {
        guests[which] = calloc(1, sizeof *guests[which]);
        LAW(guests[which] != NULL);
        make_guest(guests[which], which);
    }
    saved_guest *g = guests[which];
    snapshot_sections changed = g->sections;
    bool own[SNAPSHOT_SECTIONS] = {false};
    while (in.size >= CHANGE_BYTES) {
        unsigned where = (unsigned)fuzz_byte(&in) << 8 | fuzz_byte(&in);
        unsigned index = (unsigned)fuzz_byte(&in) << 8 | fuzz_byte(&in), how = fuzz_byte(&in);
        uint64_t value = read_value(&in), old = 0;
        const place *p = &g->places[where % g->count];
        snapshot_section *section = &changed.section[p->section];
        if (!own[p->section]) {
            own[p->section] = true;
            section->stored = NULL;
            section->bytes = malloc(section->size + 1);
            LAW(section->bytes != NULL);
            memcpy(section->bytes, g->sections.section[p->section].bytes, section->size);
        }
        if (p->part.count == 0)
            continue;
        size_t bytes = p->part.size < sizeof old ? p->part.size : sizeof old;
        unsigned char *at = section->bytes + p->part.at + (size_t)(index % p->part.count) * p->part.size;
        memcpy(&old, at, bytes);
        value = new_value(p->field, old, how, value, g->clock);
        memcpy(at, &value, bytes);
    }
    char path[64];
    snprintf(path, sizeof path, "%s/changed", fuzz_folder());
    snapshot_sections_write(path, &changed);
    for (unsigned i = 0; i < SNAPSHOT_SECTIONS; i++)
        if (own[i]) {
            free(changed.section[i].bytes);
            free(changed.section[i].stored);
        }
    p5_machine *m = load(path);
    if (m == NULL)
        return 0;
    p5_error error = {0};
    run(m, size % 32 == 0 ? 10000 : 300);
    if (size % 8 == 0 && p5_machine_save(m, path, NULL, &error) == P5_OK) {
        p5_machine *again = load(path);
        LAW(again != NULL);
        p5_machine_close(again);
    }
    p5_machine_close(m);
    return 0;
}
