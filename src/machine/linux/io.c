/* System calls that read, write, and set file positions. `a` are the six arguments; the table in syscall.c sets a[5] for
 * calls that write but share a function with one that reads. A call that waits for the host may be abandoned when the run
 * is to pause (p->blocked): it is executed again when the run continues. */
#define _GNU_SOURCE /* preadv, SEEK_HOLE */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/held_signals.h"
#include "machine/base/notice.h"
#include "machine/base/time.h"
#include "machine/board/devices.h"
#include "machine/linux/abi.h"
#include "machine/linux/calls.h"
#include "machine/share/scratch.h"

enum { PIECES_AT_MOST = 1024 /* UIO_MAXIOV */ };
/* Bytes of the largest request to the host, so that a long call can stop between two requests when the run is to
 * pause. */
enum { AT_A_TIME = 1 << 17 };
/* The offset of a call that uses and moves the file's position. */
#define NO_OFFSET UINT64_MAX

static bool readable(const linux_open_file *file)
{
    return (file->flags & O_ACCMODE) != O_WRONLY;
}

static bool writable(const linux_open_file *file)
{
    return (file->flags & O_ACCMODE) != O_RDONLY;
}

/* Waits until the host has input for a standard stream (POLLIN) or takes output (POLLOUT). For a pipe of the
 * guest, which only a signal handler can fill or empty, it waits for a signal. Returns 0 if the caller is to
 * try again, unless the call is abandoned (is_abandoned); otherwise -errno. */
static int32_t wait_for(linux_process *p, const linux_open_file *file, short events)
{
    struct pollfd wanted = {.fd = file->host, .events = events};
    const unsigned streams = file->kind == LINUX_STANDARD;
    while (poll(&wanted, 1, 0) <= 0) {
        if ((file->flags & O_NONBLOCK) != 0)
            return -EAGAIN;
        linux_waited how = linux_wait(p, UINT64_MAX, &wanted, streams);
        if (how == LINUX_INTERRUPTED || how == LINUX_LEAVE)
            return how == LINUX_LEAVE ? 0 : -LINUX_ERESTARTSYS;
    }
    return 0;
}

/* Returns true if the current call is abandoned without a result: it is restarted later, or the guest has
 * ended. */
static bool is_abandoned(const linux_process *p)
{
    return p->blocked || p->machine->ended;
}

/* Returns the offset at which a call that reads or writes at `offset` begins. */
static uint64_t begins_at(const linux_open_file *file, uint64_t offset)
{
    return offset != NO_OFFSET ? offset : (uint64_t)lseek(file->host, 0, SEEK_CUR);
}

/* Returns true if the file can be read without waiting. */
static bool is_ready(const linux_open_file *file)
{
    struct pollfd wanted = {.fd = file->host, .events = POLLIN};
    return poll(&wanted, 1, 0) > 0;
}

/* Reads a device: nothing, zeros or random numbers. Stops between two parts if the run is to pause. */
static int32_t read_device(linux_process *p, const linux_open_file *file, uint32_t address, uint32_t size)
{
    uint32_t done = 0;
    if (file->kind == LINUX_NULL)
        return 0;
    while (done < size && !(done % AT_A_TIME == 0 && done != 0 && machine_pause_wanted(p->machine))) {
        uint8_t bytes[8] = {0};
        uint32_t part = size - done < sizeof bytes ? size - done : (uint32_t)sizeof bytes;
        if (file->kind == LINUX_RANDOM) {
            uint64_t number = linux_random(p);
            memcpy(bytes, &number, sizeof bytes);
        }
        if (!linux_write_user(p, address + done, bytes, part))
            return done != 0 ? (int32_t)done : -EFAULT;
        done += part;
    }
    return (int32_t)done;
}

/* Returns false at the end of the file or pipe. For a pipe, the caller has waited until it can be read. */
static bool has_more(const linux_open_file *file, uint64_t offset)
{
    struct stat about;
    struct pollfd wanted = {.fd = file->host, .events = POLLIN};
    if (fstat(file->host, &about) == 0 && S_ISREG(about.st_mode))
        return begins_at(file, offset) < (uint64_t)about.st_size;
    return poll(&wanted, 1, 0) > 0 && (wanted.revents & POLLIN) != 0;
}

