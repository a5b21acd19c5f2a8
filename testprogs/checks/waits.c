/* Tests what ends a waiting call: input, time, or a signal, with and without SA_RESTART. Prints a line for each, which must be the same natively and as a guest. Standard input is a pipe into which nothing is written. */
#include "guest.h"

enum {
    NONBLOCK = 04000,
    SIGUSR1 = 10,
    SIGUSR2 = 12,
    SIGPIPE = 13,
    SIGALRM = 14,
    SIGCHLD = 17,
    SIGCONT = 18,
    SIGURG = 23,
    SIGWINCH = 28
};
enum { RESTART = 0x10000000, RESTORER = 0x04000000, SIGINFO = 4, IGNORE = 1, POLLIN = 1, POLLOUT = 4 };
static char text[65536];
static volatile u32 caught, last;
static int wakes = -1;

static void say(const char *what, int value)
{
    char number[24];
    guest_print(1, what);
    guest_print(1, " = ");
    guest_print(1, guest_number(number, value));
    guest_print(1, "\n");
}
#define SAY(...) say(#__VA_ARGS__, __VA_ARGS__)

void restorer(void);
__asm__("restorer: popl %eax; movl $119, %eax\n\tint $0x80");
static void handler(int signal)
{
    caught++;
    last = (u32)signal;
    if (wakes >= 0)
        guest_syscall(SYS_write, wakes, "w", 1);
}
static void set(int signal, void *how, u32 flags)
{
    const u32 action[5] = {(u32)how, flags | RESTORER, (u32)restorer, 0, 0};
    guest_syscall(SYS_rt_sigaction, signal, action, 0, 8);
}
/* Starts a repeated alarm. On a busy host the first one may come before the call waits; the next one then ends the call. */
static void alarm_in(u32 ms)
{
    const u32 timer[4] = {0, 300000, ms / 1000, ms % 1000 * 1000};
    caught = last = 0;
    guest_syscall(SYS_setitimer, 0, timer, 0);
}
static void disarm(void)
{
    const u32 off[4] = {0, 0, 0, 0};
    guest_syscall(SYS_setitimer, 0, off, 0);
}
static void alarm_often(u32 ms)
{
    const u32 timer[4] = {0, ms * 1000, 0, ms * 1000};
    caught = last = 0;
    guest_syscall(SYS_setitimer, 0, timer, 0);
}
static u64 bit(int signal)
{
    return 1ull << (signal - 1);
}
static int polled(int fd, int events, int ms)
{
    struct {
        int fd;
        u16 events, revents;
    } w = {fd, (u16)events, 0x5555};
    int r = guest_syscall(SYS_poll, &w, 1, ms);
    return r * 1000 + w.revents;
}
static int selected(int fd, u32 sec, u32 usec, u32 *left)
{
    u32 set_[32] = {0}, tv[2] = {sec, usec};
    set_[fd / 32] = 1u << fd % 32;
    int r = guest_syscall(142, fd + 1, set_, 0, 0, tv);
    left[0] = tv[0];
    left[1] = tv[1];
    return r;
}

static void reads(int in)
{
    int ends[2];
    u32 iov[2] = {(u32)text, 10};
    SAY(guest_syscall(SYS_pipe, ends));
    set(SIGALRM, handler, 0);
    alarm_in(30);
    SAY(guest_syscall(SYS_read, in, text, 10));
    disarm();
    SAY(caught != 0);
    alarm_in(30);
    SAY(guest_syscall(SYS_readv, in, iov, 1));
    disarm();
    alarm_in(30);
    SAY(guest_syscall(SYS_read, ends[0], text, 10));
    disarm();
    SAY(caught != 0);
    wakes = ends[1];
    alarm_in(30);
    SAY(guest_syscall(SYS_read, ends[0], text, 10)); /* not restarted, although there is input now */
    disarm();
    SAY(guest_syscall(SYS_read, ends[0], text, 10));
    set(SIGALRM, handler, RESTART);
    alarm_in(30);
    SAY(guest_syscall(SYS_read, ends[0], text, 10)); /* restarted, and finds what the handler wrote */
    disarm();
    SAY(caught != 0);
    alarm_in(30);
    SAY(guest_syscall(SYS_readv, ends[0], iov, 1));
    disarm();
    wakes = -1;
    SAY(guest_syscall(SYS_fcntl64, ends[0], 4, NONBLOCK));
    SAY(guest_syscall(SYS_read, ends[0], text, 10));
    SAY(guest_syscall(SYS_read, ends[0], text, 0));
    SAY(guest_syscall(SYS_fcntl64, ends[0], 4, 0));
    set(SIGALRM, handler, 0);
    /* a pipe that is full */
    int done = 0;
    SAY(done = guest_syscall(SYS_write, ends[1], text, sizeof text));
    alarm_in(30);
    SAY(guest_syscall(SYS_write, ends[1], text, 1));
    disarm();
    SAY(caught != 0);
    SAY(guest_syscall(SYS_read, ends[0], text, 4096));
    alarm_in(30);
    SAY(guest_syscall(SYS_write, ends[1], text, 10000));
    disarm();
    SAY(caught != 0);
    SAY(guest_syscall(SYS_fcntl64, ends[1], 4, NONBLOCK));
    SAY(guest_syscall(SYS_write, ends[1], text, 1));
    SAY(polled(ends[1], POLLOUT, 0));
    SAY(polled(ends[0], POLLIN, 0));
    SAY(guest_syscall(SYS_close, ends[1]));
    SAY(polled(ends[0], POLLIN, 0));
    SAY(guest_syscall(SYS_close, ends[0]));
}

