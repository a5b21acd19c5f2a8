/* Work that is put aside by one thread, to be done in the same order by whoever has time: another thread
 * that would only wait otherwise, or the first one itself when there is no room for more of it. A piece of
 * work lies in a slot, which is whatever the owner keeps under that number. */
#ifndef BASE_ASIDE_H
#define BASE_ASIDE_H

#include <stdbool.h>

typedef struct aside aside;

/* `slots` pieces may lie there. `work` does the one in a slot; never two at a time. NULL: out of memory. */
aside *aside_open(unsigned slots, void (*work)(void *context, unsigned slot), void *context);
/* Nobody uses it any more. What has not been done is dropped. NULL is none. */
void aside_close(aside *a);

/* By one thread, or by several that otherwise see to it that they follow each other. */

/* The slot to fill, always the same until aside_put. If all are taken, the oldest work is done now. */
unsigned aside_slot(aside *a);
void aside_put(aside *a);
/* All of it is done when this returns. */
void aside_finish(aside *a);
/* The same if another second of the host's clock has begun since the last time: what is put aside then does
 * not wait for longer, as long as this is called now and then. */
void aside_keep_up(aside *a);

/* By any thread: does one piece. False: there is none, or another thread is at it. */
bool aside_some(aside *a);

#endif
