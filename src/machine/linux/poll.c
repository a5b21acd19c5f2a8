/* Waiting for descriptors: poll and select. The array `a` of a system call has its six arguments. */
#define _GNU_SOURCE /* POLLRDNORM */
#include <errno.h>
#include <poll.h>

#include "machine/base/time.h"
#include "machine/linux/abi.h"
#include "machine/linux/calls.h"

/* How many descriptors of standard streams can end a wait at once. A call may have more, because a guest may duplicate and
 * repeat them; these are checked only every LINUX_WAIT_MS. */
enum { MOST_STREAMS = 8 };

/* One call: how long it may wait, and the standard streams that may end it. */
typedef struct waiting {
    uint64_t timeout_ns; /* UINT64_MAX: for ever */
    uint64_t until;      /* model clock */
    struct pollfd streams[MOST_STREAMS];
    unsigned count;
} waiting;

/* Returns which of `events` are ready at a file, without waiting. Adds a standard stream that is not ready to those for
 * which the call waits. One that hung up is ready (POLLHUP), so it is not among them: the host's poll would return at
 * once every time. */
static short ready_events(waiting *w, const linux_open_file *file, short events)
{
    if (file->host < 0 || file->kind == LINUX_REGULAR || file->kind == LINUX_DIRECTORY)
        return (short)(events & (POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM));
    struct pollfd wanted = {.fd = file->host, .events = events};
    if (poll(&wanted, 1, 0) > 0)
        return wanted.revents;
    if (file->kind == LINUX_STANDARD && w->count < MOST_STREAMS)
        w->streams[w->count++] = wanted;
    return 0;
}

/* Waits before the next check. Returns 0 if the caller must check again, 1 if the time is over, or -errno, which ends the
 * call. */
static int32_t wait_more(linux_process *p, waiting *w)
{
    linux_waited how = linux_wait(p, w->until, w->streams, w->count);
    w->count = 0;
    return how == LINUX_INTERRUPTED ? -LINUX_ERESTARTNOHAND
           : how == LINUX_LEAVE     ? -EINTR
                                    : how == LINUX_TIME_OVER;
}

/* Reads the time-out at `address`, a timespec or a timeval. *ns is UINT64_MAX if there is none. Returns 0 or -errno. */
static int32_t read_timeout(linux_process *p, uint32_t address, bool timeval, uint64_t *ns)
{
    int32_t parts[2];
    *ns = UINT64_MAX;
    if (address == 0)
        return 0;
    if (!timeval)
        return linux_get_time(p, address, 1, ns);
    if (!linux_read_user(p, address, parts, sizeof parts))
        return -EFAULT;
    if (parts[0] < 0 || parts[1] < 0)
        return -EINVAL;
    *ns = (uint64_t)parts[0] * 1000000000u + (uint64_t)parts[1] * 1000u; /* 1000000 us or more are allowed */
    return 0;
}

/* Ends a call whose time-out is at `address` (0: it has none). Writes the remaining time there, unless the call will be
 * restarted (p->blocked); like Linux, ignores a failure of that. If the call had a mask of its own, restores the signals
 * that were blocked before, unless a signal's handler is to run first. Returns `result`. */
static int32_t wait_end(linux_process *p, int32_t result, uint32_t address, bool timeval, const waiting *w)
{
    linux_signals *s = &p->signals;
    uint64_t now = linux_clock(p),
             left = w->until > now ? machine_clocks_to_ns(p->machine, w->until - now) : 0;
    if (address != 0 && !p->blocked)
        linux_put_time(p, address, left < w->timeout_ns ? left : w->timeout_ns, timeval ? 1000 : 1);
    if (s->mask_saved && result != -LINUX_ERESTARTNOHAND) {
        s->blocked = s->saved_mask;
        s->mask_saved = false;
    }
    return result;
}

/* --- poll --- */

/* Implements poll after its time-out has been read. Returns the number of ready descriptors or -errno. */
static int32_t poll_any(linux_process *p, waiting *w, uint32_t address, uint32_t count)
{
    struct {
        int32_t descriptor;
        int16_t events, revents;
    } wanted[LINUX_FILES];
    if (count > LINUX_FILES)
        return -EINVAL;
    if (!linux_read_user(p, address, wanted, count * sizeof wanted[0]))
        return -EFAULT;
    for (int32_t over = w->timeout_ns == 0;; over = wait_more(p, w)) {
        int32_t ready = 0;
        for (uint32_t i = 0; i < count; i++) {
            const linux_open_file *file = linux_file_at(p, (uint32_t)wanted[i].descriptor);
            wanted[i].revents = file != NULL ? ready_events(w, file, wanted[i].events)
                                             : (int16_t)(wanted[i].descriptor < 0 ? 0 : POLLNVAL);
            ready += wanted[i].revents != 0;
        }
        if (ready == 0 && over == 0)
            continue;
        if (!linux_write_user(p, address, wanted, count * sizeof wanted[0]))
            return -EFAULT;
        return ready == 0 && over < 0 ? over : ready;
    }
}

