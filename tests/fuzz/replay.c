/* replay FOLDER [RANDOM-INPUTS [SEED]]: in builds without libFuzzer, feeds the inputs in FOLDER and some made
 * from a seed (1) to a fuzzer, so that every test run knows whether it still builds and holds. */
#include <dirent.h>
#include <string.h>

#include "fuzz.h"

enum { INPUT_MAX = 4096 };

static void replay_file(const char *folder, const char *name)
{
    static uint8_t data[INPUT_MAX];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: replay FOLDER [RANDOM-INPUTS [SEED]]\n");
        return 2;
    }
    unsigned files = 0;
    DIR *folder = opendir(argv[1]);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        replay_file(argv[1], entry->d_name);
        files++;
    }
    if (folder != NULL)
        closedir(folder);

    unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 20000;
    uint64_t x = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    if (x == 0) {
        fprintf(stderr, "replay: a seed is not 0\n");
        return 2;
    }
    for (unsigned long i = 0; i < count; i++) {
        uint8_t data[256];
        for (size_t n = 0; n < sizeof data; n++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            data[n] = (uint8_t)(x >> 32);
        }
        LLVMFuzzerTestOneInput(data, (size_t)(x % (sizeof data + 1)));
    }
    printf("%u files and %lu random inputs\n", files, count);
    return 0;
}
