/* Model files: the built-in ones, bases, values, and errors that say file, line and what would be right. */
#include <stdio.h>

#include "fixture.h"

#include "core/model/model.h"

UNIT_FILE(path, "/tmp/p5scope-model-XXXXXX.ini");

static p5_model *open_text(const char *text, p5_status expected, p5_error *error)
{
    unit_write(path, text);
    p5_model *model = NULL;
    p5_status status = p5_model_open(path, &model, error);
    if (status != expected)
        fail_msg("status %d, expected %d: %s (%s)", status, expected, status != P5_OK ? error->message : "",
                 text);
    if (status != P5_OK)
        assert_null(model);
    if (status != P5_OK && error->where[0] != '\0')
        assert_string_equal(error->where, path);
    return model;
}

/* Every file of src/core/model/models that has a board is a name, and opens. */
TEST(built_in_models)
{
    unsigned named = 0, boards = 0;
    for (const char *const *name = p5_model_names(); *name != NULL; name++, named++) {
        MODEL(model, *name);
        assert_string_equal(p5_model_name(model), *name);
        unsigned family = strncmp(*name, "p54c", 4) == 0 ? P5_FAMILY_P54C : P5_FAMILY_P55C;
        assert_int_equal(p5_model_family(model), family);
        assert_int_equal((int)p5_model_clock_mhz(model), atoi(*name + 5));
        /* A 66 MHz bus: clock / ratio. */
        double bus_mhz = p5_model_clock_mhz(model) * 2 / model->half_ratio;
        assert_true(bus_mhz > 66 && bus_mhz < 67);
    }
    for (const embedded_file *file = model_files; file->name != NULL; file++)
        boards += strchr(file->name, '-') != NULL;
    assert_int_equal(named, boards);
    assert_string_equal(p5_model_names()[0], "p55c-200");
}

/* A processor without a board is no model; the message suggests one with it. */
TEST(processors_are_no_models)
{
    p5_model *model;
    p5_error error;
    assert_int_equal(p5_model_open("p54c", &model, &error), P5_ERR_NAME);
    assert_non_null(strstr(error.hint, "p54c-"));
}

TEST(names_near_the_wanted_one)
{
    p5_model *model;
    p5_error error;
    assert_int_equal(p5_model_open("p55c-20", &model, &error), P5_ERR_NAME);
    assert_non_null(strstr(error.hint, "p55c-200"));
    assert_int_equal(p5_model_open("no/such/file.ini", &model, &error), P5_ERR_IO);
}

TEST(a_file_of_ones_own)
{
    p5_error error;
    p5_model *model = open_text(
        "# mine\n[model]\nbase = p54c-133\n[processor]\nclock_mhz = 120.5\nbus_ratio = 5/2\nerrata = off\n"
        "[dram]\nmiss = 20h\n[l2]\nbytes = 1M\n[bus]\nuncacheable = A0000h-BFFFFh, 0xF0000000 - 0xffffffff\n"
        "[btb]\nreplacement = plru\n",
        P5_OK, &error);
    assert_int_equal(model->family, P5_FAMILY_P54C);
    assert_true(p5_model_clock_mhz(model) == 120.5);
    assert_int_equal(model->half_ratio, 5);
    assert_false(model->errata);
    assert_int_equal(model->dram.miss, 0x20);
    assert_int_equal(model->l2.bytes, 1 << 20);
    assert_int_equal(model->btb.replacement, BTB_REPLACE_PLRU);
    assert_int_equal(model->data_cache.ways, 2); /* from the base's base */
    assert_true(model_uncacheable(model, 0xa0000) && model_uncacheable(model, 0xbffff) &&
                model_uncacheable(model, 0xffffffff));
    assert_false(model_uncacheable(model, 0x9ffff) || model_uncacheable(model, 0xc0000));
    p5_model_close(model);
}

