#define _GNU_SOURCE /* asprintf */
/* Text of any bytes: words for a shell, and text for a terminal, for XML and for CSV, read back by the shell
 * and by Python. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "base/utf8.h"
#include "p5tool/report.h"
#include "report/row_writer.h"
#include "report/xml.h"

/* Apostrophes, blanks, newlines, escapes, Latin-1, UTF-8, a C1 control character, an overlong form, a
 * surrogate, U+FFFF. */
static char *const evil[] = {"plain/./a-b_c=d",
                             "-x",
                             "a b",
                             "it's",
                             "",
                             "two\nlines",
                             "tab\t\x1b[31m7",
                             "caf\xe9\x39",
                             "$HOME`id`",
                             "back\\slash\x01'9",
                             "caf\xc3\xa9 ok",
                             "\xc2\x9b",
                             "\xc0\xaf",
                             "\xed\xa0\x80<&>\"]]>",
                             "\xef\xbf\xbf",
                             "\xf0\x9f\x90\xa7",
                             "~",
                             "a=b"};
enum { EVIL = sizeof evil / sizeof evil[0] };

TEST(bash_takes_a_command_apart)
{
    char *text = p5_command_text(evil, EVIL);
    assert_non_null(text);
    assert_true(utf8_is_printable(text));
    char *script = NULL, got[400];
    assert_true(asprintf(&script, "printf '%%s\\0' %s", text) > 0);
    assert_int_equal(setenv("P5_SCRIPT", script, 1), 0);
    FILE *bash = popen("bash -c \"$P5_SCRIPT\"", "r");
    assert_non_null(bash);
    size_t length = fread(got, 1, sizeof got, bash), at = 0;
    pclose(bash);
    for (size_t i = 0; i < EVIL; i++) {
        assert_true(at < length);
        assert_string_equal(got + at, evil[i]);
        at += strlen(evil[i]) + 1;
    }
    assert_int_equal(at, length);
    free(script);
    free(text);
}

TEST(an_assignment_is_quoted_where_it_would_be_one)
{
    static const struct {
        char *words[3];
        const char *text;
    } cases[] = {{{"a=b", "c=d"}, "'a=b' c=d"}, /* POSIX, Shell Command Language, 2.10.2 rule 7 */
                 {{"_1=", "c="}, "'_1=' c="},
                 {{"a+=b", "c+=d"}, "'a+=b' c+=d"}, /* of bash */
                 {{"--isa=permissive", "a=b"}, "--isa=permissive a=b"},
                 {{"./a=b", "c"}, "./a=b c"},
                 {{"a-b=c", "d"}, "a-b=c d"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = p5_command_text(cases[i].words, 2);
        assert_string_equal(text, cases[i].text);
        free(text);
    }
}

TEST(a_terminal_gets_one_line)
{
    char *text = utf8_printable("a\nb\x1b caf\xe9 caf\xc3\xa9 \xc2\x85\x7f");
    assert_string_equal(text, "a\\x0ab\\x1b caf\\xe9 caf\xc3\xa9 \\xc2\\x85\\x7f");
    free(text);
}

/* Python's parser reads each text and attribute; what it reads is the same but for what XML cannot say. */
TEST(xml_reads_back)
{
    FILE *python =
        popen("python3 -c '\n"
              "import sys, re, xml.etree.ElementTree as tree\n"
              "for e in tree.fromstring(sys.stdin.buffer.read()):\n"
              "    raw = bytes.fromhex(e.get(\"raw\")).decode(errors=\"replace\")\n"
              "    want = re.sub(\"[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]\", \"\\ufffd\", raw)\n"
              "    assert e.get(\"a\") == want and (e.text or \"\") == want, (raw, e.get(\"a\"), e.text)\n'",
              "w");
    assert_non_null(python);
    fputs("<all>", python);
    for (size_t i = 0; i < EVIL; i++) {
        fputs("<e raw=\"", python);
        for (const char *c = evil[i]; *c != '\0'; c++)
            fprintf(python, "%02x", (unsigned char)*c);
        fputs("\" a=\"", python);
        xml_attribute(python, evil[i]);
        fputs("\">", python);
        xml_text(python, evil[i]);
        fputs("</e>", python);
    }
    fputs("</all>", python);
    assert_int_equal(pclose(python), 0);
}

TEST(csv_is_utf8)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    row_writer rows;
    rows_open(&rows, out, P5_ROWS_CSV, "test", NULL);
    rows_begin(&rows);
    rows_text(&rows, "a", "caf\xe9, \"x\"\n");
    rows_text(&rows, "b", "caf\xc3\xa9");
    rows_end(&rows);
    fclose(out);
    assert_string_equal(text, "a,b\n\"caf\xef\xbf\xbd, \"\"x\"\"\n\",caf\xc3\xa9\n");
    free(text);
}
