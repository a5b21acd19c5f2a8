/* The law of snapshots: a run to a random point, saved, loaded into another machine and continued is the run
 * that was not interrupted. Compared are totals, clock, instructions, output, how it ended, and at the limit
 * registers, memory, monitor, devices and the core's structures.
 *
 *   snapshot_law MODEL AGENT|WIRES|- SNAPSHOT POINTS LIMIT KIND GUEST [ARGUMENT...]
 *
 * KIND: linux, elf, multiboot, disk, flat=ADDRESS. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../unit/base/snapshot_bytes.h"
#include "../../unit/base/snapshot_parts.h"
#include "core/snapshot.h"
#include "machine/board/devices.h"
#include "machine/state.h"
#include "p5scope/snapshot.h"
#include "pmu/pmu_snapshot.h"

typedef struct setting {
    const char *model, *agent, *wires, *snapshot, *kind;
    char **guest;
    uint64_t limit;
} setting;

static FILE *output; /* of the guest: descriptor 1 */
static char *text;
static size_t text_size;

static void console(void *context, const void *bytes, size_t size)
{
    (void)context;
    if (write(STDOUT_FILENO, bytes, size) != (ssize_t)size)
        abort();
}

/* Keys for guests that read: the same whenever the machine began. */
static int input(void *context, uint8_t *byte, bool idle)
{
    static const char keys[] = "help\nlist\nquit\n";
    size_t *next = context;
    (void)idle;
    if (*next >= sizeof keys - 1)
        return -1;
    *byte = (uint8_t)keys[(*next)++];
    return 1;
}

static void fail(const char *what, const p5_error *error)
{
    fprintf(stderr, "%s: %s%s%s\n", what, error->where, error->where[0] != '\0' ? ": " : "", error->message);
    exit(1);
}

/* ---- the state of a machine, piece by piece ------------------------------------------------------------ */

typedef struct piece {
    char name[512];
    uint64_t size, sum;
} piece;
typedef struct state {
    piece *pieces;
    size_t count, room;
} state;

