/* Build-time generator: events/perf.tsv -> perf_names.c, the table behind p5_perf_names. That an event exists
 * is checked by the compiler: the table uses its constant. Usage: perf_names_gen PERF.TSV PERF_NAMES.C */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { NAME, EVENT, REMARKS, COLUMNS, LINE = 512 };

static void write_row(FILE *out, char *const field[COLUMNS])
{
    fprintf(out, "    {\"%s\", ", field[NAME]);
    if (strcmp(field[EVENT], "clocks") == 0) {
        fputs("P5_PERF_CLOCKS", out);
    } else {
        fputs("P5_EVENT_", out);
        for (const char *c = field[EVENT]; *c != '\0'; c++)
            fputc(toupper((unsigned char)*c), out);
    }
    fprintf(out, ", \"%s\"},\n", strcmp(field[REMARKS], "-") == 0 ? "" : field[REMARKS]);
}

int main(int argc, char **argv)
{
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL;
    FILE *out = in != NULL ? fopen(argv[2], "w") : NULL;
    char text[LINE];
    unsigned line = 0;
    if (out == NULL) {
        fprintf(stderr, "usage: perf_names_gen PERF.TSV PERF_NAMES.C\n");
        return 2;
    }
    fputs("/* Generated from events/perf.tsv; do not edit. */\n#include \"p5scope/event.h\"\n\n"
          "static const p5_perf_name names[] = {\n",
          out);
    while (fgets(text, sizeof text, in) != NULL) {
        char *cursor = text, *field[COLUMNS];
        line++;
        text[strcspn(text, "\n")] = '\0';
        if (text[0] == '#' || strncmp(text, "name\t", 5) == 0)
            continue;
        for (unsigned i = 0; i < COLUMNS; i++)
            field[i] = text_field(&cursor, '\t');
        if (field[REMARKS] == NULL || cursor != NULL || strpbrk(field[REMARKS], "\"\\") != NULL) {
            fprintf(stderr, "%s:%u: error: a name, an event and remarks are due, each behind a tab\n",
                    argv[1], line);
            fclose(out);
            remove(argv[2]);
            return 1;
        }
        write_row(out, field);
    }
    fputs("    {0}};\n\nconst p5_perf_name *p5_perf_names(void)\n{\n    return names;\n}\n", out);
    fclose(in);
    return fclose(out) == 0 ? 0 : 1;
}
