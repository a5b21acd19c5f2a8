/* Signals: every fault is the right one with the right address, handlers see the state and change it,
 * sigreturn restores everything. */
#include "guest.h"

enum {
    SIGHUP = 1,
    SIGILL = 4,
    SIGTRAP = 5,
    SIGBUS = 7,
    SIGFPE = 8,
    SIGUSR1 = 10,
    SIGSEGV = 11,
    SIGUSR2 = 12,
    SIGPIPE = 13,
    SIGALRM = 14,
    SIGCHLD = 17
};
enum { SA_SIGINFO = 4, SA_RESTORER = 0x04000000, SA_ONSTACK = 0x08000000, SA_NODEFER = 0x40000000 };
#define SA_RESETHAND 0x80000000u

struct sigaction {
    void *handler;
    u32 flags;
    void *restorer;
    u32 mask[2];
};
struct siginfo {
    int signo, error, code;
    u32 address;
    u32 rest[28];
};
struct sigcontext {
    u32 gs, fs, es, ds, edi, esi, ebp, esp, ebx, edx, ecx, eax, trap, error, eip, cs, eflags, esp_at_signal,
        ss, x87, oldmask, cr2;
};
struct ucontext {
    u32 flags, link, stack, stack_flags, stack_size;
    struct sigcontext context;
    u32 mask[2];
};

void guest_restorer(void);
void guest_rt_restorer(void);

/* What the last handler saw, and where it sends the program. */
static struct {
    int count, signo, code;
    u32 address, eip, trap, error, cr2;
} seen;
static u32 resume;
static int self; /* process number */

static void handler_info(int signal, struct siginfo *info, struct ucontext *context)
{
    seen.count++;
    seen.signo = signal == info->signo ? signal : -1;
    seen.code = info->code;
    seen.address = info->address;
    seen.eip = context->context.eip;
    seen.trap = context->context.trap;
    seen.error = context->context.error;
    seen.cr2 = context->context.cr2;
    if (resume != 0)
        context->context.eip = resume;
    context->context.eflags &= ~0x100u; /* TF */
}

static void install(int signal, void *handler, u32 flags)
{
    struct sigaction action = {handler,
                               flags | SA_RESTORER,
                               (flags & SA_SIGINFO) != 0 ? (void *)guest_rt_restorer : (void *)guest_restorer,
                               {0, 0}};
    CHECK(0, guest_syscall(SYS_rt_sigaction, signal, &action, 0, 8));
}

/* Runs `code`, an instruction that faults at the label 1; the handler continues after it, at 2. */
#define FAULT(text)                                                                                          \
    ({                                                                                                       \
        u32 at_, next_;                                                                                      \
        seen.count = seen.signo = seen.code = 0;                                                             \
        __asm__ volatile("movl $2f, %1\n\tmovl %1, %2\n\tmovl $1f, %0\n1:\t" text "\n2:\n\tmovl $1b, %0\n\t" \
                         : "=&r"(at_), "=&r"(next_), "=m"(resume)                                            \
                         :                                                                                   \
                         : "eax", "ecx", "edx", "memory", "cc");                                             \
        (void)next_;                                                                                         \
        at_;                                                                                                 \
    })

static const u32 read_only = 5;

typedef struct expected_signal {
    int signo, code;
    u32 address, eip, trap, error;
} expected_signal;

/* Reports what differs from the expected signal of the instruction at `at`. */
static void check_fault(int line, u32 at, expected_signal expected)
{
    if (seen.count != 1)
        guest_report(__FILE__, line, "handler calls", 1, seen.count);
    if (seen.signo != expected.signo)
        guest_report(__FILE__, line, "signal", expected.signo, seen.signo);
    if (seen.code != expected.code)
        guest_report(__FILE__, line, "si_code", expected.code, seen.code);
    if (seen.address != expected.address)
        guest_report(__FILE__, line, "si_addr", expected.address, seen.address);
    if (seen.eip != expected.eip)
        guest_report(__FILE__, line, "EIP", expected.eip - at, (s64)seen.eip - at);
    if (seen.trap != expected.trap)
        guest_report(__FILE__, line, "trap number", expected.trap, seen.trap);
    if (seen.error != expected.error)
        guest_report(__FILE__, line, "error code", expected.error, seen.error);
}

