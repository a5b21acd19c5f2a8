/* Messages for the user. notice_once sends each message once per guest: a snapshot contains which ones were sent, so that
 * a guest that continues from it does not repeat them. */
#include "machine/base/notice.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOTICES_AT_MOST = 256 };

static void send_line(const notices *to, const char *format, va_list arguments)
{
    char line[300];
    vsnprintf(line, sizeof line, format, arguments);
    to->sink(to->context, line);
}

void notice(const notices *to, const char *format, ...)
{
    if (to->sink == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    send_line(to, format, arguments);
    va_end(arguments);
}

void notice_once(notices *to, notice_kind kind, uint32_t number, const char *format, ...)
{
    if (to->sink == NULL)
        return;
    uint64_t key = (uint64_t)kind << 32 | number;
    for (size_t i = 0; i < to->seen.count; i++)
        if (to->seen.items[i] == key)
            return;
    if (to->seen.count == NOTICES_AT_MOST || !ARRAY_ADD(&to->seen, key))
        return;
    va_list arguments;
    va_start(arguments, format);
    send_line(to, format, arguments);
    va_end(arguments);
}

void notice_free(notices *to)
{
    free(to->seen.items);
    to->seen.items = NULL;
    to->seen.count = to->seen.capacity = 0;
}

/* An item of notices.seen, as a struct because the fields of a snapshot's table are members. */
typedef struct notice_key {
    uint64_t key;
} notice_key;
const snapshot_table notice_state = {
    SNAPSHOT(notice_key, "notice", FIELD_MOST((uint64_t)NOTICE_OTHER << 32 | UINT32_MAX, key))};

void notice_transfer(notices *to, snapshot *s)
{
    snapshot_list(s, &notice_state, &to->seen.items, &to->seen.count, &to->seen.capacity, NOTICES_AT_MOST);
}

void output_begins(const p5_machine *machine, int descriptor)
{
    if (machine->output != NULL)
        machine->output(machine->output_context, descriptor);
}
