/* System calls for the process and the system: exit, identity, priority, random numbers, thread-local storage, limits,
 * futex. `a` are the six arguments. */
#include <errno.h>
#include <string.h>

#include "machine/base/end.h"
#include "machine/base/time.h"
#include "machine/linux/abi.h"
#include "machine/linux/calls.h"
#include "machine/load/segment.h"

int32_t linux_exit(linux_process *p, const uint32_t a[6])
{
    machine_end(p->machine, P5_END_EXIT, (int)(a[0] & 0xff));
    return 0;
}

/* Reports that there are no supplementary groups. */
int32_t linux_getgroups(linux_process *p, const uint32_t a[6])
{
    (void)p;
    return (int32_t)a[0] < 0 ? -EINVAL : 0;
}

/* Implements getresuid and getresgid: writes the real, effective and saved identity. */
int32_t linux_getresuid(linux_process *p, const uint32_t a[6])
{
    const uint32_t id = LINUX_UID;
    for (unsigned i = 0; i < 3; i++)
        if (!linux_write_user(p, a[i], &id, sizeof id))
            return -EFAULT;
    return 0;
}

/* Implements all calls that set up to three identities. A guest cannot change its identity; -1 keeps one as
 * it is. */
int32_t linux_setresuid(linux_process *p, const uint32_t a[6])
{
    (void)p;
    for (unsigned i = 0; i < 3; i++)
        if (a[i] != LINUX_UID && a[i] != UINT32_MAX)
            return -EPERM;
    return 0;
}

/* Reports that there are no children. a[3] is set for waitid, which has more options. */
int32_t linux_wait4(linux_process *p, const uint32_t a[6])
{
    enum { NOHANG = 1, UNTRACED = 2, EXITED = 4, CONTINUED = 8, NOWAIT = 0x01000000 };
    const uint32_t thread = 0xe0000000u; /* __WNOTHREAD, __WALL, __WCLONE */
    const uint32_t supported = NOHANG | UNTRACED | CONTINUED | thread | (a[3] != 0 ? EXITED | NOWAIT : 0u);
    (void)p;
    return (a[2] & ~supported) != 0 ? -EINVAL : -ECHILD;
}

/* --- nice: the guest is the only process, so this has no effect but its value --- */

/* Returns 0 if `which` (process, group or user) and `who` name the guest, otherwise -errno. */
static int32_t priority_target(uint32_t which, uint32_t who)
{
    enum { USER = 2 };
    const uint32_t own = which == USER ? LINUX_UID : LINUX_PID;
    if (which > USER)
        return -EINVAL;
    return who == 0 || who == own ? 0 : -ESRCH;
}

/* Sets the nice value, limited to LINUX_NICE_MOST. Returns `refused` if that would lower it, otherwise 0. */
static int32_t set_nice(linux_process *p, int64_t nice, int32_t refused)
{
    if (nice < p->nice)
        return refused;
    p->nice = (uint8_t)(nice < LINUX_NICE_MOST ? nice : LINUX_NICE_MOST);
    return 0;
}

int32_t linux_nice(linux_process *p, const uint32_t a[6])
{
    return set_nice(p, (int64_t)p->nice + (int32_t)a[0], -EPERM);
}

/* Returns 20 - nice, because a negative number would be an error. */
int32_t linux_getpriority(linux_process *p, const uint32_t a[6])
{
    const int32_t wrong = priority_target(a[0], a[1]);
    return wrong != 0 ? wrong : 20 - p->nice;
}

int32_t linux_setpriority(linux_process *p, const uint32_t a[6])
{
    const int32_t wrong = priority_target(a[0], a[1]);
    return wrong != 0 ? wrong : set_nice(p, (int32_t)a[2], -EACCES);
}

int32_t linux_umask(linux_process *p, const uint32_t a[6])
{
    uint32_t old = p->files.umask;
    p->files.umask = a[0] & 0777;
    return (int32_t)old;
}

int32_t linux_set_tid_address(linux_process *p, const uint32_t a[6])
{
    p->clear_tid = a[0];
    return LINUX_PID;
}

int32_t linux_uname(linux_process *p, const uint32_t a[6])
{
    enum { FIELD = 65, FIELDS = 6 };
    static const char *const fields[FIELDS] = {"Linux", "p5scope", "6.1.0", "#1", "i586", "(none)"};
    char text[FIELD * FIELDS] = {0};
    for (unsigned i = 0; i < FIELDS; i++)
        strcpy(text + i * FIELD, fields[i]);
    return linux_write_user(p, a[0], text, sizeof text) ? 0 : -EFAULT;
}

