/* Records which functions a test enters, for tests/lint/mutate.py: gcc's -finstrument-functions calls this at every entry. MUTATE_ENTERED names
 * a folder; each program has a file there, with a byte for each address of its code. The file is mapped before the program
 * confines itself, and it survives the process whatever ends it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOT_RECORDED __attribute__((no_instrument_function))

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[];
static unsigned char *entered;

NOT_RECORDED __attribute__((constructor)) static void open_record(void)
{
    const char *folder = getenv("MUTATE_ENTERED");
    char program[4096], path[8192];
    Dl_info module;
    if (folder == NULL || dladdr(__ehdr_start, &module) == 0)
        return;
    if (realpath(strstr(module.dli_fname, ".so") != NULL ? module.dli_fname : "/proc/self/exe", program) ==
        NULL)
        return;
    for (char *c = program; *c; c++)
        if (*c == '/')
            *c = '%';
    snprintf(path, sizeof path, "%s/%s", folder, program);
    const size_t size = (size_t)(etext - __ehdr_start);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return;
    if (ftruncate(file, (off_t)size) == 0) {
        void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        entered = map == MAP_FAILED ? NULL : map;
    }
    close(file);
}

NOT_RECORDED void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    if (entered != NULL)
        entered[(const char *)function - __ehdr_start] = 1;
}

NOT_RECORDED void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function, (void)caller;
}
