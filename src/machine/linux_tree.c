/* The directory tree: getdents64, the working directory, mkdir, unlink, rename, readlink. */
#define _GNU_SOURCE /* Linux interfaces: getdents64 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/linux.h"
#include "machine/linux_abi.h"
#include "machine/linux_calls.h"

/* The mount below `path` that entry number `index` shows, skipping those that share their next component with
 * an earlier one. */
static const char *virtual_entry(const linux_files *files, const char *path, uint64_t index, size_t *length)
{
    size_t base = strlen(path);
    for (size_t i = 0; i < files->mount_count; i++) {
        const char *mount = files->mounts[i].guest;
        if (strncmp(mount, path, base) != 0 || mount[base] != '/')
            continue;
        const char *name = mount + base + 1;
        *length = strcspn(name, "/");
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = strncmp(files->mounts[j].guest, mount, base + 1 + *length) == 0 &&
                   (files->mounts[j].guest[base + 1 + *length] == '/' ||
                    files->mounts[j].guest[base + 1 + *length] == '\0');
        if (!seen && index-- == 0)
            return name;
    }
    return NULL;
}

static int32_t getdents_virtual(linux_process *p, linux_open_file *file, uint32_t address, uint32_t size)
{
    static const char *const dots[2] = {".", ".."};
    uint32_t used = 0;
    for (;; file->position++) {
        size_t length = file->position < 2 ? (size_t)file->position + 1 : 0;
        const char *name = file->position < 2
                               ? dots[file->position]
                               : virtual_entry(&p->files, file->path, file->position - 2, &length);
        if (name == NULL || length > 255)
            return (int32_t)used;
        uint8_t entry[280] = {0}; /* d_ino 0, d_off 8, d_reclen 16, d_type 18, d_name 19 */
        uint16_t record = (uint16_t)((19 + length + 1 + 7) & ~(size_t)7);
        if (record > size - used)
            return used != 0 ? (int32_t)used : -EINVAL;
        uint64_t header[2] = {file->position + 1, file->position + 1};
        memcpy(entry, header, sizeof header);
        memcpy(entry + 16, &record, sizeof record);
        entry[18] = DT_DIR;
        memcpy(entry + 19, name, length);
        if (!linux_write_user(p, address + used, entry, record))
            return -EFAULT;
        used += record;
    }
}

int32_t linux_getdents64(linux_process *p, const uint32_t a[6])
{
    enum { ROOM = 32768 };
    linux_open_file *file = linux_file_at(p, a[0]);
    if (file == NULL)
        return -EBADF;
    if (file->kind == LINUX_VIRTUAL_DIRECTORY)
        return getdents_virtual(p, file, a[1], a[2]);
    if (file->kind != LINUX_DIRECTORY)
        return -ENOTDIR;
    uint8_t *entries = malloc(ROOM); /* struct linux_dirent64 is the same for all */
    if (entries == NULL)
        return -ENOMEM;
    long got = syscall(SYS_getdents64, file->host, entries, a[2] < ROOM ? a[2] : ROOM);
    int32_t result = got < 0 ? -errno : (int32_t)got;
    if (got > 0 && !linux_write_user(p, a[1], entries, (size_t)got))
        result = -EFAULT;
    free(entries);
    return result;
}

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
    linux_place place;
    struct stat about;
    int32_t wrong = linux_place_of(p, AT_FDCWD, a[0], LINUX_FOLLOW, &place);
    if (wrong != 0)
        return wrong;
    wrong = linux_stat_place(&place, &about);
    if (wrong == 0 && !S_ISDIR(about.st_mode))
        wrong = -ENOTDIR;
    if (wrong == 0)
        strcpy(p->files.cwd, place.guest);
    linux_place_close(&place);
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

/* A place that may be changed: in a writable share, and not its root. */
static int32_t place_to_change(linux_process *p, int32_t directory, uint32_t address, unsigned how,
                               linux_place *place)
{
    int32_t wrong = linux_place_of(p, directory, address, how, place);
    if (wrong != 0)
        return wrong;
    if (place->directory < 0 || !place->writable)
        wrong = -EROFS;
    else if (strcmp(place->name, ".") == 0)
        wrong = -EBUSY;
    if (wrong != 0)
        linux_place_close(place);
    return wrong;
}

