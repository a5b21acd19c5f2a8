/* Signals: raising them, converting faults to signals, and delivering them on the return to the user. */
#include <signal.h>
#include <string.h>

#include "machine/base/end.h"
#include "machine/base/notice.h"
#include "machine/run/debug.h"
#include "machine/linux/linux_internal.h"
#include "machine/linux/abi.h"

bool linux_signal_waits(const linux_process *p)
{
    return (p->signals.pending & ~p->signals.blocked) != 0;
}

bool linux_signal_ignored(const linux_signals *s, int signal)
{
    bool by_default = signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
    uint32_t handler = s->actions[signal].handler;
    return handler == LINUX_SIG_IGN || (handler == LINUX_SIG_DFL && by_default);
}

/* Makes a signal pending, unless it is ignored and neither blocked nor awaited (rt_sigtimedwait). A real-time signal that
 * is pending already is queued, or lost if the queue is full. */
void linux_raise(linux_process *p, const linux_siginfo *info)
{
    linux_signals *s = &p->signals;
    uint64_t bit = LINUX_SIGBIT(info->signo);
    if (linux_signal_ignored(s, info->signo) && ((s->blocked | s->awaited) & bit) == 0)
        return;
    if ((s->pending & bit) == 0)
        s->info[info->signo] = *info;
    else if (info->signo >= LINUX_REAL_TIME && s->queued < LINUX_QUEUED)
        s->queue[s->queued++] = *info;
    s->pending |= bit;
}

/* Removes one instance of a pending signal. The next queued one with its number takes its place. */
linux_siginfo linux_take_signal(linux_signals *s, int signal)
{
    linux_siginfo taken = s->info[signal];
    uint32_t i = 0;
    while (i < s->queued && s->queue[i].signo != signal)
        i++;
    if (i == s->queued) {
        s->pending &= ~LINUX_SIGBIT(signal);
        return taken;
    }
    s->info[signal] = s->queue[i];
    memmove(s->queue + i, s->queue + i + 1, (--s->queued - i) * sizeof s->queue[0]);
    return taken;
}

void linux_drop_signal(linux_signals *s, int signal)
{
    while ((s->pending & LINUX_SIGBIT(signal)) != 0)
        linux_take_signal(s, signal);
}

/* Raises a signal that the program cannot avoid: if it blocks or ignores the signal, the default action follows. */
static void signal_force(linux_process *p, const linux_siginfo *info)
{
    linux_signals *s = &p->signals;
    uint64_t bit = LINUX_SIGBIT(info->signo);
    if ((s->blocked & bit) != 0 || s->actions[info->signo].handler == LINUX_SIG_IGN) {
        s->actions[info->signo].handler = LINUX_SIG_DFL;
        s->blocked &= ~bit;
    }
    s->pending |= bit;
    s->info[info->signo] = *info;
}

/* Returns the si_code of #MF: that of the first unmasked exception in the status word, in the order in which the kernel
 * checks them. */
static int32_t x87_error(linux_process *p)
{
    static const struct {
        unsigned bit;
        int32_t code;
    } order[] = {{1 << 0, LINUX_FPE_FLTINV},          /* IE */
                 {1 << 2, LINUX_FPE_FLTDIV},          /* ZE */
                 {1 << 3, LINUX_FPE_FLTOVF},          /* OE */
                 {1 << 1 | 1 << 4, LINUX_FPE_FLTUND}, /* DE, UE */
                 {1 << 5, LINUX_FPE_FLTRES}};         /* PE */
    uint8_t image[108];
    engine_get_x87(p->engine, image);
    unsigned unmasked = image[4] & ~(unsigned)image[0];
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++)
        if ((unmasked & order[i].bit) != 0)
            return order[i].code;
    return 0;
}

/* Returns the signal of a page fault: SIGBUS after the end of a mapped file, else SIGSEGV. Bit 1 of the error code is set
 * for a write. */
