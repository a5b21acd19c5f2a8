/* The flame graph: calling contexts as frames whose width is their cost with everything called, the root on
 * top. */
#ifndef REPORT_PROFILE_FLAME_H
#define REPORT_PROFILE_FLAME_H

#include "report/profile/profile_internal.h"

typedef struct flame_frame {
    const char *name; /* valid until the next frame */
    unsigned depth;   /* 0: the root */
    uint64_t from;    /* cost to the left of it */
    uint64_t value;   /* its own, with everything called */
    uint64_t whole;   /* the root's */
} flame_frame;

/* Calls `put` for every frame that is wide enough to be seen, callers first. False: out of memory. */
bool flame_frames(const p5_profile *p, const profile_value *value,
                  void (*put)(void *context, const flame_frame *frame), void *context);

#endif
