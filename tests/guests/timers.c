/* Timers: of setitimer by all three clocks, and of timer_create; natively and as a guest alike. */
#include "guest.h"

enum {
    SIGALRM = 14,
    SIGUSR1 = 10,
    SIGVTALRM = 26,
    SIGPROF = 27,
    SA_SIGINFO = 4,
    SA_RESTORER = 0x04000000,
    CALL_getitimer = 105,
    CALL_timer_create = 259,
    CALL_timer_settime,
    CALL_timer_gettime,
    CALL_timer_getoverrun,
    CALL_timer_delete,
    CALL_timer_settime64 = 409,
    REALTIME = 0,
    MONOTONIC = 1,
    CPU_TIME = 2,
    ABSOLUTE = 1,
    MILLISECOND = 1000000
};
static volatile u32 caught, last_signal, last_code, last_value, last_id;

static void handler(int signal, const u32 *info, void *context)
{
    (void)context;
    caught++;
    last_signal = (u32)signal;
    last_code = info[2];
    last_id = info[3];
    last_value = info[5];
}
void restorer(void);
__asm__("restorer: movl $173, %eax\n\tint $0x80");

static void catch (int signal)
{
    const u32 action[5] = {(u32)handler, SA_SIGINFO | SA_RESTORER, (u32)restorer, 0, 0};
    CHECK(0, guest_syscall(SYS_rt_sigaction, signal, action, 0, 8));
}

/* A wait that a signal ends; it comes, or the program never does. */
static void wait_asleep(u32 count)
{
    while (caught < count)
        CHECK(-EINTR, guest_syscall(SYS_pause));
}
static void wait_busy(u32 count)
{
    while (caught < count)
        __asm__ volatile("" : : : "memory");
}

static void interval_timers(void)
{
    static const u32 signals[3] = {SIGALRM, SIGVTALRM, SIGPROF};
    const u32 often[4] = {0, 2000, 0, 3000}, off[4] = {0, 0, 0, 0};
    u32 left[4];
    for (u32 which = 0; which < 3; which++) {
        caught = 0;
        CHECK(0, guest_syscall(SYS_setitimer, which, often, 0));
        CHECK(0, guest_syscall(CALL_getitimer, which, left));
        CHECK_RANGE(2000, 10000, left[1]); /* a kernel may round to its ticks */
        CHECK_RANGE(1, 10000, left[3]);
        wait_busy(3);
        CHECK(0, guest_syscall(SYS_setitimer, which, off, left));
        CHECK(signals[which], last_signal);
        CHECK(0, guest_syscall(CALL_getitimer, which, left));
        CHECK(0, left[3]);
    }
    CHECK(-EINVAL, guest_syscall(SYS_setitimer, 3, off, 0));
}

static void made_timers(void)
{
    const u32 event[16] = {0x1234, SIGUSR1, 0, 0}, none[16] = {0, 0, 1, 0}, wrong[16] = {0, 99, 0, 0};
    const u32 once[4] = {0, 0, 0, 2 * MILLISECOND}, often[4] = {0, MILLISECOND, 0, MILLISECOND};
    const u32 wide[8] = {0, 0, 0, 0, 0, 0, 2 * MILLISECOND, 0}, off[4] = {0, 0, 0, 0};
    u32 a, b, c, left[4], now[2];
    CHECK(0, guest_syscall(CALL_timer_create, MONOTONIC, event, &a));
    CHECK(0, guest_syscall(CALL_timer_create, REALTIME, none, &b));
    CHECK(0, guest_syscall(CALL_timer_create, MONOTONIC, 0, &c));
    CHECK(1, a != b && b != c);
    CHECK(-EINVAL, guest_syscall(CALL_timer_create, MONOTONIC, wrong, &a));
    CHECK(-EINVAL, guest_syscall(CALL_timer_create, 77, event, &a));
    caught = 0;
    CHECK(0, guest_syscall(CALL_timer_settime, a, 0, once, 0));
    CHECK(0, guest_syscall(CALL_timer_gettime, a, left));
    CHECK_RANGE(caught ? 0 : 1, 2 * MILLISECOND, left[3]); /* a slow host may have come to its end */
    CHECK(0, left[1]);
    wait_asleep(1);
    CHECK(SIGUSR1, last_signal);
    CHECK(-2, (int)last_code); /* SI_TIMER */
    CHECK(0x1234, last_value);
    CHECK(a, last_id);
    CHECK(0, guest_syscall(CALL_timer_gettime, a, left));
    CHECK(0, left[3]);
    CHECK(0, guest_syscall(CALL_timer_settime, a, 0, often, 0));
    wait_asleep(4);
    CHECK_RANGE(0, 1000, guest_syscall(CALL_timer_getoverrun, a));
    CHECK(0, guest_syscall(CALL_timer_settime, a, 0, off, left));
    CHECK(MILLISECOND, left[1]);

    CHECK(0, guest_syscall(SYS_clock_gettime, MONOTONIC, now)); /* already over: at once */
    caught = 0;
    const u32 past[4] = {0, 0, now[0], now[1] + 1};
    CHECK(0, guest_syscall(CALL_timer_settime, c, ABSOLUTE, past, 0));
    wait_asleep(1);
    CHECK(SIGALRM, last_signal);
    CHECK(c, last_value);
    caught = 0;
    CHECK(0, guest_syscall(CALL_timer_settime64, c, 0, wide, 0));
    wait_asleep(1);

    CHECK(0, guest_syscall(CALL_timer_settime, b, 0, once, 0)); /* nobody is told */
    do
        CHECK(0, guest_syscall(CALL_timer_gettime, b, left));
    while (left[3] != 0);
    CHECK(1, caught);
    CHECK(0, guest_syscall(CALL_timer_delete, a));
    CHECK(-EINVAL, guest_syscall(CALL_timer_delete, a));
    CHECK(-EINVAL, guest_syscall(CALL_timer_gettime, a, left));
    CHECK(0, guest_syscall(CALL_timer_delete, b));
    CHECK(0, guest_syscall(CALL_timer_delete, c));

    CHECK(0, guest_syscall(CALL_timer_create, CPU_TIME, event, &a)); /* does not pass asleep */
    caught = 0;
    CHECK(0, guest_syscall(CALL_timer_settime, a, 0, once, 0));
    const u32 longer[2] = {0, 20 * MILLISECOND};
    CHECK(0, guest_syscall(SYS_nanosleep, longer, 0));
    CHECK(0, caught);
    wait_busy(1);
    CHECK(0, guest_syscall(CALL_timer_delete, a));
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)argv;
    (void)envp;
    catch (SIGALRM);
    catch (SIGUSR1);
    catch (SIGVTALRM);
    catch (SIGPROF);
    interval_timers();
    made_timers();
    return guest_failures != 0;
}