static linux_siginfo page_fault_signal(linux_process *p, uint32_t error_code)
{
    uint32_t address = p->signals.cr2;
    const linux_region *region = address < LINUX_TASK_SIZE ? linux_region_at(p, address) : NULL;
    linux_siginfo info = {SIGSEGV, LINUX_SEGV_MAPERR, {address}};
    if (region == NULL)
        return info;
    bool write = (error_code & 2) != 0;
    bool allowed = write ? (region->protection & LINUX_PROT_WRITE) != 0 : region->protection != 0;
    if (allowed && address >= region->backed_end)
        return (linux_siginfo){SIGBUS, LINUX_BUS_ADRERR, {address}};
    info.code = LINUX_SEGV_ACCERR;
    return info;
}

/* Returns true for a #DB with DR6.BS, and clears the bit as the kernel does. ICEBP sets no bit in DR6. */
static bool single_stepped(linux_process *p)
{
    uint32_t dr6 = engine_get_debug(p->engine, 6);
    engine_set_debug(p->engine, 6, dr6 & ~(uint32_t)DR6_BS);
    return (dr6 & DR6_BS) != 0;
}

/* Raises the signal of a fault of the user's code, as assigned in arch/x86/kernel/traps.c. Without a row in the table, it
 * is SIGSEGV. */
