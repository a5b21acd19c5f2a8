/* Reads model files, which are INI files of [SECTION] and KEY = VALUE. A file may name another one as its base
 * (model.base), whose keys it then changes. */
#include "core/model/model.h"

#include <ini.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

/* Most files from a model to its last base; most elements of model_fields; most bytes of a file. */
enum { MODEL_DEPTH = 4, MODEL_MAX_FIELDS = 128, LARGEST_FILE = 1 << 20 };

/* State of reading one file. */
typedef struct parser {
    p5_model *model;
    p5_error *error;
    const char *where;  /* name of the file, for messages; NULL: not a file but the caller's request */
    const char *cursor; /* rest of the text */
    unsigned line;      /* number of the current line, from 1 */
    unsigned depth;     /* 0: the caller's request, 1: the model's file, 2: its base ... */
    p5_status status;   /* of the first error */
    bool keys_seen;     /* a key was read, so model.base is too late */
    bool in_file[MODEL_MAX_FIELDS]; /* by field: its key was given in this file */
    bool *given;                    /* by field: its key was given in any of the files */
} parser;

static p5_status load(parser *from, const char *name);

/* Returns the current line as the place of an error. */
static error_place current_place(const parser *p)
{
    return (error_place){.where = p->where, .line = p->line};
}

/* Sets a key of the model. A wrong value is an error at the current line. */
static p5_status set_field(parser *p, const model_field *field, const char *value)
{
    char expected[MODEL_EXPECTED];
    if (model_value_set(p->model, field, value, expected))
        return P5_OK;
    return p->status = error_set_at(p->error, P5_ERR_RANGE, current_place(p), "%s.%s = %s: expected %s",
                                    field->section, field->key, value, expected);
}

/* Reads a line like fgets, as inih's reader (`stream` is the parser). Counts lines for take_key, to which inih does not
 * pass their numbers. */
static char *read_line(char *into, int size, void *stream)
{
    parser *p = stream;
    if (*p->cursor == '\0' || p->status != P5_OK)
        return NULL;
    size_t length = strcspn(p->cursor, "\n");
    p->line++;
    if (length > MODEL_LINE || length + 2 > (size_t)size) {
        p->status = error_set_at(p->error, P5_ERR_SYNTAX, current_place(p),
                                 "the line is longer than %d characters", MODEL_LINE);
        return NULL;
    }
    memcpy(into, p->cursor, length);
    into[length] = '\n';
    into[length + 1] = '\0';
    p->cursor += length + (p->cursor[length] == '\n');
    return into;
}

/* Reports a key that no model has, with a similar one as a hint. */
static p5_status unknown_key(parser *p, const char *section, const char *key)
{
    char wanted[MODEL_LINE * 2], sentence[P5_ERROR_TEXT];
    static const char base[] = "model.base";
    char names[MODEL_MAX_FIELDS][48];
    snprintf(wanted, sizeof wanted, "%s.%s", section, key);
    text_nearest nearest;
    text_nearest_init(&nearest, wanted);
    text_nearest_offer(&nearest, base);
    for (unsigned i = 0; i < model_field_count; i++) {
        snprintf(names[i], sizeof names[i], "%s.%s", model_fields[i].section, model_fields[i].key);
        text_nearest_offer(&nearest, names[i]);
    }
    p->status = error_set_at(p->error, P5_ERR_NAME, current_place(p),
                             "a model has no key '%s' in section [%s]", key, section);
    error_hint(p->error, "%s", text_nearest_sentence(&nearest, sentence, sizeof sentence));
    return p->status;
}

/* Sets one key, or reads the base file. It is inih's handler (`user` is the parser), which returns 0 after an error. */
static int take_key(void *user, const char *section, const char *key, const char *value)
{
    parser *p = user;
    if (p->status != P5_OK)
        return 0;
    if (strcmp(section, "model") == 0 && strcmp(key, "base") == 0) {
        if (p->keys_seen) {
            p->status = error_set_at(p->error, P5_ERR_SYNTAX, current_place(p),
                                     "model.base must be the first key of a file");
            return 0;
        }
        p->keys_seen = true;
        return load(p, value) == P5_OK;
    }
    p->keys_seen = true;
    for (unsigned i = 0; i < model_field_count; i++) {
        const model_field *field = &model_fields[i];
        if (strcmp(field->section, section) != 0 || strcmp(field->key, key) != 0)
            continue;
        if (p->in_file[i]) {
            p->status =
                error_set_at(p->error, P5_ERR_SYNTAX, current_place(p), "%s.%s is given twice", section, key);
            return 0;
        }
        p->in_file[i] = p->given[i] = true;
        return set_field(p, field, value) == P5_OK;
    }
    unknown_key(p, section, key);
    return 0;
}

/* Reads the text at p->cursor. */
static p5_status parse(parser *p)
{
    int line = ini_parse_stream(read_line, p, take_key, p); /* of the first syntax error, or 0 */
    if (p->status == P5_OK && line > 0)
        p->status = error_set_at(p->error, P5_ERR_SYNTAX, (error_place){p->where, (unsigned)line, 0},
                                 "expected [SECTION] or KEY = VALUE");
    return p->status;
}

