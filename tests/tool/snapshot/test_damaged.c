/* Files that are no whole snapshot are refused with a message, and nothing crashes: cut off at every
 * section's border and elsewhere, with changed bytes, of another format, model, kind of file. Best
 * built with sanitizers. snapshot_damaged GUEST FILE [CHANGES] */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "p5scope/snapshot.h"
#include "p5tool/machine.h"

enum { HEADER = 72, SECTION = 48 }; /* bytes of the file's header and of a section's */

static const char *path;
static unsigned tried;

static void write_file(const uint8_t *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    if (out == NULL || fwrite(bytes, 1, size, out) != size || fclose(out) != 0)
        abort();
}

/* True if the bytes are refused with a message that holds `words` ("" = any). */
static bool refused(const uint8_t *bytes, size_t size, const char *words)
{
    p5_snapshot_info info = {.size = sizeof info};
    p5_machine *machine;
    p5_error error = {0};
    write_file(bytes, size);
    tried++;
    p5_status status = p5_machine_restore(path, NULL, &machine, &error);
    if (status != P5_ERR_FORMAT || machine != NULL || error.message[0] == '\0' ||
        strstr(error.message, words) == NULL || strcmp(error.where, path) != 0) {
        printf("expected a message with '%s', got %d: %s (%s)\n", words, (int)status, error.message,
               error.where);
        p5_machine_close(machine);
        return false;
    }
    status = p5_snapshot_read_info(path, &info, &error);
    p5_snapshot_info_free(&info);
    return status == P5_ERR_FORMAT;
}

static uint64_t checksum(const uint8_t *bytes, size_t size)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* The file with some bytes of its header changed and its checksum made right again. */
static bool header_refused(uint8_t *bytes, size_t size, size_t at, uint8_t value, const char *words)
{
    uint8_t before[HEADER];
    memcpy(before, bytes, HEADER);
    bytes[at] = value;
    uint64_t sum = checksum(bytes, HEADER - sizeof sum);
    memcpy(bytes + HEADER - sizeof sum, &sum, sizeof sum);
    bool good = refused(bytes, size, words);
    memcpy(bytes, before, HEADER);
    return good;
}

static bool cut_off(const uint8_t *bytes, size_t size)
{
    bool good = refused(bytes, 0, "not a snapshot") && refused(bytes, 15, "not a snapshot") &&
                refused(bytes, 16, "header") && refused(bytes, HEADER - 1, "header");
    unsigned sections = 0;
    for (size_t at = HEADER; good && at < size; sections++) {
        uint64_t stored;
        memcpy(&stored, bytes + at + 24, sizeof stored);
        good = refused(bytes, at, "cut off") && refused(bytes, at + 1, "cut off") &&
               refused(bytes, at + SECTION - 1, "cut off") && refused(bytes, at + SECTION, "cut off") &&
               refused(bytes, at + SECTION + stored / 2, "cut off") &&
               refused(bytes, at + SECTION + stored - 1, (const char *)bytes + at);
        at += SECTION + stored;
    }
    return good && sections == 6;
}

static bool changed(uint8_t *bytes, size_t size, unsigned changes)
{
    uint64_t random = 1;
    for (unsigned i = 0; i < changes; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        /* the headers, where a change can do most, more often than their share */
        size_t at = i % 4 == 0 ? (size_t)(random >> 33) % (HEADER + SECTION) : (size_t)(random >> 33) % size;
        uint8_t was = bytes[at];
        bytes[at] ^= (uint8_t)(1u << (random >> 20 & 7));
        bool good = refused(bytes, size, "");
        bytes[at] = was;
        if (!good)
            return false;
    }
    return true;
}

/* A whole snapshot loads; with a model of one other figure it does not. */
static bool other_model(const uint8_t *bytes, size_t size)
{
    p5_machine_options options = {.size = sizeof options, .model = "p55c-200"};
    p5_machine *machine;
    p5_error error = {0};
    write_file(bytes, size);
    if (p5_machine_restore(path, &options, &machine, &error) != P5_OK) {
        printf("a whole snapshot: %s\n", error.message);
        return false;
    }
    p5_machine_close(machine);
    options.clock_mhz = 199;
    bool clock = p5_machine_restore(path, &options, &machine, &error) == P5_ERR_FORMAT && machine == NULL &&
                 strstr(error.message, "another model") != NULL;
    options.clock_mhz = 0;
    options.memory_bytes = 1 << 20;
    bool memory = p5_machine_restore(path, &options, &machine, &error) == P5_ERR_RANGE && machine == NULL;
    if (!clock || !memory)
        printf("another model or size of memory was taken: %s\n", error.message);
    return clock && memory;
}

int main(int argc, char **argv)
{
    static const char *const none[] = {NULL};
    const p5_machine_options options = {.size = sizeof options, .model = "p55c-200"};
    const p5_limits limits = {.size = sizeof limits, .max_instructions = 60};
    p5_run_result result = {.size = sizeof result};
    p5_machine *machine;
    p5_error error = {0};
    if (argc < 3)
        return 2;
    const char *const arguments[] = {argv[1], NULL};
    unsigned changes = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 400;
    path = argv[2];
    if (p5_machine_open(&options, &machine, &error) != P5_OK ||
        p5_machine_load_linux(machine, argv[1], arguments, none, &error) != P5_OK ||
        p5_machine_run(machine, &limits, &result, &error) != P5_OK ||
        p5_machine_save(machine, path, NULL, &error) != P5_OK) {
        printf("%s\n", error.message);
        return 1;
    }
    p5_machine_close(machine);
    FILE *in = fopen(path, "rb");
    if (in == NULL || fseek(in, 0, SEEK_END) != 0)
        abort();
    size_t size = (size_t)ftell(in);
    uint8_t *bytes = malloc(size + 1);
    rewind(in);
    if (bytes == NULL || fread(bytes, 1, size, in) != size)
        abort();
    fclose(in);
    bytes[size] = 0; /* one too many */
    bool good = cut_off(bytes, size) && refused(bytes, size + 1, "follow") &&
                header_refused(bytes, size, 16, 99, "format 99") &&
                refused((const uint8_t *)"\177ELF and more", 14, "not a snapshot") &&
                other_model(bytes, size) && changed(bytes, size, changes);
    free(bytes);
    remove(path);
    printf("%u damaged files\n", tried);
    return good ? 0 : 1;
}
