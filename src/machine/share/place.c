/* Operations at a place that share_resolve has found. The place lies on the host, or in the guest's own tree of files in
 * memory, whose functions begin with scratch_ (scratch.h). Results are 0 or more, or -errno. */
#define _GNU_SOURCE /* Linux and POSIX interfaces: O_DIRECTORY, linkat */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/share/share_internal.h"

bool share_is_virtual(const share_place *place)
{
    return place->directory < 0 && place->scratch == NULL;
}

int32_t share_may_change(const share_place *place)
{
    if (!place->writable)
        return -EROFS;
    /* "." is a share's root, or a path that ends in "/" or a dot. */
    return strcmp(place->name, ".") == 0 ? -EBUSY : 0;
}

/* Converts a result of the host's call, 0 or -1 with errno, to 0 or -errno. */
static int32_t result_of(int result)
{
    return result == 0 ? 0 : -errno;
}

/* Returns the node of a place in memory; SCRATCH_NONE: the name does not exist. */
static uint32_t node_at(const share_place *place)
{
    return scratch_find(place->scratch, place->folder, place->name);
}

/* Does what share_open does, at a place in memory. */
static int open_in_memory(const share_place *place, int flags, mode_t mode)
{
    uint32_t node = node_at(place);
    if (node == SCRATCH_NONE && (flags & O_CREAT) == 0)
        return -ENOENT;
    if (node != SCRATCH_NONE && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        return -EEXIST;
    if (node == SCRATCH_NONE) { /* a new file is opened even if its permissions do not allow it */
        int32_t made = scratch_make(place->scratch, place->folder, place->name, S_IFREG | mode, NULL);
        return made < 0 ? made : scratch_contents(place->scratch, (uint32_t)made, flags);
    }
    /* Index: access mode: O_RDONLY, O_WRONLY, O_RDWR, and 3, which needs both rights and gives none. */
    static const mode_t rights[] = {S_IRUSR, S_IWUSR, S_IRUSR | S_IWUSR, S_IRUSR | S_IWUSR};
    mode_t needed = rights[flags & O_ACCMODE] | ((flags & O_TRUNC) != 0 ? S_IWUSR : 0);
    struct stat about;
    scratch_about(place->scratch, node, &about);
    if (S_ISLNK(about.st_mode))
        return (flags & O_DIRECTORY) != 0 ? -ENOTDIR : -ELOOP;
    if (S_ISDIR(about.st_mode))
        return -EISDIR; /* callers list a folder in memory with scratch_list instead */
    if ((flags & O_DIRECTORY) != 0)
        return -ENOTDIR;
    if ((about.st_mode & needed) != needed)
        return -EACCES;
    int host = scratch_contents(place->scratch, node, flags);
    if (host >= 0 && (flags & O_TRUNC) != 0)
        share_charge_growth(place->quota, host, (uint64_t)about.st_size);
    return host;
}

/* Opens a regular file or a directory, and charges the quota for a new name. Returns the host's descriptor. Opens with
 * O_NONBLOCK, because another process of the host may replace the file by a FIFO, which would block. */
int share_open(const share_place *place, int flags, mode_t mode)
{
    struct stat about;
    if (place->scratch != NULL)
        return open_in_memory(place, flags, mode);
    if ((flags & O_ACCMODE) != O_RDONLY && !place->writable)
        return -EROFS;
    if (!place->writable)
        flags &= ~(O_CREAT | O_TRUNC);
    bool there = share_about(place, &about) == 0;
    if (there && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode) && !S_ISLNK(about.st_mode))
        return -EACCES; /* guests have no access to the host's devices, sockets and FIFOs */
    int32_t full = !there && (flags & O_CREAT) != 0 ? share_charge_name(place) : 0;
    if (full != 0)
        return full;
    uint64_t before = there && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    int host =
        openat(place->directory, place->name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
    if (host < 0)
        return -errno;
    if (fstat(host, &about) != 0 || (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))) {
        close(host);
        return -EACCES; /* the host has replaced the file meanwhile */
    }
    if ((flags & O_TRUNC) != 0)
        share_charge_growth(place->quota, host, before);
    fcntl(host, F_SETFL, fcntl(host, F_GETFL) & ~O_NONBLOCK);
    return host;
}

/* Does what fstatat does, without following a link. */
int32_t share_about(const share_place *place, struct stat *about)
{
    if (place->scratch == NULL)
        return result_of(fstatat(place->directory, place->name, about, AT_SYMLINK_NOFOLLOW));
    uint32_t node = node_at(place);
    return node == SCRATCH_NONE ? -ENOENT : scratch_about(place->scratch, node, about);
}

