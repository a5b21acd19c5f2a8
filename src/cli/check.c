/* p5scope check: runs case files and compares their costs with the expected costs. Worker processes run the cases; a
 * job is one file with all its models. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/case_files.h"
#include "cli/file_use.h"
#include "cli/guest_options.h"
#include "cli/host_clock.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/workers.h"

enum { DEFAULT_TIMEOUT_SECONDS = 60 };

typedef struct check_run {
    const char *pattern; /* -k */
    const char *junit;
    const char *only_model; /* --model */
    unsigned processes;
    double timeout_seconds;
    bool stop_at_failure, verbose;
    p5_row_format rows;
    char **paths; /* operands */
    size_t path_count;

    case_files files;
    size_t *jobs; /* by job: index in files.items */
    size_t job_count;
    p5_check_result *results; /* one for each file and model that has been judged */
    size_t result_count;
    size_t passed, failed; /* of results */
} check_run;

static bool has_model(const case_file *file, const char *name)
{
    for (char **model = file->parsed.models; *model != NULL; model++)
        if (strcmp(*model, name) == 0)
            return true;
    return false;
}

/* Returns the number of models in the case's line `models`; 0 if the file could not be read. */
static size_t model_count(const p5_case *parsed)
{
    size_t count = 0;
    while (parsed->models != NULL && parsed->models[count] != NULL)
        count++;
    return count;
}

/* Returns true if the file is to be checked. --model does not exclude a file that could not be read, because its models
 * are unknown. */
static bool wanted(const check_run *run, const case_file *file)
{
    if (run->only_model != NULL && file->problem == NULL && !has_model(file, run->only_model))
        return false;
    if (run->pattern == NULL)
        return true;
    const char *name = case_file_name(file);
    return strstr(name, run->pattern) != NULL || fnmatch(run->pattern, name, 0) == 0;
}

/* Makes one job of each file, so that the file is assembled once for all its models. Returns false if memory runs
 * out. */
static bool make_jobs(check_run *run)
{
    size_t most = 0; /* results: one for each model, or one for the file itself */
    run->jobs = calloc(run->files.count + 1, sizeof *run->jobs);
    if (run->jobs == NULL)
        return false;
    for (size_t i = 0; i < run->files.count; i++) {
        const case_file *file = &run->files.items[i];
        if (!wanted(run, file))
            continue;
        run->jobs[run->job_count++] = i;
        most += 1 + model_count(&file->parsed);
    }
    run->results = calloc(most + 1, sizeof *run->results);
    return run->results != NULL;
}

/* ---- The jobs, in a worker process ---- */

/* A job's answer is a text. It has for each model a line MARK FAILED MODEL SECONDS, followed by lines of messages.
 * FAILED is the number of expectations that failed, MODEL the index in p5_case.models; -1 means that the file itself
 * is wrong. */
enum { MARK = 1 };

typedef struct prepared_case {
    const check_run *run;
    const p5_case *parsed;
    p5_case_program *programs[2]; /* with N1 and N2 trips */
} prepared_case;

/* A case that has run on a model, which the caller closes. */
typedef struct case_run {
    p5_model *model;
    p5_status status; /* P5_OK: `measured` is valid; otherwise `error` says why not */
    p5_error error;
    p5_case_measured measured;
    double seconds;
} case_run;

/* Returns a copy of `text`, which the caller frees, with each line as a terminal can show it. Messages quote the case,
 * and control characters of it must neither reach a terminal nor be taken for a MARK. NULL: memory is out. */
static char *printable_lines(const char *text)
{
    char *shown = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&shown, &size);
    if (out == NULL)
        return NULL;
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        p5_write_printable_part(out, text, length);
        fputc('\n', out);
        text += length + (text[length] == '\n');
    }
    if (fclose(out) == 0)
        return shown;
    free(shown);
    return NULL;
}

/* Writes an answer for a case that no model could run. */
static void write_problem(FILE *out, const char *problem)
{
    char *lines = printable_lines(problem);
    fprintf(out, "%c 1 -1 0\n%s", MARK, lines != NULL ? lines : "out of memory\n");
    free(lines);
}

static void run_case(const prepared_case *in, const char *name, case_run *of)
{
    double start = host_clock();
    *of = (case_run){.model = NULL};
    p5_case_conditions conditions = case_conditions(in->parsed);
    conditions.model = name;
    conditions.timeout_seconds = in->run->timeout_seconds;
    of->status = p5_model_open(name, &of->model, &of->error);
    if (of->status == P5_OK)
        of->status = p5_case_measure(in->programs, in->parsed->trips, &conditions, &of->measured, &of->error);
    of->seconds = host_clock() - start;
}

/* Judges the run: *failed gets how many expectations failed, or 1 if the case could not be run. Returns the messages in
 * lines, printable, with those of expectations that hold if `all`, which the caller frees; NULL: memory is out. */