static void pauses(void)
{
    u64 none = 0, alarm = bit(SIGALRM), old = 0;
    set(SIGALRM, handler, RESTART);
    alarm_in(20);
    SAY(guest_syscall(SYS_pause)); /* whatever SA_RESTART says */
    disarm();
    SAY(caught != 0);
    SAY(guest_syscall(SYS_rt_sigprocmask, 0, &alarm, 0, 8));
    alarm_in(20);
    SAY(guest_syscall(SYS_rt_sigsuspend, &none, 8));
    disarm();
    SAY(caught != 0);
    alarm_in(20);
    SAY(guest_syscall(72, 0, 0, 0));
    disarm();
    SAY(caught != 0);
    SAY(guest_syscall(SYS_rt_sigprocmask, 1, &alarm, &old, 8));
    SAY(old == alarm);
    u32 second[2] = {2, 0}, left[2] = {77, 77};
    alarm_in(20);
    SAY(guest_syscall(SYS_nanosleep, second, left));
    disarm();
    SAY(left[0] == 1);
    left[0] = left[1] = 77;
    u32 shortest[2] = {0, 1000};
    SAY(guest_syscall(SYS_nanosleep, shortest, left));
    SAY(left[0]);
    u32 now[2], until[2];
    guest_syscall(SYS_clock_gettime, 1, now);
    until[0] = now[0] + 2, until[1] = now[1];
    alarm_in(20);
    SAY(guest_syscall(SYS_clock_nanosleep, 1, 1, until, left));
    disarm();
    SAY(left[0]);
    until[0] = now[0] - (now[0] != 0), until[1] = 0;
    SAY(guest_syscall(SYS_clock_nanosleep, 1, 1, until, left));
    /* a signal that is ignored ends nothing */
    set(SIGALRM, (void *)IGNORE, 0);
    alarm_often(5);
    u32 a_little[2] = {0, 40000000};
    SAY(guest_syscall(SYS_nanosleep, a_little, 0));
    disarm();
    SAY(guest_syscall(SYS_alarm, 5));
    SAY(guest_syscall(SYS_alarm, 3));
    SAY(guest_syscall(SYS_alarm, 0));
    SAY(guest_syscall(SYS_alarm, 0));
}

