/* Writes the outcomes of `p5scope check`, `stat --expect` and `stat --compare` as JUnit XML, and those of `check`
 * also as rows for programs. */
#include "p5tool/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/row_writer.h"
#include "report/xml.h"

/* Writes one <testcase>. The attribute `message` gets the first line of a failure, the element all of its lines. */
static void write_case(FILE *out, const p5_check_result *result)
{
    fputs("    <testcase classname=\"", out);
    xml_attribute(out, result->path);
    fputs("\" name=\"", out);
    xml_attribute(out, result->name);
    if (result->model[0] != '\0') {
        fputc('@', out);
        xml_attribute(out, result->model);
    }
    fprintf(out, "\" time=\"%.3f\"", result->seconds);
    if (result->failure == NULL) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n      <failure message=\"", out);
    char *first = strndup(result->failure, strcspn(result->failure, "\n"));
    xml_attribute(out, first != NULL ? first : "");
    free(first);
    fputs("\">", out);
    xml_text(out, result->failure);
    fputs("</failure>\n    </testcase>\n", out);
}

p5_status p5_check_write_junit(FILE *out, const char *suite, const p5_check_result *results, size_t count,
                               p5_error *error)
{
    size_t failures = 0;
    double seconds = 0;
    for (size_t i = 0; i < count; i++) {
        failures += results[i].failure != NULL;
        seconds += results[i].seconds;
    }
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"%.3f\">\n",
            suite, count, failures, seconds);
    for (size_t i = 0; i < count; i++)
        write_case(out, &results[i]);
    fputs("  </testsuite>\n</testsuites>\n", out);
    return error_unless_written(error, out, "the JUnit file");
}

p5_status p5_check_write_rows(FILE *out, p5_row_format format, const p5_check_result *results, size_t count,
                              p5_error *error)
{
    row_writer rows;
    rows_open(&rows, out, format, "check", NULL);
    for (size_t i = 0; i < count; i++) {
        const p5_check_result *result = &results[i];
        rows_begin(&rows);
        rows_text(&rows, "case", result->name);
        rows_text(&rows, "path", result->path);
        rows_text(&rows, "model", result->model[0] != '\0' ? result->model : NULL);
        rows_bool(&rows, "passed", result->failure == NULL);
        rows_text(&rows, "failure", result->failure);
        rows_double(&rows, "host_seconds", result->seconds);
        rows_end(&rows);
    }
    return error_unless_written(error, out, "the outcomes");
}