/* Reads once from the host, after waiting for input of a stream or pipe. Returns the number of bytes or -errno. If the
 * wait was abandoned (is_abandoned), the result has no meaning. */
static int32_t read_part(linux_process *p, linux_open_file *file, uint32_t address, uint32_t size,
                         uint64_t offset)
{
    linux_vector vector;
    if (file->kind == LINUX_STANDARD)
        devices_console_flush(p->machine->devices);
    int32_t wrong = file->kind == LINUX_REGULAR ? 0 : wait_for(p, file, POLLIN);
    if (wrong != 0 || is_abandoned(p))
        return wrong;
    linux_user_vector(p, address, size, true, &vector);
    if (vector.count == 0 && size != 0)
        return has_more(file, offset) ? -EFAULT : 0;
    ssize_t got = offset != NO_OFFSET ? preadv(file->host, vector.pieces, vector.count, (off_t)offset)
                                      : readv(file->host, vector.pieces, vector.count);
    if (got < 0)
        return -errno;
    if (file->kind == LINUX_STANDARD)
        p->machine->linux_input_bytes += (uint64_t)got;
    linux_user_written(p, address, (size_t)got);
    return (int32_t)got;
}

/* Reads in parts until `size` bytes are read, no more input is available, or the run is to pause. */
static int32_t read_host(linux_process *p, linux_open_file *file, uint32_t address, uint32_t size,
                         uint64_t offset)
{
    uint32_t done = 0;
    for (;;) {
        uint32_t wanted = size - done < AT_A_TIME ? size - done : AT_A_TIME;
        int32_t got =
            read_part(p, file, address + done, wanted, offset == NO_OFFSET ? offset : offset + done);
        if (got < 0 || is_abandoned(p))
            return done != 0 ? (int32_t)done : got;
        done += (uint32_t)got;
        if ((uint32_t)got < wanted || done == size || (file->kind != LINUX_REGULAR && !is_ready(file)) ||
            machine_pause_wanted(p->machine))
            return (int32_t)done;
    }
}

/* Reads from any kind of file; `file` may be NULL (a closed descriptor). */
static int32_t read_any(linux_process *p, linux_open_file *file, uint32_t address, uint32_t size,
                        uint64_t offset)
{
    if (file == NULL || !readable(file))
        return -EBADF;
    if (size > INT32_MAX)
        return -EINVAL;
    switch (file->kind) {
    case LINUX_DIRECTORY:
    case LINUX_VIRTUAL_DIRECTORY:
        return -EISDIR;
    case LINUX_NULL:
    case LINUX_ZERO:
    case LINUX_RANDOM:
        return read_device(p, file, address, size);
    default:
        return size == 0 ? 0 : read_host(p, file, address, size, offset);
    }
}

/* Writes to the host. A SIGPIPE for a closed pipe does not reach p5scope; write_any raises it in the guest. A machine that
 * repeats a past run writes nothing to the standard streams. */
static int32_t write_without_signal(const linux_process *p, const linux_open_file *file,
                                    const linux_vector *vector, uint64_t offset)
{
    if (p->machine->replaying && file->kind == LINUX_STANDARD) {
        int32_t size = 0;
        for (int i = 0; i < vector->count; i++)
            size += (int32_t)vector->pieces[i].iov_len;
        return size;
    }
    if (file->kind == LINUX_STANDARD)
        output_begins(p->machine, file->host);
    held_signals closed;
    signals_hold(&closed, false);
    ssize_t put = offset != NO_OFFSET ? pwritev(file->host, vector->pieces, vector->count, (off_t)offset)
                                      : writev(file->host, vector->pieces, vector->count);
    int32_t result = put < 0 ? -errno : (int32_t)put;
    signals_release(&closed, result == -EPIPE);
    return result;
}

/* Writes once to the host, after waiting until a stream or pipe accepts output. Writes at most PIPE_BUF bytes to a
 * stream, as much as a pipe that is ready accepts for certain. Returns the number of bytes or -errno. If the wait was
 * abandoned (is_abandoned), the result has no meaning. */
