/* Runs whole machines with hostile guests (image.h). Whatever a guest does, p5scope does not fail, and the laws of the
 * counts hold. A second run, made in another way (`again`), has the same result. The input begins with a header:
 *
 *   kind, model, flags, extra, again, size, more   a byte each, which plan_make describes
 *   piece, seed                                    4 bytes each
 *   ...
 *   LAST_*                                         a byte each, the last of the header
 */
#include <string.h>
#include <time.h>

#include "../property/random_model.h"
#include "core/model/model.h"
#include "image.h"
#include "machine/state.h"
#include "p5scope/profile.h"
#include "p5scope/snapshot.h"
#include "p5tool/report.h"
#include "p5tool/trace.h"

#define TIMEOUT_SECONDS 4 /* of the host */

/* The header's last bytes. They choose what takes much time, which most of their values do not. */
enum {
    LAST_LONGER, /* below 0x40: the run may be up to 16 times as long */
    LAST_LONG,   /* from 0xf8: the run is 4096 times as long */
    LAST_MEMORY, /* from 0xe0: up to 4 MB of RAM */
    LAST_AGAIN,  /* below 0x20: there is a second run */
    LAST
};
_Static_assert(7 + 2 * 4 + LAST <= IMAGE_HEADER_BYTES, "the last bytes overlap no others");

/* How the guest is run a second time. */
typedef enum again {
    AGAIN_NOT,
    AGAIN_THREADS,
    AGAIN_MEMO_OFF,
    AGAIN_MEMO_CHECK, /* the memo and the exact path are compared after every stretch */
    AGAIN_PIECES,
    AGAIN_SNAPSHOT,
    AGAIN_PROFILE,
    AGAIN_TRACE,
    AGAIN_FORWARD, /* fast-forwarded at first, so that its counts differ: only the laws are checked */
    AGAIN_COUNT
} again;

typedef struct plan {
    image image;
    p5_machine_options options;
    p5_limits limits;
    again again;
    /* Instructions of a piece of the second run, before its snapshot, or to fast-forward. Otherwise a random number. */
    uint32_t piece;
    bool
        failing_cycles; /* some bus cycles fail (p5_machine_options.check or the model's), which needs the exact path */
} plan;

/* ---- what an input says -------------------------------------------------------------------------------- */

/* p5_machine_options.input: gives bytes that depend only on the number of calls, and none in every third call. */
static int give_byte(void *context, uint8_t *byte, bool idle)
{
    uint64_t *count = context; /* guest.input_calls */
    (void)idle;
    *byte = (uint8_t)(*count * 41);
    return ++*count % 3 == 0 ? 0 : 1;
}

/* Chooses a random model, with the bus master, wires and failing cycles of its board. */
static void random_board(plan *p, uint32_t seed)
{
    static char path[64];
    p5_model *model = random_model(seed);
    p->failing_cycles = model->check.cycle != CHECK_NONE;
    snprintf(path, sizeof path, "%s/model.ini", fuzz_folder());
    FILE *out = fopen(path, "w");
    LAW(out != NULL);
    random_model_print(out, model);
    LAW(fclose(out) == 0);
    p5_model_close(model);
    p->options.model = path;
}

/* Limits a run. Most runs are short, so that there are many. */
static void plan_limits(plan *p, unsigned size, unsigned more, const uint8_t last[LAST])
{
    static const uint8_t longer[8] = {0, 0, 0, 1, 1, 1, 2, 4};
    unsigned times = last[LAST_LONGER] < 0x40 ? longer[size & 7] : 0;
    p->limits = (p5_limits){.size = sizeof p->limits,
                            .max_instructions = (64 + more) << times,
                            .max_clocks = (uint64_t)(2000 + more * 8) << (size >> 3 & 7) << times / 2,
                            .timeout_seconds = TIMEOUT_SECONDS};
    if (last[LAST_LONG] >= 0xf8) { /* the memo makes an instruction of a long run cheaper */
        p->limits.max_instructions *= 4096;
        p->limits.max_clocks *= 4096;
    }
    if (size >= 0xfc && more < 4) { /* only the time ends these runs, so that they fill limited tables */
        p->limits = (p5_limits){.size = sizeof p->limits, .timeout_seconds = 0.7};
        p->again = AGAIN_NOT;
    }
}

