/* Judges the runs of a comparison by how much their clocks exceed those of the first (`stat --compare --threshold`). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/stat/comparison.h"

enum { SENTENCE = 400 };

/* Judges run `i` against the first and writes the outcome as a sentence. Returns true if its clocks are at most
 * `percent` more. A run cannot be judged if it, or the first run, was cut short. `clocks` is NULL if no run has
 * them. */
static bool judge_run(const p5_comparison *c, size_t i, const compared_row *clocks, double percent,
                      char sentence[SENTENCE])
{
    double first = clocks != NULL ? clocks->values[0] : NAN, value = clocks != NULL ? clocks->values[i] : NAN;
    const compared_run *cut = &c->runs[c->runs[0].ending[0] != '\0' ? 0 : i];
    double growth = 100 * (value - first) / first;
    if (cut->ending[0] != '\0') {
        char *name = p5_command_text((char *const[]){cut->name}, 1);
        snprintf(sentence, SENTENCE, "cannot be judged: %s: %s", name != NULL ? name : "", cut->ending);
        free(name);
        return false;
    }
    if (!isfinite(growth)) {
        snprintf(sentence, SENTENCE, "cannot be judged: there are no clocks to compare");
        return false;
    }
    snprintf(sentence, SENTENCE, "%.0f clocks are %+.2f %% of %.0f; %g %% are allowed", value, growth, first,
             percent);
    return growth <= percent;
}

p5_status p5_comparison_judge(const p5_comparison *c, double percent, FILE *out, FILE *junit,
                              unsigned *broken, p5_error *error)
{
    p5_check_result results[MOST_RUNS] = {{0}};
    char sentences[MOST_RUNS][SENTENCE];
    const compared_row *clocks = NULL;
    *broken = 0;
    for (size_t i = 0; i < c->rows.count; i++)
        if (strcmp(c->rows.items[i].name, "clocks") == 0)
            clocks = &c->rows.items[i];
    for (size_t i = 1; i < c->run_count; i++) {
        bool good = judge_run(c, i, clocks, percent, sentences[i]);
        *broken += !good;
        results[i - 1] = (p5_check_result){.name = c->runs[i].name,
                                           .path = c->runs[i].command,
                                           .model = c->runs[i].model,
                                           .failure = good ? NULL : sentences[i]};
        if (out != NULL)
            fprintf(out, " %-6s %c: %s\n", good ? "ok" : "BROKEN", (char)('A' + i), sentences[i]);
    }
    if (junit == NULL || c->run_count < 2)
        return P5_OK;
    return p5_check_write_junit(junit, "p5scope stat --compare", results, c->run_count - 1, error);
}
