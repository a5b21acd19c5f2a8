/* Open files of the guest in snapshots. Files of a share are named by their guest path and opened again when
 * the snapshot is loaded; they must be as they were. What no path leads to any more (files that the guest has
 * unlinked, renamed or replaced, pipes) is in the snapshot with its contents. The standard streams are those
 * of whoever loads. */
#define _GNU_SOURCE /* Linux interfaces: memfd_create, tee, pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/linux/snapshot.h"

enum { CHUNK = 65536 };

/* What has to be the same when a file is opened again. */
typedef struct file_state {
    uint64_t size;
    int64_t seconds, nanoseconds; /* last change */
} file_state;

/* The files of a process, each once, in the order of their lowest descriptors. */
typedef struct file_list {
    linux_open_file *files[LINUX_FILES];
    int made[LINUX_FILES]; /* loading: the other end of a pipe, until its file is read; -1 */
    uint64_t pipe[LINUX_FILES];
    unsigned count;
} file_list;

static file_state state_of(const struct stat *about)
{
    return (file_state){(uint64_t)about->st_size, about->st_mtim.tv_sec, about->st_mtim.tv_nsec};
}

static void no_memory(snapshot *s)
{
    s->status = error_set(s->error, P5_ERR_MEMORY, "out of memory");
}

/* ---- contents ------------------------------------------------------------------------------------------ */

/* Chunks up to one of no bytes. */
static void save_contents(snapshot *s, int from, bool positioned)
{
    uint8_t *bytes = malloc(CHUNK);
    if (bytes == NULL) {
        no_memory(s);
        return;
    }
    for (off_t at = 0; s->status == P5_OK;) {
        ssize_t got = positioned ? pread(from, bytes, CHUNK, at) : read(from, bytes, CHUNK);
        if (got < 0 && errno != EAGAIN)
            s->status =
                error_set(s->error, P5_ERR_IO, "cannot read a file of the guest: %s", strerror(errno));
        got = got < 0 ? 0 : got;
        snapshot_number(s, "chunk", (uint64_t)got, CHUNK);
        snapshot_piece(s, "contents", bytes, (size_t)got);
        at += got;
        if (got == 0)
            break;
    }
    free(bytes);
}

static void load_contents(snapshot *s, int to)
{
    uint8_t *bytes = malloc(CHUNK);
    if (bytes == NULL) {
        no_memory(s);
        return;
    }
    while (s->status == P5_OK) {
        size_t size = (size_t)snapshot_number(s, "chunk", 0, CHUNK);
        snapshot_piece(s, "contents", bytes, size);
        if (s->status != P5_OK || size == 0)
            break;
        if (to >= 0 && write(to, bytes, size) != (ssize_t)size)
            s->status =
                error_set(s->error, P5_ERR_IO, "cannot restore a file of the guest: %s", strerror(errno));
    }
    free(bytes);
}

/* ---- regular files ------------------------------------------------------------------------------------- */

