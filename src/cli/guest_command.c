/* The command lines that reports show: words as a shell would take them. */
#include <ctype.h>
#include <string.h>

#include "cli/guest_options.h"

/* The words quoted, in one string. */
static char *quote(char *const *words, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < count && words[i] != NULL; i++) {
        bool plain = words[i][0] != '\0';
        for (const char *c = words[i]; *c != '\0'; c++)
            if (!isalnum((unsigned char)*c) && strchr("_-./:=,+@%^", *c) == NULL)
                plain = false;
        if (i > 0)
            fputc(' ', out);
        if (plain) {
            fputs(words[i], out);
            continue;
        }
        fputc('\'', out);
        for (const char *c = words[i]; *c != '\0'; c++)
            fputs(*c == '\'' ? "'\\''" : (char[]){*c, '\0'}, out);
        fputc('\'', out);
    }
    return fclose(out) == 0 ? text : NULL;
}

static size_t word_count(char *const *words)
{
    size_t count = 0;
    while (words[count] != NULL)
        count++;
    return count;
}

char *guest_command_line(const guest_options *options)
{
    if (options->load != NULL && options->loaded.command != NULL)
        return strdup(options->loaded.command);
    return quote(options->command, word_count(options->command));
}

char *guest_own_options(const guest_options *options, char **argv)
{
    if (options->load != NULL)
        return quote(argv + 1, word_count(argv + 1));
    size_t own =
        options->kernel_command != NULL
            ? word_count(argv) - word_count(options->kernel_command) /* which has the kernel in front */
            : (size_t)(options->command - argv) - 1;
    if (own > 0 && strcmp(argv[own], "--") == 0)
        own--;
    return quote(argv + 1, own);
}