int32_t linux_poll(linux_process *p, const uint32_t a[6])
{
    waiting w = {.timeout_ns = (int32_t)a[2] < 0 ? UINT64_MAX : a[2] * 1000000ull};
    w.until = linux_clock_after(p, w.timeout_ns);
    return poll_any(p, &w, a[0], a[1]);
}

int32_t linux_ppoll(linux_process *p, const uint32_t a[6])
{
    waiting w = {0};
    int32_t wrong = read_timeout(p, a[2], false, &w.timeout_ns);
    if (wrong == 0)
        wrong = linux_wait_mask(p, a[3], a[4]);
    if (wrong != 0)
        return wrong;
    w.until = linux_clock_after(p, w.timeout_ns);
    return wait_end(p, poll_any(p, &w, a[0], a[1]), a[2], false, &w);
}

/* --- select --- */

enum { SETS = 3 /* to read, to write, exceptions */, WORDS = LINUX_FILES / 32 };
typedef uint32_t select_sets[SETS][WORDS];

/* Checks once which descriptors in `sets` are ready, and sets their bits in `found`. Returns their number, or -EBADF. */
static int32_t select_ready(linux_process *p, waiting *w, uint32_t count, select_sets sets, select_sets found)
{
    static const short events[SETS] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI};
    int32_t ready = 0;
    for (uint32_t i = 0; i < count * SETS; i++) {
        unsigned set = i / count, fd = i % count;
        found[set][fd / 32] &= ~(1u << fd % 32);
        if ((sets[set][fd / 32] >> fd % 32 & 1) == 0)
            continue;
        const linux_open_file *file = linux_file_at(p, fd);
        if (file == NULL)
            return -EBADF;
        bool is_ready = (ready_events(w, file, events[set]) & events[set]) != 0;
        found[set][fd / 32] |= (uint32_t)is_ready << fd % 32;
        ready += is_ready;
    }
    return ready;
}

/* Implements select after its time-out has been read. Returns the number of ready descriptors or -errno. */
static int32_t select_any(linux_process *p, waiting *w, const uint32_t a[6])
{
    uint32_t count = a[0] < LINUX_FILES ? a[0] : LINUX_FILES;
    select_sets sets = {{0}}, found = {{0}};
    size_t bytes = (count + 31) / 32 * 4;
    if ((int32_t)a[0] < 0)
        return -EINVAL;
    for (unsigned set = 0; set < SETS; set++)
        if (a[1 + set] != 0 && !linux_read_user(p, a[1 + set], sets[set], bytes))
            return -EFAULT;
    int32_t ready = select_ready(p, w, count, sets, found);
    for (int32_t over = w->timeout_ns == 0; ready == 0 && over == 0;) {
        over = wait_more(p, w);
        if (over < 0)
            return over;
        ready = select_ready(p, w, count, sets, found);
    }
    if (ready < 0)
        return ready;
    for (unsigned set = 0; set < SETS; set++)
        if (a[1 + set] != 0 && !linux_write_user(p, a[1 + set], found[set], bytes))
            return -EFAULT;
    return ready;
}

/* Implements select, whose time-out is a timeval. */
int32_t linux_newselect(linux_process *p, const uint32_t a[6])
{
    waiting w = {0};
    int32_t wrong = read_timeout(p, a[4], true, &w.timeout_ns);
    if (wrong != 0)
        return wrong;
    w.until = linux_clock_after(p, w.timeout_ns);
    return wait_end(p, select_any(p, &w, a), a[4], true, &w);
}

/* Implements pselect6: the time-out is a timespec, and the last argument points to the address of a mask and the mask's
 * size. */
int32_t linux_pselect6(linux_process *p, const uint32_t a[6])
{
    waiting w = {0};
    uint32_t mask[2] = {0}; /* address, size */
    int32_t wrong = read_timeout(p, a[4], false, &w.timeout_ns);
    if (wrong == 0 && a[5] != 0)
        wrong = linux_read_user(p, a[5], mask, sizeof mask) ? 0 : -EFAULT;
    if (wrong == 0)
        wrong = linux_wait_mask(p, mask[0], mask[1]);
    if (wrong != 0)
        return wrong;
    w.until = linux_clock_after(p, w.timeout_ns);
    return wait_end(p, select_any(p, &w, a), a[4], false, &w);
}