/* True if the path by which it was opened still leads to it. */
static bool still_there(linux_process *p, const linux_open_file *file, const struct stat *about)
{
    share_place place;
    struct stat found;
    if (file->name == NULL || linux_resolve(p, AT_FDCWD, file->name, 0, &place) != 0)
        return false;
    bool same = place.directory >= 0 &&
                fstatat(place.directory, place.name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
                found.st_dev == about->st_dev && found.st_ino == about->st_ino;
    share_place_close(&place);
    return same;
}

/* Opens what `path` leads to as it was open; -1 after an error. */
static int reopen(linux_process *p, const char *path, bool directory, linux_open_file *file, snapshot *s)
{
    share_place place;
    int32_t wrong = linux_resolve(p, AT_FDCWD, path[0] != '\0' ? path : "/", 0, &place);
    int host = -1;
    if (wrong == 0 && place.directory >= 0) {
        int access = directory ? O_RDONLY | O_DIRECTORY : (int)(file->flags & (O_ACCMODE | O_APPEND));
        host = share_open(&place, access, 0); /* no more than the share allows now */
        wrong = host < 0 ? host : 0;
        file->writable_share = place.writable;
        file->quota = place.quota;
    }
    if (wrong == 0 && host < 0)
        wrong = -ENOENT;
    share_place_close(&place);
    if (wrong != 0)
        snapshot_refuse(s, "the guest has %s open, which cannot be opened again: %s", path, strerror(-wrong));
    return host;
}

static void check_unchanged(const char *path, int host, const file_state *was, snapshot *s)
{
    struct stat about;
    if (host < 0 || s->status != P5_OK)
        return;
    if (fstat(host, &about) != 0 || !S_ISREG(about.st_mode)) {
        snapshot_refuse(s, "the guest has %s open, which is no regular file any more", path);
        return;
    }
    file_state is = state_of(&about);
    if (is.size != was->size)
        snapshot_refuse(s,
                        "the guest has %s open, which has changed since the snapshot was made (%" PRIu64
                        " bytes, it had %" PRIu64 ")",
                        path, is.size, was->size);
    else if (is.seconds != was->seconds || is.nanoseconds != was->nanoseconds)
        snapshot_refuse(s, "the guest has %s open, which has been written to since the snapshot was made",
                        path);
}

static void transfer_regular(linux_process *p, linux_open_file *file, snapshot *s)
{
    struct stat about = {0};
    bool there = false;
    if (!s->loading && fstat(file->host, &about) == 0)
        there = still_there(p, file, &about);
    file_state state = state_of(&about);
    uint64_t position = s->loading ? 0 : (uint64_t)lseek(file->host, 0, SEEK_CUR);
    there = snapshot_number(s, "file.there", there, 1) != 0;
    snapshot_piece(s, "file.state", &state, sizeof state);
    position = snapshot_number(s, "file.position", position, INT64_MAX);
    if (!s->loading) {
        if (there)
            return;
        /* a descriptor that may only write cannot read what it wrote */
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", file->host);
        int readable = open(path, O_RDONLY | O_CLOEXEC);
        if (readable < 0)
            s->status =
                error_set(s->error, P5_ERR_IO, "cannot read a file of the guest: %s", strerror(errno));
        else
            save_contents(s, readable, true);
        if (readable >= 0)
            close(readable);
        return;
    }
    if (s->status != P5_OK)
        return;
    if (there && file->name == NULL) {
        snapshot_refuse(s, "a file of the snapshot has no name");
    } else if (there) {
        file->host = reopen(p, file->name, false, file, s);
        check_unchanged(file->name, file->host, &state, s);
    } else {
        file->host = memfd_create("guest", MFD_CLOEXEC);
        load_contents(s, file->host);
        if (file->host >= 0)
            fcntl(file->host, F_SETFL, (int)(file->flags & O_APPEND));
    }
    if (s->status == P5_OK && lseek(file->host, (off_t)position, SEEK_SET) < 0)
        s->status = error_set(s->error, P5_ERR_IO, "cannot restore a file of the guest: %s", strerror(errno));
}

static void transfer_directory(linux_process *p, linux_open_file *file, snapshot *s)
{
    if (!s->loading || s->status != P5_OK)
        return;
    if (file->path == NULL)
        snapshot_refuse(s, "a directory of the snapshot has no path");
    else
        file->host = reopen(p, file->path, true, file, s);
}

/* ---- pipes --------------------------------------------------------------------------------------------- */

static bool reads(const linux_open_file *file)
{
    return (file->flags & O_ACCMODE) == O_RDONLY;
}

/* What waits in the pipe, without taking it out. */
static void save_pipe(const linux_open_file *file, snapshot *s)
{
    int copy[2];
    if (pipe2(copy, O_CLOEXEC | O_NONBLOCK) != 0) {
        s->status = error_set(s->error, P5_ERR_IO, "cannot read a pipe of the guest: %s", strerror(errno));
        return;
    }
    int room = fcntl(file->host, F_GETPIPE_SZ);
    if (room > 0)
        fcntl(copy[1], F_SETPIPE_SZ, room);
    while (tee(file->host, copy[1], INT32_MAX, SPLICE_F_NONBLOCK) < 0 && errno == EINTR)
        ;
    close(copy[1]);
    save_contents(s, copy[0], false);
    close(copy[0]);
}

/* Both ends of a pipe stand in the list one by one; the one that comes first makes it. */
static void transfer_pipe(file_list *list, unsigned index, linux_open_file *file, snapshot *s)
{
    struct stat about = {0};
    if (!s->loading)
        fstat(file->host, &about);
    uint64_t number = snapshot_number(s, "pipe", about.st_ino, UINT64_MAX);
    list->pipe[index] = number;
    if (!s->loading) {
        if (reads(file))
            save_pipe(file, s);
        return;
    }
    int ends[2] = {-1, -1};
    for (unsigned i = 0; i < index; i++)
        if (list->made[i] >= 0 && list->pipe[i] == number && reads(list->files[i]) != reads(file)) {
            ends[reads(file) ? 0 : 1] = list->made[i];
            ends[reads(file) ? 1 : 0] = list->files[i]->host;
            list->made[i] = -1;
            file->host = ends[reads(file) ? 0 : 1];
        }
    if (file->host < 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
        file->host = ends[reads(file) ? 0 : 1];
        list->made[index] = ends[reads(file) ? 1 : 0];
    }
    if (file->host < 0)
        s->status = error_set(s->error, P5_ERR_IO, "cannot make a pipe for the guest: %s", strerror(errno));
    else if (reads(file))
        load_contents(s, ends[1]);
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static unsigned index_of(const file_list *list, const linux_open_file *file)
{
    unsigned i = 0;
    while (i < list->count && list->files[i] != file)
        i++;
    return i;
}

static void transfer_file(linux_process *p, file_list *list, unsigned index, snapshot *s)
{
    linux_open_file *file = list->files[index];
    file->kind = (linux_file_kind)snapshot_number(s, "file.kind", file->kind, LINUX_RANDOM);
    snapshot_piece(s, "file.flags", &file->flags, sizeof file->flags);
    snapshot_piece(s, "file.share", &file->writable_share, sizeof file->writable_share);
    snapshot_piece(s, "file.entry", &file->position, sizeof file->position);
    snapshot_text(s, "file.path", &file->path);
    snapshot_text(s, "file.name", &file->name);
    switch (file->kind) {
    case LINUX_STANDARD: {
        uint64_t stream = snapshot_number(s, "file.stream", (uint64_t)(unsigned)file->host, 2);
        if (s->loading)
            file->host = (int)stream;
        break;
    }
    case LINUX_REGULAR:
        transfer_regular(p, file, s);
        break;
    case LINUX_DIRECTORY:
        transfer_directory(p, file, s);
        break;
    case LINUX_PIPE:
        transfer_pipe(list, index, file, s);
        break;
    case LINUX_VIRTUAL_DIRECTORY:
        if (file->path == NULL)
            snapshot_refuse(s, "a directory of the snapshot has no path");
        break;
    case LINUX_NULL:
    case LINUX_ZERO:
    case LINUX_RANDOM:
        break;
    }
}

static void transfer_open_files(linux_process *p, file_list *list, snapshot *s)
{
    unsigned count = (unsigned)snapshot_number(s, "files", list->count, LINUX_FILES);
    for (unsigned i = 0; i < count && s->status == P5_OK; i++) {
        if (s->loading) {
            list->files[i] = calloc(1, sizeof *list->files[i]);
            if (list->files[i] == NULL) {
                no_memory(s);
                return;
            }
            list->files[i]->host = list->made[i] = -1;
            list->count++;
        }
        transfer_file(p, list, i, s);
    }
}

static void transfer_descriptors(linux_process *p, file_list *list, snapshot *s)
{
    for (unsigned i = 0; i < LINUX_FILES && s->status == P5_OK; i++) {
        linux_descriptor *d = &p->files.descriptors[i];
        uint64_t file = s->loading || d->file == NULL ? 0 : index_of(list, d->file) + 1;
        file = snapshot_number(s, "descriptor", file, list->count); /* 0 is closed */
        uint64_t close_on_exec = snapshot_number(s, "descriptor.exec", d->close_on_exec, 1);
        if (!s->loading || file == 0 || s->status != P5_OK)
            continue;
        *d = (linux_descriptor){list->files[file - 1], close_on_exec != 0};
        d->file->references++;
    }
}

/* The shares are those of whoever loads; what the guest sees of them has to be the same. */
static void transfer_mounts(linux_process *p, snapshot *s)
{
    linux_files *files = &p->files;
    uint64_t count = snapshot_number(s, "mounts", files->tree.mount_count, 4096);
    for (uint64_t i = 0; i < count && s->status == P5_OK; i++) {
        char *guest = s->loading ? NULL : files->tree.mounts[i].guest;
        snapshot_text(s, "mount", &guest);
        bool writable = !s->loading && files->tree.mounts[i].writable;
        writable = snapshot_number(s, "mount.writable", writable, 1) != 0;
        if (s->loading && s->status == P5_OK && guest != NULL &&
            (i >= files->tree.mount_count || strcmp(files->tree.mounts[i].guest, guest) != 0 ||
             files->tree.mounts[i].writable != writable))
            snapshot_refuse(s, "the snapshot's guest has the directory %s: give it again as HOST:%s%s",
                            guest[0] != '\0' ? guest : "/", guest[0] != '\0' ? guest : "/",
                            writable ? ":rw" : "");
        if (s->loading)
            free(guest);
    }
    if (s->loading && s->status == P5_OK && count != files->tree.mount_count)
        snapshot_refuse(s, "the snapshot's guest has %" PRIu64 " directories, not %zu", count,
                        files->tree.mount_count);
}

/* Input that is a file goes on where it was; from a pipe, with what comes. */
static void transfer_input(snapshot *s)
{
    struct stat about;
    bool file = fstat(STDIN_FILENO, &about) == 0 && S_ISREG(about.st_mode);
    uint64_t position = file && !s->loading ? (uint64_t)lseek(STDIN_FILENO, 0, SEEK_CUR) : UINT64_MAX;
    position = snapshot_number(s, "stdin", position, UINT64_MAX);
    if (s->loading && s->status == P5_OK && file && position <= INT64_MAX)
        lseek(STDIN_FILENO, (off_t)position, SEEK_SET);
}

void linux_files_transfer(linux_process *p, snapshot *s)
{
    file_list *list = calloc(1, sizeof *list);
    if (list == NULL) {
        no_memory(s);
        return;
    }
    if (s->loading && s->status == P5_OK) {
        s->status = linux_files_open(p, s->error);
        for (unsigned i = 0; i < LINUX_FILES; i++) {
            if (p->files.descriptors[i].file != NULL)
                linux_file_release(p->files.descriptors[i].file);
            p->files.descriptors[i] = (linux_descriptor){0};
        }
    }
    for (unsigned i = 0; !s->loading && i < LINUX_FILES; i++) {
        linux_open_file *file = p->files.descriptors[i].file;
        if (file != NULL && index_of(list, file) == list->count)
            list->files[list->count++] = file;
    }
    transfer_mounts(p, s);
    snapshot_piece(s, "cwd", p->files.cwd, sizeof p->files.cwd);
    snapshot_piece(s, "umask", &p->files.umask, sizeof p->files.umask);
    transfer_open_files(p, list, s);
    transfer_descriptors(p, list, s);
    transfer_input(s);
    p->files.cwd[SHARE_PATH - 1] = '\0';
    for (unsigned i = 0; s->loading && i < list->count; i++) {
        if (list->made[i] >= 0)
            close(list->made[i]); /* the guest had closed this end */
        if (list->files[i]->references == 0)
            linux_file_release(list->files[i]); /* there was no descriptor for it */
    }
    free(list);
}