static uint64_t sum_of(uint64_t sum, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* Only of the pages that hold something. */
static uint64_t memory_sum(const uint8_t *ram, size_t size)
{
    uint64_t sum = 0;
    for (size_t at = 0; at < size; at += PAGE_BYTES)
        if (ram[at] != 0 || memcmp(ram + at, ram + at + 1, PAGE_BYTES - 1) != 0)
            sum = sum_of(sum ^ at, ram + at, PAGE_BYTES);
    return sum;
}

static void add_piece(state *s, const char *name, const void *bytes, size_t size)
{
    if (s->count == s->room) {
        s->room = s->room * 2 + 64;
        s->pieces = realloc(s->pieces, s->room * sizeof *s->pieces);
        if (s->pieces == NULL)
            abort();
    }
    piece *p = &s->pieces[s->count++];
    *p = (piece){.size = size, .sum = sum_of(0, bytes, size)};
    snprintf(p->name, sizeof p->name, "%s", name);
}

static void add_parts(state *s, const snapshot_bytes *b)
{
    snapshot_parts parts = {.data = b->data, .size = b->size};
    snapshot_part part;
    char name[sizeof s->pieces->name];
    while (snapshot_parts_next(&parts, &part)) {
        snprintf(name, sizeof name, "%.250s.%.250s", part.table, part.field);
        add_piece(s, name, b->data + part.at, (size_t)part.count * part.size);
    }
}

static state state_of(p5_machine *m)
{
    state s = {0};
    snapshot_bytes bytes = {0};
    snapshot saved = {.write = snapshot_bytes_put, .context = &bytes};
    p5_counts counts;
    uint8_t x87[108];
    engine_segment segment;
    p5_machine_counts(m, &counts);
    add_piece(&s, "counts", &counts, sizeof counts);
    uint64_t clock = p5_machine_clock(m), instructions = p5_machine_instructions(m);
    add_piece(&s, "clock", &clock, sizeof clock);
    add_piece(&s, "instructions", &instructions, sizeof instructions);
    for (engine_register r = ENGINE_EAX; r <= ENGINE_CR4; r++) {
        uint32_t value = engine_get(m->engine, r);
        char name[32];
        snprintf(name, sizeof name, "register %u", (unsigned)r);
        add_piece(&s, name, &value, sizeof value);
    }
    for (engine_segment_name r = ENGINE_ES; r <= ENGINE_TR; r++) {
        memset(&segment, 0, sizeof segment);
        engine_get_segment(m->engine, r, &segment);
        add_piece(&s, "segment", &segment, sizeof segment);
    }
    engine_get_x87(m->engine, x87);
    add_piece(&s, "x87", x87, sizeof x87);
    add_piece(&s, "ram", NULL, 0);
    s.pieces[s.count - 1].sum =
        memory_sum(engine_ram(m->engine, 0, m->options.memory_bytes), m->options.memory_bytes);
    pmu_transfer(m->pmu, &saved);
    devices_transfer(m->devices, &saved);
    core_transfer(m->core, &saved);
    add_parts(&s, &bytes);
    free(bytes.data);
    return s;
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

static p5_machine_options options_of(const setting *t, size_t *keys)
{
    return (p5_machine_options){.size = sizeof(p5_machine_options),
                                .model = t->model,
                                .agent = t->agent,
                                .wires = t->wires,
                                .console = console,
                                .input = input,
                                .input_context = keys};
}

static p5_machine *open_guest(const setting *t, size_t *keys)
{
    static const char *const environment[] = {"HOME=/", NULL};
    p5_machine_options options = options_of(t, keys);
    p5_machine *m;
    p5_error error = {0};
    p5_share share = {.size = sizeof share, .host = ".", .guest = "/data", .writable = true};
    const char *path = t->guest[0];
    options.shares = &share;
    options.share_count = strcmp(t->kind, "linux") == 0;
    options.permissive = strstr(path, "glibc") != NULL;
    options.pce = strcmp(t->kind, "linux") == 0 && strncmp(t->model, "p55c", 4) == 0;
    if (p5_machine_open(&options, &m, &error) != P5_OK)
        fail("open", &error);
    p5_status status =
        strcmp(t->kind, "linux") == 0
            ? p5_machine_load_linux(m, path, (const char *const *)t->guest, environment, &error)
        : strcmp(t->kind, "elf") == 0       ? p5_machine_load_elf(m, path, &error)
        : strcmp(t->kind, "multiboot") == 0 ? p5_machine_load_multiboot(m, path, &error)
        : strcmp(t->kind, "disk") == 0
            ? p5_machine_load_disk(m, path, &error)
            : p5_machine_load_flat(m, path, (uint32_t)strtoul(strchr(t->kind, '=') + 1, NULL, 0), &error);
    if (status != P5_OK)
        fail(path, &error);
    return m;
}

static void run_to(p5_machine *m, uint64_t instructions, p5_run_result *result)
{
    p5_limits limits = {.size = sizeof limits, .max_instructions = instructions};
    p5_error error = {0};
    if (p5_machine_run(m, &limits, result, &error) != P5_OK)
        fail("run", &error);
}

static char *take_output(size_t *size)
{
    struct stat about;
    if (fstat(STDOUT_FILENO, &about) != 0)
        abort();
    char *bytes = malloc((size_t)about.st_size + 1);
    *size = (size_t)about.st_size;
    if (bytes == NULL || pread(STDOUT_FILENO, bytes, *size, 0) != (ssize_t)*size ||
        ftruncate(STDOUT_FILENO, 0) != 0)
        abort();
    lseek(STDOUT_FILENO, 0, SEEK_SET);
    return bytes;
}

static p5_machine *load(const setting *t, size_t *keys)
{
    p5_machine *m;
    p5_error error = {0};
    p5_machine_options options = options_of(t, keys);
    const p5_share share = {.size = sizeof share, .host = ".", .guest = "/data", .writable = true};
    options.shares = &share; /* a snapshot grants nothing of the host */
    options.share_count = strcmp(t->kind, "linux") == 0;
    options.image = t->guest[0];
    if (p5_machine_restore(t->snapshot, &options, &m, &error) != P5_OK)
        fail("load", &error);
    return m;
}

/* A guest that has a pipe or an unlinked file open is saved a little later. */
static void save(p5_machine *m, const setting *t)
{
    enum { LATER = 50 };
    p5_error error = {0};
    p5_status status = p5_machine_save(m, t->snapshot, NULL, &error);
    for (p5_run_result part = {.size = sizeof part}; status == P5_ERR_UNSUPPORTED;) {
        run_to(m, p5_machine_instructions(m) + LATER, &part);
        status = p5_machine_save(m, t->snapshot, NULL, &error);
    }
    if (status != P5_OK)
        fail("save", &error);
}

static unsigned differences(const state *a, const state *b)
{
    unsigned found = 0;
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (strcmp(a->pieces[i].name, b->pieces[i].name) != 0 || a->pieces[i].sum != b->pieces[i].sum) {
            fprintf(stderr, "  %s differs\n", a->pieces[i].name);
            found++;
        }
    return found + (a->count != b->count);
}

static uint64_t random_state;
static uint64_t random_number(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

int main(int argc, char **argv)
{
    if (argc < 8)
        return 2;
    setting t = {.model = argv[1],
                 .agent = argv[2][0] != '-' && argv[2][0] != 'p' ? argv[2] : NULL,
                 .wires = argv[2][0] == 'p' ? argv[2] : NULL,
                 .snapshot = argv[3],
                 .limit = strtoull(argv[5], NULL, 0),
                 .kind = argv[6],
                 .guest = argv + 7};
    unsigned points = (unsigned)strtoul(argv[4], NULL, 0);
    size_t keys = 0;
    output = tmpfile();
    if (output == NULL || dup2(fileno(output), STDOUT_FILENO) < 0)
        abort();

    p5_run_result whole = {.size = sizeof whole}, part = {.size = sizeof part};
    p5_machine *m = open_guest(&t, &keys);
    run_to(m, t.limit, &whole);
    uint64_t end = p5_machine_instructions(m);
    state expected = state_of(m);
    p5_machine_close(m);
    text = take_output(&text_size);

    if (end < 2)
        end = 2; /* a point after one instruction, then */
    size_t text_size_now;
    const char *slash = strrchr(argv[7], '/'), *name = slash != NULL ? slash + 1 : argv[7];
    random_state = sum_of(0, name, strlen(name)) ^ sum_of(1, t.model, strlen(t.model)); /* wherever it lies */
    for (unsigned i = 0; i < points; i++) {
        uint64_t first = 1 + random_number() % (end - 1), second = first + random_number() % (end - first);
        keys = 0;
        m = open_guest(&t, &keys);
        run_to(m, first, &part);
        if (part.end != P5_END_INSTRUCTIONS) { /* it has ended after its last instruction */
            p5_machine_close(m);
            free(take_output(&text_size_now));
            continue;
        }
        save(m, &t);
        p5_machine_close(m);
        m = load(&t, &keys);
        if (i % 2 == 1 && second > first) { /* and once more, from the machine that was loaded */
            run_to(m, second, &part);
            save(m, &t);
            p5_machine_close(m);
            m = load(&t, &keys);
        }
        run_to(m, t.limit, &part);
        state got = state_of(m);
        p5_machine_close(m);
        size_t size;
        char *bytes = take_output(&size);
        bool same = size == text_size && memcmp(bytes, text, size) == 0 && part.end == whole.end &&
                    part.status == whole.status && part.address == whole.address;
        if (!same)
            fprintf(stderr, "  ended %d/%d with %d/%d at %08x/%08x, %zu/%zu bytes of output\n", (int)part.end,
                    (int)whole.end, part.status, whole.status, part.address, whole.address, size, text_size);
        if (differences(&expected, &got) > 0 || !same) {
            fprintf(stderr, "%s on %s: saved behind %llu%s of %llu instructions, the rest differs\n", argv[7],
                    t.model, (unsigned long long)first, i % 2 == 1 ? " and once more" : "",
                    (unsigned long long)end);
            return 1;
        }
        free(bytes);
        free(got.pieces);
    }
    fprintf(stderr, "%s on %s: %u points in %llu instructions\n", argv[7], t.model, points,
            (unsigned long long)end);
    free(expected.pieces);
    free(text);
    unlink(t.snapshot);
    return 0;
}
