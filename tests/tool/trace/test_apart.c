/* Several machines in threads of one process, each with its model in a thread of its own and a trace in every
 * format at the same time: the files are those of machines that run alone and in one thread.
 * trace_apart GUESTS */
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "p5tool/trace.h"

enum { FORMATS = 5, JOBS = 4 };
static const struct {
    p5_trace_format format;
    const char *ending;
} formats[FORMATS] = {{P5_TRACE_CSV, "csv"},
                      {P5_TRACE_JSON, "jsonl"},
                      {P5_TRACE_VCD, "vcd"},
                      {P5_TRACE_CHROME, "json"},
                      {P5_TRACE_SQLITE, "db"}};

typedef struct job {
    const char *model, *program, *argument;
    unsigned number, threads;
    const char *guests, *folder;
    const char *failure; /* NULL: all went well */
    p5_error error;
} job;

static void file_name(const job *j, unsigned format, char *path, size_t size)
{
    snprintf(path, size, "%s/%u.%u.%s", j->folder, j->number, j->threads, formats[format].ending);
}

static p5_status open_traces(job *j, p5_machine *machine, char paths[FORMATS][200], p5_trace *traces[FORMATS])
{
    for (unsigned i = 0; i < FORMATS; i++) {
        file_name(j, i, paths[i], sizeof paths[i]);
        const p5_trace_options options = {
            .size = sizeof options, .path = paths[i], .format = formats[i].format, .every_clocks = 5000};
        if (p5_trace_open(machine, &options, &traces[i], &j->error) != P5_OK)
            return j->error.status;
    }
    return P5_OK;
}

static void *work(void *context)
{
    job *j = context;
    static const char *const environment[] = {NULL};
    const char *const arguments[] = {j->program, j->argument, NULL};
    const p5_machine_options options = {.size = sizeof options, .model = j->model, .threads = j->threads};
    char path[1024], paths[FORMATS][200];
    p5_trace *traces[FORMATS];
    p5_run_result result = {.size = sizeof result};
    p5_machine *machine;
    snprintf(path, sizeof path, "%s/%s", j->guests, j->program);
    if (p5_machine_open(&options, &machine, &j->error) != P5_OK) {
        j->failure = "no machine";
        return NULL;
    }
    if (p5_machine_load_linux(machine, path, arguments, environment, &j->error) != P5_OK ||
        open_traces(j, machine, paths, traces) != P5_OK ||
        p5_machine_run(machine, NULL, &result, &j->error) != P5_OK)
        j->failure = "no run";
    for (unsigned i = 0; i < FORMATS && j->failure == NULL; i++)
        if (p5_trace_close(traces[i], NULL, &j->error) != P5_OK)
            j->failure = "no trace";
    p5_machine_close(machine);
    return NULL;
}

static char *contents(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    long length = ftell(file);
    char *text = malloc((size_t)length + 1);
    rewind(file);
    *size = text != NULL ? fread(text, 1, (size_t)length, file) : 0;
    fclose(file);
    return text;
}

/* All rows and values of a database in their order. */
static char *dump(const char *path, size_t *size)
{
    static const char query[] =
        "SELECT group_concat(line, char(10)) FROM (SELECT i.number || ' ' || i.kind || ' ' || i.clock || ' ' "
        "|| "
        "i.instructions || ' ' || e.name || ' ' || v.value AS line FROM value v JOIN interval i ON i.id = "
        "v.interval JOIN event e ON e.id = v.event ORDER BY i.id, e.id)";
    sqlite3 *database;
    sqlite3_stmt *statement = NULL;
    char *text = NULL;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(database, query, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != NULL)
        text = strdup((const char *)sqlite3_column_text(statement, 0));
    *size = text != NULL ? strlen(text) : 0;
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return text;
}

static bool same(const job *a, const job *b, unsigned format)
{
    char path_a[200], path_b[200];
    size_t size_a = 0, size_b = 0;
    file_name(a, format, path_a, sizeof path_a);
    file_name(b, format, path_b, sizeof path_b);
    char *(*read)(const char *path, size_t *size) =
        formats[format].format == P5_TRACE_SQLITE ? dump : contents;
    char *text_a = read(path_a, &size_a), *text_b = read(path_b, &size_b);
    bool equal = text_a != NULL && text_b != NULL && size_a > 1000 && size_a == size_b &&
                 memcmp(text_a, text_b, size_a) == 0;
    if (!equal)
        printf("FAIL: %s and %s differ (%zu and %zu bytes read)\n", path_a, path_b, size_a, size_b);
    free(text_a);
    free(text_b);
    return equal;
}

static bool good(const job *j)
{
    if (j->failure != NULL)
        printf("FAIL: %s %s, %u threads: %s: %s\n", j->program, j->model, j->threads, j->failure,
               j->error.message);
    return j->failure == NULL;
}

static void remove_files(const job *j)
{
    char path[200];
    for (unsigned i = 0; i < FORMATS; i++) {
        file_name(j, i, path, sizeof path);
        unlink(path);
    }
}

int main(int argc, char **argv)
{
    static job alone[JOBS] = {{.model = "p55c-200", .program = "quicksort", .argument = "1"},
                              {.model = "p54c-133", .program = "quicksort", .argument = "1"},
                              {.model = "p55c-200", .program = "sieve", .argument = "1"},
                              {.model = "p55c-233", .program = "x87", .argument = "20"}};
    static job together[JOBS];
    char folder[] = "/tmp/trace_apart.XXXXXX";
    pthread_t threads[JOBS];
    if (argc != 2 || mkdtemp(folder) == NULL)
        return 2;
    for (unsigned i = 0; i < JOBS; i++) {
        alone[i].number = i;
        alone[i].threads = 1;
        alone[i].guests = argv[1];
        alone[i].folder = folder;
        together[i] = alone[i];
        together[i].threads = 2;
        work(&alone[i]);
    }
    for (unsigned i = 0; i < JOBS; i++)
        if (pthread_create(&threads[i], NULL, work, &together[i]) != 0)
            return 2;
    bool all = true;
    for (unsigned i = 0; i < JOBS; i++) {
        pthread_join(threads[i], NULL);
        all &= good(&alone[i]) && good(&together[i]);
        for (unsigned format = 0; format < FORMATS && all; format++)
            all &= same(&alone[i], &together[i], format);
        remove_files(&alone[i]);
        remove_files(&together[i]);
    }
    rmdir(folder);
    if (all)
        printf("%d machines at once, %d traces each: the same as alone\n", JOBS, FORMATS);
    return all ? 0 : 1;
}
