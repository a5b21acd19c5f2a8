/* Descriptors and open files. The guest's descriptors are numbered independently of the host's. An open file (open file
 * description) may have several descriptors. Its host descriptor comes from a share, the tree in memory, a pipe or one of
 * the standard streams. In system calls, `a` are the six arguments. */
#define _GNU_SOURCE /* pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/base/notice.h"
#include "machine/share/scratch.h"
#include "machine/linux/abi.h"
#include "machine/linux/calls.h"

/* i386 values, which differ on some hosts */
enum {
    GUEST_O_LARGEFILE = 0100000,
    GUEST_O_DIRECTORY = 0200000,
    GUEST_O_NOFOLLOW = 0400000,
    GUEST_O_CLOEXEC = LINUX_O_CLOEXEC
};

/* --- Open files --- */

linux_open_file *linux_file_new(linux_file_kind kind, int host, uint32_t flags)
{
    linux_open_file *file = calloc(1, sizeof *file);
    if (file == NULL)
        return NULL;
    *file = (linux_open_file){.kind = kind, .host = host, .flags = flags};
    return file;
}

void linux_file_release(linux_open_file *file)
{
    if (file->references > 1) {
        file->references--;
        return;
    }
    if (file->host >= 0 && file->kind != LINUX_STANDARD)
        close(file->host);
    linux_directory_forget(file);
    if (file->scratch != NULL)
        scratch_drop(file->scratch, file->node);
    free(file->path);
    free(file->name);
    free(file);
}

linux_open_file *linux_file_at(const linux_process *p, uint32_t descriptor)
{
    return descriptor < LINUX_FILES ? p->files.descriptors[descriptor].file : NULL;
}

int32_t linux_descriptor_add(linux_process *p, linux_open_file *file, unsigned lowest, bool close_on_exec)
{
    if (file == NULL)
        return -ENOMEM;
    for (unsigned i = lowest; i < LINUX_FILES; i++) {
        if (p->files.descriptors[i].file != NULL)
            continue;
        p->files.descriptors[i] = (linux_descriptor){file, close_on_exec};
        file->references++;
        return (int32_t)i;
    }
    if (file->references == 0)
        linux_file_release(file);
    return -EMFILE;
}

static int32_t descriptor_close(linux_process *p, uint32_t descriptor)
{
    linux_open_file *file = linux_file_at(p, descriptor);
    if (file == NULL)
        return -EBADF;
    p->files.descriptors[descriptor] = (linux_descriptor){0};
    linux_file_release(file);
    return 0;
}

/* --- All files --- */

/* The clock of the tree in memory (share_tree_add_scratch). */
static uint64_t now(const void *p)
{
    return linux_wall_clock(p);
}

/* Opens the standard streams as descriptors 0 to 2, the shares, and /tmp in memory, which may hold as much as half of the
 * guest's memory. linux_files_close must follow, even after an error. */
p5_status linux_files_open(linux_process *p, p5_error *error)
{
    linux_files *files = &p->files;
    const p5_machine_options *options = &p->machine->options;
    files->umask = 022;
    for (unsigned i = 0; i < 3; i++)
        if (linux_descriptor_add(p, linux_file_new(LINUX_STANDARD, (int)i, i == 0 ? O_RDONLY : O_WRONLY), i,
                                 false) < 0)
            return error_set(error, P5_ERR_MEMORY, "no memory for the guest's files");
    p5_status status = share_tree_open(&files->tree, options, error);
    if (status != P5_OK)
        return status;
    if (files->tree.mount_count != 0) /* the guest starts in its first share */
        strcpy(files->cwd, files->tree.mounts[0].guest);
    return share_tree_add_scratch(&files->tree, "/tmp", options->memory_bytes / 2, now, p, error);
}

void linux_files_close(linux_process *p)
{
    for (unsigned i = 0; i < LINUX_FILES; i++)
        if (p->files.descriptors[i].file != NULL)
            descriptor_close(p, i);
    share_tree_close(&p->files.tree);
}

int32_t linux_resolve(linux_process *p, int32_t directory, const char *path, unsigned how, share_place *place)
{
    const char *start = p->files.cwd;
    if (path[0] != '/' && directory != AT_FDCWD) {
        const linux_open_file *file = linux_file_at(p, (uint32_t)directory);
        if (path[0] == '\0')
            return -ENOENT;
        if (file == NULL)
            return -EBADF;
        if (file->path == NULL)
            return -ENOTDIR;
        start = file->path;
    }
    return share_resolve(&p->files.tree, start, path, how, place);
}

/* --- open --- */

