/* Waiting for descriptors: poll and select. */
#define _GNU_SOURCE /* POLLRDHUP */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "machine/base/time.h"
#include "machine/linux/abi.h"
#include "machine/linux/calls.h"

static bool interests_ready(const linux_open_file *epoll);

/* What of `events` is ready at a file, without waiting. */
static short ready_events(const linux_open_file *file, short events)
{
    if (file->kind == LINUX_EVENT)
        return (short)(events & ((file->position != 0 ? POLLIN | POLLRDNORM : 0) |
                                 (file->position < LINUX_EVENT_MOST ? POLLOUT | POLLWRNORM : 0)));
    if (file->kind == LINUX_EPOLL)
        return (short)(events & (interests_ready(file) ? POLLIN | POLLRDNORM : 0));
    if (file->host < 0 || file->kind == LINUX_REGULAR || file->kind == LINUX_DIRECTORY)
        return (short)(events & (POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM));
    struct pollfd wanted = {.fd = file->host, .events = events};
    return poll(&wanted, 1, 0) > 0 ? wanted.revents : 0;
}

/* Lets time pass when nothing is ready. Input comes in host time, so the host is asked for as long as the
 * guest would wait, and then the model's clock moves by the guest's time-out. True if the guest's time is
 * over, false to look again or with p->blocked. */
static bool wait_a_while(linux_process *p, bool input_may_come, uint64_t timeout_ns, uint64_t *waited_ms)
{
    uint64_t timeout_ms = timeout_ns == UINT64_MAX ? UINT64_MAX : timeout_ns / 1000000;
    if (input_may_come && *waited_ms < timeout_ms) {
        if (machine_pause_wanted(p->machine)) {
            p->blocked = true;
            return false;
        }
        poll(NULL, 0, LINUX_WAIT_MS);
        *waited_ms += LINUX_WAIT_MS;
        return false;
    }
    uint64_t now = linux_clock(p),
             clocks = timeout_ns == UINT64_MAX ? UINT64_MAX : machine_ns_to_clocks(p->machine, timeout_ns);
    linux_sleep_until(p, clocks > UINT64_MAX - now ? UINT64_MAX : now + clocks);
    return true;
}

static int32_t poll_any(linux_process *p, uint32_t address, uint32_t count, uint64_t timeout_ns)
{
    struct {
        int32_t descriptor;
        int16_t events, revents;
    } wanted[LINUX_FILES];
    uint64_t waited_ms = 0;
    if (count > LINUX_FILES)
        return -EINVAL;
    if (!linux_read_user(p, address, wanted, count * sizeof wanted[0]))
        return -EFAULT;
    for (bool over = timeout_ns == 0;;) {
        int32_t ready = 0;
        bool input_may_come = false;
        for (uint32_t i = 0; i < count; i++) {
            const linux_open_file *file = linux_file_at(p, (uint32_t)wanted[i].descriptor);
            wanted[i].revents = file != NULL ? ready_events(file, wanted[i].events)
                                             : (int16_t)(wanted[i].descriptor < 0 ? 0 : POLLNVAL);
            ready += wanted[i].revents != 0;
            input_may_come |= file != NULL && file->kind == LINUX_STANDARD;
        }
        if (ready != 0 || over)
            return linux_write_user(p, address, wanted, count * sizeof wanted[0]) ? ready : -EFAULT;
        over = wait_a_while(p, input_may_come, timeout_ns, &waited_ms);
        if (p->blocked || p->machine->ended)
            return 0;
        if (linux_signal_waits(p))
            return -EINTR;
    }
}

int32_t linux_poll(linux_process *p, const uint32_t a[6])
{
    return poll_any(p, a[0], a[1], (int32_t)a[2] < 0 ? UINT64_MAX : a[2] * 1000000ull);
}

int32_t linux_ppoll(linux_process *p, const uint32_t a[6])
{
    uint64_t ns = UINT64_MAX;
    int32_t wrong = a[2] != 0 ? linux_get_time(p, a[2], 1, &ns) : 0;
    return wrong != 0 ? wrong : poll_any(p, a[0], a[1], ns);
}