static plan plan_make(fuzz_input input)
{
    static const char *const models[] = {"p55c-200", "p54c-133",    "p55c-200",
                                         "p54c-100", "p55c-200-p6", "p55c-200-arch3"};
    static const char *const agents[] = {"dma", "processor"};
    static const char *const wires[] = {"pm0=nmi", "pm0=irq5,pm1=irq1"};
    static const uint8_t kinds[] = {IMAGE_FLAT, IMAGE_FLAT, IMAGE_FLAT, IMAGE_REAL, IMAGE_DISK};
    fuzz_input header = fuzz_part(&input, IMAGE_HEADER_BYTES);
    plan p = {
        .options = {
            .size = sizeof p.options, .console = fuzz_discard, .input = give_byte, .stuck = fuzz_stuck}};
    unsigned kind = fuzz_byte(&header), model = fuzz_byte(&header), flags = fuzz_byte(&header),
             extra = fuzz_byte(&header);
    p.options.model = models[model % (sizeof models / sizeof models[0])];
    p.options.memory_bytes = 1u << 20;
    p.options.permissive = (flags & 0x1c) == 0x1c;
    p.options.disk_writable = (flags & 0x20) != 0;
    if (extra < 0x10)
        p.options.agent = agents[extra & 1];
    else if (extra < 0x20)
        p.options.wires = wires[extra & 1];
    else if (extra < 0x24) {
        p.options.check = "read,address=0x19000";
        p.failing_cycles = true;
    }
    p.again = (again)(fuzz_byte(&header) % AGAIN_COUNT);
    static const uint8_t short_input[LAST] = {0};
    const uint8_t *last = header.size >= LAST ? header.data + header.size - LAST : short_input;
    if (last[LAST_MEMORY] >= 0xe0)
        p.options.memory_bytes <<= (flags & 1) + (flags >> 1 & 1);
    if (last[LAST_AGAIN] >= 0x20)
        p.again = AGAIN_NOT;
    unsigned size = fuzz_byte(&header), more = fuzz_byte(&header);
    plan_limits(&p, size, more, last);
    p.piece = 1 + fuzz_word(&header) % (uint32_t)(p.limits.max_instructions + 1);
    const char *fewer = getenv("P5_FUZZ_INSTRUCTIONS"); /* shortens runs, to find where a difference begins */
    if (fewer != NULL)
        p.limits.max_instructions = strtoull(fewer, NULL, 10);
    if (extra >= 0xd0 && extra < 0xf0)
        random_board(&p, fuzz_word(&header));
    image_make(&p.image, (image_kind)kinds[kind % sizeof kinds], input);
    return p;
}

/* ---- a run --------------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void fail(const char *what, const p5_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    abort();
}

typedef struct guest {
    p5_machine *machine;
    p5_run_result result;
    uint64_t input_calls;
} guest;

/* Opens the machine for a run `how`, with the guest of `file`. */
static void guest_open(guest *g, const plan *p, const fuzz_file *file, again how)
{
    p5_machine_options options = p->options;
    p5_error error = {0};
    g->result.size = sizeof g->result;
    options.input_context = &g->input_calls;
    options.threads = how == AGAIN_THREADS ? 2 : 1;
    options.memo_off = how == AGAIN_MEMO_OFF;
    options.memo_check = how == AGAIN_MEMO_CHECK && !p->failing_cycles;
    if (p5_machine_open(&options, &g->machine, &error) != P5_OK)
        fail("open", &error);
    p5_status status = p->image.kind == IMAGE_FLAT
                           ? p5_machine_load_flat(g->machine, file->path, IMAGE_ADDRESS, &error)
                       : p->image.kind == IMAGE_REAL
                           ? p5_machine_load_real(g->machine, file->path, IMAGE_ADDRESS >> 4, 0, &error)
                           : p5_machine_load_disk(g->machine, file->path, &error);
    if (status != P5_OK)
        fail("load", &error);
}

typedef p5_status run_function(p5_machine *machine, const p5_limits *limits, p5_run_result *result,
                               p5_error *error);

/* Runs the guest to its end or to `limits`, which count from its start. Clocks may exceed their limit by those of one
 * instruction. By how much the time-out is exceeded is reported by the driver, as it depends on the host. */
