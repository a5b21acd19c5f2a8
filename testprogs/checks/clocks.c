/* Clocks run by the model: sleeping takes exactly as long as asked, all clocks agree with RDTSC, CPU time
 * stands still in sleep. The program prints what it measured; the runner compares two runs. Argument: the
 * core clock in MHz. */
#include "guest.h"

enum { REALTIME, MONOTONIC, PROCESS_CPUTIME };

static u64 now(int clock)
{
    u32 time[2] = {0, 0};
    CHECK(0, guest_syscall(SYS_clock_gettime, clock, time));
    return (u64)time[0] * 1000000000u + time[1];
}

static u64 tsc(void)
{
    u32 low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (u64)high << 32 | low;
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)envp;
    u32 mhz = 0;
    for (const char *digit = argc > 1 ? argv[1] : ""; *digit != '\0'; digit++)
        mhz = mhz * 10 + (u32)(*digit - '0');
    const u64 epoch = 852681600ull * 1000000000u;
    u64 real = now(REALTIME), t0 = tsc(), m0 = now(MONOTONIC), c0 = now(PROCESS_CPUTIME);
    CHECK(1, real >= epoch && real - epoch <= m0);
    u32 nap[2] = {0, 3000000}; /* 3 ms */
    CHECK(0, guest_syscall(SYS_nanosleep, nap, 0));
    u64 c1 = now(PROCESS_CPUTIME), m1 = now(MONOTONIC), t1 = tsc();
    CHECK_RANGE(3000000, 3030000, m1 - m0);
    CHECK_RANGE(0, 30000, c1 - c0);
    u32 clocks = guest_scale((u32)(m1 - m0), mhz, 1000);
    CHECK_RANGE(clocks, clocks + 20000, t1 - t0); /* TSC = the same clock */
    u32 until[2] = {1, 0};                        /* absolute: the run is a few milliseconds old */
    CHECK(0, guest_syscall(SYS_clock_nanosleep, MONOTONIC, 1, until, 0));
    CHECK_RANGE((u64)until[0] * 1000000000u, (u64)until[0] * 1000000000u + 30000, now(MONOTONIC));
    u32 day[2], times[4];
    CHECK(0, guest_syscall(SYS_gettimeofday, day, 0));
    CHECK(852681600u + until[0], day[0]);
    CHECK(day[0], guest_syscall(SYS_time, 0));
    CHECK_RANGE(100, 101, guest_syscall(SYS_times, times));
    u32 bad[2] = {0, 1000000000};
    CHECK(-EINVAL, guest_syscall(SYS_nanosleep, bad, 0));
    CHECK(-EINVAL, guest_syscall(SYS_clock_gettime, 77, bad));
    u32 seconds = guest_syscall(SYS_alarm, 100), rest = guest_syscall(SYS_alarm, 0);
    CHECK(0, seconds);
    CHECK(100, rest);
    u8 random[16];
    CHECK(16, guest_syscall(SYS_getrandom, random, 16, 0));
    char number[24];
    guest_print(1, guest_number(number, (s64)t0));
    guest_print(1, " ");
    guest_print(1, guest_number(number, (s64)(t1 - t0)));
    guest_print(1, " ");
    guest_print(1, guest_number(number, *(s64 *)random));
    guest_print(1, "\n");
    return guest_failures != 0;
}