static char *judge(const prepared_case *in, const case_run *of, bool all, unsigned *failed)
{
    const p5_case_measured *measured = &of->measured;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    *failed = 1;
    if (out == NULL)
        return NULL;
    if (of->status == P5_OK)
        *failed = p5_case_judge(in->parsed, of->model, measured->counts,
                                (const uint64_t(*)[P5_CASE_REGISTERS])measured->registers, all, out) +
                  p5_case_judge_states(in->parsed, of->model, measured->found, all, out);
    else
        case_write_error(out, &of->error);
    if (of->status == P5_OK && measured->remark.message[0] != '\0')
        case_write_error(out, &measured->remark);
    char *shown = fclose(out) == 0 ? printable_lines(text) : NULL;
    free(text);
    return shown;
}

/* Writes the answer for one model. Messages longer than `most` bytes are cut short: first those of expectations that
 * hold are left out, then the last lines. */
static void judge_model(const prepared_case *in, int model, FILE *out, size_t most)
{
    case_run of;
    unsigned failed;
    run_case(in, in->parsed->models[model], &of);
    char *text = judge(in, &of, in->run->verbose, &failed);
    const bool fits = text == NULL || strlen(text) <= most;
    if (!fits && in->run->verbose) {
        free(text);
        text = judge(in, &of, false, &failed);
    }
    size_t length = text != NULL ? strlen(text) : 0;
    for (length = length <= most ? length : most; length > 0 && text[length - 1] != '\n'; length--)
        ; /* whole lines only */
    fprintf(out, "%c %u %d %.6f\n%.*s%s", MARK, text != NULL ? failed : 1, model, of.seconds, (int)length,
            text != NULL ? text : "",
            text == NULL ? "out of memory\n"
            : fits       ? ""
                         : "(further lines are left out)\n");
    free(text);
    p5_model_close(of.model);
}

/* Writes the answer of a case, for the models that are wanted. Each has an equal share of the bytes that are left of the
 * answer's `size`, so that the outcomes of the other models are not lost. */
static void judge_models(const prepared_case *in, FILE *out, size_t size)
{
    enum { OWN_BYTES = 96 }; /* at most: the line MARK, and the note about lines that are left out */
    const size_t count = model_count(in->parsed);
    for (size_t i = 0; i < count; i++) {
        if (in->run->only_model != NULL && strcmp(in->run->only_model, in->parsed->models[i]) != 0)
            continue;
        const size_t left = size - (size_t)ftell(out),
                     share = in->run->only_model != NULL ? left : left / (count - i);
        judge_model(in, (int)i, out, share > OWN_BYTES ? share - OWN_BYTES : 0);
    }
}

/* Does job `number` in a worker process and writes its answer to `text`. Returns 0, or 1 if memory is out. */
static int32_t do_job(void *context, size_t number, char *text, size_t size)
{
    const check_run *run = context;
    const case_file *file = &run->files.items[run->jobs[number]];
    FILE *out = fmemopen(text, size - 1, "w");
    if (out == NULL)
        return 1;
    p5_error error = {0};
    prepared_case in = {.run = run, .parsed = &file->parsed};
    p5_status status = P5_OK;
    if (file->problem != NULL) {
        write_problem(out, file->problem);
    } else {
        for (unsigned i = 0; i < 2 && status == P5_OK; i++)
            status = p5_case_assemble(file->path, file->parsed.trips[i], &in.programs[i], &error);
        if (status == P5_OK) {
            judge_models(&in, out, size);
        } else {
            char *problem = case_error_line(&error);
            write_problem(out, problem != NULL ? problem : "out of memory");
            free(problem);
        }
    }
    for (unsigned i = 0; i < 2; i++)
        p5_case_program_free(in.programs[i]);
    fclose(out);
    return 0;
}

/* ---- The outcomes, in the main process ---- */

