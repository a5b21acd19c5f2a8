/* Waiting for descriptors: poll and select. */
#define _GNU_SOURCE /* POLLRDHUP */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include "machine/base/time.h"
#include "machine/linux/abi.h"
#include "machine/linux/calls.h"

/* What of `events` is ready at a file, without waiting. */
static short ready_events(const linux_open_file *file, short events)
{
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
