/* Messages for the user: each distinct line once. */
#ifndef MACHINE_BASE_NOTICE_H
#define MACHINE_BASE_NOTICE_H

#include "machine/state.h"

/* Kinds of keys, so that numbers of different areas do not meet. */
typedef enum notice_kind { NOTICE_PORT, NOTICE_SYSCALL, NOTICE_OTHER } notice_kind;

/* Sends a line unless one of the same kind and number has been sent. A guest can choose the numbers: after a
 * few hundred different ones no more are sent. */
void notice_once(notices *to, notice_kind kind, uint32_t number, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void notice_free(notices *to);
/* Tells p5_machine_on_output's callback that the guest's output goes to the host's descriptor 1 or 2. */
void output_begins(const p5_machine *machine, int descriptor);
/* Which lines have been sent, in a snapshot, in either direction. */
void notice_transfer(notices *to, snapshot *s);
extern const snapshot_table notice_state;

#endif
