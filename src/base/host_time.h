/* The host's clock, for time-outs, progress and flushing. No count depends on it. */
#ifndef BASE_HOST_TIME_H
#define BASE_HOST_TIME_H

#include <stdint.h>

/* Returns seconds since some time in the past; never decreases. */
double host_now(void);
/* Returns the CPU time of this process in seconds. */
double host_used(void);
/* Returns whole seconds of the same clock as host_now, but is cheaper. */
int64_t host_now_whole(void);

#endif
