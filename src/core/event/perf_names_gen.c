/* Build-time generator: events/perf.tsv -> perf_names.c, the table of p5_perf_names. The compiler checks that
 * an event exists, because the table uses its constant. Usage: perf_names_gen PERF.TSV PERF_NAMES.C */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/generator.h"
#include "base/tsv.h"

enum { NAME, EVENT, REMARKS, COLUMNS };

/* Writes a p5_perf_name. The event of perf's name for all clocks is "clocks". */
static void write_row(FILE *out, const tsv *in, char *const field[COLUMNS])
{
    if (strpbrk(field[REMARKS], "\"\\") != NULL)
        tsv_fail(in, in->line, "remarks are without quotes");
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
    static const char *const names[COLUMNS] = {"name", "event", "remarks"};
    char *field[COLUMNS];
    tsv in;
    if (argc != 3) {
        fprintf(stderr, "usage: perf_names_gen PERF.TSV PERF_NAMES.C\n");
        return 2;
    }
    tsv_open(&in, argv[1], names, COLUMNS);
    char *table = NULL;
    size_t size;
    FILE *rows = open_memstream(&table, &size);
    while (rows != NULL && tsv_next(&in, field))
        write_row(rows, &in, field);
    free(in.text);
    FILE *out = rows != NULL && fclose(rows) == 0 ? fopen(argv[2], "w") : NULL;
    if (out == NULL) {
        perror(argv[2]);
        return 1;
    }
    fprintf(out,
            "/* Generated from events/perf.tsv; do not edit. */\n#include \"p5tool/event.h\"\n\n"
            "static const p5_perf_name names[] = {\n%s"
            "    {0}};\n\nconst p5_perf_name *p5_perf_names(void)\n{\n    return names;\n}\n",
            table);
    free(table);
    return generator_close(out, argv[2]) ? 0 : 1;
}
