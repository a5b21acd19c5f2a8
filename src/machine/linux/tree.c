/* System calls for the directory tree: the working directory, mkdir, unlink, rename, readlink. `a` are the six
 * arguments. */
#define _GNU_SOURCE /* AT_REMOVEDIR */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "machine/linux/calls.h"

int32_t linux_getcwd(linux_process *p, const uint32_t a[6])
{
    const char *cwd = p->files.cwd[0] != '\0' ? p->files.cwd : "/";
    size_t length = strlen(cwd) + 1;
    SHARE_PLACE(place);
    struct stat about;
    if (share_resolve(&p->files.tree, "", cwd, 0, &place) != 0 || linux_stat_place(&place, &about) != 0)
        return -ENOENT; /* it was removed */
    if (a[1] < length)
        return -ERANGE;
    return linux_write_user(p, a[0], cwd, length) ? (int32_t)length : -EFAULT;
}

int32_t linux_chdir(linux_process *p, const uint32_t a[6])
{
    SHARE_PLACE(place);
    struct stat about;
    int32_t wrong = linux_place_of(p, AT_FDCWD, a[0], SHARE_FOLLOW, &place);
    if (wrong == 0)
        wrong = linux_stat_place(&place, &about);
    if (wrong == 0 && !S_ISDIR(about.st_mode))
        wrong = -ENOTDIR;
    if (wrong == 0)
        strcpy(p->files.cwd, place.guest);
    return wrong;
}

int32_t linux_fchdir(linux_process *p, const uint32_t a[6])
{
    const linux_open_file *file = linux_file_at(p, a[0]);
    if (file == NULL || file->path == NULL)
        return file == NULL ? -EBADF : -ENOTDIR;
    strcpy(p->files.cwd, file->path);
    return 0;
}

/* --- Changes --- */

/* Reads a path whose last component is not followed. Slashes at its end are removed; *slash reports them,
 * because the path must name a folder then. Returns the length or -errno. */
static int32_t entry_path(linux_process *p, uint32_t address, char path[SHARE_PATH], bool *slash)
{
    int32_t length = linux_read_string(p, address, path, SHARE_PATH);
    *slash = length > 1 && path[length - 1] == '/';
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    return length;
}

/* Returns 1 or 2 if the last component of a path is "." or "..", which are not entries; otherwise 0. */
static int dots(const char *path)
{
    const char *slash = strrchr(path, '/'), *last = slash != NULL ? slash + 1 : path;
    return strcmp(last, ".") == 0 ? 1 : strcmp(last, "..") == 0 ? 2 : 0;
}

int32_t linux_unlinkat(linux_process *p, const uint32_t a[6])
{
    char path[SHARE_PATH];
    SHARE_PLACE(place);
    struct stat about;
    const bool folder = a[2] == AT_REMOVEDIR;
    bool slash;
    if ((a[2] & ~(uint32_t)AT_REMOVEDIR) != 0)
        return -EINVAL;
    int32_t wrong = entry_path(p, a[1], path, &slash);
    if (wrong < 0)
        return wrong;
    if (dots(path) != 0)
        return !folder ? -EISDIR : dots(path) == 1 ? -EINVAL : -ENOTEMPTY;
    wrong = linux_resolve(p, (int32_t)a[0], path, 0, &place);
    if (wrong == 0 && slash && !folder && (wrong = linux_stat_place(&place, &about)) == 0)
        wrong = S_ISDIR(about.st_mode) ? -EISDIR : -ENOTDIR;
    if (wrong == 0)
        wrong = share_may_change(&place);
    return wrong != 0 ? wrong : share_remove(&place, folder);
}

int32_t linux_new_entry(linux_process *p, int32_t directory, uint32_t address, share_place *place,
                        bool *slash)
{
    char path[SHARE_PATH];
    struct stat about;
    int32_t wrong = entry_path(p, address, path, slash);
    if (wrong >= 0)
        wrong = linux_resolve(p, directory, path, SHARE_MAY_BE_MISSING, place);
    if (wrong == 0 && linux_stat_place(place, &about) == 0)
        return -EEXIST;
    return wrong != 0 ? wrong : share_may_change(place);
}

