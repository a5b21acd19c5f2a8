/* Text output and argument parsing of the C guests. */
#include "guest.h"

enum { LINUX_WRITE = 4, STANDARD_OUTPUT = 1, STANDARD_ERROR = 2 };

static size_t length(const char *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return n;
}

static void write_all(int file, const char *text, size_t size)
{
    while (size > 0) {
        int written = system_call(LINUX_WRITE, (uint32_t)file, (uint32_t)text, size);
        if (written <= 0)
            quit(3);
        text += written;
        size -= (size_t)written;
    }
}

void print(const char *text)
{
    write_all(STANDARD_OUTPUT, text, length(text));
}

/* Divides *value by 10 and returns the remainder. Two DIVs: gcc would call __udivdi3, which Debian builds for
 * the i686. */
static unsigned divide_by_10(uint64_t *value)
{
    uint32_t high = (uint32_t)(*value >> 32), low = (uint32_t)*value, ten = 10;
    uint32_t quotient_high = high / ten, quotient_low, remainder = high % ten;
    __asm__("divl %4" : "=a"(quotient_low), "=d"(remainder) : "0"(low), "1"(remainder), "rm"(ten));
    *value = (uint64_t)quotient_high << 32 | quotient_low;
    return remainder;
}

/* Writes `value` in decimal to the end of `buffer`; returns where it begins. */
static char *decimal(char buffer[24], uint64_t value)
{
    char *digit = buffer + 23;
    *digit = 0;
    do {
        *--digit = (char)('0' + divide_by_10(&value));
    } while (value > 0);
    return digit;
}

void print_decimal(uint64_t value)
{
    char buffer[24];
    print(decimal(buffer, value));
}

void print_hex(uint32_t value)
{
    char text[9];
    for (int i = 7; i >= 0; i--, value >>= 4)
        text[i] = "0123456789abcdef"[value & 15];
    text[8] = 0;
    print(text);
}

void print_hundredths(int64_t value, unsigned width)
{
    char buffer[24], text[28];
    uint64_t magnitude = value < 0 ? (uint64_t)-value : (uint64_t)value;
    unsigned low = divide_by_10(&magnitude), high = divide_by_10(&magnitude);
    char *whole = decimal(buffer, magnitude);
    size_t n = 0;
    if (value < 0)
        text[n++] = '-';
    while (*whole)
        text[n++] = *whole++;
    text[n++] = '.';
    text[n++] = (char)('0' + high);
    text[n++] = (char)('0' + low);
    text[n] = 0;
    for (size_t i = n; i < width; i++)
        print(" ");
    print(text);
}

void print_padded(const char *text, unsigned width)
{
    print(text);
    for (size_t i = length(text); i < width; i++)
        print(" ");
}

void print_checksum(const char *name, uint32_t sum)
{
    print(name);
    print(" ");
    print_hex(sum);
    print("\n");
}

uint32_t number_argument(int argc, char **argv, int index, uint32_t otherwise)
{
    if (index >= argc)
        return otherwise;
    uint32_t value = 0;
    for (const char *c = argv[index]; *c; c++) {
        if (*c < '0' || *c > '9') {
            static const char message[] = "the argument must be a decimal number\n";
            write_all(STANDARD_ERROR, message, sizeof message - 1);
            quit(2);
        }
        value = value * 10 + (uint32_t)(*c - '0');
    }
    return value;
}
