#include "report/trace/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/aside.h"

enum { SLOTS = 32 };

/* A row with what it refers to. Its kind and label live as long as the trace. */
typedef struct kept_row {
    trace_row row;
    p5_observation at;
    uint64_t *values, *before;
} kept_row;

struct trace_rows {
    p5_trace *trace;
    aside *aside;
    uint64_t *numbers;
    kept_row slots[SLOTS];
};

static void give(void *context, unsigned slot)
{
    trace_rows *rows = context;
    if (!p5_trace_failed(rows->trace))
        rows->trace->sink->row(rows->trace, &rows->slots[slot].row);
}

trace_rows *trace_rows_open(p5_trace *trace)
{
    trace_rows *rows = calloc(1, sizeof *rows);
    if (rows == NULL)
        return NULL;
    size_t columns = trace->column_count;
    rows->trace = trace;
    rows->aside = aside_open(SLOTS, give, rows);
    rows->numbers = calloc(2 * SLOTS * columns + 1, sizeof *rows->numbers);
    if (rows->aside == NULL || rows->numbers == NULL) {
        trace_rows_close(rows);
        return NULL;
    }
    for (size_t i = 0; i < SLOTS; i++) {
        rows->slots[i].values = rows->numbers + 2 * i * columns;
        rows->slots[i].before = rows->slots[i].values + columns;
    }
    return rows;
}

void trace_rows_close(trace_rows *rows)
{
    if (rows == NULL)
        return;
    aside_close(rows->aside);
    free(rows->numbers);
    free(rows);
}

void trace_rows_put(trace_rows *rows, const trace_row *row)
{
    kept_row *kept = &rows->slots[aside_slot(rows->aside)];
    size_t bytes = rows->trace->column_count * sizeof *kept->values;
    kept->at = *row->at;
    kept->row = *row;
    kept->row.at = &kept->at;
    kept->row.values = memcpy(kept->values, row->values, bytes);
    kept->row.before = memcpy(kept->before, row->before, bytes);
    aside_put(rows->aside);
    aside_keep_up(rows->aside);
}

void trace_rows_finish(trace_rows *rows)
{
    aside_finish(rows->aside);
}

bool trace_rows_some(trace_rows *rows)
{
    return aside_some(rows->aside);
}