/* Does what faccessat does with the effective identity, without following a link. */
int32_t share_access(const share_place *place, unsigned mode)
{
    struct stat about;
    if (place->scratch == NULL)
        return result_of(
            faccessat(place->directory, place->name, (int)mode, AT_EACCESS | AT_SYMLINK_NOFOLLOW));
    int32_t wrong = share_about(place, &about);
    return wrong != 0 || (about.st_mode >> 6 & mode) == mode ? wrong : -EACCES; /* the guest owns the file */
}

/* Charges the quota for a name that is about to be created, even if the creation then fails. Fails without a charge if
 * the name exists. */
static int32_t charge_new_name(const share_place *place)
{
    struct stat about;
    return share_about(place, &about) == 0 ? -EEXIST : share_charge_name(place);
}

int32_t share_make_folder(const share_place *place, mode_t mode)
{
    if (place->scratch != NULL) {
        int32_t made = scratch_make(place->scratch, place->folder, place->name, S_IFDIR | mode, NULL);
        return made < 0 ? made : 0;
    }
    int32_t wrong = charge_new_name(place);
    return wrong != 0 ? wrong : result_of(mkdirat(place->directory, place->name, mode));
}

int32_t share_remove(const share_place *place, bool folder)
{
    if (place->scratch != NULL)
        return scratch_remove(place->scratch, place->folder, place->name, folder);
    return result_of(unlinkat(place->directory, place->name, folder ? AT_REMOVEDIR : 0));
}

/* Returns true if `path` lies below `folder`: a folder cannot be moved into itself. */
static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* Does what renameat does. A move between the host and memory fails with -EXDEV, as between file systems. */
int32_t share_rename(const share_place *old, const share_place *new)
{
    if (old->scratch != new->scratch)
        return -EXDEV;
    if (old->scratch == NULL)
        return result_of(renameat(old->directory, old->name, new->directory, new->name));
    if (is_below(new->guest, old->guest))
        return -EINVAL;
    return scratch_rename(old->scratch, old->folder, old->name, new->folder, new->name);
}

int32_t share_link(const share_place *old, const share_place *new)
{
    if (old->scratch != new->scratch)
        return -EXDEV;
    if (old->scratch != NULL)
        return scratch_link(old->scratch, node_at(old), new->folder, new->name);
    int32_t wrong = charge_new_name(new);
    return wrong != 0 ? wrong : result_of(linkat(old->directory, old->name, new->directory, new->name, 0));
}

int32_t share_symlink(const share_place *place, const char *text)
{
    if (place->scratch != NULL) {
        int32_t made = scratch_make(place->scratch, place->folder, place->name, S_IFLNK | 0777, text);
        return made < 0 ? made : 0;
    }
    int32_t wrong = charge_new_name(place);
    return wrong != 0 ? wrong : result_of(symlinkat(text, place->directory, place->name));
}

ssize_t share_read_link(const share_place *place, char *text, size_t capacity)
{
    if (place->scratch != NULL)
        return scratch_read_link(place->scratch, node_at(place), text, capacity);
    ssize_t length = readlinkat(place->directory, place->name, text, capacity);
    return length < 0 ? -errno : length;
}

/* Changes the mode through a descriptor, because another process of the host may put a link into the place at any time,
 * and fchmodat would follow it out of the share. Only O_PATH opens a file of any mode. fchmod refuses such a descriptor,
 * but fchmodat accepts its path in /proc. */
static int32_t set_host_mode(const share_place *place, mode_t mode)
{
    char path[32];
    struct stat about;
    int host = openat(place->directory, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int32_t wrong = host < 0 ? -errno : result_of(fstat(host, &about));
    if (wrong == 0 && S_ISLNK(about.st_mode))
        wrong = -ELOOP;
    snprintf(path, sizeof path, "/proc/self/fd/%d", host);
    if (wrong == 0)
        wrong = result_of(fchmodat(AT_FDCWD, path, mode, 0));
    if (host >= 0)
        close(host);
    return wrong;
}

int32_t share_set_mode(const share_place *place, mode_t mode)
{
    return place->scratch != NULL ? scratch_set_mode(place->scratch, node_at(place), mode)
                                  : set_host_mode(place, mode);
}

int32_t share_set_times(const share_place *place, const struct timespec times[2])
{
    return place->scratch != NULL
               ? scratch_set_times(place->scratch, node_at(place), times)
               : result_of(utimensat(place->directory, place->name, times, AT_SYMLINK_NOFOLLOW));
}
