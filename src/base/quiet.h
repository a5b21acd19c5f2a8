/* Writing without the signals that a thread gets when a pipe is closed or a file may not grow: only the
 * call's answer tells of it. */
#ifndef BASE_QUIET_H
#define BASE_QUIET_H

#include <signal.h>
#include <stdbool.h>

typedef struct quiet {
    sigset_t held, before, mask;
} quiet;

/* Holds SIGPIPE back, and SIGXFSZ with `limits`. */
void quiet_begin(quiet *q, bool limits);
/* `failed`: a write did, and what it has sent is dropped. errno stays as it is. */
void quiet_end(const quiet *q, bool failed);

#endif
