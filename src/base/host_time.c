/* Reads the host's clocks. */
#include "base/host_time.h"

#include <time.h>

/* Returns the time of a clock in seconds. */
static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double host_now(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double host_cpu_time(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

/* Returns whole seconds of host_now's clock. The coarse clock is some milliseconds late, but cheaper. */
int64_t host_now_whole(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec;
}