static void guest_run_by(guest *g, const p5_limits *limits, run_function *run)
{
    p5_error error = {0};
    uint64_t before = p5_machine_clock(g->machine), instructions = p5_machine_instructions(g->machine);
    double begin = seconds_now();
    if (run(g->machine, limits, &g->result, &error) != P5_OK)
        fail("run", &error);
    double past = seconds_now() - begin - limits->timeout_seconds;
    if (past > fuzz_figures_now.past_limit)
        fuzz_figures_now.past_limit = past;
    if (g->result.end == P5_END_FAILED)
        fprintf(stderr, "engine: %s\n", g->result.message);
    LAW(g->result.end != P5_END_FAILED && g->result.end != P5_END_STOPPED);
    LAW(p5_machine_clock(g->machine) >= before);
    if (limits->max_instructions != 0 && p5_machine_instructions(g->machine) > limits->max_instructions)
        fprintf(stderr, "%llu instructions, at most %llu\n",
                (unsigned long long)p5_machine_instructions(g->machine),
                (unsigned long long)limits->max_instructions);
    LAW(limits->max_instructions == 0 || p5_machine_instructions(g->machine) <= limits->max_instructions);
    fuzz_figures_now.instructions += p5_machine_instructions(g->machine) - instructions;
}

static void guest_run(guest *g, const p5_limits *limits)
{
    guest_run_by(g, limits, p5_machine_run);
}

/* Runs the guest in pieces, at most nine. */
static void guest_run_pieces(guest *g, const plan *p)
{
    p5_limits limits = p->limits;
    uint64_t most = limits.max_instructions, piece = p->piece < most / 8 ? most / 8 : p->piece;
    do {
        uint64_t next = p5_machine_instructions(g->machine) + piece;
        limits.max_instructions = next < most ? next : most;
        guest_run(g, &limits);
    } while (g->result.end == P5_END_INSTRUCTIONS && limits.max_instructions < most);
}

/* Runs one piece, saves the machine, loads the snapshot into another machine, and runs that to the end. */
static void guest_run_saved(guest *g, const plan *p, const fuzz_file *file)
{
    fuzz_file saved = fuzz_file_make("snapshot", "", 0);
    p5_limits limits = p->limits;
    p5_error error = {0};
    limits.max_instructions = p->piece < limits.max_instructions ? p->piece : limits.max_instructions;
    guest_run(g, &limits);
    if (g->result.end != P5_END_INSTRUCTIONS)
        return;
    if (p5_machine_save(g->machine, saved.path, NULL, &error) != P5_OK)
        fail("save", &error);
    p5_machine_close(g->machine);
    p5_machine_options options = {.size = sizeof options,
                                  .console = fuzz_discard,
                                  .input = give_byte,
                                  .input_context = &g->input_calls,
                                  .stuck = fuzz_stuck,
                                  .image = file->path,
                                  .disk_writable = p->options.disk_writable};
    if (p5_machine_restore(saved.path, &options, &g->machine, &error) != P5_OK)
        fail("load the snapshot", &error);
    guest_run(g, &p->limits);
}

/* Runs the guest with a profile and writes it in all formats. */
static void guest_run_profiled(guest *g, const plan *p, const fuzz_file *file)
{
    static const char *const events[] = {NULL, NULL, "clocks", "data_read", "branches"};
    p5_error error = {0};
    p5_profile *profile;
    p5_profile_options options = {
        .size = sizeof options, .sample_event = events[p->piece % 5], .sample_period = 1 + p->piece % 50};
    if (p5_profile_start(g->machine, file->path, &options, &error) != P5_OK)
        fail("profile", &error);
    guest_run(g, &p->limits);
    p5_machine_settle(g->machine);
    if (p5_profile_take(g->machine, "image", "", &profile, &error) != P5_OK)
        fail("take the profile", &error);
    FILE *out = fopen("/dev/null", "w");
    LAW(out != NULL && p5_profile_write(out, profile, &error) == P5_OK);
    LAW(p5_profile_write_cachegrind(out, profile, &error) == P5_OK);
    LAW(p5_profile_write_callgrind(out, profile, &error) == P5_OK);
    fclose(out);
    p5_profile_free(profile);
}

/* Runs the guest with a trace of its first 1000 instructions. */
static void guest_run_traced(guest *g, const plan *p)
{
    fuzz_file file = fuzz_file_make("trace", "", 0);
    p5_error error = {0};
    p5_trace *trace;
    const p5_trace_options options = {.size = sizeof options,
                                      .path = file.path,
                                      .format = (p5_trace_format)(p->piece % P5_TRACE_FORMATS),
                                      .every_instructions = 1 + p->piece % 200,
                                      .markers = true,
                                      .pmu = true,
                                      .to = {.kind = P5_BOUND_INSTRUCTION, .at = 1000}};
    if (p5_trace_open(g->machine, &options, &trace, &error) != P5_OK)
        fail("trace", &error);
    guest_run(g, &p->limits);
    if (p5_trace_close(trace, NULL, &error) != P5_OK)
        fail("close the trace", &error);
}