static int32_t mkdir_any(linux_process *p, int32_t directory, uint32_t address, uint32_t mode)
{
    linux_place place;
    int32_t wrong = place_to_change(p, directory, address, LINUX_MAY_BE_MISSING, &place);
    if (wrong != 0)
        return wrong == -EBUSY ? -EEXIST : wrong;
    wrong = mkdirat(place.directory, place.name, (mode_t)(mode & ~p->files.umask & 0777)) == 0 ? 0 : -errno;
    linux_place_close(&place);
    return wrong;
}

int32_t linux_mkdir(linux_process *p, const uint32_t a[6])
{
    return mkdir_any(p, AT_FDCWD, a[0], a[1]);
}

int32_t linux_mkdirat(linux_process *p, const uint32_t a[6])
{
    return mkdir_any(p, (int32_t)a[0], a[1], a[2]);
}

static int32_t unlink_any(linux_process *p, int32_t directory, uint32_t address, int flags)
{
    linux_place place;
    int32_t wrong = place_to_change(p, directory, address, 0, &place);
    if (wrong != 0)
        return wrong;
    wrong = unlinkat(place.directory, place.name, flags) == 0 ? 0 : -errno;
    linux_place_close(&place);
    return wrong;
}

int32_t linux_unlink(linux_process *p, const uint32_t a[6])
{
    return unlink_any(p, AT_FDCWD, a[0], 0);
}

int32_t linux_rmdir(linux_process *p, const uint32_t a[6])
{
    char path[LINUX_PATH];
    int32_t length = linux_read_string(p, a[0], path, sizeof path);
    linux_place place;
    if (length < 0)
        return length;
    while (length > 1 && path[length - 1] == '/') /* the entry itself, not what is in it */
        path[--length] = '\0';
    int32_t wrong = linux_resolve(p, AT_FDCWD, path, 0, &place);
    if (wrong != 0)
        return wrong;
    if (place.directory < 0 || !place.writable)
        wrong = -EROFS;
    else
        wrong = unlinkat(place.directory, place.name, AT_REMOVEDIR) == 0 ? 0 : -errno;
    linux_place_close(&place);
    return wrong;
}

int32_t linux_unlinkat(linux_process *p, const uint32_t a[6])
{
    if ((a[2] & ~(uint32_t)AT_REMOVEDIR) != 0)
        return -EINVAL;
    return unlink_any(p, (int32_t)a[0], a[1], (int)a[2]);
}

static int32_t rename_any(linux_process *p, int32_t from_directory, uint32_t from, int32_t to_directory,
                          uint32_t to)
{
    linux_place old, new;
    int32_t wrong = place_to_change(p, from_directory, from, 0, &old);
    if (wrong != 0)
        return wrong;
    wrong = place_to_change(p, to_directory, to, LINUX_MAY_BE_MISSING, &new);
    if (wrong == 0) {
        wrong = renameat(old.directory, old.name, new.directory, new.name) == 0 ? 0 : -errno;
        linux_place_close(&new);
    }
    linux_place_close(&old);
    return wrong;
}

int32_t linux_rename(linux_process *p, const uint32_t a[6])
{
    return rename_any(p, AT_FDCWD, a[0], AT_FDCWD, a[1]);
}

int32_t linux_renameat(linux_process *p, const uint32_t a[6])
{
    return rename_any(p, (int32_t)a[0], a[1], (int32_t)a[2], a[3]);
}

int32_t linux_renameat2(linux_process *p, const uint32_t a[6])
{
    return a[4] != 0 ? -EINVAL : linux_renameat(p, a);
}

static int32_t readlink_any(linux_process *p, int32_t directory, uint32_t address, uint32_t buffer,
                            uint32_t size)
{
    char text[LINUX_PATH];
    linux_place place;
    int32_t wrong = linux_place_of(p, directory, address, 0, &place);
    if (wrong != 0)
        return wrong;
    ssize_t length = -1;
    errno = EINVAL;
    if (place.directory >= 0)
        length = readlinkat(place.directory, place.name, text, sizeof text);
    int32_t result = length < 0 ? -errno : (int32_t)((uint64_t)length < size ? (uint32_t)length : size);
    linux_place_close(&place);
    return result > 0 && !linux_write_user(p, buffer, text, (size_t)result) ? -EFAULT : result;
}

int32_t linux_readlink(linux_process *p, const uint32_t a[6])
{
    return readlink_any(p, AT_FDCWD, a[0], a[1], a[2]);
}

int32_t linux_readlinkat(linux_process *p, const uint32_t a[6])
{
    return readlink_any(p, (int32_t)a[0], a[1], a[2], a[3]);
}
