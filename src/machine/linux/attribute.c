/* System calls for attributes of files, links between files, and the properties of file systems. Nothing here follows a
 * link of the host: a path leads to a place in a share, and calls act on the name there. `a` are the six arguments; the
 * table in syscall.c sets a[5] for the second of two calls that share a function. */
#define _GNU_SOURCE /* fallocate */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/linux/abi.h"
#include "machine/linux/calls.h"
#include "machine/share/scratch.h"

/* Does what linux_place_of does, and checks that the place may be changed: it must lie in a writable share, and not be
 * its root (-EBUSY). */
static int32_t place_to_change(linux_process *p, int32_t directory, uint32_t address, unsigned how,
                               share_place *place)
{
    int32_t wrong = linux_place_of(p, directory, address, how, place);
    return wrong != 0 ? wrong : share_may_change(place);
}

/* Resolves the path of a file whose attributes are to change. Unlike other changes, this is permitted for the
 * root of a share. */
static int32_t place_of_attributes(linux_process *p, int32_t directory, uint32_t address, unsigned how,
                                   share_place *place)
{
    int32_t wrong = place_to_change(p, directory, address, how, place);
    return wrong == -EBUSY ? 0 : wrong;
}

/* Finds the open file of a descriptor, which must be a regular file or directory of a writable share. Returns 0 or
 * -errno. */
static int32_t changeable_file(linux_process *p, uint32_t descriptor, const linux_open_file **found)
{
    const linux_open_file *file = *found = linux_file_at(p, descriptor);
    if (file == NULL)
        return -EBADF;
    bool changeable = (file->kind == LINUX_REGULAR || file->kind == LINUX_DIRECTORY) && file->writable_share;
    return changeable ? 0 : -EROFS;
}

/* --- chmod: of the mode, only the permissions are set, not the set-ID and sticky bits --- */

int32_t linux_fchmodat(linux_process *p, const uint32_t a[6])
{
    SHARE_PLACE(place);
    int32_t wrong = place_of_attributes(p, (int32_t)a[0], a[1], SHARE_FOLLOW, &place);
    return wrong != 0 ? wrong : share_set_mode(&place, (mode_t)(a[2] & 0777));
}

int32_t linux_fchmod(linux_process *p, const uint32_t a[6])
{
    const linux_open_file *file;
    int32_t wrong = changeable_file(p, a[0], &file);
    if (wrong != 0)
        return wrong;
    if (file->scratch != NULL)
        return scratch_set_mode(file->scratch, file->node, a[1] & 0777);
    return fchmod(file->host, (mode_t)(a[1] & 0777)) == 0 ? 0 : -errno;
}

/* --- chown: the guest's user owns every file and cannot give one away --- */

/* Returns 0 if a chown would change nothing. UINT32_MAX (-1) keeps the owner or the group. */
static int32_t keep_owner(uint32_t user, uint32_t group)
{
    bool same = (user == UINT32_MAX || user == LINUX_UID) && (group == UINT32_MAX || group == LINUX_UID);
    return same ? 0 : -EPERM;
}

int32_t linux_fchown(linux_process *p, const uint32_t a[6])
{
    const linux_open_file *file;
    int32_t wrong = changeable_file(p, a[0], &file);
    return wrong != 0 ? wrong : keep_owner(a[1], a[2]);
}

int32_t linux_fchownat(linux_process *p, const uint32_t a[6])
{
    SHARE_PLACE(place);
    struct stat about;
    unsigned how = (a[4] & AT_SYMLINK_NOFOLLOW) != 0 ? 0 : SHARE_FOLLOW;
    int32_t wrong = place_of_attributes(p, (int32_t)a[0], a[1], how, &place);
    if (wrong == 0)
        wrong = linux_stat_place(&place, &about);
    return wrong != 0 ? wrong : keep_owner(a[2], a[3]);
}

/* --- Times --- */

/* Sets access and modification time by the arguments of utimensat: descriptor, path, address of the times, flags. Without
 * a path (0), the file is that of the descriptor. `values` are the two times at a[2], in seconds and nanoseconds. If a[2]
 * is 0, they are not used: the times become the guest's time of day. */
