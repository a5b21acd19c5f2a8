/* The host's clock, for progress lines and times of runs. */
#ifndef CLI_HOST_CLOCK_H
#define CLI_HOST_CLOCK_H

#include <time.h>

/* Returns the seconds since an arbitrary time in the past; never decreases. */
static inline double host_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
