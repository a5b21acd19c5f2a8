/* Compares the measured costs of a case with its `#! expect` lines. A case runs with two trip counts, N1 and the
 * larger N2; what is compared is the cost of one trip, the difference of both runs divided by N2 - N1. */
#include "p5tool/report.h"

#include <string.h>

/* Formats a number with at most 7 digits and without trailing zeros: 4, 0.5 or 2.333333. Returns `text`. */
static const char *short_number(double value, char text[32])
{
    snprintf(text, 32, "%.7g", value);
    return text;
}

/* Writes the expected value with its tolerance, and the measured value `got`. */
static void write_expectation(FILE *out, const p5_expectation *expect, double got)
{
    char value[32], up[32], down[32], result[32];
    short_number(expect->up, up);
    short_number(expect->down, down);
    fprintf(out, "%s: expected %s", expect->what.name, short_number(expect->value, value));
    if (expect->up > 0 && expect->up == expect->down)
        fprintf(out, " ~%s", up);
    else if (expect->up > 0 || expect->down > 0)
        fprintf(out, " +%s -%s", up, down);
    fprintf(out, ", got %s (line %u)\n", short_number(got, result), expect->line);
}

/* Returns whether `got` is within the expected range. The limits are widened by more than the rounding errors of the
 * division by the trips and of decimal fractions in the file. */
static bool is_expected(const p5_expectation *expect, double got)
{
    static const double ROUNDING = 1e-9;
    return got >= expect->value - expect->down - ROUNDING && got <= expect->value + expect->up + ROUNDING;
}

/* Returns by how much a value grows per trip. It is `few` after the run of N1 trips and `many` after that of N2. */
static double per_trip(uint64_t few, uint64_t many, const unsigned trips[2])
{
    return ((double)many - (double)few) / ((double)trips[1] - (double)trips[0]);
}

unsigned p5_case_judge(const p5_case *c, const p5_model *model, const p5_counts counts[2],
                       const uint64_t registers[2][P5_CASE_REGISTERS], bool all, FILE *out)
{
    unsigned failed = 0;
    unsigned judged = 0; /* expectations that apply to the model */
    unsigned states = 0; /* expected states that apply to the model; p5_case_judge_states compares them */
    for (size_t i = 0; i < c->expectation_count; i++) {
        const p5_expectation *expect = &c->expectations[i];
        if (!p5_case_applies(expect->only, p5_model_name(model)))
            continue;
        judged++;
        int reg = expect->of_register; /* index into `registers`; negative: `what` is an event or clocks */
        const p5_event_info *event = reg < 0 ? p5_selected_event(&expect->what) : NULL;
        if (event != NULL && (event->families & p5_model_family(model)) == 0) {
            failed++;
            fprintf(out, "%s: %s does not have this event (line %u)\n", expect->what.name,
                    p5_model_name(model), expect->line);
            continue;
        }
        double got = reg < 0 ? per_trip(p5_selected_value(&expect->what, &counts[0]),
                                        p5_selected_value(&expect->what, &counts[1]), c->trips)
                             : per_trip(registers[0][reg], registers[1][reg], c->trips);
        bool good = is_expected(expect, got);
        if (!good)
            failed++;
        if (!good || all)
            write_expectation(out, expect, got);
    }
    for (size_t i = 0; i < c->state_count; i++)
        states += p5_case_applies(c->states[i].only, p5_model_name(model));
    if (judged == 0 && states > 0)
        return 0;
    if (judged == 0) {
        fprintf(out,
                "nothing is expected on %s: add '#! expect' lines to the file, for example '#! expect clocks "
                "4'\n",
                p5_model_name(model));
        return 1;
    }
    if (memcmp(&counts[0], &counts[1], sizeof counts[0]) == 0) {
        fprintf(out, "nothing is measured: %u and %u trips count the same, the code does not depend on N\n",
                c->trips[0], c->trips[1]);
        return failed + 1;
    }
    return failed;
}