static int32_t set_times(linux_process *p, const uint32_t a[6], const int64_t values[4])
{
    const uint64_t second = 1000000000, now = a[2] == 0 ? linux_wall_clock(p) : 0;
    struct timespec times[2];
    for (unsigned i = 0; i < 2; i++)
        times[i] = a[2] == 0 ? (struct timespec){(time_t)(now / second), (long)(now % second)}
                             : (struct timespec){(time_t)values[2 * i], (long)values[2 * i + 1]};
    if (a[1] == 0) {
        const linux_open_file *file;
        int32_t wrong = changeable_file(p, a[0], &file);
        if (wrong != 0)
            return wrong;
        if (file->scratch != NULL)
            return scratch_set_times(file->scratch, file->node, times);
        return futimens(file->host, times) == 0 ? 0 : -errno;
    }
    SHARE_PLACE(place);
    unsigned how = (a[3] & AT_SYMLINK_NOFOLLOW) == 0 ? SHARE_FOLLOW : 0;
    int32_t wrong = place_of_attributes(p, (int32_t)a[0], a[1], how, &place);
    return wrong != 0 ? wrong : share_set_times(&place, times);
}

int32_t linux_utimensat(linux_process *p, const uint32_t a[6])
{
    bool wide = linux_times_are_wide(p);
    int32_t narrow[4] = {0};
    int64_t values[4] = {0};
    if ((a[3] & ~(uint32_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) != 0)
        return -EINVAL;
    if (a[2] != 0 &&
        !linux_read_user(p, a[2], wide ? (void *)values : narrow, wide ? sizeof values : sizeof narrow))
        return -EFAULT;
    for (unsigned i = 0; i < 4 && !wide; i++)
        values[i] = narrow[i];
    return set_times(p, a, values);
}

/* Sets times in whole seconds (utime), or with microseconds (utimes) if a[5] is set. The arguments are those of
 * utimensat. */
int32_t linux_utime(linux_process *p, const uint32_t a[6])
{
    const bool micro = a[5] != 0;
    int32_t values[4] = {0};
    if (a[2] != 0 && !linux_read_user(p, a[2], values, micro ? 16 : 8))
        return -EFAULT;
    if (!micro) {
        values[2] = values[1];
        values[1] = 0;
    }
    const int64_t thousand = 1000;
    return set_times(p, a,
                     (const int64_t[4]){values[0], values[1] * thousand, values[2], values[3] * thousand});
}

/* --- Size --- */

int32_t linux_truncate64(linux_process *p, const uint32_t a[6])
{
    SHARE_PLACE(place);
    uint64_t size = a[1] | (uint64_t)a[2] << 32;
    if (size > INT64_MAX)
        return -EINVAL;
    int32_t wrong = place_to_change(p, AT_FDCWD, a[0], SHARE_FOLLOW, &place);
    if (wrong != 0)
        return wrong == -EBUSY ? -EISDIR : wrong; /* the root of a share */
    int host = share_open(&place, O_WRONLY, 0);
    if (host < 0)
        return host;
    wrong = share_truncate(place.quota, host, size);
    close(host);
    if (wrong == 0 && place.scratch != NULL)
        scratch_written(place.scratch, scratch_find(place.scratch, place.folder, place.name));
    return wrong;
}

/* Charges the quota by the growth of the file, or by the space that FALLOC_FL_KEEP_SIZE reserves after its end. */
int32_t linux_fallocate(linux_process *p, const uint32_t a[6])
{
    const linux_open_file *file;
    int32_t wrong = changeable_file(p, a[0], &file);
    if (wrong != 0)
        return wrong;
    int host = file->host;
    uint64_t from = a[2] | (uint64_t)a[3] << 32, size = a[4] | (uint64_t)a[5] << 32;
    uint64_t before = share_size(host);
    share_quota *quota = file->quota;
    /* Other modes would change the file in ways that the quota does not cover. */
    if (a[1] != 0 && (a[1] != FALLOC_FL_KEEP_SIZE || file->scratch != NULL) &&
        a[1] != (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE))
        return -EOPNOTSUPP;
    if (from > INT64_MAX || size == 0 || size > INT64_MAX)
        return -EINVAL;
    bool grows = (a[1] & FALLOC_FL_PUNCH_HOLE) == 0;
    if (grows && share_fits(quota, before, from, size) != (int64_t)size)
        return -ENOSPC;
    if (fallocate(host, (int)a[1], (off_t)from, (off_t)size) != 0)
        return -errno;
    if (file->scratch != NULL)
        scratch_written(file->scratch, file->node);
    if (a[1] == FALLOC_FL_KEEP_SIZE && from + size > before)
        share_charge(quota, from + size - before);
    else
        share_charge_growth(quota, host, before);
    return 0;
}

/* --- Links and locks --- */

int32_t linux_symlinkat(linux_process *p, const uint32_t a[6])
{
    char text[SHARE_PATH];
    SHARE_PLACE(place);
    bool slash;
    int32_t wrong = linux_read_string(p, a[0], text, sizeof text);
    if (wrong >= 0)
        wrong = wrong == 0 ? -ENOENT : linux_new_entry(p, (int32_t)a[1], a[2], &place, &slash);
    if (wrong == 0 && slash)
        wrong = -ENOENT;
    return wrong != 0 ? wrong : share_symlink(&place, text);
}

int32_t linux_linkat(linux_process *p, const uint32_t a[6])
{
    SHARE_PLACE(old);
    SHARE_PLACE(new);
    bool slash;
    if ((a[4] & ~(uint32_t)(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH)) != 0)
        return -EINVAL;
    unsigned how = (a[4] & AT_SYMLINK_FOLLOW) != 0 ? SHARE_FOLLOW : 0;
    int32_t wrong = place_to_change(p, (int32_t)a[0], a[1], how, &old);
    if (wrong == 0)
        wrong = linux_new_entry(p, (int32_t)a[2], a[3], &new, &slash);
    if (wrong == 0 && slash)
        wrong = -ENOENT;
    return wrong != 0 ? wrong : share_link(&old, &new);
}

/* Locks a file against other programs of the host; the guest has only one process. LOCK_NB is always added,
 * because the call would wait for these programs otherwise. */
int32_t linux_flock(linux_process *p, const uint32_t a[6])
{
    const linux_open_file *file = linux_file_at(p, a[0]);
    if (file == NULL)
        return -EBADF;
    if ((file->kind != LINUX_REGULAR && file->kind != LINUX_DIRECTORY) || file->scratch != NULL)
        return 0;
    return flock(file->host, (int)a[1] | LOCK_NB) == 0 ? 0 : -errno;
}

/* --- statfs --- */

/* Checks the structure's size, which statfs64 (a[5] is set) passes as an argument. Returns 0 or -errno. */
static int32_t statfs_wrong(const uint32_t a[6])
{
    enum { STATFS64_BYTES = 84 };
    return a[5] != 0 && a[1] != STATFS64_BYTES ? -EINVAL : 0;
}

/* Writes i386's struct statfs or, if a[5] is set, statfs64. It describes the same file system on every host. The members
 * are: type, block size, blocks, free blocks, available blocks, files, free files, ID (2), longest name, fragment size.
 * In statfs64, each count has two words. */
static int32_t put_statfs(linux_process *p, const uint32_t a[6])
{
    const bool wide = a[5] != 0;
    enum { TMPFS = 0x01021994, BLOCK = 4096, BLOCKS = 1 << 20, NAME_BYTES = 255 };
    const uint32_t narrow[16] = {TMPFS,  BLOCK, BLOCKS, BLOCKS,     BLOCKS, BLOCKS,
                                 BLOCKS, 0,     0,      NAME_BYTES, BLOCK};
    const uint32_t large[21] = {TMPFS,  BLOCK, BLOCKS, 0, BLOCKS, 0, BLOCKS,     0,
                                BLOCKS, 0,     BLOCKS, 0, 0,      0, NAME_BYTES, BLOCK};
    return linux_write_user(p, a[2], wide ? large : narrow, wide ? sizeof large : sizeof narrow) ? 0
                                                                                                 : -EFAULT;
}

int32_t linux_statfs(linux_process *p, const uint32_t a[6])
{
    SHARE_PLACE(place);
    int32_t wrong = statfs_wrong(a);
    if (wrong == 0)
        wrong = linux_place_of(p, AT_FDCWD, a[0], SHARE_FOLLOW, &place);
    return wrong != 0 ? wrong : put_statfs(p, a);
}

int32_t linux_fstatfs(linux_process *p, const uint32_t a[6])
{
    int32_t wrong = linux_file_at(p, a[0]) == NULL ? -EBADF : statfs_wrong(a);
    return wrong != 0 ? wrong : put_statfs(p, a);
}