static void polls(int in)
{
    u32 left[2];
    int ends[2];
    u64 mask = bit(SIGALRM), none = 0;
    u32 ms[2] = {0, 20000000}, wait[2] = {2, 0};
    guest_syscall(SYS_pipe, ends);
    set(SIGALRM, handler, RESTART);
    SAY(polled(in, POLLIN, 0));
    SAY(polled(in, POLLIN, 10));
    SAY(polled(ends[0], POLLIN, 10));
    SAY(polled(ends[1], POLLOUT, 10));
    SAY(polled(-1, POLLIN, 10));
    SAY(polled(99, POLLIN, 10));
    SAY(polled(ends[0], POLLOUT, 0));
    SAY(polled(ends[1], POLLIN, 0));
    alarm_in(30);
    SAY(polled(in, POLLIN, 2000));
    disarm();
    SAY(caught != 0);
    alarm_in(30);
    SAY(polled(in, POLLIN, -1));
    disarm();
    alarm_in(30);
    SAY(polled(ends[0], POLLIN, -1));
    disarm();
    alarm_in(30);
    SAY(guest_syscall(SYS_poll, 0, 0, -1));
    disarm();
    SAY(guest_syscall(SYS_poll, 0, 0, 10));
    alarm_in(30);
    SAY(selected(in, 2, 0, left));
    disarm();
    SAY(left[0] == 1);
    SAY(selected(in, 0, 10000, left));
    SAY((int)(left[0] + left[1]));
    SAY(selected(
        50, 0, 10000,
        left)); /* A closed descriptor: EBADF. Linux does not look at descriptors from 64 upward before one of them was open. */
    SAY(selected(ends[0], 0, 10000, left));
    guest_syscall(SYS_write, ends[1], "x", 1);
    SAY(selected(ends[0], 1, 0, left));
    SAY(left[0] == 1 || left[1] > 900000);
    SAY(polled(ends[0], POLLIN, -1));
    SAY(selected(ends[0], 0, 1500000, left));
    SAY(left[0] == 1);
    /* masks: the signal comes while the call waits, and not before */
    set(SIGALRM, handler, 0);
    SAY(guest_syscall(SYS_rt_sigprocmask, 0, &mask, 0, 8));
    alarm_in(5);
    SAY(guest_syscall(SYS_nanosleep, ms, 0));
    SAY(caught != 0);
    SAY(guest_syscall(309, 0, 0, wait, &none, 8));
    SAY(caught != 0);
    alarm_in(5);
    guest_syscall(SYS_nanosleep, ms, 0);
    struct {
        const u64 *set;
        u32 size;
    } with = {&none, 8};
    wait[0] = 2, wait[1] = 0;
    SAY(guest_syscall(308, 0, 0, 0, 0, wait, &with));
    SAY(caught != 0);
    SAY(guest_syscall(SYS_rt_sigprocmask, 1, &mask, 0, 8));
    u32 some[2] = {0, 20000000};
    alarm_in(5);
    SAY(guest_syscall(309, 0, 0, some, &mask, 8)); /* blocked meanwhile */
    disarm();
    SAY(caught != 0);
    guest_syscall(SYS_close, ends[0]);
    guest_syscall(SYS_close, ends[1]);
}

static int futex(const void *word, int command, u32 value, const u32 *time)
{
    return guest_syscall(240, word, command, value, time, 0, 1);
}

static void futexes(void)
{
    enum { WAIT = 0, WAKE = 1, WAIT_BITSET = 9, WAKE_BITSET = 10, PRIVATE = 128 };
    static const u32 word[2] = {5, 5};
    const u32 soon[2] = {0, 1000000}, later[2] = {2, 0}, much[2] = {0, 1000000000}, past[2] = {0, 1};
    const u8 *odd = (const u8 *)word + 1;
    SAY(futex(word, WAIT, 4, soon));
    SAY(futex(word, WAIT, 5, soon));
    SAY(futex(word, WAIT | PRIVATE, 5, soon));
    SAY(futex(word, WAIT_BITSET, 5, past));
    SAY(futex(word, WAIT, 4, much));
    SAY(futex(word, WAIT, 4, (const u32 *)16));
    SAY(futex((const void *)16, WAIT, 5, soon));
    SAY(futex(odd, WAIT, 4, soon));
    SAY(futex(odd, WAKE, 1, 0));
    SAY(futex(word, WAKE, 1, (const u32 *)16));
    SAY(futex(word, WAKE_BITSET, 1, 0));
    SAY(futex(word, 77, 5, 0));
    set(SIGALRM, handler, RESTART);
    alarm_in(20);
    SAY(futex(word, WAIT, 5, later));
    disarm();
    SAY(caught != 0);
    set(SIGALRM, handler, 0);
    alarm_in(20);
    SAY(futex(word, WAIT, 5, 0));
    disarm();
    SAY(caught != 0);
}

