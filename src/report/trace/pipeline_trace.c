/* Draws the pipeline of the traced part of a run: as a picture (SVG), or as a page with it (HTML). Instructions are
 * collected, and the picture is written at the end. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory_text.h"
#include "p5tool/loop.h"
#include "report/insn_text.h"
#include "report/timeline/window.h"
#include "report/trace/sink.h"

typedef struct pipeline_state {
    p5_window window; /* the collected instructions, in the form that p5_window_write_svg takes */
    insn_text *texts;
} pipeline_state;

/* Collects an instruction (trace_sink.insn). */
static void on_insn(void *context, const p5_trace_insn *insn)
{
    p5_trace *trace = context;
    pipeline_state *state = trace->state;
    p5_window *window = &state->window;
    if (trace->failed)
        return;
    trace->rows++; /* instructions count as rows */
    if (window->count == WINDOW_DRAWN) {
        window->left_out++;
        return;
    }
    if (!ARRAY_ROOM(window)) {
        trace_fail_for_memory(trace);
        return;
    }
    window_insn *item = &window->items[window->count++];
    *item = (window_insn){.trace = *insn};
    snprintf(item->text, sizeof item->text, "%s", insn_text_at(state->texts, insn->address));
    window->end = insn->end;
}

/* Begins the trace (trace_sink.begin): makes the state. */
static p5_status begin(p5_trace *trace, p5_error *error)
{
    pipeline_state *state = calloc(1, sizeof *state);
    if (state == NULL || (state->texts = insn_text_open(trace->machine)) == NULL) {
        free(state);
        return error_set(error, P5_ERR_MEMORY, "no memory for a trace");
    }
    /* Trips are iterations of a measured loop. Here everything is one trip. */
    state->window.first_trip = state->window.trips = state->window.run_trips = 1;
    trace->state = state;
    return P5_OK;
}

/* Ends the trace (trace_sink.end): draws the collected instructions. Frees the state. */
static p5_status end(p5_trace *trace, const char *ending, p5_error *error)
{
    (void)ending;
    pipeline_state *state = trace->state;
    memory_text picture;
    const char *title = trace->options.command;
    p5_status status = P5_ERR_MEMORY;
    if (memory_text_open(&picture))
        status = trace->options.format == P5_TRACE_SVG
                     ? p5_window_write_svg(picture.out, &state->window, title, error)
                     : p5_window_write_html(picture.out, &state->window, title, NULL, error);
    if (memory_text_end(&picture) == NULL)
        status = error_set(error, P5_ERR_MEMORY, "no memory for the picture");
    if (status == P5_OK) {
        trace_put_bytes(trace->file, picture.text, picture.size);
        trace_end_record(trace->file);
    }
    free(picture.text);
    insn_text_close(state->texts);
    free(state->window.items);
    free(state);
    return status;
}

const trace_sink_type trace_pipeline = {.begin = begin, .insn = on_insn, .end = end};
