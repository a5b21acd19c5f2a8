/* The files of /proc that exist in the guest: exe, maps and fd/ of /proc/self, which programs read to inspect themselves.
 * The text of maps is in a pipe, because the sandbox permits no other unnamed file. */
#define _GNU_SOURCE /* pipe2, F_SETPIPE_SZ */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/linux/linux_internal.h"
#include "machine/linux/abi.h"

enum { TEXT_AT_MOST = 1 << 20 }; /* bytes of maps: the capacity requested for the pipe */

/* Returns the guest's path of a file of the host: its path in a share that contains it, else a path in the
 * root directory. The host's own path is not revealed. */
static void guest_path(const linux_process *p, const char *path, char text[SHARE_PATH])
{
    const p5_machine_options *options = &p->machine->options;
    char *real = realpath(path, NULL);
    const char *whole = real != NULL ? real : path, *slash = strrchr(whole, '/');
    int length = snprintf(text, SHARE_PATH, "/%s", slash != NULL ? slash + 1 : whole);
    for (size_t i = 0; real != NULL && i < options->share_count; i++) {
        const char *below = share_path_below(&options->shares[i], real);
        if (below == NULL)
            continue;
        length = snprintf(text, SHARE_PATH, "%s%s", p->files.tree.mounts[i].guest, below);
        break;
    }
    free(real);
    if (length < 0 || length >= SHARE_PATH)
        text[0] = '\0';
}

void linux_set_program(linux_process *p, const char *path)
{
    guest_path(p, path, p->program);
    p->program_file = open(path, O_RDONLY | O_CLOEXEC);
}

/* Returns the part of `path` after /proc/self/, or NULL if the path lies elsewhere. */
static const char *after_self(const char *path)
{
    static const char *const selves[] = {"/proc/self/", "/proc/" LINUX_PROC_SELF "/"};
    _Static_assert(LINUX_PID == 1000, "the second path has the guest's PID");
    for (size_t i = 0; i < 2; i++)
        if (strncmp(path, selves[i], strlen(selves[i])) == 0)
            return path + strlen(selves[i]);
    return NULL;
}

bool linux_proc_is(const char *path, const char *name)
{
    const char *file = after_self(path);
    return file != NULL && strcmp(file, name) == 0;
}

int32_t linux_proc_descriptor(const char *path)
{
    static const char *const standard[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    for (int32_t i = 0; i < 3; i++)
        if (strcmp(path, standard[i]) == 0)
            return i;
    const char *file = strncmp(path, "/dev/", 5) == 0 ? path + 5 : after_self(path);
    if (file == NULL || strncmp(file, "fd/", 3) != 0 || file[3] == '\0' || strlen(file + 3) > 3 ||
        strspn(file + 3, "0123456789") != strlen(file + 3))
        return -1;
    return (int32_t)strtol(file + 3, NULL, 10);
}

int32_t linux_proc_link(const linux_process *p, uint32_t descriptor, char text[SHARE_PATH])
{
    static const char *const devices[] = {
        [LINUX_NULL] = "/dev/null", [LINUX_ZERO] = "/dev/zero", [LINUX_RANDOM] = "/dev/urandom"};
    const linux_open_file *file = linux_file_at(p, descriptor);
    if (file == NULL)
        return -ENOENT;
    const char *path = file->name != NULL ? file->name : file->path;
    if (file->kind == LINUX_NULL || file->kind == LINUX_ZERO || file->kind == LINUX_RANDOM)
        strcpy(text, devices[file->kind]);
    else if (path != NULL)
        snprintf(text, SHARE_PATH, "%s", path[0] != '\0' ? path : "/");
    else if (file->kind == LINUX_STANDARD && isatty(file->host))
        strcpy(text, "/dev/pts/0");
    else
        snprintf(text, SHARE_PATH, "pipe:[%" PRIu32 "]", descriptor);
    return 0;
}

/* Writes the lines of a mapping in /proc/self/maps: two if the heap continues the program's data. */
static void print_mapping(const linux_process *p, const linux_region *r, int to)
{
    const linux_memory *m = &p->memory;
    const uint32_t heap = linux_page_up(m->brk_start);
    if (r->start < heap && r->end > heap) {
        linux_region program = *r, rest = *r;
        program.end = rest.start = heap;
        print_mapping(p, &program, to);
        print_mapping(p, &rest, to);
        return;
    }
    const char *name = r->end == LINUX_TASK_SIZE               ? "[stack]"
                       : r->end <= heap                        ? p->program
                       : r->start >= heap && r->start < m->brk ? "[heap]"
                                                               : "";
    dprintf(to, "%08x-%08x %c%c%cp 00000000 00:00 0 %s%s\n", r->start, r->end,
            (r->protection & LINUX_PROT_READ) != 0 ? 'r' : '-',
            (r->protection & LINUX_PROT_WRITE) != 0 ? 'w' : '-',
            (r->protection & LINUX_PROT_EXEC) != 0 ? 'x' : '-', name[0] != '\0' ? "                  " : "",
            name);
}

int linux_proc_open(const linux_process *p, const char *path)
{
    int ends[2];
    if (linux_proc_is(path, "exe")) {
        int host = p->program_file >= 0 ? fcntl(p->program_file, F_DUPFD_CLOEXEC, 3) : -1;
        if (host >= 0)
            lseek(host, 0, SEEK_SET);
        return host >= 0 ? host : -ENOENT; /* a run that continues from a snapshot does not have it */
    }
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return -errno;
    fcntl(ends[1], F_SETPIPE_SZ, TEXT_AT_MOST);
    for (size_t i = 0; i < p->memory.regions.count; i++)
        print_mapping(p, &p->memory.regions.items[i], ends[1]);
    close(ends[1]);
    return ends[0];
}