static void taken(void)
{
    static const int ignored[] = {SIGCHLD, SIGURG, SIGWINCH, SIGCONT};
    u64 set_ = 0, usr = bit(SIGUSR1), both = bit(SIGUSR1) | bit(SIGUSR2), pending = 0;
    u32 now[2] = {0, 0}, info[32], ms[2] = {0, 20000000};
    int self = guest_syscall(SYS_getpid);
    for (u32 i = 0; i < 4; i++) {
        set_ = bit(ignored[i]);
        SAY(guest_syscall(SYS_rt_sigprocmask, 0, &set_, 0, 8));
        SAY(guest_syscall(SYS_kill, self, ignored[i]));
        SAY(guest_syscall(SYS_rt_sigpending, &pending, 8));
        SAY(pending == set_);
        SAY(guest_syscall(177, &set_, info, now, 8));
        SAY((int)info[0]);
        SAY(guest_syscall(177, &set_, info, now, 8));
        guest_syscall(SYS_kill, self, ignored[i]);
        SAY(guest_syscall(SYS_rt_sigprocmask, 1, &set_, 0, 8));
        SAY(guest_syscall(SYS_rt_sigpending, &pending, 8));
        SAY(pending == 0);
    }
    /* blocked, and waited for while it comes */
    set_ = bit(SIGALRM);
    guest_syscall(SYS_rt_sigprocmask, 0, &set_, 0, 8);
    alarm_in(20);
    SAY(guest_syscall(177, &set_, info, 0, 8));
    disarm();
    SAY((int)info[2] == 0x80);
    SAY(caught != 0);
    SAY(guest_syscall(177, &set_, info, ms, 8));
    /* two at once: the lower first */
    guest_syscall(SYS_rt_sigprocmask, 0, &both, 0, 8);
    guest_syscall(SYS_kill, self, SIGUSR2);
    guest_syscall(SYS_kill, self, SIGUSR1);
    guest_syscall(SYS_kill, self, SIGUSR1);
    SAY(guest_syscall(177, &both, 0, 0, 8));
    SAY(guest_syscall(177, &both, 0, 0, 8));
    SAY(guest_syscall(177, &both, 0, now, 8));
    /* another signal comes, with a handler */
    set(SIGALRM, handler, RESTART);
    guest_syscall(SYS_rt_sigprocmask, 1, &set_, 0, 8);
    alarm_in(20);
    SAY(guest_syscall(177, &usr, 0, 0, 8));
    disarm();
    SAY(caught != 0);
    /* ignored explicitly: dropped although it is waited for, unless it is blocked */
    set(SIGUSR1, (void *)IGNORE, 0);
    guest_syscall(SYS_kill, self, SIGUSR1);
    SAY(guest_syscall(177, &usr, 0, now, 8));
    guest_syscall(SYS_rt_sigprocmask, 1, &both, 0, 8);
    guest_syscall(SYS_kill, self, SIGUSR1);
    SAY(guest_syscall(177, &usr, 0, now, 8));
    /* pending, and then ignored */
    set(SIGUSR1, handler, 0);
    guest_syscall(SYS_rt_sigprocmask, 0, &usr, 0, 8);
    guest_syscall(SYS_kill, self, SIGUSR1);
    set(SIGUSR1, (void *)IGNORE, 0);
    SAY(guest_syscall(SYS_rt_sigpending, &pending, 8));
    SAY((int)pending);
    guest_syscall(SYS_rt_sigprocmask, 1, &usr, 0, 8);
}

static void caught_signals(void)
{
    u64 usr;
    int self = guest_syscall(SYS_getpid);
    caught = 0;
    set(SIGPIPE, handler, 0);
    int ends[2];
    guest_syscall(SYS_pipe, ends);
    guest_syscall(SYS_close, ends[0]);
    SAY(guest_syscall(SYS_write, ends[1], text, 10));
    SAY((int)caught);
    SAY((int)last);
    u32 iov[4] = {(u32)text, 1, (u32)text, 1};
    SAY(guest_syscall(SYS_writev, ends[1], iov, 2));
    SAY((int)caught);
    SAY(polled(ends[1], POLLOUT, 0));
    guest_syscall(SYS_close, ends[1]);
    /* real-time signals are queued */
    set(34, handler, 0);
    usr = bit(34);
    guest_syscall(SYS_rt_sigprocmask, 0, &usr, 0, 8);
    caught = 0;
    for (u32 i = 0; i < 3; i++)
        guest_syscall(SYS_kill, self, 34);
    guest_syscall(SYS_rt_sigprocmask, 1, &usr, 0, 8);
    SAY((int)caught);
    caught = 0;
    set(SIGUSR1, handler, 0x80000000u | RESTART);
    guest_syscall(SYS_kill, self, SIGUSR1);
    SAY((int)caught);
    u32 action[5];
    guest_syscall(SYS_rt_sigaction, SIGUSR1, 0, action, 8);
    SAY((int)action[0]);
}

/* Waits for exceptions of a standard input that hung up. There are none, so the time-out ends the calls. */
static void hung_up(void)
{
    u32 set_[32] = {1}, tv[2] = {0, 20000};
    SAY(guest_syscall(142, 1, 0, 0, set_, tv));
    SAY(polled(0, 0, 20));
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)argv;
    (void)envp;
    if (argc > 2) {
        hung_up();
        return 0;
    }
    reads(0);
    pauses();
    polls(0);
    futexes();
    taken();
    caught_signals();
    set(SIGALRM, 0, 0); /* the default action ends the program in its wait */
    alarm_in(20);
    SAY(guest_syscall(SYS_read, 0, text, 10));
    return 0;
}
