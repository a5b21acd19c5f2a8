/* The timers of setitimer, by all three clocks; natively and as a guest alike. */
#include "guest.h"

enum { SIGALRM = 14, SIGVTALRM = 26, SIGPROF = 27, SA_RESTORER = 0x04000000, CALL_getitimer = 105 };
static volatile u32 caught, last_signal;

static void handler(int signal)
{
    caught++;
    last_signal = (u32)signal;
}
void restorer(void);
__asm__("restorer: popl %eax; movl $119, %eax\n\tint $0x80");

static void catch (int signal)
{
    const u32 action[5] = {(u32)handler, SA_RESTORER, (u32)restorer, 0, 0};
    CHECK(0, guest_syscall(SYS_rt_sigaction, signal, action, 0, 8));
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

int guest_main(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)argv;
    (void)envp;
    catch (SIGALRM);
    catch (SIGVTALRM);
    catch (SIGPROF);
    interval_timers();
    return guest_failures != 0;
}