/* Returns the length of `name` without the ending .ini, if it has that. */
static size_t stem_length(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".ini") == 0 ? length - 4 : length;
}

/* Returns whether `name` is a file's path and not the name of a built-in model. */
static bool is_path(const char *name)
{
    return strchr(name, '/') != NULL || name[stem_length(name)] != '\0';
}

/* Makes the path of a file that another file names, relative to that file's folder. */
static void beside(char *path, size_t size, const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    if (name[0] == '/' || slash == NULL)
        snprintf(path, size, "%s", name);
    else
        snprintf(path, size, "%.*s/%s", (int)(slash - file), file, name);
}

/* Returns the text of a built-in model, NULL if there is none. If it is wanted as a `base`, it may also be a built-in
 * processor (a file without a board). */
static const char *built_in(const char *name, bool base)
{
    const embedded_file *const tables[] = {model_files, processor_files};
    for (unsigned t = 0; t < (base ? 2 : 1); t++)
        for (const embedded_file *file = tables[t]; file->name != NULL; file++)
            if (text_same_name(file->name, name))
                return file->text;
    return NULL;
}

/* Reports an unknown name, with a similar one as a hint. */
static p5_status no_such_model(p5_error *error, const char *name, bool base)
{
    char sentence[P5_ERROR_TEXT];
    text_nearest nearest;
    text_nearest_init(&nearest, name);
    for (const embedded_file *file = model_files; file->name != NULL; file++)
        text_nearest_offer(&nearest, file->name);
    for (const embedded_file *file = processor_files; base && file->name != NULL; file++)
        text_nearest_offer(&nearest, file->name);
    p5_status status = error_set(error, P5_ERR_NAME, "there is no model '%s'", name);
    error_hint(error, "%s", text_nearest_sentence(&nearest, sentence, sizeof sentence));
    return status;
}

/* Reads `name` (a built-in file or a path) into from->model. `from` is the file that names it as its base, or
 * the caller's request. Sets from->status, and returns it. */
static p5_status load(parser *from, const char *name)
{
    parser inner = {.model = from->model,
                    .error = from->error,
                    .where = name,
                    .depth = from->depth + 1,
                    .given = from->given};
    if (inner.depth > MODEL_DEPTH)
        return from->status = error_set_at(from->error, P5_ERR_SYNTAX, current_place(from),
                                           "bases are nested more than %d deep", MODEL_DEPTH);
    if (is_path(name)) {
        char path[4096];
        beside(path, sizeof path, from->where != NULL ? from->where : "", name);
        uint8_t *text;
        size_t length;
        if (file_read(path, LARGEST_FILE, true, &text, &length, NULL) != P5_OK)
            return from->status = error_set_at(from->error, P5_ERR_IO, (error_place){.where = path},
                                               "the model file cannot be read");
        inner.where = path;
        inner.cursor = (const char *)text;
        from->status = parse(&inner);
        free(text);
        return from->status;
    }
    inner.cursor = built_in(name, inner.depth > 1);
    if (inner.cursor != NULL)
        return from->status = parse(&inner);
    from->status = no_such_model(from->error, name, inner.depth > 1);
    error_at(from->error, from->where, from->line, 0);
    return from->status;
}

/* Sets the members of `timing` that have no keys of their own, because the family and the BTB's key determine them. */
static void follow_family(p5_model *m)
{
    bool p54c = m->family == P5_FAMILY_P54C;
    m->timing.index = p54c ? 0 : 1;
    m->timing.fifo = !p54c;
    m->timing.end_bits = p54c;
    m->timing.gap_clocks = TIMING_GAP_LEAST; /* a core has that of its board */
    m->timing.btb_by_pairs = m->btb.key == BTB_KEY_PREVIOUS_PAIR;
}

/* Checks the model whose keys `p` has set, and sets the members without a key. After an error frees the model. */
static p5_status complete(const parser *p, const char *name)
{
    p5_status status = p->status == P5_OK ? model_validate(p->model, p->given, name, p->error) : p->status;
    if (status == P5_OK)
        follow_family(p->model);
    else
        free(p->model);
    return status;
}

p5_status p5_model_open(const char *name, p5_model **out, p5_error *error)
{
    *out = NULL;
    if (name == NULL)
        return error_null(error, "name");
    p5_model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for the model");
    bool given[MODEL_MAX_FIELDS] = {false};
    parser outermost = {.model = model, .error = error, .given = given};
    load(&outermost, name);
    p5_status status = complete(&outermost, name);
    if (status != P5_OK)
        return status;
    const char *slash = strrchr(name, '/');
    const char *file = slash != NULL ? slash + 1 : name;
    snprintf(model->name, sizeof model->name, "%.*s", (int)stem_length(file), file);
    *out = model;
    return P5_OK;
}

