/* Parses and compares text that users write, and formats numbers. */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool text_to_u64(const char *text, uint64_t *value)
{
    size_t length = strlen(text);
    if (length == 0 || !isxdigit((unsigned char)text[0]))
        return false;
    bool hex_suffix = length > 1 && (text[length - 1] == 'h' || text[length - 1] == 'H');
    bool hex_prefix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    int base = hex_suffix || hex_prefix ? 16 : 10;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, base);
    if (errno != 0 || end == text || (hex_prefix && end == text + 1))
        return false;
    if (hex_suffix && !hex_prefix && end == text + length - 1)
        end++; /* the h */
    unsigned shift = 0;
    if (base == 10 && *end != '\0') {
        if (*end == 'K' || *end == 'k')
            shift = 10;
        else if (*end == 'M' || *end == 'm')
            shift = 20;
        else if (*end == 'G' || *end == 'g')
            shift = 30;
        if (shift != 0)
            end++;
    }
    if (*end != '\0' || (shift != 0 && number > (UINT64_MAX >> shift)))
        return false;
    *value = (uint64_t)number << shift;
    return true;
}

bool text_to_double(const char *text, double *value)
{
    if (*text == '\0' || isspace((unsigned char)*text))
        return false;
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return errno == 0 && *end == '\0';
}

/* Returns the character by which `c` is compared in names: '-' and ' ' equal '_', and case is ignored. */
static int name_char(char c)
{
    return c == '-' || c == ' ' ? '_' : tolower((unsigned char)c);
}

