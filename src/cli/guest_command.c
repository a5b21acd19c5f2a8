/* The words that a guest gets, and the command lines that reports show. */
#include <stdlib.h>
#include <string.h>

#include "cli/guest_options.h"
#include "p5tool/report.h"

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
    words[0] = options->line->argv0 != NULL ? options->line->argv0
               : slash != NULL              ? slash + 1
                                            : options->command[0];
    return words;
}

char *guest_command_line(const guest_options *options)
{
    if (options->line->load != NULL && options->loaded.command != NULL)
        return strdup(options->loaded.command);
    return p5_command_text(options->command, word_count(options->command));
}

/* Returns p5scope's own options as text that the caller frees: the words between the verb and the guest, without "--".
 * With --load, all words after the verb are options of p5scope. NULL when memory is out. */
char *guest_own_options(const guest_options *options)
{
    char **argv = options->line->argv; /* argv[0] is the verb */
    size_t own = options->line->load != NULL ? word_count(argv) - 1 : options->line->own_words;
    if (own > 0 && options->line->load == NULL && strcmp(argv[own], "--") == 0)
        own--;
    return p5_command_text(argv + 1, own);
}
