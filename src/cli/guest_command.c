/* The words that a guest gets, and the command lines that reports show. */
#include <stdlib.h>
#include <string.h>

#include "cli/guest_options.h"
#include "p5scope/report.h"

static size_t word_count(char *const *words)
{
    size_t count = 0;
    while (words[count] != NULL)
        count++;
    return count;
}

const char **guest_words(const guest_options *options)
{
    size_t count = word_count(options->command);
    const char **words = calloc(count + 1, sizeof *words);
    if (words == NULL)
        return NULL;
    for (size_t i = 1; i < count; i++)
        words[i] = options->command[i];
    const char *slash = strrchr(options->command[0], '/');
    words[0] = options->argv0 != NULL ? options->argv0 : slash != NULL ? slash + 1 : options->command[0];
    return words;
}

char *guest_command_line(const guest_options *options)
{
    if (options->load != NULL && options->loaded.command != NULL)
        return strdup(options->loaded.command);
    return p5_command_text(options->command, word_count(options->command));
}

char *guest_own_options(const guest_options *options, char **argv)
{
    if (options->load != NULL)
        return p5_command_text(argv + 1, word_count(argv + 1));
    size_t own =
        options->kernel_command != NULL
            ? word_count(argv) - word_count(options->kernel_command) /* which has the kernel in front */
            : (size_t)(options->command - argv) - 1;
    if (own > 0 && strcmp(argv[own], "--") == 0)
        own--;
    return p5_command_text(argv + 1, own);
}
