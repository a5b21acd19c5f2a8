/* Compares the counts of several runs side by side (`stat --compare`). The runs are JSON lines of `stat -j`,
 * from files or from memory. Reports call them A, B, C and so on, and compare the others with A. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "p5scope/version.h"
#include "report/json_writer.h"
#include "report/results.h"
#include "report/run_identity.h"
#include "report/stat/comparison.h"
#include "report/stat/stat_internal.h"

p5_status p5_comparison_open(p5_comparison **out, p5_error *error)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? P5_OK : error_set(error, P5_ERR_MEMORY, "out of memory");
}

void p5_comparison_close(p5_comparison *c)
{
    if (c == NULL)
        return;
    arena_free_all(&c->texts);
    free(c->rows.items);
    free(c);
}

/* ---- Reading ---- */

/* Sets the value of the row with this name and unit in the run being read, which is the last one. Adds the row if there
 * is none. */
static p5_status add_value(p5_comparison *c, const char *name, const char *unit, double value,
                           p5_error *error)
{
    size_t at = 0, run = c->run_count - 1;
    while (at < c->rows.count &&
           (strcmp(c->rows.items[at].name, name) != 0 || strcmp(c->rows.items[at].unit, unit) != 0))
        at++;
    if (at == c->rows.count) {
        compared_row row = {.name = arena_text(&c->texts, name), .unit = arena_text(&c->texts, unit)};
        for (size_t i = 0; i < MOST_RUNS; i++)
            row.values[i] = NAN;
        if (row.name == NULL || row.unit == NULL || !ARRAY_ADD(&c->rows, row))
            return error_set(error, P5_ERR_MEMORY, "out of memory");
    }
    c->rows.items[at].values[run] = value;
    return P5_OK;
}

/* Returns the value of a row in the run being read; NaN if it has none. */
static double current_value(const p5_comparison *c, const char *name)
{
    for (size_t i = 0; i < c->rows.count; i++)
        if (strcmp(c->rows.items[i].name, name) == 0)
            return c->rows.items[i].values[c->run_count - 1];
    return NAN;
}

