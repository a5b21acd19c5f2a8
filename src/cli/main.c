/* p5scope: chooses the verb, the first word of the command line (run, stat, ...), and runs it. */
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/sandbox.h"
#include "p5tool/profile.h"
#include "p5tool/report.h"
#include "p5scope/version.h"

extern const cli_verb verb_run, verb_stat, verb_top, verb_trace, verb_merge, verb_check, verb_bench,
    verb_record, verb_report, verb_annotate, verb_diff, verb_screen, verb_list, verb_explain, verb_msr;
static const cli_verb *const verbs[] = {&verb_run,    &verb_stat,     &verb_top,   &verb_trace,
                                        &verb_merge,  &verb_check,    &verb_bench, &verb_record,
                                        &verb_report, &verb_annotate, &verb_diff,  &verb_screen,
                                        &verb_list,   &verb_explain,  &verb_msr};
enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static void write_help(FILE *out)
{
    fprintf(out,
            "Usage: p5scope VERB [OPTION...] [--] [GUEST [ARG...]]\n"
            "Run a program on a Pentium (P54C) or Pentium MMX (P55C) whose performance monitor counts.\n\n");
    for (size_t i = 0; i < VERB_COUNT; i++)
        fprintf(out, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
    fprintf(out, "\n  --version  show the version\n"
                 "  --help     show this help; 'p5scope help VERB' shows a verb's options\n");
}

/* Refuses a word that is no verb, with a suggestion. Returns CLI_USAGE. */
static int unknown_verb(const char *word)
{
    const char *names[VERB_COUNT + 1];
    for (size_t i = 0; i < VERB_COUNT; i++)
        names[i] = verbs[i]->name;
    names[VERB_COUNT] = NULL;
    bool option = word[0] == '-';
    char hint[200];
    p5_suggest(word, names, hint, sizeof hint);
    cli_complain("p5scope", word, 1, option ? "there is no option '%s'" : "there is no verb '%s'", word);
    if (hint[0] != '\0' && !option)
        fprintf(stderr, "  %s\n", hint);
    fprintf(stderr, "  Try 'p5scope --help'.\n");
    return CLI_USAGE;
}

static const cli_verb *find_verb(const char *word)
{
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i]->name, word) == 0)
            return verbs[i];
    return NULL;
}

static int run_verb(const cli_verb *verb, int argc, char **argv)
{
    cli_options options = {0};
    int status = cli_parse(verb, argc, argv, &options) ? verb->run(&options) : CLI_USAGE;
    cli_options_free(&options);
    return output_finish(status);
}

/* Performs p5scope help [VERB [PAGE]]: shows the verbs, or what 'p5scope VERB --help[=PAGE]' shows. Returns the exit
 * status. */
static int help(int argc, char **argv)
{
    const cli_verb *verb = argc > 2 ? find_verb(argv[2]) : NULL;
    if (argc > 2 && verb == NULL)
        return unknown_verb(argv[2]);
    if (verb == NULL) {
        write_help(stdout);
        return output_finish(CLI_OK);
    }
    char page[80];
    snprintf(page, sizeof page, argc > 3 ? "--help=%s" : "--help", argc > 3 ? argv[3] : "");
    char *words[] = {argv[2], page, NULL};
    return run_verb(verb, 2, words);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        write_help(stderr);
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return help(argc, argv);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("p5scope %s\n%s\n", p5_version(), p5_file_formats());
        if (argc > 2 && strcmp(argv[2], "-v") == 0) {
            char sandbox[100];
            sandbox_describe(sandbox, sizeof sandbox);
            printf("sandbox: %s\n", sandbox);
        }
        return output_finish(CLI_OK);
    }
    const cli_verb *verb = find_verb(word);
    return verb != NULL ? run_verb(verb, argc - 1, argv + 1) : unknown_verb(word);
}