void linux_fault(linux_process *p, unsigned vector, uint32_t error_code)
{
    static const struct {
        uint8_t vector, signal;
        bool at_eip; /* si_addr is the address of the instruction */
        int32_t code;
    } usual[] = {
        {VECTOR_DE, SIGFPE, true, LINUX_FPE_INTDIV},  {VECTOR_DB, SIGTRAP, true, LINUX_TRAP_BRKPT},
        {VECTOR_BP, SIGTRAP, false, LINUX_SI_KERNEL}, {VECTOR_UD, SIGILL, true, LINUX_ILL_ILLOPN},
        {VECTOR_NP, SIGBUS, false, LINUX_SI_KERNEL}, /* IRET with a bad selector, bad segment loads */
        {VECTOR_SS, SIGBUS, false, LINUX_SI_KERNEL},  {VECTOR_MF, SIGFPE, true, 0},
        {VECTOR_AC, SIGBUS, false, LINUX_BUS_ADRALN},
    };
    linux_siginfo info = {SIGSEGV, LINUX_SI_KERNEL, {0}};
    p->signals.trap = vector;
    p->signals.error_code = error_code;
    for (unsigned i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (usual[i].vector == vector)
            info = (linux_siginfo){usual[i].signal, usual[i].code, {usual[i].at_eip ? p->registers.eip : 0}};
    if (vector == VECTOR_DB && single_stepped(p))
        info.code = LINUX_TRAP_TRACE;
    if (vector == VECTOR_MF)
        info.code = x87_error(p);
    if (vector == VECTOR_PF) {
        p->signals.cr2 = engine_get(p->engine, ENGINE_CR2);
        info = page_fault_signal(p, error_code);
    }
    signal_force(p, &info);
}

/* --- Delivery --- */

/* Returns the signal to deliver next. Signals of faults come first, because their frames must show the
 * faulting state. */
static int signal_next(const linux_signals *s)
{
    const uint64_t synchronous = LINUX_SIGBIT(SIGSEGV) | LINUX_SIGBIT(SIGBUS) | LINUX_SIGBIT(SIGILL) |
                                 LINUX_SIGBIT(SIGTRAP) | LINUX_SIGBIT(SIGFPE) | LINUX_SIGBIT(SIGSYS);
    uint64_t ready = s->pending & ~s->blocked;
    if ((ready & synchronous) != 0)
        ready &= synchronous;
    return __builtin_ctzll(ready) + 1;
}

/* Ends the guest by a signal, with the status that a shell would report. */
static void signal_kills(linux_process *p, int signal)
{
    machine_end(p->machine, P5_END_SIGNAL, 128 + signal);
    p->machine->result.signal = signal;
    machine_end_at(p->machine, p->registers.eip);
    if (signal == SIGSEGV && (p->signals.info[signal].code == LINUX_SEGV_MAPERR ||
                              p->signals.info[signal].code == LINUX_SEGV_ACCERR))
        machine_end_message(p->machine, "%s address %08Xh",
                            (p->signals.error_code & 2) != 0 ? "write to" : "access to",
                            p->signals.info[signal].value[0]);
    if (signal == SIGSEGV && !p->machine->options.pce && machine_is_rdpmc(p->machine, p->registers.eip))
        machine_end_message(p->machine, "RDPMC faults at CPL 3 while CR4.PCE is clear; --pce sets it");
    const machine_elsewhere *elsewhere = NULL;
    if (signal == SIGILL && p->signals.info[signal].code == LINUX_ILL_ILLOPN)
        elsewhere = machine_lacks(p->machine, p->registers.eip);
    if (elsewhere != NULL)
        machine_end_message(p->machine, "%s; %s", elsewhere->of, elsewhere->remedy);
}

void linux_end_by_signal(p5_machine *machine, int signal)
{
    signal_kills(machine->guest_state, signal);
}

/* Makes INT 80h execute again, with the call's number in EAX. Without this, an interrupted call returns EINTR. */
static void call_again(linux_process *p)
{
    enum { INT_BYTES = 2 };
    p->registers.eax = p->call;
    p->registers.eip -= INT_BYTES;
    p->interrupted = 0;
}

/* Makes the user continue in a signal's handler, and restarts an interrupted call after it if the action requests
 * that. */
static void signal_handle(linux_process *p, int signal, const linux_siginfo *info)
{
    linux_signals *s = &p->signals;
    linux_action action = s->actions[signal];
    uint64_t mask = s->mask_saved ? s->saved_mask : s->blocked;
    s->mask_saved = false;
    if ((action.flags & LINUX_SA_RESETHAND) != 0)
        s->actions[signal].handler = LINUX_SIG_DFL;
    if (p->interrupted == LINUX_ERESTARTSYS && (action.flags & LINUX_SA_RESTART) != 0)
        call_again(p);
    p->interrupted = 0;
    if (!linux_frame_push(p, signal, &action, info, mask)) {
        s->actions[SIGSEGV].handler = LINUX_SIG_DFL; /* there is no stack on which to report it */
        s->info[SIGSEGV] = (linux_siginfo){SIGSEGV, LINUX_SI_KERNEL, {0}};
        signal_kills(p, SIGSEGV);
        return;
    }
    s->blocked |= action.mask;
    if ((action.flags & LINUX_SA_NODEFER) == 0)
        s->blocked |= LINUX_SIGBIT(signal);
    s->blocked &= ~LINUX_UNBLOCKABLE;
}

void linux_deliver_signals(linux_process *p)
{
    linux_signals *s = &p->signals;
    while (linux_signal_waits(p) && !p->machine->ended) {
        int signal = signal_next(s);
        const linux_siginfo info = linux_take_signal(s, signal);
        if (linux_signal_ignored(s, signal))
            continue;
        if (s->actions[signal].handler != LINUX_SIG_DFL)
            signal_handle(p, signal, &info);
        else if (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU)
            notice_once(&p->machine->notices, NOTICE_OTHER, (uint32_t)signal,
                        "stop signal %d is ignored, because no other process could continue the guest",
                        signal);
        else if (p->machine->debugger != NULL) {
            debug_signal(p->machine, signal); /* pauses the guest; the debugger decides about the signal */
            break;
        } else
            signal_kills(p, signal);
    }
    if (s->mask_saved) { /* no handler has run */
        s->blocked = s->saved_mask;
        s->mask_saved = false;
    }
    if (p->interrupted != 0 && !p->machine->ended)
        call_again(p);
}
