/* Numbers and names as users write them. */
#include "p5scope/report.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "base/text.h"

bool p5_parse_size(const char *text, uint64_t *bytes)
{
    return text_to_u64(text, bytes);
}

bool p5_parse_number(const char *text, uint64_t *value)
{
    char last = text[0] != '\0' ? text[strlen(text) - 1] : '\0';
    double factor = last == 'k' || last == 'K' ? 1e3 : last == 'M' ? 1e6 : last == 'G' ? 1e9 : 1;
    if (factor == 1 && text_to_u64(text, value))
        return true;
    /* 1e6, 2.5e9 and 1.5M, as long as they name a whole number. */
    double number;
    char plain[40];
    snprintf(plain, sizeof plain, "%.*s", (int)strlen(text) - (factor != 1), text);
    if (!isdigit((unsigned char)text[0]) || strlen(text) >= sizeof plain || !text_to_double(plain, &number))
        return false;
    number *= factor;
    if (!(number >= 0) || number >= 0x1p53 || floor(number) != number)
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
