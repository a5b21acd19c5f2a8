/* The host's clocks, for time-outs, progress, flushing and polling. Nothing that is counted of the emulated machine
 * depends on them. */
#ifndef BASE_HOST_TIME_H
#define BASE_HOST_TIME_H

#include <stdint.h>

/* Returns seconds since some time in the past; never decreases. */
double host_now(void);
/* Returns the CPU time that all threads of this process have used, in seconds. */
double host_cpu_time(void);
/* Returns host_now in whole seconds. It is cheaper, but may be some milliseconds late. */
int64_t host_now_whole(void);

#endif