int32_t linux_sysinfo(linux_process *p, const uint32_t a[6])
{
    const linux_memory *m = &p->memory;
    /* Words of struct sysinfo. */
    enum { UPTIME, TOTAL_RAM = 4, FREE_RAM, PROCESSES = 10, MEMORY_UNIT = 13, WORDS = 16 };
    const uint32_t info[WORDS] = {
        [UPTIME] = (uint32_t)(machine_clocks_to_ns(p->machine, linux_clock(p)) / 1000000000u),
        [TOTAL_RAM] = m->frame_count * PAGE_BYTES,
        [FREE_RAM] = m->frames_free * PAGE_BYTES,
        [PROCESSES] = 1,
        [MEMORY_UNIT] = 1};
    return linux_write_user(p, a[0], info, sizeof info) ? 0 : -EFAULT;
}

int32_t linux_getrandom(linux_process *p, const uint32_t a[6])
{
    if ((a[2] & ~7u) != 0) /* GRND_*: none makes a difference */
        return -EINVAL;
    for (uint32_t done = 0; done < a[1];) {
        uint64_t number = linux_random(p);
        uint32_t part = a[1] - done < sizeof number ? a[1] - done : (uint32_t)sizeof number;
        if (!linux_write_user(p, a[0] + done, &number, part))
            return done != 0 ? (int32_t)done : -EFAULT;
        done += part;
    }
    return (int32_t)a[1];
}

/* --- Thread-local storage --- */

/* Converts a struct user_desc to a descriptor. Its words are entry_number, base_addr, limit, and the bits
 * seg_32bit, contents (2), read_exec_only, limit_in_pages, seg_not_present, useable. */
static uint64_t tls_descriptor(const uint32_t user[4])
{
    uint32_t bits = user[3];
    bool seg32 = (bits & 1) != 0, read_only = (bits >> 3 & 1) != 0, pages = (bits >> 4 & 1) != 0,
         absent = (bits >> 5 & 1) != 0;
    uint32_t contents = bits >> 1 & 3;
    bool empty = user[1] == 0 && user[2] == 0 && contents == 0 && read_only && !seg32 && !pages && absent;
    if (empty)
        return 0;
    uint32_t access = DESCRIPTOR_S | DESCRIPTOR_DPL3 | DESCRIPTOR_ACCESSED | contents << 10 |
                      (read_only ? 0u : DESCRIPTOR_WRITABLE) | (absent ? 0u : DESCRIPTOR_P) |
                      (seg32 ? DESCRIPTOR_B : 0u) | (pages ? DESCRIPTOR_G : 0u) | (bits >> 6 & 1) << 20;
    uint32_t limit = user[2] & 0xfffff;
    return segment_descriptor(
        &(engine_segment){.base = user[1], .limit = pages ? limit << 12 | 0xfff : limit, .flags = access});
}

/* Sets an entry of the GDT for thread-local storage from a struct user_desc; entry_number -1 requests a free one. */
int32_t linux_set_thread_area(linux_process *p, const uint32_t a[6])
{
    uint32_t user[4];
    if (!linux_read_user(p, a[0], user, sizeof user))
        return -EFAULT;
    uint32_t index = user[0];
    if ((user[3] >> 1 & 2) != 0)
        return -EINVAL; /* a code segment */
    if (index == 0xffffffffu) {
        for (index = LINUX_TLS_FIRST;
             index < LINUX_TLS_FIRST + LINUX_TLS_COUNT && *linux_gdt_entry(p, index) != 0; index++)
            ;
        if (index == LINUX_TLS_FIRST + LINUX_TLS_COUNT)
            return -ESRCH;
        if (!linux_write_user(p, a[0], &index, sizeof index))
            return -EFAULT;
    }
    if (index < LINUX_TLS_FIRST || index >= LINUX_TLS_FIRST + LINUX_TLS_COUNT)
        return -EINVAL;
    *linux_gdt_entry(p, index) = tls_descriptor(user);
    return 0;
}

/* --- Limits --- */

enum { LIMIT_STACK = 3, LIMIT_CORE = 4, LIMIT_NOFILE = 7, LIMITS = 16 };

/* Returns the limit of a resource (RLIMIT_*); UINT64_MAX: none. */
static uint64_t limit_of(uint32_t which)
{
    return which == LIMIT_STACK    ? LINUX_STACK_BYTES
           : which == LIMIT_CORE   ? 0
           : which == LIMIT_NOFILE ? LINUX_FILES
                                   : UINT64_MAX;
}

