#include "fuzz.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

fuzz_figures fuzz_figures_now;

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
        /* In memory, if there is such a place. */
        strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/p5fuzz.XXXXXX" : "/tmp/p5fuzz.XXXXXX");
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
