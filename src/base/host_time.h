/* The host's clock: for time-outs, progress and flushing. Nothing that is counted depends on it. */
#ifndef BASE_HOST_TIME_H
#define BASE_HOST_TIME_H

#include <stdint.h>

/* Seconds since some time in the past; never goes back. */
double host_now(void);
/* Seconds of the host's processors that this process has used. */
double host_used(void);
/* The same in whole seconds, cheaper. */
int64_t host_now_whole(void);

#endif
