/* The formats of traces: their names, and the endings of files that select them. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/trace/sink.h"

static const struct {
    const char *name;
    const trace_sink_type *sink;
    const char *endings[4];
} formats[P5_TRACE_FORMATS] = {
    [P5_TRACE_CSV] = {"csv", &trace_csv, {".csv"}},
    [P5_TRACE_JSON] = {"jsonl", &trace_jsonl, {".jsonl", ".ndjson"}},
    [P5_TRACE_SQLITE] = {"sqlite", &trace_sqlite, {".db", ".sqlite", ".sqlite3"}},
    [P5_TRACE_VCD] = {"vcd", &trace_vcd, {".vcd"}},
    [P5_TRACE_CHROME] = {"chrome", &trace_chrome, {".json"}},
    [P5_TRACE_KANATA] = {"kanata", &trace_kanata, {".kanata", ".knt"}},
    [P5_TRACE_SVG] = {"svg", &trace_pipeline, {".svg"}},
    [P5_TRACE_HTML] = {"html", &trace_pipeline, {".html"}},
};

p5_status p5_trace_format_find(const char *name, p5_trace_format *format, p5_error *error)
{
    text_nearest nearest;
    text_nearest_init(&nearest, name);
    for (unsigned i = 0; i < P5_TRACE_FORMATS; i++) {
        *format = (p5_trace_format)i;
        if (text_same_name(formats[i].name, name))
            return P5_OK;
        text_nearest_offer(&nearest, formats[i].name);
    }
    error_set(error, P5_ERR_NAME,
              "there is no trace format '%s'; there are csv, jsonl, sqlite, vcd, chrome, kanata, svg, html",
              name);
    error_nearest(error, &nearest);
    return P5_ERR_NAME;
}

/* Returns true if the first `length` characters of `path` end in `ending` and are more than that. */
static bool ends_in(const char *path, size_t length, const char *ending)
{
    size_t size = strlen(ending);
    return length > size && strncmp(path + length - size, ending, size) == 0;
}

/* Also sets *compressed for a format that cannot be compressed; p5_trace_open refuses that. */
bool p5_trace_format_of(const char *path, p5_trace_format *format, bool *compressed)
{
    size_t length = strlen(path);
    *compressed = ends_in(path, length, ".zst");
    if (*compressed)
        length -= strlen(".zst");
    for (unsigned i = 0; i < P5_TRACE_FORMATS; i++)
        for (unsigned j = 0; j < 4 && formats[i].endings[j] != NULL; j++)
            if (ends_in(path, length, formats[i].endings[j])) {
                *format = (p5_trace_format)i;
                return true;
            }
    return false;
}

const trace_sink_type *trace_sink_of(p5_trace_format format)
{
    return formats[format].sink;
}
