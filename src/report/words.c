/* Numbers and names as users write them. */
#include "p5scope/report.h"

#include <ctype.h>
#include <math.h>

#include "base/text.h"

bool p5_parse_number(const char *text, uint64_t *value)
{
    if (text_to_u64(text, value))
        return true;
    /* 1e6 and 2.5e9, as long as they name a whole number. */
    double number;
    if (!isdigit((unsigned char)text[0]) || !text_to_double(text, &number))
        return false;
    if (!(number >= 0) || number >= 0x1p53 || floor(number) != number)
        return false;
    *value = (uint64_t)number;
    return true;
}

const char *p5_suggest(const char *wanted, const char *const *names, char *buffer, size_t size)
{
    text_nearest nearest;
    text_nearest_init(&nearest, wanted);
    for (; *names != NULL; names++)
        text_nearest_offer(&nearest, *names);
    return text_nearest_sentence(&nearest, buffer, size);
}