/* Compares names by name_char. */
bool text_same_name(const char *a, const char *b)
{
    while (*a != '\0' && name_char(*a) == name_char(*b)) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

/* Matches a pattern. After a mismatch, the last '*' gets one character more. */
bool text_glob(const char *pattern, const char *name)
{
    const char *star = NULL;  /* the last '*' of the pattern so far */
    const char *retry = NULL; /* end of the run in `name` that this '*' has been given so far */
    while (*name != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            retry = name;
        } else if (*pattern == '?' || (*pattern != '\0' && name_char(*pattern) == name_char(*name))) {
            pattern++;
            name++;
        } else if (star != NULL) {
            pattern = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* Returns the edit distance (Levenshtein's): the insertions, deletions and replacements that make `a` equal to `b`.
 * After step i, row[j] is the distance of the first i characters of `a` from the first j of `b`. */
unsigned text_distance(const char *a, const char *b)
{
    enum { LONGEST = 120 };
    size_t a_length = strlen(a);
    size_t b_length = strlen(b);
    if (a_length > LONGEST || b_length > LONGEST)
        return 255;
    unsigned char row[LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = (unsigned char)j;
    for (size_t i = 1; i <= a_length; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned char)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned best = diagonal + (name_char(a[i - 1]) != name_char(b[j - 1]));
            if (row[j] + 1U < best)
                best = row[j] + 1U;
            if (row[j - 1] + 1U < best)
                best = row[j - 1] + 1U;
            diagonal = row[j];
            row[j] = (unsigned char)best;
        }
    }
    return row[b_length];
}

void text_nearest_init(text_nearest *nearest, const char *wanted)
{
    memset(nearest, 0, sizeof *nearest);
    nearest->wanted = wanted;
}

/* Inserts `name` into the sorted list of candidates if it is similar enough, and drops the last one if the list is
 * full. */
void text_nearest_offer(text_nearest *nearest, const char *name)
{
    unsigned distance = text_distance(nearest->wanted, name);
    size_t length = strlen(nearest->wanted);
    /* A part of a long name counts as similar: "agi" finds pipeline_agi_stalls. */
    char part[128];
    if (length >= 3 && (size_t)snprintf(part, sizeof part, "*%s*", nearest->wanted) < sizeof part &&
        text_glob(part, name))
        distance = distance < 2 ? distance : 2;
    if (distance > 2 + length / 4) /* longer names may have more differences */
        return;
    for (unsigned i = 0; i < nearest->count; i++)
        if (strcmp(nearest->name[i], name) == 0)
            return; /* it is in the list already, as several things may have one name */
    unsigned at = nearest->count;
    while (at > 0 && nearest->distance[at - 1] > distance)
        at--;
    if (at >= TEXT_NEAREST)
        return;
    unsigned last = nearest->count < TEXT_NEAREST ? nearest->count++ : TEXT_NEAREST - 1;
    for (unsigned i = last; i > at; i--) {
        nearest->name[i] = nearest->name[i - 1];
        nearest->distance[i] = nearest->distance[i - 1];
    }
    nearest->name[at] = name;
    nearest->distance[at] = distance;
}

const char *text_nearest_sentence(const text_nearest *nearest, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if (nearest->count == 1)
        snprintf(buffer, size, "did you mean '%s'?", nearest->name[0]);
    else if (nearest->count == 2)
        snprintf(buffer, size, "did you mean '%s' or '%s'?", nearest->name[0], nearest->name[1]);
    else if (nearest->count == 3)
        snprintf(buffer, size, "did you mean '%s', '%s' or '%s'?", nearest->name[0], nearest->name[1],
                 nearest->name[2]);
    return buffer;
}

/* Cuts the next field off a separated line, in place. *cursor is NULL after the last field. */
char *text_field(char **cursor, char separator)
{
    char *start = *cursor;
    if (start == NULL)
        return NULL;
    char *end = strchr(start, separator);
    if (end != NULL) {
        *end = '\0';
        *cursor = end + 1;
    } else {
        *cursor = NULL;
    }
    return start;
}

/* Writes the digits before `end`, two at a time from the last on. Returns where they begin. */
static char *digits_before(char *end, uint64_t value)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
        "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
        "8081828384858687888990919293949596979899";
    for (; value >= 100; value /= 100)
        memcpy(end -= 2, &pairs[value % 100 * 2], 2);
    if (value >= 10)
        memcpy(end -= 2, &pairs[value * 2], 2);
    else
        *--end = (char)('0' + value);
    return end;
}

/* Returns the number of decimal digits. A number of n bits has n * log10(2) digits, or one more. */
static unsigned decimal_digits(uint64_t value)
{
    /* clang-format off */
    static const uint64_t powers[TEXT_UNSIGNED_BYTES] = {
        0, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u, 10000000000u,
        100000000000u, 1000000000000u, 10000000000000u, 100000000000000u, 1000000000000000u,
        10000000000000000u, 100000000000000000u, 1000000000000000000u, 10000000000000000000u};
    /* clang-format on */
    unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1), digits = bits * 1233 >> 12;
    return digits + (value >= powers[digits]);
}

char *text_put_unsigned(char *to, uint64_t value)
{
    unsigned digits = decimal_digits(value);
    digits_before(to + digits, value);
    return to + digits;
}

/* Writes `value` as 1,234,567. */
const char *text_grouped(uint64_t value, char *buffer, size_t size)
{
    char digits[TEXT_UNSIGNED_BYTES], *end = digits + sizeof digits;
    size_t out = 0;
    for (const char *at = digits_before(end, value), *first = at; at < end; at++) {
        bool comma = at > first && (end - at) % 3 == 0;
        if (out + comma + 1 >= size)
            break;
        if (comma)
            buffer[out++] = ',';
        buffer[out++] = *at;
    }
    buffer[out] = '\0';
    return buffer;
}

/* Returns mantissa * scale / 2^shift, rounded to nearest, ties to even. */
static uint64_t scaled(uint64_t mantissa, uint64_t scale, unsigned shift)
{
    unsigned __int128 all = (unsigned __int128)mantissa * scale;
    uint64_t whole = (uint64_t)(all >> shift);
    unsigned __int128 rest = all - ((unsigned __int128)whole << shift);
    unsigned __int128 half = (unsigned __int128)1 << (shift - 1);
    return whole + (rest > half || (rest == half && whole % 2 == 1));
}

/* The format of an IEEE double: 52 bits of mantissa after an implied one, and above them an exponent of two with a
 * bias. */
enum { FRACTION_BITS = 52, BIAS = 1023 };

/* Does what snprintf does with "%.*f". Common values are multiplied by 10^decimals, rounded exactly, and written as an
 * integer with a point; snprintf writes all others. */
const char *text_fixed(double value, unsigned decimals, char *buffer, size_t size)
{
    enum { MOST_DECIMALS = 9, ROOM = 32 };
    static const uint64_t powers[MOST_DECIMALS + 1] = {1,      10,      100,      1000,      10000,
                                                       100000, 1000000, 10000000, 100000000, 1000000000};
    uint64_t bits, one = UINT64_C(1) << FRACTION_BITS;
    memcpy(&bits, &value, sizeof bits);
    /* Zero, or a positive number that may have a fraction, fits in 64 bits with its decimals, and is not too small
     * for `scaled`. */
    bool usual = bits == 0 || (value >= 0x1p-64 && value < 0x1p52);
    if (!usual || decimals > MOST_DECIMALS || size < ROOM || value * (double)powers[decimals] >= 0x1p63) {
        snprintf(buffer, size, "%.*f", (int)decimals, value);
        return buffer;
    }
    unsigned shift = FRACTION_BITS + BIAS - (unsigned)(bits >> FRACTION_BITS);
    uint64_t number = bits == 0 ? 0 : scaled((bits & (one - 1)) | one, powers[decimals], shift);
    char digits[ROOM], *end = digits + sizeof digits;
    char *from = digits_before(end, number);
    while (end - from <= (ptrdiff_t)decimals)
        *--from = '0';
    size_t whole = (size_t)(end - from) - decimals;
    char *to = (char *)memcpy(buffer, from, whole) + whole;
    if (decimals > 0) {
        *to++ = '.';
        memcpy(to, from + whole, decimals);
        to += decimals;
    }
    *to = '\0';
    return buffer;
}