static void print_outcome(const case_file *file, const char *model, bool good, const char *text)
{
    const char *name = case_file_name(file);
    bool with_path = !good && strcmp(name, file->path) != 0;
    bool colour = cli_colour(stdout);
    printf("%s%s%s ", colour ? (good ? "\033[32m" : "\033[1;31m") : "", good ? "ok  " : "FAIL",
           colour ? "\033[0m" : "");
    p5_write_printable(stdout, name);
    printf("%s%s%s", model[0] != '\0' ? " " : "", model, with_path ? "  " : "");
    p5_write_printable(stdout, with_path ? file->path : "");
    putchar('\n');
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        printf("       %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* Records one outcome, and shows it if the output is text; CSV and JSON follow when all outcomes are known. `model`
 * is "" if the outcome is that of the file. `text` has the messages in lines. */
static void show_outcome(check_run *run, const case_file *file, const char *model, bool good, double seconds,
                         const char *text)
{
    if (run->rows == P5_ROWS_TEXT)
        print_outcome(file, model, good, text);
    if (good)
        run->passed++;
    else
        run->failed++;
    run->results[run->result_count++] = (p5_check_result){.name = case_file_name(file),
                                                          .path = file->path,
                                                          .model = model,
                                                          .failure = good ? NULL : strdup(text),
                                                          .seconds = seconds};
}

/* Shows and records the outcomes in a job's answer. Returns false to cancel the other jobs (--exitfirst). */
static bool answered(void *context, const worker_answer *answer)
{
    check_run *run = context;
    const case_file *file = &run->files.items[run->jobs[answer->job]];
    if (answer->status != 0) {
        char crash[80];
        snprintf(crash, sizeof crash, "p5scope itself failed in this case (signal %u)", answer->signal);
        show_outcome(run, file, "", false, answer->seconds, crash);
    }
    for (const char *block = answer->text; answer->status == 0 && *block == MARK;) {
        unsigned failed;
        int model;
        double seconds;
        size_t line = strcspn(block, "\n");
        if (sscanf(block + 1, "%u %d %lf", &failed, &model, &seconds) != 3 || block[line] == '\0')
            break;
        const char *text = block + line + 1;
        size_t length = strcspn(text, "\001"); /* up to the next MARK */
        char *copy = strndup(text, length > 0 && text[length - 1] == '\n' ? length - 1 : length);
        show_outcome(run, file, model < 0 ? "" : file->parsed.models[model], failed == 0, seconds,
                     copy != NULL ? copy : "");
        free(copy);
        block = text + length;
    }
    fflush(stdout);
    return run->failed == 0 || !run->stop_at_failure;
}

static bool write_junit(const check_run *run)
{
    if (run->junit == NULL)
        return true;
    p5_error error = {0};
    FILE *out = output_open_file("--junit", run->junit);
    if (out == NULL)
        return false;
    p5_status status = p5_check_write_junit(out, "p5scope check", run->results, run->result_count, &error);
    return output_close(out, run->junit, status, &error);
}

static void check_free(check_run *run)
{
    case_files_free(&run->files);
    for (size_t i = 0; i < run->result_count; i++)
        free((void *)(uintptr_t)run->results[i].failure);
    free(run->results);
    free(run->jobs);
}

/* Returns false after a message if --junit would overwrite a case. */
static bool junit_is_distinct(const check_run *run)
{
    for (size_t i = 0; i < run->files.count; i++) {
        const file_use files[] = {{"--junit", run->junit, false},
                                  {"the case", run->files.items[i].path, true}};
        if (!file_uses_distinct(files, 2))
            return false;
    }
    return true;
}

/* Collects the files, runs the jobs and reports the outcomes. Returns the exit status. */
static int check(check_run *run)
{
    bool good = true;
    for (size_t i = 0; i < run->path_count && good; i++)
        good = case_files_add(&run->files, run->paths[i]);
    if (!good || !case_files_read(&run->files) || !make_jobs(run)) {
        fprintf(stderr, "p5scope: cannot collect the case files: %s\n", strerror(errno));
        return CLI_INTERNAL;
    }
    if (!junit_is_distinct(run))
        return CLI_USAGE;
    if (run->job_count == 0) {
        fprintf(stderr, "p5scope: no case matches; there is nothing to check\n");
        return CLI_FAILED;
    }
    worker_jobs jobs = {.count = run->job_count,
                        .processes =
                            run->processes < run->job_count ? run->processes : (unsigned)run->job_count,
                        .context = run,
                        .work = do_job,
                        .answered = answered};
    if (!workers_run(&jobs))
        return CLI_INTERNAL;
    p5_error error = {0};
    if (run->rows == P5_ROWS_TEXT)
        printf("%zu passed, %zu failed\n", run->passed, run->failed);
    else
        p5_check_write_rows(stdout, run->rows, run->results, run->result_count, &error);
    if (!write_junit(run))
        return CLI_INTERNAL;
    return run->failed == 0 ? CLI_OK : CLI_FAILED;
}

static int run_check(const cli_options *line)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    check_run run = {.pattern = line->filter,
                     .junit = line->junit,
                     .only_model = line->model.count > 0 ? line->model.items[0] : NULL,
                     .processes = line->jobs != 0  ? (unsigned)line->jobs
                                  : processors > 0 ? (unsigned)processors
                                                   : 1,
                     .timeout_seconds = line->timeout > 0 ? line->timeout : DEFAULT_TIMEOUT_SECONDS,
                     .stop_at_failure = line->exitfirst,
                     .verbose = line->verbose,
                     .rows = rows_format(line),
                     .paths = line->operands,
                     .path_count = line->operand_count};
    if (run.path_count == 0)
        return cli_complain(NULL, NULL, 0, "which case files? Try 'p5scope check --help'");
    /* Helps users of earlier versions, in which -j N was --jobs N. */
    if (line->json && strspn(run.paths[0], "0123456789") == strlen(run.paths[0]) &&
        access(run.paths[0], F_OK) != 0)
        return cli_complain(NULL, NULL, 0, "-j writes JSON; --jobs %s sets the number of processes.",
                            run.paths[0]);
    const bool good = run.only_model == NULL || model_option_check("-m", run.only_model);
    int status = good ? check(&run) : CLI_USAGE;
    check_free(&run);
    return status;
}

const cli_verb verb_check = {
    .name = "check",
    .summary = "run case files and compare their costs with what they expect",
    .operands = "FILE|DIR...",
    .doc = "Run case files (all *.s below a DIR) and compare their costs per trip with what they expect. "
           "Status 0 if none failed, 1 otherwise."
           "\vExamples:\n  p5scope check cases/\n  p5scope check --junit report.xml -k 'agi*' cases/",
    .run = run_check};