static void faults(void)
{
    static const int signals[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV};
    u32 at;
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
        install(signals[i], handler_info, SA_SIGINFO);

    at = FAULT("movl 0x10, %%eax");
    check_fault(__LINE__, at, (expected_signal){SIGSEGV, 1 /* MAPERR */, 0x10, at, 14, 4 /* user */});
    CHECK(0x10, seen.cr2);
    at = FAULT("movl $1, read_only_address");
    check_fault(
        __LINE__, at,
        (expected_signal){SIGSEGV, 2 /* ACCERR */, (u32)&read_only, at, 14, 7 /* present, write, user */});
    at = FAULT("movl 0xc0000000, %%eax"); /* the kernel's */
    check_fault(__LINE__, at, (expected_signal){SIGSEGV, 1, 0xc0000000u, at, 14, 5});
    at = FAULT("xorl %%ecx, %%ecx\n1:\tdivl %%ecx");
    check_fault(__LINE__, at, (expected_signal){SIGFPE, 1 /* INTDIV */, at, at, 0, 0});
    at = FAULT("ud2");
    check_fault(__LINE__, at, (expected_signal){SIGILL, 2 /* ILLOPN */, at, at, 6, 0});
    at = FAULT(".byte 0x0f, 0xff");
    check_fault(__LINE__, at, (expected_signal){SIGILL, 2, at, at, 6, 0});
    at = FAULT("int3");
    check_fault(__LINE__, at, (expected_signal){SIGTRAP, 0x80 /* KERNEL */, 0, at + 1, 3, 0});
    at = FAULT("hlt");
    check_fault(__LINE__, at, (expected_signal){SIGSEGV, 0x80, 0, at, 13, 0});
    at = FAULT("cli");
    check_fault(__LINE__, at, (expected_signal){SIGSEGV, 0x80, 0, at, 13, 0});
    at = FAULT("inb $0x80, %%al");
    check_fault(__LINE__, at, (expected_signal){SIGSEGV, 0x80, 0, at, 13, 0});
    at = FAULT("int $0x81"); /* a gate that users may not use: error code = vector * 8 + 2 */
    check_fault(__LINE__, at, (expected_signal){SIGSEGV, 0x80, 0, at, 13, 0x81 * 8 + 2});
    at = FAULT("movb $0x7f, %%al\n\taddb $1, %%al\n1:\tinto");
    check_fault(__LINE__, at, (expected_signal){SIGSEGV, 0x80, 0, at + 1, 4, 0});
    at = FAULT("movl $7, %%eax\n1:\tboundl %%eax, bound_limits");
    check_fault(__LINE__, at, (expected_signal){SIGSEGV, 0x80, 0, at, 5, 0});
    at = FAULT("movl $0x58, %%eax\n1:\tmovl %%eax, %%fs"); /* a selector without a descriptor behind it: not
                                                              in use */
    check_fault(__LINE__, at, (expected_signal){SIGSEGV, 0x80, 0, at, 13, 0x58});
    /* single step: the trap comes after the instruction that follows POPF */
    at = FAULT("pushfl\n\torl $0x100, (%%esp)\n\tpopfl\n\tnop\n1:\tnop");
    check_fault(__LINE__, at, (expected_signal){SIGTRAP, 2 /* TRACE */, at, at, 1, 0});
    /* x87: 1/0 with the exception unmasked; the fault comes at the next waiting instruction */
    at = FAULT("fninit\n\tfldcw x87_unmasked\n\tfldz\n\tfld1\n\tfdivp\n1:\tfwait");
    check_fault(__LINE__, at, (expected_signal){SIGFPE, 3 /* FLTDIV */, at, at, 16, 0});
    __asm__ volatile("fninit");
    resume = 0;
}
__asm__(".section .rodata\n"
        "x87_unmasked: .word 0x37b\n"
        "x87_double: .word 0x27f\n"
        ".balign 4\nbound_limits: .long 1, 6\n"
        ".set read_only_address, read_only\n"
        ".text\n");

/* --- registers come back --- */

static volatile int plain_calls, nested_calls;
static volatile u32 handler_esp;

static void handler_plain(int signal)
{
    plain_calls += signal == SIGUSR1;
    u32 here;
    handler_esp = (u32)&here;
    /* destroy what a handler may destroy */
    __asm__ volatile("fninit\n\tfldz\n\tfldz\n\tstd\n\tcld" ::: "memory");
}

void guest_registers(u32 out[8], int pid);

