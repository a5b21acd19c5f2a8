/* System calls for the properties of files: the variants of stat, and access. `a` are the six arguments. */
#define _GNU_SOURCE /* AT_EMPTY_PATH, AT_NO_AUTOMOUNT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/linux/abi.h"
#include "machine/linux/calls.h"
#include "machine/share/scratch.h"

/* struct stat64 of i386, where 8-byte members are aligned to 4 */
typedef struct __attribute__((packed)) stat64_i386 {
    uint64_t dev;
    uint8_t pad0[4];
    uint32_t ino32, mode, nlink, uid, gid;
    uint64_t rdev;
    uint8_t pad3[4];
    int64_t size;
    uint32_t block_size;
    uint64_t blocks;
    uint32_t atime, atime_ns, mtime, mtime_ns, ctime, ctime_ns;
    uint64_t ino;
} stat64_i386;

/* struct statx, the same on all architectures */
typedef struct statx_time {
    int64_t seconds;
    uint32_t nanoseconds, reserved;
} statx_time;
typedef struct statx_all {
    uint32_t mask, block_size;
    uint64_t attributes;
    uint32_t nlink, uid, gid;
    uint16_t mode, pad;
    uint64_t ino, size, blocks, attributes_mask;
    statx_time atime, btime, ctime, mtime;
    uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
    uint64_t spare[14];
} statx_all;
_Static_assert(sizeof(stat64_i386) == 96, "stat64 of i386");
_Static_assert(sizeof(statx_all) == 256, "statx");

enum { DEVICE_SHARE = 1, DEVICE_MEMORY }; /* st_dev of files in shares, and of those in memory */

/* Replaces the owner and device numbers by values that are the same on every host. */
static void stat_tidy(struct stat *about, unsigned device)
{
    about->st_dev = device;
    about->st_rdev = 0;
    about->st_uid = LINUX_UID;
    about->st_gid = LINUX_UID;
    about->st_blksize = PAGE_BYTES;
}

/* Describes a file that the host does not have. */
static struct stat stat_made_up(uint32_t mode)
{
    struct stat about;
    memset(&about, 0, sizeof about);
    about.st_mode = mode;
    about.st_nlink = 1;
    about.st_ino = 1;
    stat_tidy(&about, DEVICE_SHARE);
    return about;
}

/* Describes a device, with the numbers of the kernel's list of devices. /dev/random is /dev/urandom. */
static struct stat stat_device(linux_file_kind kind)
{
    enum { MAJOR_MEMORY = 1 << 8, NULL_MINOR = 3, ZERO_MINOR = 5, URANDOM_MINOR = 9 };
    struct stat about = stat_made_up(S_IFCHR | 0666);
    about.st_rdev = MAJOR_MEMORY | (kind == LINUX_NULL   ? NULL_MINOR
                                    : kind == LINUX_ZERO ? ZERO_MINOR
                                                         : URANDOM_MINOR);
    return about;
}

bool linux_is_input_file(const linux_open_file *file)
{
    struct stat about;
    return file->kind == LINUX_STANDARD && file->host == 0 && fstat(0, &about) == 0 && S_ISREG(about.st_mode);
}

/* Describes a standard stream, which is a terminal, a file to read, or a pipe. */
static struct stat stat_standard(const linux_open_file *file)
{
    struct stat about;
    if (isatty(file->host)) {
        about = stat_made_up(S_IFCHR | 0620);
        about.st_blksize = 1024;
        about.st_rdev = 0x8800; /* a pseudo-terminal: 136, 0 */
        return about;
    }
    if (linux_is_input_file(file) && fstat(file->host, &about) == 0) {
        stat_tidy(&about, DEVICE_SHARE);
        return about;
    }
    return stat_made_up(S_IFIFO | 0600);
}

/* Describes an open file. Returns 0 or -errno; -EBADF for NULL, a closed descriptor. */
static int32_t stat_file(const linux_open_file *file, struct stat *about)
{
    if (file == NULL)
        return -EBADF;
    switch (file->kind) {
    case LINUX_STANDARD:
        *about = stat_standard(file);
        return 0;
    case LINUX_VIRTUAL_DIRECTORY:
        *about = stat_made_up(S_IFDIR | 0555);
        return 0;
    case LINUX_NULL:
    case LINUX_ZERO:
    case LINUX_RANDOM:
        *about = stat_device(file->kind);
        return 0;
    case LINUX_PIPE:
        *about = stat_made_up(S_IFIFO | 0600);
        return 0;
    default:
        if (file->scratch != NULL)
            scratch_about(file->scratch, file->node, about);
        else if (fstat(file->host, about) != 0)
            return -errno;
        stat_tidy(about, file->scratch != NULL ? DEVICE_MEMORY : DEVICE_SHARE);
        return 0;
    }
}

