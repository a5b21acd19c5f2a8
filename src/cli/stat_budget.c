/* The conditions of `stat --expect`: parses and judges them, and writes their outcome for --junit. */
#include "cli/stat_budget.h"

#include "cli/guest_run.h"
#include "cli/warnings.h"

/* Parses the conditions and reads --baseline. Returns false after a message. */
static bool complete_conditions(stat_budget *b, unsigned family)
{
    p5_error error = {0};
    p5_status status = b->expect.count > 0 ? p5_budget_open(&b->budget, &error) : P5_OK;
    if (status == P5_OK && b->baseline != NULL && p5_budget_baseline(b->budget, b->baseline, &error) != P5_OK)
        return cli_refuse_error(&error, "--baseline", NULL, "'p5scope stat -j -o FILE GUEST' makes one.");
    for (size_t i = 0; i < b->expect.count && status == P5_OK; i++) {
        const char *text = b->expect.items[i];
        bool file = text[0] == '@';
        status = file ? p5_budget_read(b->budget, text + 1, family, &error)
                      : p5_budget_add(b->budget, text, family, &error);
        if (status != P5_OK)
            cli_show_error(&error, "--expect", file ? NULL : text,
                           status == P5_ERR_NAME ? "Run 'p5scope list' to see the events." : NULL);
    }
    return status == P5_OK;
}

bool stat_budget_complete(stat_budget *b, unsigned family)
{
    return complete_conditions(b, family) && output_reserve(&b->junit_file, "--junit", b->junit);
}

void stat_budget_warn(const stat_budget *b, const p5_run_identity *run, const p5_model *model)
{
    char values[500];
    if (b->budget == NULL)
        return;
    if (!p5_budget_same_revision(b->budget, values, sizeof values))
        warn_of_revisions(values);
    if (!p5_budget_same_model(b->budget, model, values, sizeof values))
        warn_of_models(values);
    size_t next = 0;
    for (const char *part; (part = warn_next_part(&next)) != NULL;)
        if (!p5_budget_same_option(b->budget, run, model, part, values, sizeof values))
            warn_of_part(part, values);
}

/* Returns the exit status when the conditions cannot be judged: that of the run if its end was a failure, else
 * CLI_UNMEASURED. */
static int status_unmeasured(const p5_run_result *result)
{
    bool failed = result != NULL && (result->end == P5_END_SIGNAL || result->end == P5_END_SHUTDOWN ||
                                     result->end == P5_END_TIMEOUT || result->end == P5_END_STOPPED);
    return failed ? guest_exit_status(result) : CLI_UNMEASURED;
}

void stat_budget_note(stat_budget *b, const p5_run_result *result, const region *roi)
{
    char text[400];
    if (b->unmeasured[0] != '\0')
        return;
    if (result == NULL)
        snprintf(text, sizeof text, "nothing was counted, because the guest ended during --fast-forward");
    else if (roi != NULL && region_missed(roi, text, sizeof text))
        ; /* region_missed has filled in `text` */
    else if (!guest_ended_itself(result) && (roi == NULL || !region_is_over(roi)))
        guest_ending(result, text, sizeof text);
    else
        return;
    snprintf(b->unmeasured, sizeof b->unmeasured, "%s", text);
    b->unmeasured_status = status_unmeasured(result);
}

/* Writes the outcome to --junit's file. Returns false after a message. */
static bool write_junit(stat_budget *b, const p5_stat *stat)
{
    FILE *out = output_begin(&b->junit_file);
    p5_error error = {0};
    return out != NULL &&
           output_close(out, b->junit, p5_budget_write_junit(b->budget, stat, out, &error), &error);
}

int stat_budget_judge(stat_budget *b, p5_stat *stat, bool quiet, int status)
{
    if (b->budget == NULL || status == CLI_INTERNAL)
        return status;
    unsigned broken = p5_budget_judge(b->budget, stat, quiet ? NULL : stderr);
    if (broken > 0 && quiet)
        p5_budget_judge(b->budget, stat, stderr);
    if (b->junit != NULL && !write_junit(b, stat))
        return CLI_INTERNAL;
    return broken == 0 ? status : stat->unmeasured != NULL ? b->unmeasured_status : CLI_OVER_BUDGET;
}

void stat_budget_close(stat_budget *b)
{
    output_release(&b->junit_file);
    p5_budget_close(b->budget);
    b->budget = NULL;
}
