/* The JSON writer: its output, compared with expected text and parsed by jq. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "report/json_writer.h"

/* A writer into memory. */
typedef struct buffer {
    char *text;
    size_t size;
    FILE *out;
    json_writer json;
} buffer;

static void start(buffer *b)
{
    b->out = open_memstream(&b->text, &b->size);
    assert_non_null(b->out);
    json_init(&b->json, b->out);
}

/* Ends the buffer, whose text must be `expected`. */
static void expect(buffer *b, const char *expected)
{
    fclose(b->out);
    assert_string_equal(b->text, expected);
    free(b->text);
}

TEST(containers_get_their_commas)
{
    buffer b;
    start(&b);
    json_open_object(&b.json);
    json_key(&b.json, "a");
    json_open_array(&b.json);
    json_unsigned(&b.json, 1);
    json_open_object(&b.json);
    json_close_object(&b.json);
    json_open_array(&b.json);
    json_close_array(&b.json);
    json_null(&b.json);
    json_close_array(&b.json);
    json_key_bool(&b.json, "b", false);
    json_close_object(&b.json);
    json_open_array(&b.json); /* a second document */
    json_close_array(&b.json);
    expect(&b, "{\"a\":[1,{},[],null],\"b\":false}\n[]\n");
}

TEST(strings_are_escaped)
{
    buffer b;
    start(&b);
    json_open_array(&b.json);
    json_string(&b.json, "a\"b\\c\n\t\x01");
    json_string(&b.json, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"); /* 2, 3 and 4 bytes of UTF-8 */
    /* A stray byte, an overlong form, a surrogate, a number above 10FFFFh, and a form that is cut off. */
    json_string(&b.json, "\xff|\xc0\x80|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82");
    json_close_array(&b.json);
    expect(&b,
           "[\"a\\\"b\\\\c\\n\\t\\u0001\",\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\","
           "\"\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\"]\n");
}

TEST(finite_numbers_keep_their_value)
{
    static const double values[] = {0.1, 1.0 / 3, 1e300, 5e-324, 123456789.125};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        buffer b;
        start(&b);
        json_open_array(&b.json);
        json_double(&b.json, values[i]);
        json_close_array(&b.json);
        fclose(b.out);
        assert_true(strtod(b.text + 1, NULL) == values[i]);
        free(b.text);
    }
    buffer b;
    start(&b);
    json_open_array(&b.json);
    json_unsigned(&b.json, UINT64_MAX);
    json_double(&b.json, 0.1);
    json_double(&b.json, (double)INFINITY);
    json_close_array(&b.json);
    expect(&b, "[18446744073709551615,0.1,null]\n");
}

TEST(jq_reads_the_same_values)
{
    unit_needs("jq");
    FILE *jq = popen("jq -e '.text == \"q\\\"\\\\\\u0001\" and .deep[0][0][0].x == 0.5' >/dev/null", "w");
    assert_non_null(jq);
    json_writer json;
    json_init(&json, jq);
    json_open_object(&json);
    json_key_string(&json, "text", "q\"\\\x01");
    json_key(&json, "deep");
    for (int i = 0; i < 3; i++)
        json_open_array(&json);
    json_open_object(&json);
    json_key_double(&json, "x", 0.5);
    json_close_object(&json);
    for (int i = 0; i < 3; i++)
        json_close_array(&json);
    json_close_object(&json);
    assert_int_equal(pclose(jq), 0);
}
