/* What makes a run that run: what its guest gets, and the options without those that only say where results
 * go, how they look, or how the host makes the run. */
#define _GNU_SOURCE /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/guest_options.h"

/* Length of the name in "--name=value". */
static size_t name_length(const char *option)
{
    return strcspn(option, "=");
}

static bool is_one_of(const char *option, const char *const *names)
{
    size_t length = name_length(option);
    for (; *names != NULL; names++)
        if (strlen(*names) == length && strncmp(*names, option, length) == 0)
            return true;
    return false;
}

/* True for an option that makes no other run, or that the identity has in another form: argv has --argv0, and
 * the hash of the model's fields what is said of the model. --env is added with the value that the guest
 * gets. */
static bool is_left_out(const char *option)
{
    static const char *const names[] = {"--output",          "--append",     "--log-fd",     "--json",
                                        "--field-separator", "--header",     "--big-num",    "--no-big-num",
                                        "--verbose",         "--junit",      "--expect",     "--save",
                                        "--save-at",         "--quiet",      "--threads",   
                                        "--no-sandbox",      "--check-laws", "--check-memo", "--callgrind",
                                        "--cachegrind",      "--format",     "--argv0",      "--model",
                                        "--clock",           "--agent",      "--monitor",    "--wire",
                                        "--bus-check",       "--env",        "--summary",    NULL};
    return is_one_of(option, names);
}

/* The option with the hash of the file that it names in the place of the path, if it names one that the guest
 * is made of. */
static char *with_contents(const char *option)
{
    static const char *const names[] = {"--load", "--initrd", "--init", "--module", NULL};
    char sha256[P5_SHA256_TEXT], *word = NULL;
    size_t name = name_length(option);
    if (!is_one_of(option, names) || option[name] == '\0')
        return strdup(option);
    const char *value = option + name + 1;
    size_t length = strncmp(option, "--module", name) == 0 ? strcspn(value, " ") : strlen(value);
    char *path = strndup(value, length);
    if (path == NULL)
        return NULL;
    bool read = p5_file_sha256(path, sha256)[0] != '\0';
    free(path);
    if (!read)
        return strdup(option);
    return asprintf(&word, "%.*s=sha256:%s%s", (int)name, option, sha256, value + length) < 0 ? NULL : word;
}

static int by_name(const char *a, const char *b)
{
    size_t of_a = name_length(a), of_b = name_length(b);
    int difference = strncmp(a, b, of_a < of_b ? of_a : of_b);
    return difference != 0 ? difference : (of_a > of_b) - (of_a < of_b);
}

/* Sorts by name only: options of the same name stay in their order, which may matter. */
static void sort(char **options, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t at = i; at > 0 && by_name(options[at - 1], options[at]) > 0; at--) {
            char *before = options[at - 1];
            options[at - 1] = options[at];
            options[at] = before;
        }
}

static char **identity_options(const guest_options *guest)
{
    size_t count = 0;
    while (guest->given != NULL && guest->given[count] != NULL)
        count++;
    char **options = calloc(count + guest->environment_count + 1, sizeof *options);
    size_t kept = 0;
    bool fits = options != NULL;
    for (size_t i = 0; fits && i < count; i++)
        if (!is_left_out(guest->given[i]))
            fits = (options[kept++] = with_contents(guest->given[i])) != NULL;
    for (size_t i = 0; fits && i < guest->environment_count; i++)
        fits = asprintf(&options[kept++], "--env=%s", guest->environment[i]) >= 0;
    if (fits) {
        sort(options, kept);
        return options;
    }
    for (size_t i = 0; options != NULL && i + 1 < kept; i++)
        free(options[i]);
    free(options);
    return NULL;
}

bool guest_identity_open(guest_identity *identity, const guest_options *options)
{
    *identity = (guest_identity){.argv = guest_words(options), .options = identity_options(options)};
    identity->run = (p5_run_identity){identity->argv, (const char *const *)identity->options};
    return identity->argv != NULL && identity->options != NULL;
}

void guest_identity_close(guest_identity *identity)
{
    for (char **word = identity->options; word != NULL && *word != NULL; word++)
        free(*word);
    free(identity->options);
    free(identity->argv);
}