static int32_t write_part(linux_process *p, const linux_open_file *file, uint32_t address, uint32_t size,
                          uint64_t offset)
{
    uint64_t before = file->quota != NULL ? share_size(file->host) : 0;
    if (file->quota != NULL) {
        uint64_t from = (file->flags & O_APPEND) != 0 ? before : begins_at(file, offset);
        int64_t fits = share_fits(file->quota, before, from, size);
        if (fits < 0)
            return (int32_t)fits;
        size = (uint32_t)fits;
    }
    linux_vector vector;
    bool stream = file->kind == LINUX_STANDARD;
    bool waits = stream || (file->kind == LINUX_PIPE && (file->flags & O_NONBLOCK) == 0);
    uint32_t most = stream ? PIPE_BUF : AT_A_TIME;
    linux_user_vector(p, address, size < most ? size : most, false, &vector);
    if (vector.count == 0)
        return -EFAULT;
    int32_t put = stream ? -EAGAIN : write_without_signal(p, file, &vector, offset);
    while (waits && (put == -EAGAIN || put == -EINTR)) {
        put = wait_for(p, file, POLLOUT);
        if (put != 0 || is_abandoned(p))
            return put;
        put = write_without_signal(p, file, &vector, offset);
    }
    share_charge_growth(file->quota, file->host, before);
    return put;
}

/* Writes to any kind of file; `file` may be NULL. Devices accept everything. After a short write, the call is not
 * restarted (p->blocked), so that no byte is written twice. */
static int32_t write_any(linux_process *p, linux_open_file *file, uint32_t address, uint32_t size,
                         uint64_t offset)
{
    if (file == NULL || !writable(file) || file->kind == LINUX_DIRECTORY ||
        file->kind == LINUX_VIRTUAL_DIRECTORY)
        return -EBADF;
    if (size > INT32_MAX)
        return -EINVAL;
    if (file->host < 0)
        return (int32_t)size;
    if (file->kind == LINUX_STANDARD)
        devices_console_flush(p->machine->devices);
    uint32_t done = 0;
    int32_t put = 0;
    while (done < size && put >= 0 && !is_abandoned(p) && !(done != 0 && machine_pause_wanted(p->machine))) {
        put = write_part(p, file, address + done, size - done, offset == NO_OFFSET ? offset : offset + done);
        if (put == 0)
            break;
        done += put > 0 ? (uint32_t)put : 0;
    }
    if (done != 0 && file->scratch != NULL)
        scratch_written(file->scratch, file->node);
    if (done != 0) {
        p->blocked = false;
        return (int32_t)done;
    }
    if (put == -EPIPE)
        linux_raise(p, &(linux_siginfo){SIGPIPE, LINUX_SI_USER, {LINUX_PID, LINUX_UID}});
    return put;
}

int32_t linux_read(linux_process *p, const uint32_t a[6])
{
    return read_any(p, linux_file_at(p, a[0]), a[1], a[2], NO_OFFSET);
}

int32_t linux_write(linux_process *p, const uint32_t a[6])
{
    return write_any(p, linux_file_at(p, a[0]), a[1], a[2], NO_OFFSET);
}

/* Returns 0 if the file can be read and written at an offset, else -errno. */
static int32_t seek_error(const linux_open_file *file, uint64_t offset)
{
    if (file == NULL)
        return -EBADF;
    if (offset > INT64_MAX)
        return -EINVAL;
    return file->kind == LINUX_STANDARD || file->kind == LINUX_PIPE ? -ESPIPE : 0;
}

int32_t linux_pread64(linux_process *p, const uint32_t a[6])
{
    const bool write = a[5] != 0; /* pwrite64 */
    linux_open_file *file = linux_file_at(p, a[0]);
    uint64_t offset = (uint64_t)a[4] << 32 | a[3];
    int32_t wrong = seek_error(file, offset);
    if (wrong != 0)
        return wrong;
    return write ? write_any(p, file, a[1], a[2], offset) : read_any(p, file, a[1], a[2], offset);
}

/* Reads into or, if a[5] is set, writes from the pieces of a vector. A short transfer ends the call. After the first
 * piece, the call also ends at a fault, and a read ends where it would wait. */