static void registers(void)
{
    const u32 expected[7] = {0, (u32)self, 10, 0x11112222, 0x33334444, 0x55556666, 0x77778888};
    enum { CARRY = 1, DIRECTION = 0x400 };
    u32 found[8];
    double number;
    u16 control;
    install(SIGUSR1, handler_plain, 0);
    plain_calls = 0;
    __asm__ volatile("fninit\n\tfldcw x87_double\n\tfld1");
    guest_registers(found, self);
    __asm__ volatile("fstpl %0\n\tfnstcw %1\n\tfninit" : "=m"(number), "=m"(control));
    CHECK(1, plain_calls);
    for (unsigned i = 0; i < 7; i++)
        CHECK(expected[i], found[i]);
    CHECK(CARRY | DIRECTION, found[7] & (CARRY | DIRECTION));
    CHECK(1, number == 1.0);
    CHECK(0x27f, control);
}

/* --- a handler changes the x87 state --- */

static void handler_masks_x87(int signal, struct siginfo *info, struct ucontext *context)
{
    u32 *x87 = (u32 *)context->context.x87; /* control word, status word ... */
    (void)signal;
    (void)info;
    seen.count++;
    x87[0] |= 0xe0bf; /* all exceptions masked, and bits that do not exist */
    if (seen.count > 1)
        x87[1] = 0; /* it came again; without this it would come forever */
}

/* The exception is not pending any more: ES follows from the flags and the masks. */
static void x87_masked(void)
{
    u16 control, status;
    install(SIGFPE, handler_masks_x87, SA_SIGINFO);
    seen.count = 0;
    __asm__ volatile("fninit\n\tfldcw x87_unmasked\n\tfldz\n\tfld1\n\tfdivp\n\tfwait\n\t"
                     "fnstcw %0\n\tfnstsw %1\n\tfninit"
                     : "=m"(control), "=m"(status)
                     :
                     : "memory");
    CHECK(1, seen.count);
    CHECK(0x37f, control);
    CHECK(0x3004, status); /* ZE; two registers are in use, because the division did not complete */
}

/* --- masks, nesting, one-shot, alternate stack --- */

static void handler_nested(int signal, struct siginfo *info, struct ucontext *context)
{
    u32 pending[2] = {0, 0};
    (void)info;
    (void)context;
    nested_calls = nested_calls * 10 + (signal == SIGUSR1 ? 1 : 2);
    if (signal == SIGUSR1) {
        guest_syscall(SYS_kill, self, SIGUSR1); /* blocked while its handler runs */
        guest_syscall(SYS_rt_sigpending, pending, 8);
        CHECK(nested_calls < 100 ? 1u << (SIGUSR1 - 1) : 0, nested_calls < 100 ? pending[0] : 0);
        guest_syscall(SYS_kill, self, SIGUSR2); /* not blocked: runs here */
        nested_calls = nested_calls * 10 + 3;
        if (nested_calls > 100)
            install(SIGUSR1, (void *)1 /* SIG_IGN */, 0);
    }
}

static void masks(void)
{
    u32 block[2] = {1u << (SIGUSR1 - 1), 0}, old[2], pending[2];
    install(SIGUSR1, handler_nested, SA_SIGINFO);
    install(SIGUSR2, handler_nested, SA_SIGINFO);
    nested_calls = 0;
    CHECK(0, guest_syscall(SYS_rt_sigprocmask, 0, block, old, 8));
    CHECK(0, guest_syscall(SYS_tgkill, self, self, SIGUSR1));
    CHECK(0, nested_calls);
    CHECK(0, guest_syscall(SYS_rt_sigpending, pending, 8));
    CHECK(block[0], pending[0]);
    CHECK(0, guest_syscall(SYS_rt_sigprocmask, 2, old, 0, 8));
    CHECK(123, nested_calls); /* 1, within it 2, then 1's end; the second SIGUSR1 was ignored by then */
    plain_calls = 0;
    install(SIGUSR1, handler_plain, SA_RESETHAND);
    guest_syscall(SYS_kill, self, SIGUSR1);
    struct sigaction now;
    CHECK(0, guest_syscall(SYS_rt_sigaction, SIGUSR1, 0, &now, 8));
    CHECK(1, plain_calls);
    CHECK(0, (u32)now.handler);
    CHECK(-EINVAL, guest_syscall(SYS_rt_sigaction, 9, &now, 0, 8));
    CHECK(0, guest_syscall(SYS_kill, self, SIGCHLD)); /* ignored by default */
    CHECK(0, guest_syscall(SYS_kill, self, 0));
    CHECK(-3, guest_syscall(SYS_kill, 999, SIGUSR1));
}