/* Fast-forwards one piece, with or without pricing it, and runs the rest. */
static void guest_run_forward(guest *g, const plan *p)
{
    p5_limits limits = p->limits;
    if (p->piece < limits.max_instructions)
        limits.max_instructions = p->piece;
    guest_run_by(g, &limits, p->piece & 1 ? p5_machine_fast_forward : p5_machine_execute);
    if (g->result.end == P5_END_INSTRUCTIONS)
        guest_run(g, &p->limits);
}

static void guest_check(guest *g)
{
    unsigned checked;
    LAW(p5_laws_check_machine(g->machine, stderr, &checked) == 0);
    LAW(checked > 0);
}

static void same_registers(const engine *a, const engine *b)
{
    for (engine_register r = ENGINE_EAX; r <= ENGINE_CR4; r++)
        if (engine_get(a, r) != engine_get(b, r)) {
            fprintf(stderr, "register %u: %x, again %x\n", (unsigned)r, engine_get(a, r), engine_get(b, r));
            abort();
        }
}

static void same_counts(p5_machine *a, p5_machine *b)
{
    static p5_counts first, second;
    p5_machine_counts(a, &first);
    p5_machine_counts(b, &second);
    for (int id = 0; id < P5_EVENT_COUNT; id++)
        if (memcmp(first.increments[id], second.increments[id], sizeof first.increments[id]) != 0 ||
            memcmp(first.asserted[id], second.asserted[id], sizeof first.asserted[id]) != 0)
            fprintf(stderr, "%s: %llu (%llu clocks), again %llu (%llu clocks)\n",
                    p5_event_describe((enum p5_event)id)->name,
                    (unsigned long long)p5_counts_sum(first.increments[id], P5_CPL_MASK_ALL),
                    (unsigned long long)p5_counts_sum(first.asserted[id], P5_CPL_MASK_ALL),
                    (unsigned long long)p5_counts_sum(second.increments[id], P5_CPL_MASK_ALL),
                    (unsigned long long)p5_counts_sum(second.asserted[id], P5_CPL_MASK_ALL));
    LAW(memcmp(&first, &second, sizeof first) == 0);
}