/* ---- rows ---- */

/* Sets the key of a row. */
static void take_row(parser *p, const model_row *row)
{
    char section[sizeof row->key];
    snprintf(section, sizeof section, "%s", row->key);
    char *dot = strchr(section, '.');
    if (dot == NULL) {
        unknown_key(p, "", row->key);
        return;
    }
    *dot = '\0';
    take_key(p, section, dot + 1, row->value);
}

p5_status model_from_rows(const char *name, const model_row *rows, size_t count, p5_model **out,
                          p5_error *error)
{
    bool given[MODEL_MAX_FIELDS] = {false};
    *out = NULL;
    p5_model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for the model");
    parser p = {.model = model, .error = error, .where = "", .depth = 1, .given = given};
    if (built_in(name, true))
        load(&p, name); /* supplies the keys that have no row */
    p.keys_seen = true; /* no row names a base file */
    for (size_t i = 0; i < count && p.status == P5_OK; i++)
        take_row(&p, &rows[i]);
    p5_status status = complete(&p, "");
    if (status != P5_OK)
        return status;
    snprintf(model->name, sizeof model->name, "%s", name);
    *out = model;
    return P5_OK;
}

p5_model *model_copy(const p5_model *model)
{
    p5_model *copy = malloc(sizeof *copy);
    if (copy != NULL)
        memcpy(copy, model, sizeof *copy);
    return copy;
}

void p5_model_close(p5_model *model)
{
    free(model);
}

/* ---- changes ---- */

/* Sets KEY=VALUE,... in one section. `alone`: the key that the first value may leave out, or NULL. Errors have the
 * column in `text`. */
static p5_status set_keys(p5_model *model, const char *section, const char *alone, const char *text,
                          p5_error *error)
{
    bool given[MODEL_MAX_FIELDS] = {false};
    parser p = {.model = model, .error = error, .where = "", .given = given};
    char copy[MODEL_LINE + 1];
    if (text == NULL)
        return error_null(error, "text");
    if (strlen(text) > MODEL_LINE)
        return error_set(error, P5_ERR_SYNTAX, "more than %d characters", MODEL_LINE);
    strcpy(copy, text);
    char *cursor = copy, *part;
    for (bool first = true; (part = text_field(&cursor, ',')) != NULL && p.status == P5_OK; first = false) {
        char *value = strchr(part, '=');
        if (first && value == NULL && alone != NULL) {
            take_key(&p, section, alone, part);
        } else if (value == NULL) {
            p.status = error_set(error, P5_ERR_SYNTAX, "'%s' has no value: expected KEY=VALUE", part);
        } else {
            *value = '\0';
            take_key(&p, section, part, value + 1);
        }
        if (p.status != P5_OK && error != NULL)
            error->column = (unsigned)(part - copy) + 1;
    }
    return p.status;
}

/* Returns whether `key` is among KEY=VALUE,... */
static bool has_key(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *part = text; part != NULL; part = strchr(part, ',')) {
        part += *part == ',';
        if (strncmp(part, key, length) == 0 && part[length] == '=')
            return true;
    }
    return false;
}

p5_status p5_model_set_agent(p5_model *model, const char *text, p5_error *error)
{
    p5_status status = set_keys(model, "agent", "kind", text, error);
    if (status == P5_OK && model->agent.kind == AGENT_NONE && strchr(text, ',') != NULL)
        status = error_set(error, P5_ERR_SYNTAX, "the agent's kind is missing: dma or processor");
    return status;
}

p5_status p5_model_set_wires(p5_model *model, const char *text, p5_error *error)
{
    p5_status status = set_keys(model, "pins", NULL, text, error);
    return status == P5_OK ? model_validate_monitor(model, error) : status;
}

p5_status p5_model_set_check(p5_model *model, const char *text, p5_error *error)
{
    p5_status status = set_keys(model, "check", "cycle", text, error);
    bool cycle = model->check.cycle != CHECK_NONE, address = has_key(text, "address");
    if (status == P5_OK && cycle != address)
        status = error_set(error, P5_ERR_SYNTAX,
                           cycle ? "the address is missing: address=N"
                                 : "the kind of cycle is missing: read, write, code, in or out");
    if (status != P5_OK && error != NULL && error->column == 0)
        error->column = 1;
    return status;
}

p5_status p5_model_set_monitor(p5_model *model, const char *text, p5_error *error)
{
    char keys[64];
    if (text == NULL)
        return error_null(error, "text");
    bool wide = strcmp(text, "arch3") == 0;
    if (snprintf(keys, sizeof keys, "monitor=%s,counter_bits=%u", text, wide ? 48u : 40u) >= (int)sizeof keys)
        return error_set(error, P5_ERR_NAME, "there is no monitor with so long a name");
    p5_status status = set_keys(model, "processor", NULL, keys, error);
    if (error != NULL && status != P5_OK)
        error->column = 1;
    return status == P5_OK ? model_validate_monitor(model, error) : status;
}
