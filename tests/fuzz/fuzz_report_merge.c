/* Files given to `merge`: added as a whole or refused with a message, and a database that refused a file is
 * as it was. The input is the file itself if its first byte is '{' or 'S' (a database's first letter);
 * otherwise lines of the form that stat -j writes are made from it. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "p5scope/trace.h"

static void compose(FILE *out, fuzz_input *input)
{
    static const char *const values[] = {
        "0",        "1",    "-1",  "1e308",     "18446744073709551615", "0.5", "null",
        "\"text\"", "true", "[1]", "{\"a\":1}", "99999999999"};
    enum { VALUES = sizeof values / sizeof values[0] };
    while (input->size > 0) {
        uint8_t what = fuzz_byte(input), a = fuzz_byte(input);
        const char *value = values[a % VALUES];
        switch (what % 6) {
        case 0:
            fprintf(
                out,
                "{\"p5scope\":\"1\",\"model\":%s,\"clock-mhz\":200,\"options\":\"-j\",\"command\":\"g\"}\n",
                a & 0x80 ? value : "\"p55c-200\"");
            break;
        case 1:
        case 2:
            fprintf(out, "{\"event\":\"%s%u\",\"value\":%s,\"mode\":\"u\"}\n",
                    a & 0x40 ? "data_read" : "clocks", a & 0x20 ? a % 4 : 0, value);
            break;
        case 3:
        case 4:
            fprintf(out, "{\"summary\":{\"clocks\":%s,\"instructions\":%s,\"seconds\":%s}}\n", value,
                    values[what / 6 % VALUES], value);
            break;
        default:
            fprintf(out, "{\"%s\":%s%s", (const char *[]){"row", "interval", "event", "summary"}[a % 4],
                    value, a & 0x80 ? "\n" : "}\n");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("merge", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    LAW(file != NULL);
    fuzz_input input = {data, size};
    if (size > 0 && (data[0] == '{' || data[0] == 'S'))
        fwrite(data, 1, size, file);
    else
        compose(file, &input);
    fflush(file);

    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    p5_database *database;
    p5_error error;
    LAW(p5_database_open(":memory:", &database, &error) == P5_OK);
    size_t runs;
    error.message[0] = '\0';
    p5_status status = p5_database_merge(database, path, NULL, &runs, &error);
    LAW(status == P5_OK ? runs > 0 : runs == 0 && error.message[0] != '\0');
    LAW(p5_database_close(database, &error) == P5_OK);
    fclose(file);
    return 0;
}