static int32_t vector_any(linux_process *p, linux_open_file *file, const uint32_t a[6], uint64_t offset)
{
    const bool write = a[5] != 0;
    int64_t total = 0;
    if (file == NULL)
        return -EBADF;
    if (a[2] > PIECES_AT_MOST)
        return -EINVAL;
    for (uint32_t i = 0; i < a[2]; i++) {
        uint32_t piece[2];
        if (!linux_read_user(p, a[1] + i * 8, piece, sizeof piece))
            return total != 0 ? (int32_t)total : -EFAULT;
        for (uint32_t done = 0; done < piece[1];) {
            uint64_t at = offset != NO_OFFSET ? offset + (uint64_t)total : offset;
            int32_t part = write ? write_any(p, file, piece[0] + done, piece[1] - done, at)
                                 : read_any(p, file, piece[0] + done, piece[1] - done, at);
            if (part < 0 || is_abandoned(p)) {
                p->blocked &= total == 0; /* after a short transfer, the call is not restarted */
                return total != 0 ? (int32_t)total : part;
            }
            total += part;
            done += (uint32_t)part;
            if (part == 0 || total > INT32_MAX || (!write && done < piece[1]) ||
                machine_pause_wanted(p->machine))
                return (int32_t)(total > INT32_MAX ? INT32_MAX : total);
            if (!write && (file->kind == LINUX_STANDARD || (file->kind == LINUX_PIPE && !is_ready(file))))
                return (int32_t)total; /* without waiting for more input */
        }
    }
    return (int32_t)total;
}

int32_t linux_readv(linux_process *p, const uint32_t a[6])
{
    return vector_any(p, linux_file_at(p, a[0]), a, NO_OFFSET);
}

int32_t linux_preadv(linux_process *p, const uint32_t a[6])
{
    linux_open_file *file = linux_file_at(p, a[0]);
    uint64_t offset = (uint64_t)a[4] << 32 | a[3];
    int32_t wrong = seek_error(file, offset);
    return wrong != 0 ? wrong : vector_any(p, file, a, offset);
}

/* --- Positions --- */

/* Sets a file's position, which for a directory is the number of an entry. Returns it or -errno. */
static int64_t seek_any(linux_process *p, uint32_t descriptor, int64_t offset, uint32_t whence)
{
    linux_open_file *file = linux_file_at(p, descriptor);
    if (file == NULL)
        return -EBADF;
    if (file->kind == LINUX_DIRECTORY || file->kind == LINUX_VIRTUAL_DIRECTORY) {
        if (whence != SEEK_SET || offset < 0)
            return -EINVAL;
        file->position = (uint64_t)offset;
        return offset;
    }
    if (file->host < 0)
        return 0;
    if (whence > SEEK_HOLE)
        return -EINVAL;
    if (file->kind == LINUX_PIPE || (file->kind == LINUX_STANDARD && !linux_is_input_file(file)))
        return -ESPIPE;
    off_t position = lseek(file->host, (off_t)offset, (int)whence);
    return position < 0 ? -errno : position;
}

int32_t linux_lseek(linux_process *p, const uint32_t a[6])
{
    int64_t position = seek_any(p, a[0], (int32_t)a[1], a[2]);
    return position > INT32_MAX ? -EOVERFLOW : (int32_t)position;
}

int32_t linux_llseek(linux_process *p, const uint32_t a[6])
{
    int64_t position = seek_any(p, a[0], (int64_t)((uint64_t)a[1] << 32 | a[2]), a[4]);
    if (position < 0)
        return (int32_t)position;
    return linux_write_user(p, a[3], &position, sizeof position) ? 0 : -EFAULT;
}

int32_t linux_ftruncate64(linux_process *p, const uint32_t a[6])
{
    const linux_open_file *file = linux_file_at(p, a[0]);
    uint64_t length = (uint64_t)a[2] << 32 | a[1];
    if (file == NULL)
        return -EBADF;
    if (file->kind != LINUX_REGULAR || !writable(file) || length > INT64_MAX)
        return -EINVAL;
    int32_t wrong = share_truncate(file->quota, file->host, length);
    if (wrong == 0 && file->scratch != NULL)
        scratch_written(file->scratch, file->node);
    return wrong;
}

int32_t linux_fsync(linux_process *p, const uint32_t a[6])
{
    const linux_open_file *file = linux_file_at(p, a[0]);
    if (file == NULL)
        return -EBADF;
    if (file->kind == LINUX_DIRECTORY || file->kind == LINUX_VIRTUAL_DIRECTORY)
        return 0;
    if (file->kind != LINUX_REGULAR)
        return linux_is_input_file(file) ? 0 : -EINVAL;
    return fsync(file->host) != 0 ? -errno : 0;
}