int32_t linux_stat_place(const share_place *place, struct stat *about)
{
    if (place->target[0] != '\0') {
        *about = stat_device(linux_device_at(place));
        return 0;
    }
    if (share_is_virtual(place)) {
        *about = stat_made_up(S_IFDIR | 0555);
        return 0;
    }
    int32_t wrong = share_about(place, about);
    stat_tidy(about, place->scratch != NULL ? DEVICE_MEMORY : DEVICE_SHARE);
    return wrong;
}

int32_t linux_place_of(linux_process *p, int32_t directory, uint32_t address, unsigned how,
                       share_place *place)
{
    char path[SHARE_PATH];
    int32_t length = linux_read_string(p, address, path, sizeof path);
    return length < 0 ? length : linux_resolve(p, directory, path, how, place);
}

/* Describes the file that a path of /proc/self or /dev names: exe, maps, or that of a descriptor. `flags` are AT_*.
 * Returns 0, -errno, or 1 for other paths. */
static int32_t stat_named(const linux_process *p, const char *path, uint32_t flags, struct stat *about)
{
    const int32_t named = linux_proc_descriptor(path);
    if (named >= 0)
        return stat_file(linux_file_at(p, (uint32_t)named), about) == 0 ? 0 : -ENOENT;
    if (linux_proc_is(path, "exe") && (flags & AT_SYMLINK_NOFOLLOW) == 0) {
        if (p->program_file < 0 || fstat(p->program_file, about) != 0)
            return -ENOENT;
        stat_tidy(about, DEVICE_SHARE);
        return 0;
    }
    if (!linux_proc_is(path, "exe") && !linux_proc_is(path, "maps"))
        return 1;
    *about = stat_made_up(linux_proc_is(path, "exe") ? S_IFLNK | 0777 : S_IFREG | 0444);
    return 0;
}

/* Finds the file for fstatat and statx and describes it. AT_EMPTY_PATH means the descriptor itself. `flags` are AT_*,
 * whose values are the host's. Returns 0 or -errno. */
static int32_t stat_at(linux_process *p, int32_t directory, uint32_t address, uint32_t flags,
                       struct stat *about)
{
    enum { KNOWN = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH };
    char first = '\0';
    if ((flags & ~(uint32_t)(KNOWN | AT_STATX_SYNC_TYPE)) != 0)
        return -EINVAL;
    if ((flags & AT_EMPTY_PATH) != 0 && directory != AT_FDCWD &&
        (address == 0 || (linux_read_user(p, address, &first, 1) && first == '\0')))
        return stat_file(linux_file_at(p, (uint32_t)directory), about);
    char path[SHARE_PATH];
    SHARE_PLACE(place);
    int32_t wrong = linux_read_string(p, address, path, sizeof path);
    if (wrong < 0)
        return wrong;
    wrong = stat_named(p, path, flags, about);
    if (wrong <= 0)
        return wrong;
    if (path[0] == '\0' && (flags & AT_EMPTY_PATH) != 0)
        strcpy(path, "."); /* AT_FDCWD */
    wrong = linux_resolve(p, directory, path, (flags & AT_SYMLINK_NOFOLLOW) != 0 ? 0 : SHARE_FOLLOW, &place);
    return wrong != 0 ? wrong : linux_stat_place(&place, about);
}

static int32_t put_stat64(linux_process *p, uint32_t address, const struct stat *from)
{
    stat64_i386 to = {.dev = from->st_dev,
                      .ino32 = (uint32_t)from->st_ino,
                      .mode = from->st_mode,
                      .nlink = (uint32_t)from->st_nlink,
                      .uid = from->st_uid,
                      .gid = from->st_gid,
                      .rdev = from->st_rdev,
                      .size = from->st_size,
                      .block_size = (uint32_t)from->st_blksize,
                      .blocks = (uint64_t)from->st_blocks,
                      .atime = (uint32_t)from->st_atim.tv_sec,
                      .atime_ns = (uint32_t)from->st_atim.tv_nsec,
                      .mtime = (uint32_t)from->st_mtim.tv_sec,
                      .mtime_ns = (uint32_t)from->st_mtim.tv_nsec,
                      .ctime = (uint32_t)from->st_ctim.tv_sec,
                      .ctime_ns = (uint32_t)from->st_ctim.tv_nsec,
                      .ino = from->st_ino};
    return linux_write_user(p, address, &to, sizeof to) ? 0 : -EFAULT;
}

int32_t linux_fstatat64(linux_process *p, const uint32_t a[6])
{
    struct stat about;
    int32_t wrong = stat_at(p, (int32_t)a[0], a[1], a[3], &about);
    return wrong != 0 ? wrong : put_stat64(p, a[2], &about);
}

