/* Gives files to `merge`. A file is added as a whole or refused with a message, and a refused file leaves the
 * database as it was. The first byte selects the kind: random bytes; lines in the form that stat -j writes; a
 * damaged database; a database with additional contents. */
#include <sqlite3.h>
#include <string.h>

#include "fuzz.h"
#include "p5tool/trace.h"

enum { FILE_MAX = 1 << 17, CHANGES_MAX = 8 };

static void compose(FILE *out, fuzz_input *input)
{
    static const char *const values[] = {
        "0",        "1",    "-1",  "1e308",     "18446744073709551615", "0.5", "null",
        "\"text\"", "true", "[1]", "{\"a\":1}", "99999999999"};
    enum { VALUES = sizeof values / sizeof values[0] };
    while (input->size > 0) {
        uint8_t what = fuzz_byte(input), a = fuzz_byte(input);
        const char *value = values[a % VALUES];
        switch (what % 6) {
        case 0:
            fprintf(
                out,
                "{\"p5scope\":\"1\",\"model\":%s,\"clock-mhz\":200,\"options\":\"-j\",\"command\":\"g\"}\n",
                a & 0x80 ? value : "\"p55c-200\"");
            break;
        case 1:
        case 2:
            fprintf(out, "{\"event\":\"%s%u\",\"value\":%s,\"mode\":\"u\"}\n",
                    a & 0x40 ? "data_read" : "clocks", a & 0x20 ? a % 4 : 0, value);
            break;
        case 3:
        case 4:
            fprintf(out, "{\"summary\":{\"clocks\":%s,\"instructions\":%s,\"seconds\":%s}}\n", value,
                    values[what / 6 % VALUES], value);
            break;
        default:
            fprintf(out, "{\"%s\":%s%s", (const char *[]){"row", "interval", "event", "summary"}[a % 4],
                    value, a & 0x80 ? "\n" : "}\n");
        }
    }
}

/* Makes a database with one run, once. */
static void database_make(const char *path)
{
    static uint8_t made[FILE_MAX];
    static size_t made_size;
    if (made_size != 0) {
        fuzz_file_make("merged", made, made_size);
        return;
    }
    static const char lines[] =
        "{\"p5scope\":\"1\",\"model\":\"p55c-200\",\"clock-mhz\":200,\"options\":\"-j\",\"command\":\"g\"}\n"
        "{\"event\":\"clocks\",\"value\":5}\n{\"event\":\"data_read:u\",\"value\":2,\"mode\":\"u\"}\n"
        "{\"summary\":{\"clocks\":5,\"instructions\":3,\"seconds\":0.1}}\n";
    fuzz_file text = fuzz_file_make("lines", lines, sizeof lines - 1);
    p5_database *database;
    p5_error error = {0};
    size_t runs;
    remove(path);
    LAW(p5_database_open(path, &database, &error) == P5_OK);
    p5_status status = p5_database_merge(database, text.path, NULL, &runs, &error);
    if (status != P5_OK)
        fprintf(stderr, "%s\n", error.message);
    LAW(status == P5_OK && p5_database_close(database, &error) == P5_OK);
    FILE *file = fopen(path, "rb");
    LAW(file != NULL);
    made_size = fread(made, 1, sizeof made, file);
    fclose(file);
    LAW(made_size < sizeof made);
}

/* Statements that change a database: views and triggers in place of tables, and other values. */
static void database_change(const char *path, fuzz_input *input)
{
    static const char *const changes[] = {
        "DROP TABLE run",
        "DROP TABLE value",
        "DROP TABLE interval",
        "DELETE FROM event",
        "UPDATE run SET complete = 0",
        "UPDATE run SET id = 9223372036854775807",
        "UPDATE run SET model = zeroblob(1000000)",
        "UPDATE interval SET id = -1",
        "UPDATE value SET value = 'x'",
        "INSERT INTO run SELECT id + 1, kind, p5scope, model, clock_mhz, command, options, guest_sha256, "
        "label, identity || 'x', source, complete, clocks, instructions, seconds, ending FROM run",
        "CREATE VIEW run AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id, "
        "'trace' AS kind, 1 AS complete, x AS identity FROM n",
        "CREATE VIEW value AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT 1 AS "
        "interval, 1 AS event, x AS value FROM n",
        "CREATE TABLE run (id INTEGER PRIMARY KEY, kind AS (zeroblob(1000000000)), complete AS (1), identity "
        "AS (randomblob(1000000000)))",
        "CREATE TABLE value (interval, event, value AS (printf('%.*c', 1000000000, 'x')))",
        "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END",
        "PRAGMA user_version = 3",
        "PRAGMA application_id = 1",
        "CREATE INDEX i ON run (abs(id))",
        "ALTER TABLE run RENAME TO gone",
        "ALTER TABLE event RENAME COLUMN name TO naem",
        "PRAGMA journal_mode = WAL",
        "PRAGMA page_size = 512; VACUUM",
        "PRAGMA auto_vacuum = 1; VACUUM"};
    sqlite3 *database;
    LAW(sqlite3_open(path, &database) == SQLITE_OK);
    sqlite3_exec(database, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    for (unsigned i = 0; i < CHANGES_MAX && input->size > 0; i++)
        sqlite3_exec(database, changes[fuzz_byte(input) % (sizeof changes / sizeof changes[0])], NULL, NULL,
                     NULL);
    sqlite3_close(database);
}

static void damage(const char *path, fuzz_input *input)
{
    static uint8_t bytes[FILE_MAX];
    FILE *file = fopen(path, "rb");
    LAW(file != NULL);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    fuzz_patch(bytes, size, input);
    fuzz_file_make("merged", bytes, size);
}

static void open_and_close(const char *path)
{
    p5_database *database;
    p5_error error = {0};
    if (p5_database_open(path, &database, &error) == P5_OK)
        p5_database_close(database, &error);
    else
        LAW(error.message[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    unsigned how = fuzz_byte(&input);
    fuzz_file file = fuzz_file_make("merged", data, size);
    if (how % 4 >= 2) {
        database_make(file.path);
        if (how % 4 == 2)
            damage(file.path, &input);
        else
            database_change(file.path, &input);
    } else if (how % 4 == 1) {
        FILE *out = fopen(file.path, "w");
        LAW(out != NULL);
        compose(out, &input);
        fclose(out);
    }
    p5_database *database;
    p5_error error;
    fuzz_file into = fuzz_file_make("into", "", 0);
    LAW(p5_database_open(into.path, &database, &error) == P5_OK);
    size_t runs;
    error.message[0] = '\0';
    p5_status status = p5_database_merge(database, file.path, NULL, &runs, &error);
    LAW(status == P5_OK ? runs > 0 : runs == 0 && error.message[0] != '\0');
    LAW(p5_database_close(database, &error) == P5_OK);
    open_and_close(file.path);
    return 0;
}