/* Begins a run. Only whole runs can be compared. */
static p5_status begin_run(p5_comparison *c, const result_line *header, p5_error *error)
{
    if (header->kind == RESULT_INTERVALS)
        return error_set(error, P5_ERR_FORMAT, "intervals (stat -I) cannot be compared, only whole runs");
    if (header->kind == RESULT_TRACE)
        return error_set(error, P5_ERR_FORMAT, "a trace cannot be compared, only what stat -j writes");
    if (c->run_count == MOST_RUNS)
        return error_set(error, P5_ERR_RANGE, "more than %d runs", MOST_RUNS);
    compared_run *run = &c->runs[c->run_count++];
    *run = (compared_run){.name = arena_text(&c->texts, c->name),
                          .model = arena_text(&c->texts, line_text(header, LINE_MODEL, "")),
                          .command = arena_text(&c->texts, line_text(header, LINE_COMMAND, "")),
                          .options = arena_text(&c->texts, line_text(header, LINE_OPTIONS, "")),
                          .revision = (uint64_t)line_integer(header, LINE_REVISION)};
    if (line_has(header, LINE_IDENTITY) &&
        (run->identity = arena_text(&c->texts, line_text(header, LINE_IDENTITY, ""))) == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    return run->name != NULL && run->model != NULL && run->command != NULL && run->options != NULL
               ? P5_OK
               : error_set(error, P5_ERR_MEMORY, "out of memory");
}

/* Sets missing causes to 0 in runs that have a CPI stack, because reports leave out causes without clocks. */
static void fill_stalls(p5_comparison *c)
{
    for (size_t run = 0; run < c->run_count; run++) {
        bool shown = false;
        for (size_t i = 0; i < c->rows.count; i++)
            shown |= strncmp(c->rows.items[i].name, "stall_", 6) == 0 && !isnan(c->rows.items[i].values[run]);
        for (size_t i = 0; shown && i < c->rows.count; i++)
            if (strncmp(c->rows.items[i].name, "stall_", 6) == 0 && isnan(c->rows.items[i].values[run]))
                c->rows.items[i].values[run] = 0;
    }
}

/* Ends a run. Takes the clocks from the summary if no row has them. Adds CPI only if instructions_executed was selected,
 * because the summary's number of instructions has no interrupts and so gives another CPI than all other reports. Stores
 * how the run ended, because a run that a limit cut short must not look like a faster one. */
static p5_status end_run(p5_comparison *c, const result_line *summary, p5_error *error)
{
    compared_run *run = &c->runs[c->run_count - 1];
    double clocks = line_number(summary, LINE_CLOCKS);
    double instructions = current_value(c, "instructions_executed");
    p5_status status = P5_OK;
    run->ending = arena_text(&c->texts, line_text(summary, LINE_ENDING, ""));
    if (run->ending == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    if (isnan(current_value(c, "clocks")))
        status = add_value(c, "clocks", "", clocks, error);
    fill_stalls(c);
    if (status == P5_OK && instructions > 0)
        status = add_value(c, "CPI", "", clocks / instructions, error);
    return status;
}

static p5_status read_line(void *context, const result_line *line, p5_error *error)
{
    p5_comparison *c = context;
    if (line->part == RESULT_HEADER)
        return begin_run(c, line, error);
    if (line->part == RESULT_VALUE && line_has(line, LINE_VALUE))
        return add_value(c, line_text(line, LINE_EVENT, ""), "", line_number(line, LINE_VALUE), error);
    if (line->part == RESULT_METRIC && line_has(line, LINE_METRIC_VALUE))
        return add_value(c, line_text(line, LINE_METRIC, ""), line_text(line, LINE_METRIC_UNIT, ""),
                         line_number(line, LINE_METRIC_VALUE), error);
    return line->part == RESULT_SUMMARY ? end_run(c, line, error) : P5_OK;
}

/* Adds the runs of a stream, and closes it. */
static p5_status read_runs(p5_comparison *c, FILE *in, const char *name, p5_error *error)
{
    size_t runs;
    c->name = name;
    p5_status status = results_read(in, name, read_line, c, &runs, error);
    fclose(in);
    return status;
}

p5_status p5_comparison_read(p5_comparison *c, const char *path, p5_error *error)
{
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return error_set_at(error, P5_ERR_IO, (error_place){.where = path}, "cannot open the file: %s",
                            strerror(errno));
    return read_runs(c, in, path, error);
}

p5_status p5_comparison_add(p5_comparison *c, const char *name, const char *lines, p5_error *error)
{
    FILE *in = fmemopen((char *)(uintptr_t)lines, strlen(lines), "r");
    if (in == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    return read_runs(c, in, name, error);
}

bool p5_comparison_same_revision(const p5_comparison *c, char *text, size_t size)
{
    bool same = true;
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < c->run_count && at < size; i++) {
        char number[24] = "not stated";
        uint64_t revision = c->runs[i].revision;
        if (revision != 0)
            snprintf(number, sizeof number, "%" PRIu64, revision);
        same &= revision != 0 && revision == c->runs[0].revision;
        at += (size_t)snprintf(text + at, size - at, "%s%c: %s", i > 0 ? ", " : "", (char)('A' + i), number);
    }
    return same;
}

bool p5_comparison_same_option(const p5_comparison *c, const char *name, char *text, size_t size)
{
    run_identified runs[MOST_RUNS];
    char labels[MOST_RUNS][2];
    for (size_t i = 0; i < c->run_count; i++) {
        snprintf(labels[i], sizeof labels[i], "%c", (char)('A' + i));
        runs[i] = (run_identified){labels[i], c->runs[i].identity};
    }
    return run_identity_same_option(runs, c->run_count, name, text, size);
}

/* ---- Writing ---- */

static bool is_zero(const p5_comparison *c, const compared_row *row)
{
    for (size_t i = 0; i < c->run_count; i++)
        if (!isnan(row->values[i]) && row->values[i] != 0)
            return false;
    return true;
}

/* Writes a number: fractions with three decimals, "-" for NaN, commas between groups of three digits if `big`. */
static const char *number_text(double value, bool big, char *buffer, size_t size)
{
    char digits[32];
    if (isnan(value))
        snprintf(buffer, size, "-");
    else if (value != floor(value) || fabs(value) >= 1e15)
        snprintf(buffer, size, "%.3f", value);
    else if (big && value >= 0)
        text_grouped((uint64_t)value, buffer, size);
    else if (big)
        snprintf(buffer, size, "-%s", text_grouped((uint64_t)-value, digits, sizeof digits));
    else
        snprintf(buffer, size, "%.0f", value);
    return buffer;
}

/* Writes the difference from `first`, the value of run A, in per cent of it. Writes nothing if either is missing, or if
 * only `first` is 0. */
static const char *percent_text(double value, double first, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if (!isnan(value) && !isnan(first) && first != 0)
        snprintf(buffer, size, "%+.2f %%", 100 * (value - first) / first);
    else if (!isnan(value) && value == first)
        snprintf(buffer, size, "+0.00 %%");
    return buffer;
}

/* Writes the values with their differences from run A in per cent; with two runs, also the difference itself. Increases
 * are red, decreases green. */
static void write_text_row(FILE *out, const p5_comparison *c, const compared_row *row,
                           const p5_stat_style *style)
{
    char text[64];
    fprintf(out, "%18s", number_text(row->values[0], style->big_numbers, text, sizeof text));
    for (size_t i = 1; i < c->run_count; i++) {
        double difference = row->values[i] - row->values[0];
        const char *colour = !style->colour || isnan(difference) || difference == 0 ? ""
                             : difference > 0                                       ? "\033[31m"
                                                                                    : "\033[32m";
        fprintf(out, "%18s", number_text(row->values[i], style->big_numbers, text, sizeof text));
        if (c->run_count == 2)
            fprintf(out, " %s%16s", colour, number_text(difference, style->big_numbers, text, sizeof text));
        else
            fputs(colour, out);
        fprintf(out, " %11s%s", percent_text(row->values[i], row->values[0], text, sizeof text),
                colour[0] != '\0' ? "\033[0m" : "");
    }
    fprintf(out, "  %s%s%s\n", row->name, row->unit[0] != '\0' ? " " : "", row->unit);
}

/* Writes one line that describes run `i`, after `indent`, with the run's options if `options` is set. The name is
 * quoted because it can have any bytes. */
static void write_run(FILE *out, const p5_comparison *c, size_t i, const char *indent, bool options)
{
    const compared_run *run = &c->runs[i];
    char *name = p5_command_text(&run->name, 1);
    fprintf(out, "%s%c: %s: %s on %s", indent, (char)('A' + i), name != NULL ? name : "", run->command,
            run->model);
    if (options && run->options[0] != '\0')
        fprintf(out, ", options: %s", run->options);
    if (run->ending[0] != '\0')
        fprintf(out, "; %s", run->ending);
    fputc('\n', out);
    free(name);
}

static void write_text(FILE *out, const p5_comparison *c, const p5_stat_style *style)
{
    size_t zeros = 0;
    fputc('\n', out);
    for (size_t i = 0; i < c->run_count; i++)
        write_run(out, c, i, " ", true);
    fprintf(out, "\n%18s", "A");
    for (size_t i = 1; i < c->run_count; i++)
        if (c->run_count == 2)
            fprintf(out, "%18s %16s %11s", "B", "B - A", "of A");
        else
            fprintf(out, "%18c %11s", (char)('A' + i), "to A");
    fputs("\n\n", out);
    for (size_t i = 0; i < c->rows.count; i++) {
        bool hidden = is_zero(c, &c->rows.items[i]) && !style->zeros;
        zeros += hidden;
        if (!hidden)
            write_text_row(out, c, &c->rows.items[i], style);
    }
    if (zeros > 0)
        fprintf(out, "\n %zu row%s of zeros left out (-v shows them)\n", zeros, zeros == 1 ? "" : "s");
    fputc('\n', out);
}

static void write_csv(FILE *out, const p5_comparison *c, const p5_stat_style *style)
{
    const char *s = style->separator;
    char text[64];
    for (size_t i = 0; i < c->run_count; i++)
        write_run(out, c, i, "# ", false);
    if (style->header) {
        fprintf(out, "event%sunit", s);
        for (size_t i = 0; i < c->run_count; i++)
            fprintf(out, i == 0 ? "%s%c" : "%1$s%2$c%1$s%2$c_minus_A%1$s%2$c_percent", s, (char)('A' + i));
        fputc('\n', out);
    }
    for (size_t i = 0; i < c->rows.count; i++) {
        const compared_row *row = &c->rows.items[i];
        double first = row->values[0];
        fprintf(out, "%s%s%s%s%s", row->name, s, row->unit, s,
                isnan(first) ? "" : number_text(first, false, text, sizeof text));
        for (size_t run = 1; run < c->run_count; run++) {
            double value = row->values[run];
            fprintf(out, "%s%s", s, isnan(value) ? "" : number_text(value, false, text, sizeof text));
            fprintf(out, "%s%s%s", s,
                    isnan(value - first) ? "" : number_text(value - first, false, text, sizeof text), s);
            if (!isnan(value - first) && first != 0)
                fprintf(out, "%.4f", 100 * (value - first) / first);
        }
        fputc('\n', out);
    }
}

/* Writes a line that describes the runs, and a line for each row. */
static void write_json(FILE *out, const p5_comparison *c)
{
    json_writer json;
    json_init(&json, out);
    json_open_object(&json);
    json_key_string(&json, "p5scope", p5_version());
    json_key_array(&json, "compared");
    for (size_t i = 0; i < c->run_count; i++) {
        json_open_object(&json);
        json_key_string(&json, "name", c->runs[i].name);
        json_key_string(&json, "model", c->runs[i].model);
        json_key_string(&json, "command", c->runs[i].command);
        json_key_string(&json, "options", c->runs[i].options);
        if (c->runs[i].ending[0] != '\0')
            json_key_string(&json, "ending", c->runs[i].ending);
        json_close_object(&json);
    }
    json_close_array(&json);
    json_close_object(&json);
    for (size_t i = 0; i < c->rows.count; i++) {
        const compared_row *row = &c->rows.items[i];
        static const char *const keys[] = {"values", "difference", "percent"};
        json_init(&json, out);
        json_open_object(&json);
        json_key_string(&json, "event", row->name);
        json_key_string(&json, "unit", row->unit);
        for (size_t key = 0; key < sizeof keys / sizeof keys[0]; key++) {
            json_key_array(&json, keys[key]);
            for (size_t run = key == 0 ? 0 : 1; run < c->run_count; run++) {
                double difference = row->values[run] - row->values[0];
                stat_json_number(&json, key == 0              ? row->values[run]
                                        : key == 1            ? difference
                                        : row->values[0] != 0 ? 100 * difference / row->values[0]
                                                              : NAN);
            }
            json_close_array(&json);
        }
        json_close_object(&json);
    }
}

p5_status p5_comparison_write(FILE *out, const p5_comparison *c, p5_stat_format format,
                              const p5_stat_style *style, p5_error *error)
{
    if (format == P5_STAT_JSON)
        write_json(out, c);
    else if (format == P5_STAT_CSV)
        write_csv(out, c, style);
    else
        write_text(out, c, style);
    return error_unless_written(error, out, "the comparison");
}
