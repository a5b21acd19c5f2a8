#include "report/run_identity.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_text.h"
#include "base/sha256.h"

/* Callback of p5_model_fields: writes one field of the model as a line. */
static void put_field(void *context, const char *section, const char *key, const char *value,
                      const char *meaning)
{
    (void)meaning;
    fprintf(context, "%s.%s=%s\n", section, key, value);
}

/* Writes the hash of all fields of the model to `text`, so that a model file is identified by its contents and not
 * by its path. Returns `text`, which is empty if memory is out. */
static const char *model_hash(const p5_model *model, char text[SHA256_TEXT])
{
    memory_text fields;
    text[0] = '\0';
    if (memory_text_open(&fields))
        p5_model_fields(model, put_field, fields.out);
    FILE *in =
        memory_text_end(&fields) != NULL && fields.size > 0 ? fmemopen(fields.text, fields.size, "r") : NULL;
    if (in != NULL) {
        sha256_of(in, text);
        fclose(in);
    }
    free(fields.text);
    return text;
}

static void put_words(json_writer *json, const char *key, const char *const *words)
{
    json_key_array(json, key);
    for (; words != NULL && *words != NULL; words++)
        json_string(json, *words);
    json_close_array(json);
}

static void put_object(json_writer *json, const p5_run_identity *identity, const p5_model *model)
{
    char hash[SHA256_TEXT];
    json_open_object(json);
    put_words(json, "argv", identity->argv);
    put_words(json, "options", identity->options);
    json_key_string(json, "model-sha256", model_hash(model, hash));
    json_close_object(json);
}

void run_identity_write(json_writer *json, const p5_run_identity *identity, const p5_model *model)
{
    if (identity == NULL)
        return;
    json_key(json, "identity");
    put_object(json, identity, model);
}

char *run_identity_text(const p5_run_identity *identity, const p5_model *model)
{
    memory_text text;
    if (identity == NULL || !memory_text_open(&text))
        return NULL;
    json_writer json;
    json_init(&json, text.out);
    put_object(&json, identity, model);
    if (memory_text_end(&text) != NULL)
        text.text[text.size - 1] = '\0'; /* removes the line end */
    return text.text;
}

/* Returns the option's value in an identity, or "not given". The caller frees it with sqlite3_free; NULL if memory
 * is out. `get` selects RUN_IDENTITY_OPTION with the identity ?2 and the option ?1. */
static char *option_value(sqlite3_stmt *get, const char *json)
{
    sqlite3_bind_text(get, 2, json, -1, SQLITE_STATIC);
    const unsigned char *value = sqlite3_step(get) == SQLITE_ROW ? sqlite3_column_text(get, 0) : NULL;
    char *copy = sqlite3_mprintf("%s", value != NULL ? (const char *)value : "not given");
    sqlite3_reset(get);
    return copy;
}

bool run_identity_same_option(const run_identified *runs, size_t count, const char *name, char *text,
                              size_t size)
{
    sqlite3 *sqlite;
    sqlite3_stmt *get = NULL;
    bool same = true;
    char *first = NULL;
    size_t at = 0;
    text[0] = '\0';
    if (sqlite3_open(":memory:", &sqlite) == SQLITE_OK &&
        sqlite3_prepare_v2(sqlite, "SELECT " RUN_IDENTITY_OPTION("?2", "?1"), -1, &get, NULL) == SQLITE_OK)
        sqlite3_bind_text(get, 1, name, -1, SQLITE_STATIC);
    for (size_t i = 0; get != NULL && i < count; i++) {
        char *value = runs[i].json != NULL ? option_value(get, runs[i].json) : NULL;
        if (value == NULL)
            continue;
        if (at < size)
            at +=
                (size_t)snprintf(text + at, size - at, "%s%s: %s", at > 0 ? ", " : "", runs[i].label, value);
        same &= first == NULL || strcmp(value, first) == 0;
        if (first == NULL)
            first = value;
        else
            sqlite3_free(value);
    }
    sqlite3_free(first);
    sqlite3_finalize(get);
    sqlite3_close(sqlite);
    return same;
}
