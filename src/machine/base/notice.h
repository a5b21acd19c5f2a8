/* Messages for the user. */
#ifndef MACHINE_BASE_NOTICE_H
#define MACHINE_BASE_NOTICE_H

#include "machine/state.h"

/* What a notice's number is: a port, a system call or DOS function, or any number that no other notice uses. Equal
 * numbers of different kinds are distinct. */
typedef enum notice_kind { NOTICE_PORT, NOTICE_SYSCALL, NOTICE_OTHER } notice_kind;

/* Sends a line to the host's callback (p5_machine_options.notice), which may be NULL. */
void notice(const notices *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sends a line unless one with the same kind and number has been sent. A guest can choose the numbers, so no
 * more are sent after a few hundred different ones. */
void notice_once(notices *to, notice_kind kind, uint32_t number, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void notice_free(notices *to);
/* Calls p5_machine_on_output's callback before the guest's output goes to the host's descriptor 1 or 2. */
void output_begins(const p5_machine *machine, int descriptor);
/* Saves or loads, in a snapshot, which lines have been sent. */
void notice_transfer(notices *to, snapshot *s);
extern const snapshot_table notice_state;

#endif