/* Writes the limit of a resource, or `most` if it is larger. */
static int32_t write_limit(linux_process *p, const uint32_t a[6], uint32_t most)
{
    if (a[0] >= LIMITS)
        return -EINVAL;
    uint32_t value = limit_of(a[0]) > most ? most : (uint32_t)limit_of(a[0]);
    return linux_write_user(p, a[1], (uint32_t[2]){value, value}, 8) ? 0 : -EFAULT;
}

int32_t linux_ugetrlimit(linux_process *p, const uint32_t a[6])
{
    return write_limit(p, a, UINT32_MAX);
}

/* Implements the old getrlimit, whose limits are signed. */
int32_t linux_old_getrlimit(linux_process *p, const uint32_t a[6])
{
    return write_limit(p, a, INT32_MAX);
}

/* Accepts only the limit that is in effect already, because limits cannot be changed. */
int32_t linux_setrlimit(linux_process *p, const uint32_t a[6])
{
    uint32_t set[2];
    if (a[0] >= LIMITS)
        return -EINVAL;
    if (!linux_read_user(p, a[1], set, sizeof set))
        return -EFAULT;
    return set[0] == (uint32_t)limit_of(a[0]) ? 0 : -EPERM;
}

int32_t linux_prlimit64(linux_process *p, const uint32_t a[6])
{
    if (a[0] != 0 && a[0] != LINUX_PID)
        return -ESRCH;
    if (a[1] >= LIMITS)
        return -EINVAL;
    uint64_t set[2];
    if (a[2] != 0 && !linux_read_user(p, a[2], set, sizeof set))
        return -EFAULT;
    if (a[2] != 0 && set[0] != limit_of(a[1]))
        return -EPERM; /* limits cannot be changed */
    uint64_t value = limit_of(a[1]);
    return a[3] == 0 || linux_write_user(p, a[3], (uint64_t[2]){value, value}, 16) ? 0 : -EFAULT;
}

/* --- futex: there is one thread, so only a signal or a time-out ends a wait --- */

/* Implements FUTEX_WAKE, which wakes no thread, and FUTEX_WAIT, which waits only if the word at a[0] has the expected
 * value. */
int32_t linux_futex(linux_process *p, const uint32_t a[6])
{
    enum { WAIT = 0, WAKE = 1, WAIT_BITSET = 9, WAKE_BITSET = 10, COMMAND = 0x7f };
    uint32_t command = a[1] & COMMAND, value;
    const bool wakes = command == WAKE || command == WAKE_BITSET;
    if (!wakes && command != WAIT && command != WAIT_BITSET)
        return -ENOSYS;
    uint64_t until = UINT64_MAX, ns;
    if (!wakes && a[3] != 0) {
        int32_t wrong = linux_get_time(p, a[3], 1, &ns);
        if (wrong != 0)
            return wrong;
        uint64_t epoch = (a[1] & 0x100 /* CLOCK_REALTIME */) != 0 ? LINUX_EPOCH_SECONDS * 1000000000ull : 0;
        if (command == WAIT_BITSET) /* an absolute time */
            until = ns > epoch ? machine_ns_to_clocks(p->machine, ns - epoch) : linux_clock(p);
        else
            until = linux_clock_after(p, ns);
    }
    if (a[0] % sizeof value != 0)
        return -EINVAL;
    if (wakes)
        return 0;
    if (!linux_read_user(p, a[0], &value, sizeof value))
        return -EFAULT;
    if (value != a[2])
        return -EAGAIN;
    if (linux_sleep_until(p, until))
        return -ETIMEDOUT;
    return a[3] != 0 ? -LINUX_ERESTARTNOHAND : -LINUX_ERESTARTSYS;
}

/* Implements prctl for the process's name only, which some C libraries set. Of a long name, the first 15 bytes are kept. */
int32_t linux_prctl(linux_process *p, const uint32_t a[6])
{
    enum { SET_NAME = 15, GET_NAME = 16 };
    if (a[0] == SET_NAME) {
        char name[16] = {0};
        int32_t length = linux_read_string(p, a[1], name, sizeof name);
        if (length == -EFAULT)
            return -EFAULT;
        name[sizeof name - 1] = '\0';
        memcpy(p->name, name, sizeof name);
        return 0;
    }
    if (a[0] == GET_NAME)
        return linux_write_user(p, a[1], p->name, sizeof p->name) ? 0 : -EFAULT;
    return -EINVAL;
}

int32_t linux_sched_getaffinity(linux_process *p, const uint32_t a[6])
{
    uint32_t one = 1;
    if (a[0] != 0 && a[0] != LINUX_PID)
        return -ESRCH;
    if (a[1] < sizeof one)
        return -EINVAL;
    return linux_write_user(p, a[2], &one, sizeof one) ? (int32_t)sizeof one : -EFAULT;
}