/* The time-out is a timespec, or a timeval: newselect. */
int32_t linux_pselect6(linux_process *p, const uint32_t a[6])
{
    enum { WORDS = LINUX_FILES / 32 };
    static const short events[3] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI};
    uint32_t count = a[0] < LINUX_FILES ? a[0] : LINUX_FILES, sets[3][WORDS] = {{0}};
    size_t bytes = (count + 31) / 32 * 4;
    uint64_t waited_ms = 0, timeout_ns = UINT64_MAX;
    int32_t wrong = a[4] != 0 ? linux_get_time(p, a[4], a[5] != 0 ? 1000 : 1, &timeout_ns) : 0;
    if (wrong != 0)
        return wrong;
    if ((int32_t)a[0] < 0)
        return -EINVAL;
    for (unsigned s = 0; s < 3; s++)
        if (a[1 + s] != 0 && !linux_read_user(p, a[1 + s], sets[s], bytes))
            return -EFAULT;
    for (bool over = timeout_ns == 0;;) {
        uint32_t found[3][WORDS] = {{0}};
        int32_t ready = 0;
        bool input_may_come = false;
        for (uint32_t i = 0; i < count * 3; i++) {
            unsigned s = i / count, fd = i % count;
            if ((sets[s][fd / 32] >> fd % 32 & 1) == 0)
                continue;
            const linux_open_file *file = linux_file_at(p, fd);
            if (file == NULL)
                return -EBADF;
            bool is_ready = (ready_events(file, events[s]) & events[s]) != 0;
            found[s][fd / 32] |= (uint32_t)is_ready << fd % 32;
            ready += is_ready;
            input_may_come |= file->kind == LINUX_STANDARD;
        }
        if (ready != 0 || over) {
            for (unsigned s = 0; s < 3; s++)
                if (a[1 + s] != 0 && !linux_write_user(p, a[1 + s], found[s], bytes))
                    return -EFAULT;
            return ready;
        }
        over = wait_a_while(p, input_may_come, timeout_ns, &waited_ms);
        if (p->blocked || p->machine->ended)
            return 0;
        if (linux_signal_waits(p))
            return -EINTR;
    }
}

/* --- epoll: an epoll is a list of interests that each wait looks through. None is in another --- */

enum {
    LEVELS = EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLRDNORM | EPOLLWRNORM | EPOLLERR | EPOLLHUP | EPOLLRDHUP
};

/* EPOLLERR and EPOLLHUP are always asked for; one that is spent (EPOLLONESHOT) has no events. */
static uint32_t interest_ready(const linux_interest *i)
{
    return i->events == 0 ? 0 : (uint32_t)ready_events(i->file, (short)(i->events & LEVELS)) & LEVELS;
}

static bool interests_ready(const linux_open_file *epoll)
{
    for (size_t i = 0; i < epoll->interests.count; i++)
        if (interest_ready(&epoll->interests.items[i]) != 0)
            return true;
    return false;
}

static void interest_remove(linux_open_file *epoll, size_t i)
{
    linux_file_release(epoll->interests.items[i].file);
    epoll->interests.items[i] = epoll->interests.items[--epoll->interests.count];
}

void linux_epoll_prune(linux_process *p, linux_open_file *epoll)
{
    for (size_t i = epoll->interests.count; i-- > 0;) {
        bool open = false;
        for (uint32_t d = 0; d < LINUX_FILES && !open; d++)
            open = linux_file_at(p, d) == epoll->interests.items[i].file;
        if (!open)
            interest_remove(epoll, i);
    }
}

int32_t linux_epoll_create1(linux_process *p, const uint32_t a[6])
{
    if ((a[0] & ~(uint32_t)LINUX_O_CLOEXEC) != 0)
        return -EINVAL;
    return linux_descriptor_add(p, linux_file_new(LINUX_EPOLL, -1, O_RDWR), 0, a[0] != 0);
}

int32_t linux_epoll_create(linux_process *p, const uint32_t a[6])
{
    return (int32_t)a[0] <= 0 ? -EINVAL : linux_epoll_create1(p, (const uint32_t[6]){0});
}

static linux_open_file *epoll_at(linux_process *p, uint32_t descriptor, int32_t *wrong)
{
    linux_open_file *file = linux_file_at(p, descriptor);
    *wrong = file == NULL ? -EBADF : file->kind != LINUX_EPOLL ? -EINVAL : 0;
    if (*wrong == 0)
        linux_epoll_prune(p, file);
    return file;
}

/* What select can wait for and a file on a disk cannot. */
static bool pollable(const linux_open_file *file)
{
    struct stat about;
    return file->kind == LINUX_PIPE || file->kind == LINUX_EVENT || file->kind == LINUX_RANDOM ||
           (file->kind == LINUX_STANDARD && fstat(file->host, &about) == 0 && !S_ISREG(about.st_mode));
}