static void alternate_stack(void)
{
    static u8 stack[16384];
    u32 new[3] = {(u32)stack, 0, sizeof stack}, old[3];
    CHECK(0, guest_syscall(SYS_sigaltstack, new, old));
    CHECK(2 /* SS_DISABLE */, old[1]);
    install(SIGUSR1, handler_plain, SA_ONSTACK);
    guest_syscall(SYS_kill, self, SIGUSR1);
    CHECK(1, handler_esp >= (u32)stack && handler_esp < (u32)stack + sizeof stack);
    install(SIGUSR1, handler_plain, 0);
    guest_syscall(SYS_kill, self, SIGUSR1);
    CHECK(0, handler_esp >= (u32)stack && handler_esp < (u32)stack + sizeof stack);
    new[2] = 2047; /* MINSIGSTKSZ - 1 */
    CHECK(-12 /* ENOMEM */, guest_syscall(SYS_sigaltstack, new, 0));
    new[1] = 2;
    CHECK(0, guest_syscall(SYS_sigaltstack, new, 0));
}

/* --- timers --- */

static volatile int alarms;

static void handler_alarm(int signal)
{
    alarms += signal == SIGALRM;
}

static void timers(void)
{
    install(SIGALRM, handler_alarm, 0);
    u32 timer[4] = {0, 1000, 0, 500}; /* first after 0.5 ms, then every 1 ms */
    alarms = 0;
    CHECK(0, guest_syscall(SYS_setitimer, 0, timer, 0));
    u32 before[2], after[2], rounds = 0;
    guest_syscall(SYS_clock_gettime, 1, before);
    while (alarms < 5) /* a loop without system calls: only the timer interrupt can end it */
        rounds++;
    guest_syscall(SYS_clock_gettime, 1, after);
    CHECK_RANGE(4500000, 4520000, (s64)(after[1] - before[1]) + (s64)(after[0] - before[0]) * 1000000000);
    CHECK(1, rounds > 1000);
    u32 off[4] = {0, 0, 0, 0}, left[4];
    CHECK(0, guest_syscall(SYS_setitimer, 0, off, left));
    CHECK(1000, left[1]);
    /* pause and sleep are ended by the alarm */
    timer[1] = 0;
    alarms = 0;
    CHECK(0, guest_syscall(SYS_setitimer, 0, timer, 0));
    CHECK(-EINTR, guest_syscall(SYS_pause));
    CHECK(1, alarms);
    u32 second[2] = {1, 0}, remaining[2] = {7, 7};
    CHECK(0, guest_syscall(SYS_setitimer, 0, timer, 0));
    CHECK(-EINTR, guest_syscall(SYS_nanosleep, second, remaining));
    CHECK(2, alarms);
    CHECK(0, remaining[0]);
    CHECK_RANGE(999480000, 999520000, remaining[1]);
    /* sigsuspend opens the mask only while it waits */
    u32 block[2] = {1u << (SIGALRM - 1), 0}, none[2] = {0, 0}, mask[2] = {0, 0};
    CHECK(0, guest_syscall(SYS_rt_sigprocmask, 2, block, 0, 8));
    CHECK(0, guest_syscall(SYS_setitimer, 0, timer, 0));
    CHECK(-EINTR, guest_syscall(SYS_rt_sigsuspend, none, 8));
    CHECK(3, alarms);
    CHECK(0, guest_syscall(SYS_rt_sigprocmask, 2, none, mask, 8));
    CHECK(block[0], mask[0]);
}

static void pipes(void)
{
    int ends[2];
    install(SIGPIPE, handler_alarm, 0);
    CHECK(0, guest_syscall(SYS_pipe, ends));
    guest_syscall(SYS_close, ends[0]);
    CHECK(-EPIPE, guest_syscall(SYS_write, ends[1], "x", 1)); /* must not reach the emulator itself */
    guest_syscall(SYS_close, ends[1]);
}

/* Without SA_RESTORER the kernel supplies the code to which a handler returns. */
static void without_restorer(void)
{
    for (u32 rt = 0; rt < 2; rt++) {
        struct sigaction action = {
            rt ? (void *)handler_info : (void *)handler_plain, rt ? SA_SIGINFO : 0, 0, {0, 0}};
        CHECK(0, guest_syscall(SYS_rt_sigaction, SIGUSR1, &action, 0, 8));
        resume = 0;
        seen.count = 0;
        const int before = plain_calls;
        CHECK(0, guest_syscall(SYS_kill, self, SIGUSR1));
        CHECK(1, rt ? seen.count : plain_calls - before);
    }
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)argv;
    (void)envp;
    self = guest_syscall(SYS_getpid);
    faults();
    registers();
    x87_masked();
    masks();
    without_restorer();
    alternate_stack();
    timers();
    pipes();
    return guest_failures != 0;
}
