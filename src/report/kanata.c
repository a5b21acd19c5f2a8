/* The window as a Kanata log, version 0004: tab-separated commands in order of time, for the pipeline viewer
 * Konata. Lane 0 has the stages, lane 1 the stalls. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "p5scope/version.h"
#include "report/window.h"

/* What happens to an instruction at a clock. */
typedef enum step_kind {
    STEP_D1,
    STEP_D2,
    STEP_STALL,
    STEP_STALL_END,
    STEP_EX,
    STEP_WB,
    STEP_RETIRE
} step_kind;

typedef struct step {
    uint64_t clock;
    size_t insn;
    step_kind kind;
} step;

static int by_time(const void *a, const void *b)
{
    const step *x = a;
    const step *y = b;
    if (x->clock != y->clock)
        return x->clock < y->clock ? -1 : 1;
    if (x->insn != y->insn)
        return x->insn < y->insn ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

static size_t add_steps(step *steps, size_t count, const p5_trace_insn *insn, size_t index)
{
    steps[count++] = (step){insn->d1, index, STEP_D1};
    if (insn->d2 > insn->d1)
        steps[count++] = (step){insn->d2, index, STEP_D2};
    if (insn->stall_clocks > 0 && insn->ex >= insn->d1 + insn->stall_clocks) {
        steps[count++] = (step){insn->ex - insn->stall_clocks, index, STEP_STALL};
        steps[count++] = (step){insn->ex, index, STEP_STALL_END};
    }
    steps[count++] = (step){insn->ex, index, STEP_EX};
    uint64_t end = insn->end > insn->ex ? insn->end : insn->ex + 1;
    steps[count++] = (step){end, index, STEP_WB};
    steps[count++] = (step){end + 1, index, STEP_RETIRE};
    return count;
}

static void open_insn(FILE *out, const window_insn *item, size_t id)
{
    const p5_trace_insn *insn = &item->trace;
    fprintf(out, "I\t%zu\t%" PRIu64 "\t0\n", id, insn->ex);
    fprintf(out, "L\t%zu\t0\t%08" PRIx32 " %c %s\n", id, insn->address, insn->pipe == 0 ? 'U' : 'V',
            item->text);
    const char *why = p5_unpaired_text(insn->unpaired);
    if (insn->pipe == 0 && why[0] != '\0')
        fprintf(out, "L\t%zu\t1\talone: %s\n", id, why);
}

static void write_step(FILE *out, const p5_window *window, const step *at, size_t *retired)
{
    const window_insn *item = &window->items[at->insn];
    size_t id = at->insn;
    switch (at->kind) {
    case STEP_D1:
        open_insn(out, item, id);
        fprintf(out, "S\t%zu\t0\tD1\n", id);
        break;
    case STEP_D2:
        fprintf(out, "S\t%zu\t0\tD2\n", id);
        break;
    case STEP_STALL:
        fprintf(out, "S\t%zu\t1\t%s\n", id, p5_stall_name((p5_stall)item->trace.stall));
        break;
    case STEP_STALL_END:
        fprintf(out, "E\t%zu\t1\t%s\n", id, p5_stall_name((p5_stall)item->trace.stall));
        break;
    case STEP_EX:
        fprintf(out, "S\t%zu\t0\tEX\n", id);
        break;
    case STEP_WB:
        fprintf(out, "S\t%zu\t0\tWB\n", id);
        break;
    case STEP_RETIRE:
        fprintf(out, "E\t%zu\t0\tWB\nR\t%zu\t%zu\t0\n", id, id, (*retired)++);
        break;
    }
}

p5_status p5_window_write_kanata(FILE *out, const p5_window *window, p5_error *error)
{
    enum { MOST_STEPS = 7 };
    step *steps = malloc((window->count * MOST_STEPS + 1) * sizeof *steps);
    if (steps == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for the log");
    size_t count = 0;
    for (size_t i = 0; i < window->count; i++)
        count = add_steps(steps, count, &window->items[i].trace, i);
    qsort(steps, count, sizeof *steps, by_time);
    fputs("Kanata\t0004\n", out);
    size_t retired = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0)
            fprintf(out, "C=\t%" PRIu64 "\n", steps[0].clock);
        else if (steps[i].clock != steps[i - 1].clock)
            fprintf(out, "C\t%" PRIu64 "\n", steps[i].clock - steps[i - 1].clock);
        write_step(out, window, &steps[i], &retired);
    }
    free(steps);
    return ferror(out) ? error_set(error, P5_ERR_IO, "cannot write the log") : P5_OK;
}
