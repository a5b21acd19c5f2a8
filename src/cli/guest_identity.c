/* The identity of a run, by which results of the same run are recognised: the words that its guest gets, and
 * the options of the run without those that only say where results go, how they look, or how the host makes the run
 * (flag `view` of options.tsv). */
#define _GNU_SOURCE /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/guest_options.h"

char *guest_contents_file(const cli_use *use)
{
    size_t length =
        use->row->option == OPTION_MODULE ? p5_module_file_length(use->value) : strlen(use->value);
    return strndup(use->value, length);
}

/* Returns "--name=value", with the hash of the file in the place of its path if the run is made of the file (flag
 * `contents`). The caller frees it; NULL when memory is out. */
static char *identity_word(const cli_use *use)
{
    const char *value = use->value;
    char sha256[P5_SHA256_TEXT] = "", *word = NULL;
    if ((use->row->flags & OPTION_IS_CONTENTS) != 0) {
        char *path = guest_contents_file(use);
        if (path == NULL)
            return NULL;
        if (p5_file_sha256(path, sha256)[0] != '\0')
            value += strlen(path);
        free(path);
    }
    if (asprintf(&word, "--%s%s%s%s%s", use->row->name, value != NULL ? "=" : "",
                 sha256[0] != '\0' ? "sha256:" : "", sha256, value != NULL ? value : "") < 0)
        return NULL;
    return word;
}

/* Compares the names before the equal signs, as strcmp does. */
static int by_name(const char *a, const char *b)
{
    size_t of_a = strcspn(a, "="), of_b = strcspn(b, "=");
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

/* Returns the sorted options, NULL-terminated, or NULL when memory is out. Each --env has the value that the guest
 * gets. */
static char **identity_options(const guest_options *guest)
{
    const cli_options *line = guest->line;
    char **options = calloc(line->use_count + guest->environment_count + 1, sizeof *options);
    size_t kept = 0;
    bool fits = options != NULL;
    for (size_t i = 0; fits && i < line->use_count; i++)
        if ((line->uses[i].row->flags & OPTION_IS_VIEW) == 0)
            fits = (options[kept++] = identity_word(&line->uses[i])) != NULL;
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