static void guests_compare(guest *first, guest *second)
{
    p5_machine *a = first->machine, *b = second->machine;
    if (first->result.end == P5_END_TIMEOUT || second->result.end == P5_END_TIMEOUT)
        return; /* the time-out can end a run anywhere */
    if (first->result.end != second->result.end || first->result.address != second->result.address)
        fprintf(stderr, "ends: %d at %x, again %d at %x\n", (int)first->result.end, first->result.address,
                (int)second->result.end, second->result.address);
    LAW(first->result.end == second->result.end && first->result.address == second->result.address);
    if (p5_machine_instructions(a) != p5_machine_instructions(b) ||
        p5_machine_clock(a) != p5_machine_clock(b))
        fprintf(stderr, "%llu instructions, clock %llu; again %llu, %llu\n",
                (unsigned long long)p5_machine_instructions(a), (unsigned long long)p5_machine_clock(a),
                (unsigned long long)p5_machine_instructions(b), (unsigned long long)p5_machine_clock(b));
    LAW(p5_machine_instructions(a) == p5_machine_instructions(b));
    LAW(p5_machine_clock(a) == p5_machine_clock(b));
    same_registers(a->engine, b->engine);
    uint32_t size = a->options.memory_bytes;
    LAW(memcmp(engine_ram(a->engine, 0, size), engine_ram(b->engine, 0, size), size) == 0);
    same_counts(a, b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static plan p;
    p = plan_make((fuzz_input){data, size});
    fuzz_file file = fuzz_file_make("image", p.image.bytes, p.image.size);
    const char *keep = getenv("P5_FUZZ_IMAGE");
    if (keep != NULL) { /* for `p5scope run --flat 0x10000` or --real 0x1000:0 */
        FILE *out = fopen(keep, "wb");
        LAW(out != NULL && fwrite(p.image.bytes, 1, p.image.size, out) == p.image.size && fclose(out) == 0);
    }
    if (getenv("P5_FUZZ_INSTRUCTIONS") != NULL)
        printf("%s %s, again %d\n", (const char *const[]){"flat", "real", "disk"}[p.image.kind],
               p.options.model, (int)p.again);
    guest first = {0}, second = {0};
    guest_open(&first, &p, &file, AGAIN_NOT);
    guest_run(&first, &p.limits);
    guest_check(&first);
    if (getenv("P5_FUZZ_INSTRUCTIONS") != NULL)
        printf("ends %d at %x: %s\n", (int)first.result.end, first.result.address, first.result.instruction);
    if (p.again != AGAIN_NOT) {
        file = fuzz_file_make("again", p.image.bytes,
                              p.image.size); /* the first run may have written to its disk */
        guest_open(&second, &p, &file, p.again);
        if (p.again == AGAIN_PIECES)
            guest_run_pieces(&second, &p);
        else if (p.again == AGAIN_SNAPSHOT)
            guest_run_saved(&second, &p, &file);
        else if (p.again == AGAIN_PROFILE)
            guest_run_profiled(&second, &p, &file);
        else if (p.again == AGAIN_TRACE)
            guest_run_traced(&second, &p);
        else if (p.again == AGAIN_FORWARD)
            guest_run_forward(&second, &p);
        else
            guest_run(&second, &p.limits);
        guest_check(&second);
        if (p.again != AGAIN_FORWARD)
            guests_compare(&first, &second);
        p5_machine_close(second.machine);
    }
    p5_machine_close(first.machine);
    return 0;
}

/* Changes one part of an input: the header, the tables, a snippet, or a record of a snippet. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    uint64_t r = fuzz_random(&state) >> 8;
    if (most < IMAGE_INPUT_MAX)
        return LLVMFuzzerMutate(data, size, most);
    for (unsigned i = 1; i <= LAST && size >= IMAGE_HEADER_BYTES; i++)
        data[IMAGE_HEADER_BYTES - i] = (uint8_t)(fuzz_random(&state) >> 32);
    if (size < IMAGE_FIRST_SNIPPET + IMAGE_SNIPPET_BYTES) { /* a new input */
        size_t wanted = IMAGE_FIRST_SNIPPET + (1 + r % IMAGE_SNIPPETS) * IMAGE_SNIPPET_BYTES;
        for (; size < wanted; size++)
            data[size] = (uint8_t)(fuzz_random(&state) >> 32);
        return size;
    }
    data[IMAGE_HEADER_BYTES - LAST + LAST_LONG] = 0; /* only new inputs have long runs */
    size_t snippets = (size - IMAGE_FIRST_SNIPPET) / IMAGE_SNIPPET_BYTES;
    size = IMAGE_FIRST_SNIPPET + snippets * IMAGE_SNIPPET_BYTES; /* without a part of a snippet */
    uint8_t *snippet = data + IMAGE_FIRST_SNIPPET + r % snippets * IMAGE_SNIPPET_BYTES;
    uint8_t *record = snippet + IMAGE_SNIPPET_BYTES - IMAGE_RECORDS * IMAGE_RECORD_BYTES +
                      (r >> 8) % IMAGE_RECORDS * IMAGE_RECORD_BYTES;
    uint8_t *other = data + IMAGE_FIRST_SNIPPET + (r >> 16) % snippets * IMAGE_SNIPPET_BYTES;
    switch ((r >> 24) % 8) {
    case 0:
        LLVMFuzzerMutate(data, IMAGE_HEADER_BYTES, IMAGE_HEADER_BYTES);
        return size;
    case 1:
        LLVMFuzzerMutate(data + IMAGE_HEADER_BYTES, IMAGE_TABLE_BYTES, IMAGE_TABLE_BYTES);
        return size;
    case 2:
        LLVMFuzzerMutate(snippet, IMAGE_SNIPPET_HEADER_BYTES, IMAGE_SNIPPET_HEADER_BYTES);
        return size;
    case 3: /* a new record */
        for (unsigned i = 0; i < IMAGE_RECORD_BYTES; i++)
            record[i] = (uint8_t)(fuzz_random(&state) >> 32);
        return size;
    case 4: /* another snippet's record */
        memmove(record, other + IMAGE_SNIPPET_BYTES - (1 + (r >> 40) % IMAGE_RECORDS) * IMAGE_RECORD_BYTES,
                IMAGE_RECORD_BYTES);
        return size;
    case 5:
        if (snippets < IMAGE_SNIPPETS) { /* one snippet twice, or one less */
            memcpy(data + size, snippet, IMAGE_SNIPPET_BYTES);
            return size + IMAGE_SNIPPET_BYTES;
        }
        return size - IMAGE_SNIPPET_BYTES;
    default:
        LLVMFuzzerMutate(record, IMAGE_RECORD_BYTES, IMAGE_RECORD_BYTES);
        return size;
    }
}
