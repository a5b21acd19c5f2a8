/* INT 21h AH = 59h, which returns what the error of the last failed call means, and AX = 5D0Ah, which sets it. */
#include "machine/dos/dos_internal.h"

/* What AH = 59h says about an error: its class, what a program should do, and where it occurred. */
typedef struct error_description {
    uint16_t error;
    uint8_t class, action, locus;
} error_description;

/* Returns what MS-DOS 4.0 says about an error (ERR_TABLE_21 in its source MS_TABLE.ASM). There, DOS_NO_FUNCTION and
 * DOS_DENIED have the locus that the failed call sets. Here it is unknown for DOS_NO_FUNCTION, and the disk for DOS_DENIED,
 * which only calls for files return. An error that no call of this DOS returns, but that a program has set with AX =
 * 5D0Ah, gets a general description. */
static error_description describe_error(uint16_t error)
{
    enum {
        NO_RESOURCES = 1,
        NOT_AUTHORISED = 3,
        BAD_CALL = 7,
        NOT_FOUND = 8,
        BAD_FORMAT = 9,
        EXISTS = 12,
        UNKNOWN_CLASS = 13
    };
    enum { ASK_USER = 3, ABORT = 4, ABORT_AT_ONCE = 5 };
    enum { UNKNOWN_PLACE = 1, ON_DISK = 2, IN_MEMORY = 5 };
    static const error_description all[] = {
        {DOS_OK, 0, 0, 0}, /* no call has failed */
        {DOS_NO_FUNCTION, BAD_CALL, ABORT, UNKNOWN_PLACE},
        {DOS_NO_FILE, NOT_FOUND, ASK_USER, ON_DISK},
        {DOS_NO_PATH, NOT_FOUND, ASK_USER, ON_DISK},
        {DOS_TOO_MANY_FILES, NO_RESOURCES, ABORT, UNKNOWN_PLACE},
        {DOS_DENIED, NOT_AUTHORISED, ASK_USER, ON_DISK},
        {DOS_NO_HANDLE, BAD_CALL, ABORT, UNKNOWN_PLACE},
        {DOS_BLOCKS_DESTROYED, BAD_CALL, ABORT_AT_ONCE, IN_MEMORY},
        {DOS_NO_MEMORY, NO_RESOURCES, ABORT, IN_MEMORY},
        {DOS_NO_BLOCK, BAD_CALL, ABORT, IN_MEMORY},
        {DOS_BAD_FORMAT, BAD_FORMAT, ASK_USER, UNKNOWN_PLACE},
        {DOS_BAD_ACCESS, BAD_CALL, ABORT, UNKNOWN_PLACE},
        {DOS_NO_DRIVE, NOT_FOUND, ASK_USER, ON_DISK},
        {DOS_CURRENT_DIRECTORY, NOT_AUTHORISED, ASK_USER, ON_DISK},
        {DOS_OTHER_DEVICE, UNKNOWN_CLASS, ASK_USER, ON_DISK},
        {DOS_NO_MORE_FILES, NOT_FOUND, ASK_USER, ON_DISK},
        {DOS_EXISTS, EXISTS, ASK_USER, ON_DISK},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].error == error)
            return all[i];
    return (error_description){error, UNKNOWN_CLASS, ABORT, UNKNOWN_PLACE};
}

/* AX = 5D0Ah: Sets the error from the list of registers at linear address `list`: AX is the error, BH and BL its class
 * and action, and CH its locus. If the class is 0, which no error has, AH = 59h returns the error's usual meaning. */
void dos_set_extended_error(dos *d, uint32_t list)
{
    enum { BX = 2, CX = 4 };
    const uint16_t bx = dos_load(d, list + BX);
    d->last_error = dos_load(d, list);
    d->error_class = (uint8_t)(bx >> 8);
    d->error_action = (uint8_t)bx;
    d->error_locus = (uint8_t)(dos_load(d, list + CX) >> 8);
}

/* AH = 59h: Returns the error of the last failed call, and what it means. */
dos_error dos_call_extended_error(dos *d)
{
    const error_description last = d->error_class == 0 ? describe_error(d->last_error)
                                                       : (error_description){d->last_error, d->error_class,
                                                                             d->error_action, d->error_locus};
    bios_set_word(&d->bios, ENGINE_EAX, last.error);
    bios_set_word(&d->bios, ENGINE_EBX, (uint16_t)(last.class << 8 | last.action));
    bios_set_high(&d->bios, ENGINE_ECX, last.locus);
    return DOS_OK;
}
