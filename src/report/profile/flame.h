/* Flame graph: a frame for each function in each calling context, below the frame of its caller. The root is
 * on top. A frame's width is its cost including callees. */
#ifndef REPORT_PROFILE_FLAME_H
#define REPORT_PROFILE_FLAME_H

#include "report/profile/profile_internal.h"

typedef struct flame_frame {
    const char *name; /* valid until the next frame */
    unsigned depth;   /* 0: the root */
    uint64_t from;    /* cost to the left of the frame */
    uint64_t value;   /* inclusive cost */
    uint64_t whole;   /* the root's inclusive cost */
} flame_frame;

/* Calls `put` for every frame that is wide enough to be visible, callers first. `value` is the cost. Returns
 * false when memory is out. */
bool flame_frames(const p5_profile *p, const profile_value *value,
                  void (*put)(void *context, const flame_frame *frame), void *context);

#endif