/* Implements stat, lstat and fstat of old programs, which have 32 bits for a size. */
int32_t linux_old_stat(linux_process *p, const uint32_t a[6])
{
    enum { DEVICE = 0, INODE, MODE_LINKS, OWNER, SPECIAL, SIZE, BLOCK_SIZE, BLOCKS, TIMES, WORDS = 16 };
    struct stat from;
    int32_t wrong = stat_at(p, (int32_t)a[0], a[1], a[3], &from);
    if (wrong != 0)
        return wrong;
    if (from.st_size > INT32_MAX || from.st_ino > UINT32_MAX)
        return -EOVERFLOW;
    const struct timespec *times[] = {&from.st_atim, &from.st_mtim, &from.st_ctim};
    uint32_t to[WORDS] = {[DEVICE] = (uint32_t)from.st_dev,
                          [INODE] = (uint32_t)from.st_ino,
                          [MODE_LINKS] = from.st_mode | (uint32_t)from.st_nlink << 16,
                          [OWNER] = from.st_uid | from.st_gid << 16,
                          [SPECIAL] = (uint32_t)from.st_rdev,
                          [SIZE] = (uint32_t)from.st_size,
                          [BLOCK_SIZE] = (uint32_t)from.st_blksize,
                          [BLOCKS] = (uint32_t)from.st_blocks};
    for (unsigned i = 0; i < 3; i++) {
        to[TIMES + i * 2] = (uint32_t)times[i]->tv_sec;
        to[TIMES + i * 2 + 1] = (uint32_t)times[i]->tv_nsec;
    }
    return linux_write_user(p, a[2], to, sizeof to) ? 0 : -EFAULT;
}

int32_t linux_statx(linux_process *p, const uint32_t a[6])
{
    enum { STATX_BASIC = 0x7ff, STATX_FUTURE = 0x80000000u };
    struct stat from;
    if ((a[3] & STATX_FUTURE) != 0 || (a[2] & AT_STATX_SYNC_TYPE) == AT_STATX_SYNC_TYPE)
        return -EINVAL;
    int32_t wrong = stat_at(p, (int32_t)a[0], a[1], a[2], &from);
    if (wrong != 0)
        return wrong;
    statx_all to = {.mask = STATX_BASIC,
                    .block_size = (uint32_t)from.st_blksize,
                    .nlink = (uint32_t)from.st_nlink,
                    .uid = from.st_uid,
                    .gid = from.st_gid,
                    .mode = (uint16_t)from.st_mode,
                    .ino = from.st_ino,
                    .size = (uint64_t)from.st_size,
                    .blocks = (uint64_t)from.st_blocks,
                    .atime = {from.st_atim.tv_sec, (uint32_t)from.st_atim.tv_nsec, 0},
                    .ctime = {from.st_ctim.tv_sec, (uint32_t)from.st_ctim.tv_nsec, 0},
                    .mtime = {from.st_mtim.tv_sec, (uint32_t)from.st_mtim.tv_nsec, 0},
                    .rdev_major = (uint32_t)(from.st_rdev >> 8),
                    .rdev_minor = (uint32_t)(from.st_rdev & 0xff),
                    .dev_minor = (uint32_t)from.st_dev};
    return linux_write_user(p, a[4], &to, sizeof to) ? 0 : -EFAULT;
}

/* --- access --- */

/* Implements faccessat2: checks a mode of access (R_OK, W_OK, X_OK). `a[3]` are AT_*. */
int32_t linux_faccessat(linux_process *p, const uint32_t a[6])
{
    enum { KNOWN = AT_SYMLINK_NOFOLLOW | AT_EACCESS | AT_EMPTY_PATH };
    char path[SHARE_PATH];
    SHARE_PLACE(place);
    struct stat about;
    const uint32_t mode = a[2], flags = a[3];
    if ((mode & ~7u) != 0 || (flags & ~(uint32_t)KNOWN) != 0)
        return -EINVAL;
    int32_t wrong = linux_read_string(p, a[1], path, sizeof path);
    if (wrong < 0)
        return wrong;
    if (path[0] == '\0' && (flags & AT_EMPTY_PATH) != 0 && (int32_t)a[0] != AT_FDCWD)
        wrong = stat_file(linux_file_at(p, a[0]), &about);
    else
        wrong = stat_named(p, path, flags, &about);
    if (wrong == 0)
        return (mode & X_OK) != 0 && (about.st_mode & 0111) == 0 ? -EACCES : 0;
    if (wrong < 0)
        return wrong;
    wrong =
        linux_resolve(p, (int32_t)a[0], path, (flags & AT_SYMLINK_NOFOLLOW) != 0 ? 0 : SHARE_FOLLOW, &place);
    if (wrong != 0)
        return wrong;
    if (place.target[0] != '\0')
        return (mode & X_OK) != 0 ? -EACCES : 0; /* a device */
    if (!share_is_virtual(&place))
        wrong = share_access(&place, mode);
    return wrong == 0 && (mode & W_OK) != 0 && !place.writable ? -EROFS : wrong;
}
