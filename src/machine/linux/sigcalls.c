/* System calls for signals. `a` are the six arguments. A set of signals has bit n - 1 for signal n. */
#include <errno.h>
#include <signal.h>

#include "machine/linux/abi.h"
#include "machine/linux/calls.h"

/* Sets a signal's action, and drops pending ones that it ignores. Returns 0 or -errno. */
static int32_t action_set(linux_process *p, uint32_t signal, const linux_action *action)
{
    linux_signals *s = &p->signals;
    if (signal == SIGKILL || signal == SIGSTOP)
        return -EINVAL;
    s->actions[signal] = *action;
    s->actions[signal].mask &= ~LINUX_UNBLOCKABLE;
    if (linux_signal_ignored(s, (int)signal))
        linux_drop_signal(s, (int)signal);
    return 0;
}

/* Gets and sets a signal's action. struct sigaction is handler, flags, restorer and a mask of two words. If a[5] is set
 * (the old sigaction), it is handler, mask, flags and restorer, and there are 31 signals. */
int32_t linux_rt_sigaction(linux_process *p, const uint32_t a[6])
{
    const bool old_call = a[5] != 0;
    const size_t size = old_call ? 16 : 20;
    if (a[0] < 1 || a[0] > (old_call ? 31 : LINUX_SIGNALS) || (!old_call && a[3] != sizeof(uint64_t)))
        return -EINVAL;
    const linux_action was = p->signals.actions[a[0]];
    if (a[1] != 0) {
        uint32_t new[5];
        if (!linux_read_user(p, a[1], new, size))
            return -EFAULT;
        const linux_action action =
            old_call ? (linux_action){new[0], new[2], new[3], new[1]}
                     : (linux_action){new[0], new[1], new[2], (uint64_t) new[4] << 32 | new[3]};
        int32_t wrong = action_set(p, a[0], &action);
        if (wrong != 0)
            return wrong;
    }
    const uint32_t low = (uint32_t)was.mask;
    const uint32_t report[5] = {was.handler, was.flags, was.restorer, low, (uint32_t)(was.mask >> 32)};
    const uint32_t old_report[4] = {was.handler, low, was.flags, was.restorer};
    return a[2] == 0 || linux_write_user(p, a[2], old_call ? old_report : report, size) ? 0 : -EFAULT;
}

/* Implements signal. The handler runs once, and then the default action is in effect again. */
int32_t linux_signal_call(linux_process *p, const uint32_t a[6])
{
    if (a[0] < 1 || a[0] > 31)
        return -EINVAL;
    uint32_t old = p->signals.actions[a[0]].handler;
    int32_t wrong =
        action_set(p, a[0], &(linux_action){.handler = a[1], .flags = LINUX_SA_RESETHAND | LINUX_SA_NODEFER});
    return wrong != 0 ? wrong : (int32_t)old;
}

/* Changes the blocked signals by the set, as `how` (SIG_BLOCK etc.) says. Returns 0 or -EINVAL. */
static int32_t mask_change(linux_process *p, uint32_t how, uint64_t set)
{
    uint64_t *blocked = &p->signals.blocked;
    switch (how) {
    case 0: /* SIG_BLOCK */
        *blocked |= set;
        break;
    case 1: /* SIG_UNBLOCK */
        *blocked &= ~set;
        break;
    case 2: /* SIG_SETMASK */
        *blocked = set;
        break;
    default:
        return -EINVAL;
    }
    *blocked &= ~LINUX_UNBLOCKABLE;
    return 0;
}

/* Changes the blocked signals by a set of 64 signals. If a[5] is set (sigprocmask), the set has the first 32 signals, and
 * the others stay unchanged. */
int32_t linux_rt_sigprocmask(linux_process *p, const uint32_t a[6])
{
    enum { SET = 2 };
    const bool old_call = a[5] != 0;
    const size_t size = old_call ? sizeof(uint32_t) : sizeof(uint64_t);
    uint64_t old = p->signals.blocked, set = old_call && a[0] == SET ? old & ~0xffffffffull : 0;
    if (!old_call && a[3] != size)
        return -EINVAL;
    if (a[1] != 0) {
        if (!linux_read_user(p, a[1], &set, size))
            return -EFAULT;
        int32_t wrong = mask_change(p, a[0], set);
        if (wrong != 0)
            return wrong;
    }
    return a[2] == 0 || linux_write_user(p, a[2], &old, size) ? 0 : -EFAULT;
}

int32_t linux_rt_sigpending(linux_process *p, const uint32_t a[6])
{
    uint64_t waiting = p->signals.pending & p->signals.blocked;
    if (a[1] > sizeof waiting)
        return -EINVAL;
    return linux_write_user(p, a[0], &waiting, a[1]) ? 0 : -EFAULT;
}

int32_t linux_wait_mask(linux_process *p, uint32_t address, uint32_t size)
{
    uint64_t mask;
    if (address == 0)
        return 0;
    if (size != sizeof mask)
        return -EINVAL;
    if (!linux_read_user(p, address, &mask, sizeof mask))
        return -EFAULT;
    p->signals.saved_mask = p->signals.blocked;
    p->signals.mask_saved = true;
    p->signals.blocked = mask & ~LINUX_UNBLOCKABLE;
    return 0;
}