linux_file_kind linux_device_at(const share_place *place)
{
    return strcmp(place->target, "null") == 0   ? LINUX_NULL
           : strcmp(place->target, "zero") == 0 ? LINUX_ZERO
                                                : LINUX_RANDOM;
}

static int32_t open_device(linux_process *p, const share_place *place, uint32_t flags)
{
    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        return -EEXIST;
    if ((flags & GUEST_O_DIRECTORY) != 0)
        return -ENOTDIR;
    linux_open_file *file = linux_file_new(linux_device_at(place), -1, flags);
    return linux_descriptor_add(p, file, 0, (flags & GUEST_O_CLOEXEC) != 0);
}

/* Opens a directory that exists only because a share lies below it. */
static int32_t open_virtual_directory(linux_process *p, const share_place *place, uint32_t flags)
{
    if ((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0)
        return -EISDIR;
    linux_open_file *file = linux_file_new(LINUX_VIRTUAL_DIRECTORY, -1, flags);
    if (file != NULL && (file->path = strdup(place->guest)) == NULL) {
        free(file);
        file = NULL;
    }
    return linux_descriptor_add(p, file, 0, (flags & GUEST_O_CLOEXEC) != 0);
}

/* Opens a file or directory of a share or of the tree in memory (scratch). A folder in memory has no descriptor of the
 * host. */
static int32_t open_place(linux_process *p, const share_place *place, uint32_t flags, uint32_t mode)
{
    int host_flags = (int)(flags & (O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND)) |
                     ((flags & GUEST_O_DIRECTORY) != 0 ? O_DIRECTORY : 0);
    struct stat about;
    bool directory = place->scratch != NULL && share_about(place, &about) == 0 && S_ISDIR(about.st_mode) &&
                     (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
    int host = directory ? -1 : share_open(place, host_flags, (mode_t)(mode & ~p->files.umask & 0777));
    if (host < 0 && !directory)
        return host;
    directory = directory || (fstat(host, &about) == 0 && S_ISDIR(about.st_mode));
    linux_open_file *file = linux_file_new(directory ? LINUX_DIRECTORY : LINUX_REGULAR, host, flags);
    if (file == NULL) {
        if (host >= 0)
            close(host);
        return -ENOMEM;
    }
    if (place->scratch != NULL) {
        file->scratch = place->scratch;
        file->node = scratch_find(place->scratch, place->folder, place->name);
        scratch_hold(file->scratch, file->node);
    }
    file->writable_share = place->writable;
    file->quota = place->quota;
    char **path = file->kind == LINUX_DIRECTORY ? &file->path : &file->name;
    if ((*path = strdup(place->guest)) == NULL) {
        linux_file_release(file);
        return -ENOMEM;
    }
    return linux_descriptor_add(p, file, 0, (flags & GUEST_O_CLOEXEC) != 0);
}

/* Opens "exe" or "maps" of /proc/self. */
static int32_t open_proc(linux_process *p, const char *path, uint32_t flags)
{
    if ((flags & O_ACCMODE) != O_RDONLY)
        return -EACCES;
    int host = linux_proc_open(p, path);
    if (host < 0)
        return host;
    linux_file_kind kind = linux_proc_is(path, "exe") ? LINUX_REGULAR : LINUX_PIPE;
    linux_open_file *file = linux_file_new(kind, host, flags);
    if (file == NULL)
        close(host);
    else
        file->name = strdup(path); /* without a name, messages do not name the file */
    return linux_descriptor_add(p, file, 0, (flags & GUEST_O_CLOEXEC) != 0);
}

/* Returns another descriptor of the same open file, with which it shares the position. Linux would open the file once
 * more. Opening to read and write is permitted for a file that is open for one of them only. */
static int32_t open_again(linux_process *p, uint32_t descriptor, uint32_t flags)
{
    linux_open_file *file = linux_file_at(p, descriptor);
    if (file == NULL)
        return -ENOENT;
    const uint32_t wanted = flags & O_ACCMODE, has = file->flags & O_ACCMODE;
    if (wanted != has && wanted != O_RDWR && has != O_RDWR)
        return -EACCES;
    return linux_descriptor_add(p, file, 0, (flags & GUEST_O_CLOEXEC) != 0);
}

/* Sends the user a hint about --dir if the guest cannot open a file and has no shares. Paths of system files give no
 * hint, because every C library tries some of them. */
static void hint_at_directories(const linux_process *p, const char *path)
{
    enum { NUMBER = 0xd1 }; /* of the notice; no other one has it */
    static const char *const tried[] = {"/etc/", "/usr/", "/proc/", "/sys/", "/dev/", "/lib/"};
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++)
        if (strncmp(path, tried[i], strlen(tried[i])) == 0)
            return;
    if (p->machine->options.share_count == 0)
        notice_once(
            &p->machine->notices, NOTICE_OTHER, NUMBER,
            "the guest cannot open '%s': it sees no files of the host; --dir . shows it this directory",
            path);
}

/* Opens a file of /proc, a descriptor's file again, a device, a directory above a share, or a place in a share or in
 * memory. */
int32_t linux_openat(linux_process *p, const uint32_t a[6])
{
    char path[SHARE_PATH];
    SHARE_PLACE(place);
    uint32_t flags = a[2];
    int32_t wrong = linux_read_string(p, a[1], path, sizeof path); /* the length, or -errno */
    if (wrong < 0)
        return wrong;
    if (linux_proc_is(path, "exe") || linux_proc_is(path, "maps"))
        return open_proc(p, path, flags);
    const int32_t again = linux_proc_descriptor(path);
    if (again >= 0)
        return open_again(p, (uint32_t)again, flags);
    if ((flags & O_CREAT) != 0 && wrong > 0 && path[wrong - 1] == '/')
        return -EISDIR;
    bool exclusive = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
    unsigned how = (flags & GUEST_O_NOFOLLOW) != 0 || exclusive ? 0 : SHARE_FOLLOW;
    wrong = linux_resolve(p, (int32_t)a[0], path, how | ((flags & O_CREAT) != 0 ? SHARE_MAY_BE_MISSING : 0),
                          &place);
    if (wrong == -ENOENT)
        hint_at_directories(p, path);
    if (wrong != 0)
        return wrong;
    return place.target[0] != '\0'    ? open_device(p, &place, flags)
           : share_is_virtual(&place) ? open_virtual_directory(p, &place, flags)
                                      : open_place(p, &place, flags, a[3]);
}

int32_t linux_close(linux_process *p, const uint32_t a[6])
{
    return descriptor_close(p, a[0]);
}

/* --- dup, pipe, fcntl, ioctl --- */

/* Makes descriptor `to` refer to the file of `from`, and closes what it referred to. Returns `to` or -EBADF. */
static int32_t dup_to(linux_process *p, uint32_t from, uint32_t to, bool close_on_exec)
{
    linux_open_file *file = linux_file_at(p, from);
    if (file == NULL || to >= LINUX_FILES)
        return -EBADF;
    file->references++; /* survives the close of `to` */
    if (p->files.descriptors[to].file != NULL)
        descriptor_close(p, to);
    p->files.descriptors[to] = (linux_descriptor){file, close_on_exec};
    return (int32_t)to;
}

int32_t linux_dup2(linux_process *p, const uint32_t a[6])
{
    if (a[0] == a[1])
        return linux_file_at(p, a[0]) != NULL ? (int32_t)a[1] : -EBADF;
    return dup_to(p, a[0], a[1], false);
}

int32_t linux_dup3(linux_process *p, const uint32_t a[6])
{
    if (a[0] == a[1] || (a[2] & ~(uint32_t)GUEST_O_CLOEXEC) != 0)
        return -EINVAL;
    return dup_to(p, a[0], a[1], (a[2] & GUEST_O_CLOEXEC) != 0);
}

/* Makes a pipe. The host's descriptors have O_NONBLOCK, because a wait in the host would hang p5scope. The guest's
 * O_NONBLOCK is in the file's flags; io.c waits if it is clear. */
int32_t linux_pipe2(linux_process *p, const uint32_t a[6])
{
    int host[2];
    int32_t guest[2];
    bool close_on_exec = (a[1] & GUEST_O_CLOEXEC) != 0;
    if ((a[1] & ~(uint32_t)(GUEST_O_CLOEXEC | O_NONBLOCK)) != 0)
        return -EINVAL;
    if (pipe2(host, O_CLOEXEC | O_NONBLOCK) != 0)
        return -errno;
    guest[0] = linux_descriptor_add(p, linux_file_new(LINUX_PIPE, host[0], O_RDONLY | (a[1] & O_NONBLOCK)), 0,
                                    close_on_exec);
    guest[1] = linux_descriptor_add(p, linux_file_new(LINUX_PIPE, host[1], O_WRONLY | (a[1] & O_NONBLOCK)), 0,
                                    close_on_exec);
    if (guest[0] >= 0 && guest[1] >= 0 && linux_write_user(p, a[0], guest, sizeof guest))
        return 0;
    int32_t wrong = guest[0] < 0 || guest[1] < 0 ? -EMFILE : -EFAULT;
    for (unsigned i = 0; i < 2; i++)
        if (guest[i] >= 0)
            descriptor_close(p, (uint32_t)guest[i]);
    return wrong;
}

int32_t linux_fcntl64(linux_process *p, const uint32_t a[6])
{
    enum { SETTABLE = O_APPEND | O_NONBLOCK, DUPFD_CLOEXEC = 1030, GETLK64 = 12, SETLK64, SETLKW64 };
    int16_t lock = 0; /* struct flock begins with l_type */
    linux_open_file *file = linux_file_at(p, a[0]);
    if (file == NULL)
        return -EBADF;
    linux_descriptor *descriptor = &p->files.descriptors[a[0]];
    switch (a[1]) {
    case F_DUPFD:
    case DUPFD_CLOEXEC:
        return a[2] >= LINUX_FILES ? -EINVAL : linux_descriptor_add(p, file, a[2], a[1] == DUPFD_CLOEXEC);
    case F_GETFD:
        return descriptor->close_on_exec;
    case F_SETFD:
        descriptor->close_on_exec = (a[2] & FD_CLOEXEC) != 0;
        return 0;
    case F_GETFL:
        return (int32_t)(file->flags & (O_ACCMODE | SETTABLE | GUEST_O_LARGEFILE)) |
               (file->kind == LINUX_STANDARD ? GUEST_O_LARGEFILE : 0);
    case F_SETFL:
        file->flags = (file->flags & ~(uint32_t)SETTABLE) | (a[2] & SETTABLE);
        if (file->kind == LINUX_REGULAR)
            fcntl(file->host, F_SETFL, (int)(a[2] & O_APPEND));
        return 0;
    case F_GETLK: /* there is only one process, so no lock conflicts */
    case GETLK64:
        if (!linux_read_user(p, a[2], &lock, sizeof lock))
            return -EFAULT;
        if (lock != F_RDLCK && lock != F_WRLCK)
            return -EINVAL;
        lock = F_UNLCK;
        return linux_write_user(p, a[2], &lock, sizeof lock) ? 0 : -EFAULT;
    case F_SETLK:
    case F_SETLKW:
    case SETLK64:
    case SETLKW64:
        if (!linux_read_user(p, a[2], &lock, sizeof lock))
            return -EFAULT;
        return lock == F_RDLCK || lock == F_WRLCK || lock == F_UNLCK ? 0 : -EINVAL;
    default:
        return -EINVAL;
    }
}

/* Implements FIONREAD: writes the number of bytes that can be read without waiting. Returns 0 or -errno. */
static int32_t put_readable_bytes(linux_process *p, const linux_open_file *file, uint32_t address)
{
    int bytes = 0;
    if (file->kind != LINUX_REGULAR && file->kind != LINUX_PIPE && file->kind != LINUX_STANDARD)
        return -ENOTTY;
    if (ioctl(file->host, FIONREAD, &bytes) != 0)
        return -errno;
    return linux_write_user(p, address, &bytes, sizeof bytes) ? 0 : -EFAULT;
}

/* Implements FIOCLEX, FIONCLEX, FIONREAD and FIONBIO and, for a standard stream that is a terminal, TCGETS and TIOCGWINSZ. Everything else
 * returns -ENOTTY. */
int32_t linux_ioctl(linux_process *p, const uint32_t a[6])
{
    enum { TERMIOS_BYTES = 36 };
    linux_open_file *file = linux_file_at(p, a[0]);
    if (file == NULL)
        return -EBADF;
    if (a[1] == FIOCLEX || a[1] == FIONCLEX) {
        p->files.descriptors[a[0]].close_on_exec = a[1] == FIOCLEX;
        return 0;
    }
    if (a[1] == FIONREAD)
        return put_readable_bytes(p, file, a[2]);
    if (a[1] == FIONBIO) {
        int32_t on;
        if (!linux_read_user(p, a[2], &on, sizeof on))
            return -EFAULT;
        file->flags = (file->flags & ~(uint32_t)O_NONBLOCK) | (on != 0 ? O_NONBLOCK : 0);
        return 0;
    }
    /* The kernel's struct termios and struct winsize are the same on i386 as on the host. */
    const size_t size = a[1] == TCGETS ? TERMIOS_BYTES : a[1] == TIOCGWINSZ ? sizeof(struct winsize) : 0;
    uint32_t report[TERMIOS_BYTES / 4] = {0};
    if (size == 0 || file->kind != LINUX_STANDARD || !isatty(file->host) ||
        ioctl(file->host, a[1], report) != 0)
        return -ENOTTY;
    return linux_write_user(p, a[2], report, size) ? 0 : -EFAULT;
}