TEST(errors_say_where_and_what)
{
    static const struct {
        const char *text;
        p5_status status;
        unsigned line;
        const char *message, *hint;
    } cases[] = {
        {"[model]\nbase = p55c-200\n[l2]\nbites = 3\n", P5_ERR_NAME, 4, "bites", "l2.bytes"},
        {"[model]\nbase = p55c-200\n[l3]\nbytes = 3\n", P5_ERR_NAME, 4, "l3", "l2.bytes"},
        {"[model]\nbase = p55c-200\n[l2]\nbytes = 3\n", P5_ERR_RANGE, 4, "power of two", ""},
        {"[model]\nbase = p55c-200\n\n\n[dram]\nhit = 1\n", P5_ERR_RANGE, 6, "from 2 to 200", ""},
        {"[model]\nbase = p55c-200\n[dram]\nhit = x\n", P5_ERR_RANGE, 4, "dram.hit = x", ""},
        {"[model]\nbase = p55c-200\n[processor]\nbus_ratio = 3\n", P5_ERR_RANGE, 4, "5/2", ""},
        {"[model]\nbase = p55c-200\n[processor]\nerrata = yes\n", P5_ERR_RANGE, 4, "on or off", ""},
        {"[model]\nbase = p55c-200\n[processor]\nfamily = k6\n", P5_ERR_RANGE, 4, "p54c p55c", ""},
        {"[model]\nbase = p55c-200\n[bus]\nuncacheable = 5-4\n", P5_ERR_RANGE, 4, "FIRST-LAST", ""},
        {"[model]\nbase = p55c-200\n[dram]\nhit = 5\nhit = 6\n", P5_ERR_SYNTAX, 5, "twice", ""},
        {"[model]\nbase = p55c-200\nhit 5\n", P5_ERR_SYNTAX, 3, "KEY = VALUE", ""},
        {"[model]\ntitle = x\nbase = p55c-200\n", P5_ERR_SYNTAX, 3, "first", ""},
        {"[model]\nbase = p55c-300\n", P5_ERR_NAME, 2, "p55c-300", "p55c-200"},
        {"[model]\nbase = p55c-200\n[data_tlb]\nsets = 2\n", P5_ERR_RANGE, 0, "64 entries", ""},
        {"[model]\nbase = p55c-200\n[data_tlb]\nlarge_sets = 16\nlarge_ways = 4\n", P5_ERR_RANGE, 0,
         "128 entries", ""},
        {"[model]\nbase = p55c-200\n[bus]\nvideo_bytes = 1\nvideo_write = 1000\n", P5_ERR_RANGE, 0,
         "32768 core clocks", ""},
        {"[model]\nbase = p55c-200\n[l2]\nbytes = 16\n", P5_ERR_RANGE, 0, "32 bytes", ""},
        {"[model]\nbase = p54c-100\n[write_buffers]\nentries = 3\n", P5_ERR_RANGE, 0, "even", ""},
        {"[model]\ntitle = lonely\n", P5_ERR_SYNTAX, 0, "processor.family", ""},
        {"", P5_ERR_SYNTAX, 0, "processor.family", ""},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        p5_error error;
        open_text(cases[i].text, cases[i].status, &error);
        if (error.line != cases[i].line || strstr(error.message, cases[i].message) == NULL ||
            strstr(error.hint, cases[i].hint) == NULL)
            fail_msg("case %u: line %u: %s [%s], expected line %u with '%s' and hint '%s'", i, error.line,
                     error.message, error.hint, cases[i].line, cases[i].message, cases[i].hint);
    }
}

TEST(a_base_of_itself_ends)
{
    char text[200];
    snprintf(text, sizeof text, "[model]\nbase = %s\n", path);
    unit_write(path, text);
    p5_model *model;
    p5_error error;
    assert_int_equal(p5_model_open(path, &model, &error), P5_ERR_SYNTAX);
    assert_non_null(strstr(error.message, "nested"));
}

/* What p5_model_fields shows is a model file again: written out and read, it shows the same. */
typedef struct shown {
    char text[16384], section[40];
    unsigned fields;
} shown;

static void show(void *context, const char *section, const char *key, const char *value, const char *meaning)
{
    shown *s = context;
    size_t used = strlen(s->text);
    assert_true(strlen(meaning) > 4);
    if (strcmp(section, s->section) != 0)
        used += (size_t)snprintf(s->text + used, sizeof s->text - used, "[%s]\n", section);
    snprintf(s->section, sizeof s->section, "%s", section);
    snprintf(s->text + used, sizeof s->text - used, "%s = %s\n", key, value);
    s->fields++;
}

TEST(fields_are_a_model_file)
{
    for (const char *const *name = p5_model_names(); *name != NULL; name++) {
        static shown first, second;
        first = second = (shown){.fields = 0};
        p5_model *model = fixture_model(*name);
        p5_model_fields(model, show, &first);
        p5_model_close(model);
        assert_int_equal(first.fields, model_field_count);
        p5_error error;
        model = open_text(first.text, P5_OK, &error);
        p5_model_fields(model, show, &second);
        p5_model_close(model);
        assert_string_equal(first.text, second.text);
    }
}

/* `name` as the page's source has it, between `before` and `after`. */
static void page_form(char text[80], const char *before, const char *name, const char *after)
{
    char *at = text + sprintf(text, "%s", before);
    for (; *name != '\0'; name++)
        at += sprintf(at, "%s%c", *name == '_' ? "\\" : "", *name);
    strcpy(at, after);
}

/* Every key stands in the manual page (with its underscores escaped). */
TEST(the_manual_page_has_every_key)
{
    static char page[65536];
    FILE *file = fopen(P5_SOURCE_DIR "/docs/p5scope-model.5.scd", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    const char *section = "", *at = page;
    for (unsigned i = 0; i < model_field_count; i++) {
        char heading[80], entry[80];
        page_form(heading, "# [", model_fields[i].section, "]");
        page_form(entry, "\n*", model_fields[i].key, "* = ");
        if (strcmp(section, model_fields[i].section) != 0 && (at = strstr(page, heading)) == NULL)
            fail_msg("the page has no section %s", heading);
        section = model_fields[i].section;
        if (strstr(at, entry) == NULL)
            fail_msg("section %s of the page has no key%s", heading, entry);
    }
}

TEST(clock_of_ones_own)
{
    p5_model *model = fixture_model("p55c-200");
    p5_error error;
    assert_int_equal(p5_model_set_clock(model, 0.5, &error), P5_ERR_RANGE);
    assert_int_equal(p5_model_set_clock(model, 1001, &error), P5_ERR_RANGE);
    assert_int_equal(p5_model_set_clock(model, 75, &error), P5_OK);
    assert_true(p5_model_clock_mhz(model) == 75);
    assert_int_equal(p5_model_signature(model), 0x543);
    p5_model_close(model);
}
