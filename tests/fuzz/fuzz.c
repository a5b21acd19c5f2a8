#include "fuzz.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

fuzz_figures fuzz_figures_now;

/* Options of the address sanitizer. It keeps little of what is freed, because batches measure how memory grows. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=8:malloc_context_size=1:max_malloc_fill_size=64:exitcode=99";
}

void fuzz_stuck(void *context)
{
    (void)context;
    fputs("law broken: a run outlasts its limit\n", stderr);
    abort();
}

void fuzz_discard(void *context, const void *text, size_t size)
{
    (void)context;
    (void)text;
    (void)size;
}

static char folder[32];
static pid_t folder_owner;

static void folder_remove(void)
{
    if (getpid() != folder_owner)
        return;
    DIR *there = opendir(folder);
    for (struct dirent *entry; there != NULL && (entry = readdir(there)) != NULL;)
        unlinkat(dirfd(there), entry->d_name, 0);
    if (there != NULL)
        closedir(there);
    rmdir(folder);
}

const char *fuzz_folder(void)
{
    if (folder[0] == '\0') {
        strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/p5fuzz.XXXXXX" /* in memory */
                                                     : "/tmp/p5fuzz.XXXXXX");
        LAW(mkdtemp(folder) != NULL);
        folder_owner = getpid();
        atexit(folder_remove);
    }
    return folder;
}

fuzz_file fuzz_file_make(const char *name, const void *data, size_t size)
{
    fuzz_file file;
    snprintf(file.path, sizeof file.path, "%s/%s", fuzz_folder(), name);
    FILE *out = fopen(file.path, "wb");
    LAW(out != NULL);
    LAW(fwrite(data, 1, size, out) == size);
    LAW(fclose(out) == 0);
    return file;
}

void fuzz_patch(uint8_t *bytes, size_t size, fuzz_input *input)
{
    static const uint32_t edges[] = {
        0,      1,      2,      3,      7,        0x10,       0x20,       0x7f,       0x80,       0xff,
        0x1000, 0x7fff, 0x8000, 0xffff, 0x100000, 0x7fffffff, 0x80000000, 0xfffff000, 0xfffffffc, 0xffffffff};
    while (input->size > 0 && size > 0) {
        unsigned how = fuzz_byte(input), a = fuzz_byte(input), b = fuzz_byte(input);
        size_t at = (how & 0xc0) != 0 ? a % size : (size_t)(a << 8 | b) * size >> 16, width = 1u << (how & 3);
        uint32_t value = how & 0x20 ? fuzz_word(input) : edges[b % (sizeof edges / sizeof edges[0])];
        if ((how & 0x1c) == 0x1c) /* a little more or less than before */
            value = bytes[at] + b % 9 - 4;
        width = width > 4 ? 1 : width;
        memcpy(bytes + at, &value, width < size - at ? width : size - at);
    }
}