int32_t linux_rt_sigsuspend(linux_process *p, const uint32_t a[6])
{
    int32_t wrong = a[0] == 0 ? -EFAULT : linux_wait_mask(p, a[0], a[1]);
    if (wrong != 0)
        return wrong;
    linux_sleep_until(p, UINT64_MAX);
    return -LINUX_ERESTARTNOHAND;
}

/* Implements the old call, which passes the mask of the first 32 signals in a register. */
int32_t linux_sigsuspend(linux_process *p, const uint32_t a[6])
{
    p->signals.saved_mask = p->signals.blocked;
    p->signals.mask_saved = true;
    p->signals.blocked = (p->signals.blocked & ~UINT64_C(0xffffffff)) | (a[2] & ~LINUX_UNBLOCKABLE);
    linux_sleep_until(p, UINT64_MAX);
    return -LINUX_ERESTARTNOHAND;
}

/* Waits for a signal of a set, and takes it without running its handler. A time-out of zero does not wait. */
int32_t linux_rt_sigtimedwait(linux_process *p, const uint32_t a[6])
{
    uint64_t set, ns = 0, until = UINT64_MAX;
    if (a[3] != sizeof set)
        return -EINVAL;
    if (!linux_read_user(p, a[0], &set, sizeof set))
        return -EFAULT;
    if (a[2] != 0) {
        int32_t wrong = linux_get_time(p, a[2], 1, &ns);
        if (wrong != 0)
            return wrong;
        until = linux_clock_after(p, ns);
    }
    uint64_t blocked = p->signals.blocked;
    p->signals.awaited = blocked;
    p->signals.blocked &= ~set;
    linux_sleep_until(p, until);
    p->signals.blocked = blocked;
    p->signals.awaited = 0;
    uint64_t ready = p->signals.pending & set;
    if (ready == 0)
        return linux_signal_waits(p) ? -EINTR : -EAGAIN;
    int signal = __builtin_ctzll(ready) + 1;
    const linux_siginfo info = linux_take_signal(&p->signals, signal);
    int32_t report[32] = {
        info.signo, 0, info.code, (int32_t)info.value[0], (int32_t)info.value[1], (int32_t)info.value[2]};
    return a[1] == 0 || linux_write_user(p, a[1], report, sizeof report) ? signal : -EFAULT;
}

int32_t linux_sigaltstack(linux_process *p, const uint32_t a[6])
{
    enum { MINSIGSTKSZ_I386 = 2048 };
    linux_signals *s = &p->signals;
    uint32_t old[3] = {s->stack, linux_signal_stack_flags(p), s->stack_size};
    if (a[0] != 0) {
        uint32_t new[3]; /* ss_sp, ss_flags, ss_size */
        if (!linux_read_user(p, a[0], new, sizeof new))
            return -EFAULT;
        if (linux_on_signal_stack(p))
            return -EPERM;
        if ((new[1] & ~(uint32_t)(LINUX_SS_ONSTACK | LINUX_SS_DISABLE)) != 0)
            return -EINVAL;
        if ((new[1] & LINUX_SS_DISABLE) == 0 && new[2] < MINSIGSTKSZ_I386)
            return -ENOMEM;
        s->stack = new[0];
        s->stack_size = (new[1] & LINUX_SS_DISABLE) != 0 ? 0 : new[2];
    }
    return a[1] == 0 || linux_write_user(p, a[1], old, sizeof old) ? 0 : -EFAULT;
}

/* Raises a signal that the guest sends to itself. Signal 0 only checks that the process exists. */
static int32_t signal_send(linux_process *p, uint32_t signal, int32_t code)
{
    if (signal > LINUX_SIGNALS)
        return -EINVAL;
    if (signal != 0)
        linux_raise(p, &(linux_siginfo){(int32_t)signal, code, {LINUX_PID, LINUX_UID}});
    return 0;
}

int32_t linux_kill(linux_process *p, const uint32_t a[6])
{
    int32_t pid = (int32_t)a[0];
    if (pid != LINUX_PID && pid != 0 && pid != -LINUX_PID)
        return pid == -1 ? -EPERM : -ESRCH;
    return signal_send(p, a[1], LINUX_SI_USER);
}

int32_t linux_rt_sigqueueinfo(linux_process *p, const uint32_t a[6])
{
    int32_t from[6]; /* signo, errno, code, pid, uid, value */
    if (!linux_read_user(p, a[2], from, sizeof from))
        return -EFAULT;
    if (a[0] != LINUX_PID)
        return -ESRCH;
    if (a[1] > LINUX_SIGNALS)
        return -EINVAL;
    if (a[1] != 0)
        linux_raise(p, &(linux_siginfo){(int32_t)a[1],
                                        from[2],
                                        {(uint32_t)from[3], (uint32_t)from[4], (uint32_t)from[5]}});
    return 0;
}

int32_t linux_rt_tgsigqueueinfo(linux_process *p, const uint32_t a[6])
{
    return a[0] == LINUX_PID ? linux_rt_sigqueueinfo(p, a + 1) : -ESRCH;
}

int32_t linux_tgkill(linux_process *p, const uint32_t a[6])
{
    if ((int32_t)a[0] <= 0 || (int32_t)a[1] <= 0)
        return -EINVAL;
    return a[0] == LINUX_PID && a[1] == LINUX_PID ? signal_send(p, a[2], LINUX_SI_TKILL) : -ESRCH;
}