int32_t linux_mkdirat(linux_process *p, const uint32_t a[6])
{
    SHARE_PLACE(place);
    bool slash;
    int32_t wrong = linux_new_entry(p, (int32_t)a[0], a[1], &place, &slash);
    return wrong != 0 ? wrong : share_make_folder(&place, (mode_t)(a[2] & ~p->files.umask & 0777));
}

/* Renames an entry. Both paths may end in a slash only if the entry is a folder. */
int32_t linux_renameat2(linux_process *p, const uint32_t a[6])
{
    enum { NOREPLACE = 1 };
    char from[SHARE_PATH], to[SHARE_PATH];
    SHARE_PLACE(old);
    SHARE_PLACE(new);
    struct stat about;
    bool from_slash, to_slash = false;
    if ((a[4] & ~(uint32_t)NOREPLACE) != 0)
        return -EINVAL;
    int32_t wrong = entry_path(p, a[1], from, &from_slash);
    if (wrong >= 0)
        wrong = entry_path(p, a[3], to, &to_slash);
    if (wrong >= 0)
        wrong = dots(from) != 0 || dots(to) != 0 ? -EBUSY : linux_resolve(p, (int32_t)a[0], from, 0, &old);
    if (wrong == 0)
        wrong = linux_resolve(p, (int32_t)a[2], to, SHARE_MAY_BE_MISSING, &new);
    if (wrong == 0)
        wrong = linux_stat_place(&old, &about);
    if (wrong == 0 && (from_slash || to_slash) && !S_ISDIR(about.st_mode))
        wrong = -ENOTDIR;
    if (wrong == 0 && a[4] == NOREPLACE && linux_stat_place(&new, &about) == 0)
        wrong = -EEXIST;
    if (wrong == 0)
        wrong = share_may_change(&old);
    if (wrong == 0)
        wrong = share_may_change(&new);
    return wrong != 0 ? wrong : share_rename(&old, &new);
}

/* Copies a link's target to the guest, and returns how many bytes were copied. */
static int32_t put_link(linux_process *p, const char *text, size_t length, const uint32_t a[6])
{
    uint32_t size = length < a[3] ? (uint32_t)length : a[3];
    return linux_write_user(p, a[2], text, size) ? (int32_t)size : -EFAULT;
}

int32_t linux_readlinkat(linux_process *p, const uint32_t a[6])
{
    char text[SHARE_PATH];
    SHARE_PLACE(place);
    if ((int32_t)a[3] <= 0)
        return -EINVAL;
    int32_t wrong = linux_read_string(p, a[1], text, sizeof text);
    if (wrong < 0)
        return wrong;
    if (linux_proc_is(text, "exe"))
        return put_link(p, p->program, strlen(p->program), a);
    if (strcmp(text, "/proc/self") == 0)
        return put_link(p, LINUX_PROC_SELF, strlen(LINUX_PROC_SELF), a);
    if (linux_proc_is(text, "maps") || strcmp(text, "/proc") == 0 ||
        strcmp(text, "/proc/" LINUX_PROC_SELF) == 0)
        return -EINVAL; /* no links; realpath asks for each part of a path */
    const int32_t named = linux_proc_descriptor(text);
    if (named >= 0) {
        wrong = linux_proc_link(p, (uint32_t)named, text);
        return wrong != 0 ? wrong : put_link(p, text, strlen(text), a);
    }
    wrong = linux_resolve(p, (int32_t)a[0], text, 0, &place);
    if (wrong != 0)
        return wrong;
    ssize_t length = share_is_virtual(&place) ? -EINVAL : share_read_link(&place, text, sizeof text);
    return length < 0 ? (int32_t)length : put_link(p, text, (size_t)length, a);
}
