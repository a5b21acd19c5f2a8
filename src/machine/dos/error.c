/* INT 21h AH = 59h: what the error of the last failed call means. */
#include "machine/dos/dos_internal.h"

/* What AH = 59h says about an error: its class, what a program should do, and where it occurred. */
typedef struct error_description {
    uint16_t error;
    uint8_t class, action, locus;
} error_description;

/* Returns what MS-DOS 4.0 says about an error (ERR_TABLE_21 in its source MS_TABLE.ASM). There, each call has its own
 * locus for DOS_NO_FUNCTION and DOS_DENIED; here, only calls for files return DOS_DENIED. Errors that are not in this
 * table, such as those that a program sets with AX = 5D0Ah, get a general description. */
static error_description describe_error(uint16_t error)
{
    enum {
        NO_RESOURCES = 1,
        NOT_AUTHORISED = 3,
        BAD_CALL = 7,
        NOT_FOUND = 8,
        BAD_FORMAT = 9,
        EXISTS = 12,
        OTHER_CLASS = 13
    };
    enum { ASK_USER = 3, ABORT = 4, ABORT_AT_ONCE = 5 };
    enum { ANYWHERE = 1, ON_DISK = 2, IN_MEMORY = 5 };
    static const error_description all[] = {
        {DOS_OK, 0, 0, 0},
        {DOS_NO_FUNCTION, BAD_CALL, ABORT, ANYWHERE},
        {DOS_NO_FILE, NOT_FOUND, ASK_USER, ON_DISK},
        {DOS_NO_PATH, NOT_FOUND, ASK_USER, ON_DISK},
        {DOS_TOO_MANY_FILES, NO_RESOURCES, ABORT, ANYWHERE},
        {DOS_DENIED, NOT_AUTHORISED, ASK_USER, ON_DISK},
        {DOS_NO_HANDLE, BAD_CALL, ABORT, ANYWHERE},
        {DOS_BLOCKS_DESTROYED, BAD_CALL, ABORT_AT_ONCE, IN_MEMORY},
        {DOS_NO_MEMORY, NO_RESOURCES, ABORT, IN_MEMORY},
        {DOS_NO_BLOCK, BAD_CALL, ABORT, IN_MEMORY},
        {DOS_BAD_FORMAT, BAD_FORMAT, ASK_USER, ANYWHERE},
        {DOS_BAD_ACCESS, BAD_CALL, ABORT, ANYWHERE},
        {DOS_NO_DRIVE, NOT_FOUND, ASK_USER, ON_DISK},
        {DOS_CURRENT_DIRECTORY, NOT_AUTHORISED, ASK_USER, ON_DISK},
        {DOS_OTHER_DEVICE, OTHER_CLASS, ASK_USER, ON_DISK},
        {DOS_NO_MORE_FILES, NOT_FOUND, ASK_USER, ON_DISK},
        {DOS_EXISTS, EXISTS, ASK_USER, ON_DISK},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].error == error)
            return all[i];
    return (error_description){error, OTHER_CLASS, ABORT, ANYWHERE};
}

/* AX = 5D0Ah: Sets the error from a list of registers: AX is the error, BH and BL its class and action, and CH its
 * locus. A class of 0, which no error has, stands for the usual meaning. */
void dos_set_extended_error(dos *d, uint32_t list)
{
    enum { BX = 2, CX = 4 };
    const uint16_t meaning = dos_load(d, list + BX);
    d->last_error = dos_load(d, list);
    d->error_class = (uint8_t)(meaning >> 8);
    d->error_action = (uint8_t)meaning;
    d->error_locus = (uint8_t)(dos_load(d, list + CX) >> 8);
}

/* AH = 59h: Returns the error of the last failed call, and what it means. */
dos_error dos_call_extended_error(dos *d)
{
    const error_description is = d->error_class == 0 ? describe_error(d->last_error)
                                                     : (error_description){d->last_error, d->error_class,
                                                                           d->error_action, d->error_locus};
    bios_set_word(&d->bios, ENGINE_EAX, is.error);
    bios_set_word(&d->bios, ENGINE_EBX, (uint16_t)(is.class << 8 | is.action));
    bios_set_high(&d->bios, ENGINE_ECX, is.locus);
    return DOS_OK;
}
