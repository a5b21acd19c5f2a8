/* Reads profile files of any contents. A file is refused with a message, or is read, shown in every form, and the
 * same after it was written and read again. The input is the file itself if its first byte is 'p'; otherwise the
 * fuzzer makes lines of the right form with any numbers from it. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "p5tool/profile.h"

static void compose(FILE *out, fuzz_input *input)
{
    static const char head[] = "p5scope-profile 1\nversion 1\nmodel p55c-200\nfamily p55c\nclock-mhz 200\n"
                               "command a b\noptions -q\nobject /a\n"
                               "quantity 0 data_read\nquantity 1 data_write\nquantity 73 stall_agi\n"
                               "quantity 80 executions\n";
    fputs(head, out);
    unsigned contexts = 2;
    while (input->size > 0) {
        uint8_t what = fuzz_byte(input), a = fuzz_byte(input), b = fuzz_byte(input);
        uint32_t wild = what & 0x80 ? fuzz_word(input) : 0;
        switch (what % 14) {
        case 0:
            fprintf(out, "total %u %u:%u:%u\n", a % 2, b % 90, a, wild);
            break;
        case 1:
            fprintf(out, "function %x %x = f%u\n", 0x1000u + a * 8u, 0x1000u + a * 8u + b + wild, a);
            break;
        case 2:
            fprintf(out, "file f%u\n", a);
            break;
        case 3:
            fprintf(out, "code %x %x %u %d %d %u %02x%02x\n", 0x1000u + a * 2u + wild, 0x1000 + b, a % 5,
                    what & 0x40 ? 32 : 16, b % 4 - 1, b, a, b);
            break;
        case 4:
            fprintf(out, "context %u %u %x %x\n", contexts, 1 + a % (contexts - 1) + wild, 0x1000 + b * 8,
                    0x1000 + a);
            contexts++;
            break;
        case 5:
            fprintf(out, "calls %u %u %x %x %u\n", a % 8, b % 8, 0x1000 + a, 0x1000 + b, wild);
            break;
        case 6:
        case 7:
        case 8:
            fprintf(out, "site %x %u %u %u:%u 80:%u:%u\n", 0x1000 + a * 2, 1 + b % contexts, a % 2,
                    60 + b % 40, wild, a, b);
            break;
        case 9:
            fprintf(out, "ways %u %u\n", a % 66, b % 8);
            break;
        case 10:
            fprintf(out, "sets %s %u %u %u\n",
                    (const char *[]){"data-misses", "code-misses", "btb-valid"}[a % 3], b, wild, a);
            break;
        case 11:
            fprintf(out, "sampling data_read %u %u %u\n", wild, a, b);
            break;
        case 12:
            fprintf(out, "sample %x %u %u\n", 0x1000 + a * 2, b % 8, wild);
            break;
        default:
            fprintf(out, "interval %u 0:%u 80:%u\n", wild, a, b);
        }
    }
    fputs("end\n", out);
}

/* Writes a profile in every form. */
static void show(FILE *out, const p5_profile *p, bool samples)
{
    static const char *const events[] = {"clocks", "data_read:k", "stall_agi", "executions", NULL};
    p5_error error;
    for (p5_profile_key key = P5_PROFILE_BY_SYMBOL; key <= P5_PROFILE_BY_MODE; key++) {
        p5_profile_table table = {.events = events, .key = key, .counts = true, .inclusive = true};
        LAW(p5_profile_write_table(out, p, &table, &error) == P5_OK);
        table.samples = true;
        p5_status status = p5_profile_write_table(out, p, &table, &error);
        LAW(samples ? status == P5_OK || status == P5_ERR_NAME : status == P5_ERR_STATE);
    }
    LAW(p5_profile_write_folded(out, p, "clocks", &error) == P5_OK);
    p5_profile_listing listing = {.bytes = true};
    p5_status status = p5_profile_write_listing(out, p, &listing, &error);
    LAW(status == P5_OK || status == P5_ERR_NAME);
    LAW(p5_profile_write_callgrind(out, p, &error) == P5_OK);
    LAW(p5_profile_write_cachegrind(out, p, &error) == P5_OK);
    LAW(p5_profile_write_html(out, p, &error) == P5_OK);
    unsigned exceeded;
    p5_profile_comparison comparison = {.threshold_percent = 0, .functions = true};
    LAW(p5_profile_write_diff(out, p, p, &comparison, &exceeded, &error) == P5_OK && exceeded == 0);
}

/* Returns the profile's file, which the caller frees. */
static char *written(const p5_profile *p, size_t *size)
{
    char *text = NULL;
    p5_error error;
    FILE *out = open_memstream(&text, size);
    LAW(out != NULL && p5_profile_write(out, p, &error) == P5_OK && fclose(out) == 0);
    return text;
}

static p5_profile *read_from(int fd)
{
    char path[64];
    p5_profile *p;
    p5_error error;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    p5_status status = p5_profile_read(path, &p, &error);
    LAW(status == P5_OK ? p != NULL : p == NULL && error.message[0] != '\0');
    return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("profile", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    LAW(file != NULL);
    fuzz_input input = {data, size};
    if (size > 0 && data[0] == 'p')
        fwrite(data, 1, size, file);
    else
        compose(file, &input);
    fflush(file);
    p5_profile *p = read_from(fd);
    if (p != NULL) {
        size_t first_size, second_size;
        char *first = written(p, &first_size);
        FILE *nowhere = fopen("/dev/null", "w");
        LAW(nowhere != NULL);
        show(nowhere, p, strstr(first, "\nsampling ") != NULL);
        fclose(nowhere);
        LAW(ftruncate(fd, 0) == 0 && pwrite(fd, first, first_size, 0) == (ssize_t)first_size);
        p5_profile *again = read_from(fd);
        LAW(again != NULL);
        char *second = written(again, &second_size);
        LAW(first_size == second_size && memcmp(first, second, first_size) == 0);
        free(first);
        free(second);
        p5_profile_free(again);
        p5_profile_free(p);
    }
    fclose(file);
    return 0;
}
