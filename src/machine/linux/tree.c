/* The directory tree: the working directory, mkdir, unlink, rename, readlink. */
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

/* --- changes --- */

int32_t linux_mkdirat(linux_process *p, const uint32_t a[6])
{
    SHARE_PLACE(place);
    int32_t wrong = linux_place_to_change(p, (int32_t)a[0], a[1], SHARE_MAY_BE_MISSING, &place);
    if (wrong != 0)
        return wrong == -EBUSY ? -EEXIST : wrong;
    return share_make_folder(&place, (mode_t)(a[2] & ~p->files.umask & 0777));
}

int32_t linux_rmdir(linux_process *p, const uint32_t a[6])
{
    char path[SHARE_PATH];
    int32_t length = linux_read_string(p, a[0], path, sizeof path);
    SHARE_PLACE(place);
    if (length < 0)
        return length;
    while (length > 1 && path[length - 1] == '/') /* the entry itself, not what is in it */
        path[--length] = '\0';
    int32_t wrong = linux_resolve(p, AT_FDCWD, path, 0, &place);
    if (wrong == 0)
        wrong = share_may_change(&place);
    return wrong != 0 ? wrong : share_remove(&place, true);
}

int32_t linux_unlinkat(linux_process *p, const uint32_t a[6])
{
    SHARE_PLACE(place);
    if ((a[2] & ~(uint32_t)AT_REMOVEDIR) != 0)
        return -EINVAL;
    int32_t wrong = linux_place_to_change(p, (int32_t)a[0], a[1], 0, &place);
    return wrong != 0 ? wrong : share_remove(&place, a[2] != 0);
}

int32_t linux_two_places(linux_process *p, const uint32_t a[6], linux_act *act)
{
    SHARE_PLACE(old);
    SHARE_PLACE(new);
    int32_t wrong = linux_place_to_change(p, (int32_t)a[0], a[1], 0, &old);
    if (wrong == 0)
        wrong = linux_place_to_change(p, (int32_t)a[2], a[3], SHARE_MAY_BE_MISSING, &new);
    return wrong != 0 ? wrong : act(&old, &new);
}

int32_t linux_renameat2(linux_process *p, const uint32_t a[6])
{
    return a[4] != 0 ? -EINVAL : linux_two_places(p, a, share_rename);
}

int32_t linux_readlinkat(linux_process *p, const uint32_t a[6])
{
    char text[SHARE_PATH];
    SHARE_PLACE(place);
    uint32_t buffer = a[2], size = a[3];
    int32_t wrong = linux_read_string(p, a[1], text, sizeof text);
    if (wrong >= 0 && linux_proc_is(text, "exe")) {
        size = strlen(p->program) < size ? (uint32_t)strlen(p->program) : size;
        return linux_write_user(p, buffer, p->program, size) ? (int32_t)size : -EFAULT;
    }
    wrong = linux_place_of(p, (int32_t)a[0], a[1], 0, &place);
    if (wrong != 0)
        return wrong;
    ssize_t length = share_is_virtual(&place) ? -EINVAL : share_read_link(&place, text, sizeof text);
    int32_t result =
        length < 0 ? (int32_t)length : (int32_t)((uint64_t)length < size ? (uint32_t)length : size);
    return result > 0 && !linux_write_user(p, buffer, text, (size_t)result) ? -EFAULT : result;
}
