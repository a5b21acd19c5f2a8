#include "report/run_identity.h"

#include <stdlib.h>

#include "base/sha256.h"

/* Callback of p5_model_fields: writes one field of the model as a line. */
static void put_field(void *context, const char *section, const char *key, const char *value,
                      const char *meaning)
{
    (void)meaning;
    fprintf(context, "%s.%s=%s\n", section, key, value);
}

/* Writes the hash of all fields of the model, so that a model file is identified by its contents and not by
 * its path. Empty if memory is out. */
static const char *model_hash(const p5_model *model, char text[SHA256_TEXT])
{
    char *fields = NULL;
    size_t size = 0;
    text[0] = '\0';
    FILE *out = open_memstream(&fields, &size);
    if (out == NULL)
        return text;
    p5_model_fields(model, put_field, out);
    FILE *in = fclose(out) == 0 && size > 0 ? fmemopen(fields, size, "r") : NULL;
    if (in != NULL) {
        sha256_of(in, text);
        fclose(in);
    }
    free(fields);
    return text;
}

static void put_words(json_writer *json, const char *key, const char *const *words)
{
    json_key(json, key);
    json_open_array(json);
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
    char *text = NULL;
    size_t size = 0;
    FILE *out = identity != NULL ? open_memstream(&text, &size) : NULL;
    if (out == NULL)
        return NULL;
    json_writer json;
    json_init(&json, out);
    put_object(&json, identity, model);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    text[size - 1] = '\0'; /* removes the line end */
    return text;
}
