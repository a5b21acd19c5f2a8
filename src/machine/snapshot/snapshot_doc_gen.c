/* Writes the document snapshot-fields.md: every field of a snapshot with its permitted values. Usage:
 * snapshot_doc_gen FILE. */
#include <stdio.h>
#include <string.h>

#include "base/generator.h"
#include "machine/snapshot/machine_tables.h"

typedef struct page {
    FILE *out;
    char last[256]; /* the name in the last row; fields of an array with named elements share a row */
} page;

/* Writes the row of a field. In an array whose elements have names (field->each), NAME stands for the name. */
static void row(void *context, const char *name, const snapshot_field *field)
{
    page *p = context;
    char permitted[100], shown[256];
    snprintf(shown, sizeof shown, "%s", name);
    char *dot = field->each != NULL ? strrchr(shown, '.') : NULL;
    if (dot != NULL)
        strcpy(dot, ".NAME");
    if (strcmp(shown, p->last) == 0)
        return;
    strcpy(p->last, shown);
    snapshot_permitted(field, permitted, sizeof permitted);
    fprintf(p->out, "| %s | %s |\n", shown, permitted);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: snapshot_doc_gen FILE\n");
        return 2;
    }
    page p = {.out = fopen(argv[1], "w")};
    if (p.out == NULL) {
        perror(argv[1]);
        return 1;
    }
    fprintf(
        p.out,
        "# Fields of snapshots\n\n"
        "The build makes this document from the tables of the units (base/snapshot.h). p5scope-snapshot(5) "
        "describes the file\n"
        "format. State without a field is derived from these fields or from the model, or belongs to the "
        "host. A field\n"
        "whose name contains NAME exists once for each event or each cause of stalls.\n");
    for (unsigned list = 0; machine_tables[list] != NULL; list++)
        for (unsigned i = 0; machine_tables[list][i] != NULL; i++) {
            const snapshot_table *t = machine_tables[list][i];
            fprintf(p.out, "\n## %s\n\n| field | may be |\n|---|---|\n", t->name);
            snapshot_each_field(t, row, &p);
        }
    return generator_close(p.out, argv[1]) ? 0 : 1;
}
