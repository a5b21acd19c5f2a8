/* Captures some trips of a case, a program whose loop makes N trips. Code does not mark its trips. A trip
 * starts at the first instruction that executes exactly once more when N grows by one. Counting the
 * executions of every address with N1 and with N2 trips finds it. The captured instructions are called a
 * window. */
#include "report/timeline/window.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "report/trace/kanata.h"

/* Executions of the instructions in one run. The arrays are indexed by byte offsets in the code. */
typedef struct census {
    uint32_t base;      /* address of offset 0 */
    size_t size;        /* of the code in bytes; the same for both runs */
    uint64_t *executed; /* number of executions */
    uint64_t *first;    /* ordinal of the first execution, from 1 */
    uint64_t ordinal;   /* instructions executed so far */
} census;

/* Counts an executed instruction. Instructions outside the code have only an ordinal. */
static void count_insn(void *context, const p5_trace_insn *insn)
{
    census *to = context;
    to->ordinal++;
    size_t offset = insn->address - to->base;
    if (offset >= to->size)
        return;
    if (to->executed[offset]++ == 0)
        to->first[offset] = to->ordinal;
}

static void trace_census(void *context, p5_machine *machine)
{
    p5_core_set_trace(p5_machine_core(machine), count_insn, context);
}

/* Runs the program and counts. to->size must be set; the caller calls free_census in any case. */
static p5_status take_census(const p5_case_program *program, const p5_case_conditions *conditions, census *to,
                             p5_error *error)
{
    p5_case_image image;
    p5_case_program_image(program, &image);
    to->base = image.text_address;
    to->executed = calloc(to->size, sizeof *to->executed);
    to->first = calloc(to->size, sizeof *to->first);
    if (to->executed == NULL || to->first == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for counting executions");
    p5_counts counts;
    return p5_case_run(program, conditions, &(p5_case_observer){trace_census, to}, &counts, error);
}

static void free_census(census *of)
{
    free(of->executed);
    free(of->first);
}

/* Returns the offset of the instruction that begins a trip (the head): among those with one execution per
 * trip, the one that is executed first. Returns the code's size if there is none. */
static size_t find_head(const census runs[2], const unsigned trips[2])
{
    const size_t size = runs[1].size;
    size_t head = size;
    for (size_t i = 0; i < size; i++) {
        if (runs[1].executed[i] - runs[0].executed[i] != trips[1] - trips[0])
            continue;
        if (head == size || runs[1].first[i] < runs[1].first[head])
            head = i;
    }
    return head;
}

/* The state of capturing in a run. */
typedef struct capture {
    p5_window *window;
    uint32_t head;     /* address of the instruction that begins a trip */
    uint64_t heads;    /* executions of the head so far */
    uint64_t from, to; /* captures while from <= heads < to */
    bool ended;        /* the instruction after the window has executed */
    bool out_of_memory;
    isa_decoder *decoder;
    p5_case_image image;
} capture;

/* Adds an executed instruction to the window if it belongs to a wanted trip. */
static void capture_insn(void *context, const p5_trace_insn *insn)
{
    capture *to = context;
    if (insn->address == to->head)
        to->heads++;
    if (to->heads < to->from || to->ended)
        return;
    p5_window *window = to->window;
    if (to->heads >= to->to) {
        to->ended = true;
        window->end = insn->ex;
        return;
    }
    if (!ARRAY_ROOM(window)) {
        to->out_of_memory = true;
        return;
    }
    window_insn *item = &window->items[window->count++];
    item->trace = *insn;
    item->trip = (unsigned)(to->heads - to->from);
    window->end = insn->end; /* stays if the run ends after the instruction */
    size_t offset = insn->address - to->image.text_address;
    if (offset >= to->image.text_size ||
        isa_disassemble(
            to->decoder,
            &(isa_code){to->image.text + offset, to->image.text_size - offset, insn->address, true},
            item->text, sizeof item->text) == 0)
        snprintf(item->text, sizeof item->text, "?");
}

static void trace_capture(void *context, p5_machine *machine)
{
    p5_core_set_trace(p5_machine_core(machine), capture_insn, context);
}

/* The trips of a run, and which of them are wanted. */
typedef struct loop_trips {
    uint32_t head;       /* address of the instruction that begins a trip */
    uint64_t executions; /* of the head in the run, one per trip */
    p5_trip_range wanted;
} loop_trips;

static p5_status capture_trips(const p5_case_program *program, const p5_case_conditions *conditions,
                               const loop_trips *loop, p5_window *window, p5_error *error)
{
    /* Trips from..to-1. The last trip of the run is not shown, because the loop's end is not part of the steady
     * state. A run with a single trip shows that one. */
    const uint64_t end = loop->executions > 1 ? loop->executions : 2;
    uint64_t to = end;
    uint64_t from = to > loop->wanted.count ? to - loop->wanted.count : 1;
    if (loop->wanted.first != 0) {
        from = loop->wanted.first;
        to = from + loop->wanted.count;
        if (to > end)
            return error_set(error, P5_ERR_RANGE, "the run shows trips 1 to %llu; there is no trip %llu",
                             (unsigned long long)end - 1, (unsigned long long)to - 1);
    }
    capture state = {.window = window, .head = loop->head, .from = from, .to = to};
    p5_case_program_image(program, &state.image);
    state.decoder = isa_decoder_open(ISA_P54C | ISA_P55C);
    if (state.decoder == NULL)
        return error_set(error, P5_ERR_MEMORY, "cannot open the disassembler");
    p5_counts counts;
    p5_status status =
        p5_case_run(program, conditions, &(p5_case_observer){trace_capture, &state}, &counts, error);
    isa_decoder_close(state.decoder);
    if (status != P5_OK)
        return status;
    if (state.out_of_memory)
        return error_set(error, P5_ERR_MEMORY, "no memory for the window");
    window->first_trip = (unsigned)from;
    window->trips = (unsigned)(to - from);
    return P5_OK;
}

p5_status p5_window_capture(p5_case_program *const programs[2], const unsigned trips[2],
                            const p5_case_conditions *conditions, p5_trip_range wanted, p5_window **window,
                            p5_error *error)
{
    p5_case_image image;
    p5_case_program_image(programs[1], &image);
    census runs[2] = {{.size = image.text_size}, {.size = image.text_size}};
    *window = NULL;
    p5_status status = take_census(programs[0], conditions, &runs[0], error);
    if (status == P5_OK)
        status = take_census(programs[1], conditions, &runs[1], error);
    size_t head = 0;
    uint64_t executions = 0;
    if (status == P5_OK) {
        head = find_head(runs, trips);
        if (head == image.text_size)
            status = error_set(error, P5_ERR_STATE,
                               "no instruction is executed once per trip: there is no trip to show");
        else
            executions = runs[1].executed[head];
    }
    free_census(&runs[0]);
    free_census(&runs[1]);
    if (status != P5_OK)
        return status;
    p5_window *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for the window");
    made->run_trips = (unsigned)executions;
    const loop_trips loop = {image.text_address + (uint32_t)head, executions, wanted};
    status = capture_trips(programs[1], conditions, &loop, made, error);
    if (status != P5_OK) {
        p5_window_free(made);
        return status;
    }
    *window = made;
    return P5_OK;
}

void p5_window_free(p5_window *window)
{
    if (window == NULL)
        return;
    free(window->items);
    free(window);
}

static void put_to_file(void *context, const char *text, size_t size)
{
    fwrite(text, 1, size, context);
}

p5_status p5_window_write_kanata(FILE *out, const p5_window *window, p5_error *error)
{
    kanata *log = kanata_open(put_to_file, out);
    if (log == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for the log");
    for (size_t i = 0; i < window->count; i++)
        kanata_insn(log, &window->items[i].trace, window->items[i].text);
    if (!kanata_close(log))
        return error_set(error, P5_ERR_MEMORY, "no memory for the log");
    return error_unless_written(error, out, "the log");
}
