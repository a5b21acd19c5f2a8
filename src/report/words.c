/* Text that users write or read: numbers, suggestions for names, command lines for a shell; and hashes of files. */
#include "p5tool/report.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory_text.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/decimal.h"

bool p5_parse_size(const char *text, uint64_t *bytes)
{
    return text_to_u64(text, bytes);
}

bool p5_parse_number(const char *text, uint64_t *value)
{
    char last = text[0] != '\0' ? text[strlen(text) - 1] : '\0';
    const double factor = decimal_factor(last);
    /* text_to_u64 takes k, M and G as powers of 1024, so it is not used for them. */
    if (factor == 1 && text_to_u64(text, value))
        return true;
    /* 1e6, 2.5e9 and 1.5M are valid if they are whole numbers. */
    double number;
    char digits[40];
    snprintf(digits, sizeof digits, "%.*s", (int)strlen(text) - (factor != 1), text);
    if (!isdigit((unsigned char)text[0]) || strlen(text) >= sizeof digits || strpbrk(digits, "xX") != NULL ||
        !text_to_double(digits, &number))
        return false;
    /* From 2^53 on, a double does not represent every whole number. */
    if (!decimal_scale(number, factor, &number) || !(number >= 0) || number >= 0x1p53)
        return false;
    *value = (uint64_t)number;
    return true;
}

const char *p5_file_sha256(const char *path, char text[P5_SHA256_TEXT])
{
    FILE *file = fopen(path, "re");
    text[0] = '\0';
    if (file == NULL)
        return text;
    sha256_of(file, text);
    if (ferror(file))
        text[0] = '\0';
    fclose(file);
    return text;
}

const char *p5_suggest(const char *wanted, const char *const *names, char *buffer, size_t size)
{
    text_nearest nearest;
    text_nearest_init(&nearest, wanted);
    for (; *names != NULL; names++)
        text_nearest_offer(&nearest, *names);
    return text_nearest_sentence(&nearest, buffer, size);
}

/* Writes a word between apostrophes. An apostrophe in it is written outside, after a backslash. */
static void write_quoted(FILE *out, const char *word)
{
    fputc('\'', out);
    for (; *word != '\0'; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    fputc('\'', out);
}

/* Writes a word that does not print on one line as $'...' with C's escapes, which bash, zsh and POSIX.1-2024
 * accept. A byte is always three octal digits, so that a digit can follow. */
static void write_escaped(FILE *out, const char *word)
{
    fputs("$'", out);
    for (unsigned length; *word != '\0'; word += length) {
        length = utf8_length(word);
        char one[5] = {0};
        memcpy(one, word, length);
        if (length == 0 || !utf8_is_printable(one)) {
            length = 1;
            fprintf(out, *word == '\n' ? "\\n" : *word == '\t' ? "\\t" : "\\%03o", (unsigned char)*word);
        } else {
            fprintf(out, *word == '\'' || *word == '\\' ? "\\%s" : "%s", one);
        }
    }
    fputc('\'', out);
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* Returns true if a shell would take the word for an assignment before a command: NAME=VALUE or NAME+=VALUE. */
static bool is_assignment(const char *word)
{
    const char *end = word + strspn(word, LETTERS);
    return end[end[0] == '+'] == '=';
}

/* Returns true if a shell takes the word as it is, without quotes. */
static bool needs_no_quotes(const char *word, bool first)
{
    return word[0] != '\0' && word[strspn(word, LETTERS "-./:,+@%^=")] == '\0' &&
           !(first && is_assignment(word));
}

char *p5_command_text(char *const *words, size_t count)
{
    memory_text text;
    if (!memory_text_open(&text))
        return NULL;
    for (size_t i = 0; i < count && words[i] != NULL; i++) {
        if (i > 0)
            fputc(' ', text.out);
        if (needs_no_quotes(words[i], i == 0))
            fputs(words[i], text.out);
        else if (utf8_is_printable(words[i]))
            write_quoted(text.out, words[i]);
        else
            write_escaped(text.out, words[i]);
    }
    return memory_text_end(&text);
}

void p5_write_printable(FILE *out, const char *text)
{
    utf8_write_printable(out, text);
}

void p5_write_printable_part(FILE *out, const char *text, size_t size)
{
    utf8_write_printable_part(out, text, size);
}

char *p5_printable(const char *text)
{
    return utf8_printable(text);
}