typedef struct __attribute__((packed)) epoll_event_i386 {
    uint32_t events;
    uint64_t data;
} epoll_event_i386;

int32_t linux_epoll_ctl(linux_process *p, const uint32_t a[6])
{
    int32_t wrong;
    linux_open_file *epoll = epoll_at(p, a[0], &wrong), *file = linux_file_at(p, a[2]);
    epoll_event_i386 event = {0};
    if (wrong == -EBADF || file == NULL)
        return -EBADF;
    if (a[1] != EPOLL_CTL_DEL && !linux_read_user(p, a[3], &event, sizeof event))
        return -EFAULT;
    if (file->kind == LINUX_EPOLL)
        return file == epoll ? -EINVAL : -ELOOP;
    if (!pollable(file))
        return -EPERM;
    if (wrong != 0)
        return wrong;
    size_t i = 0;
    while (i < epoll->interests.count &&
           (epoll->interests.items[i].descriptor != a[2] || epoll->interests.items[i].file != file))
        i++;
    bool there = i < epoll->interests.count;
    linux_interest interest = {
        .descriptor = a[2], .file = file, .events = event.events | EPOLLERR | EPOLLHUP, .data = event.data};
    switch (a[1]) {
    case EPOLL_CTL_ADD:
        if (there)
            return -EEXIST;
        if (!array_reserve(&epoll->interests.items, &epoll->interests.capacity, i + 1, sizeof interest))
            return -ENOMEM;
        file->references++;
        epoll->interests.count++;
        epoll->interests.items[i] = interest;
        return 0;
    case EPOLL_CTL_MOD:
        if (there)
            epoll->interests.items[i] = interest;
        return there ? 0 : -ENOENT;
    case EPOLL_CTL_DEL:
        if (there)
            interest_remove(epoll, i);
        return there ? 0 : -ENOENT;
    default:
        return -EINVAL;
    }
}

void linux_epoll_touched(linux_process *p, const linux_open_file *file, uint32_t events)
{
    if (file->kind != LINUX_PIPE && file->kind != LINUX_EVENT)
        return;
    for (uint32_t d = 0; d < LINUX_FILES; d++) {
        linux_open_file *epoll = linux_file_at(p, d);
        for (size_t i = 0; epoll != NULL && i < epoll->interests.count; i++) {
            linux_interest *interest = &epoll->interests.items[i];
            if ((interest->events & events) != 0 &&
                (interest->file == file || (interest->file->kind == LINUX_PIPE && file->kind == LINUX_PIPE &&
                                            linux_same_file(interest->file->host, file->host))))
                interest->touched = true;
        }
    }
}

/* EPOLLET: told again only if there is more, or it was touched. */
static bool interest_told(linux_interest *i, uint32_t ready)
{
    bool again = (ready & ~i->reported) != 0 || i->touched;
    i->reported = ready;
    if (ready == 0 || ((i->events & EPOLLET) != 0 && !again))
        return false;
    i->touched = false;
    if ((i->events & EPOLLONESHOT) != 0)
        i->events = 0;
    return true;
}

int32_t linux_epoll_wait(linux_process *p, const uint32_t a[6])
{
    int32_t wrong;
    linux_open_file *epoll = epoll_at(p, a[0], &wrong);
    uint64_t waited_ms = 0, timeout_ns = (int32_t)a[3] < 0 ? UINT64_MAX : a[3] * 1000000ull;
    if (wrong != 0)
        return wrong;
    if ((int32_t)a[2] <= 0)
        return -EINVAL;
    for (bool over = timeout_ns == 0;;) {
        uint32_t told = 0;
        bool input_may_come = false;
        for (size_t i = 0; i < epoll->interests.count && told < a[2]; i++) {
            linux_interest *interest = &epoll->interests.items[i];
            uint32_t ready = interest_ready(interest);
            input_may_come |= interest->file->kind == LINUX_STANDARD;
            epoll_event_i386 event = {ready, interest->data};
            if (interest_told(interest, ready) &&
                !linux_write_user(p, a[1] + told++ * (uint32_t)sizeof event, &event, sizeof event))
                return -EFAULT;
        }
        if (told != 0 || over)
            return (int32_t)told;
        over = wait_a_while(p, input_may_come, timeout_ns, &waited_ms);
        if (p->blocked || p->machine->ended)
            return 0;
        if (linux_signal_waits(p))
            return -EINTR;
    }
}
