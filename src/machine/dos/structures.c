/* Structures of DOS in guest memory that resident programs and tools read: the list of lists, the swappable data area, and
 * InDOS in it. */
#include <string.h>

#include "machine/dos/dos_internal.h"

/* AH = 34h: Returns the address of the InDOS flag. It is always 0: no guest code runs within a call. */
dos_error dos_call_in_dos(dos *d)
{
    bios_set_pointer(&d->bios, ENGINE_EBX, DOS_DATA << 16 | (DOS_SWAPPABLE + 1));
    return DOS_OK;
}

/* Fills in the list of lists, for programs that look for a device driver, an open file or a drive in it. Its pointers lead to
 * nothing, FFFF:FFFF, and the chain of device drivers has only its head, NUL. */
void dos_lists_open(dos *d)
{
    enum { LARGEST_SECTOR = 0x10, PROTECTED_FCBS = 0x1e, BLOCK_DEVICES = 0x20, ROUTINES = 0x34 };
    static const char name[] = "NUL     ";
    uint8_t lists[ROUTINES + 1];
    const uint16_t attributes = 0x8004 /* character device, NUL */, routines = DOS_LISTS + ROUTINES;
    memset(lists, 0xff, sizeof lists);
    memcpy(lists + LARGEST_SECTOR, &(uint16_t){512}, 2);
    memset(lists + PROTECTED_FCBS, 0, 2);
    lists[BLOCK_DEVICES] = 0;
    lists[BLOCK_DEVICES + 1] = DOS_DRIVES;
    uint8_t *nul = lists + BLOCK_DEVICES + 2; /* next driver, attributes, two routines, name */
    memcpy(nul + 4, &attributes, 2);
    memcpy(nul + 6, &routines, 2);
    memcpy(nul + 8, &routines, 2);
    memcpy(nul + 10, name, 8);
    lists[ROUTINES] = 0xcb; /* RETF */
    engine_write_linear(d->engine, dos_linear(DOS_DATA, DOS_LISTS), lists, sizeof lists);
}

/* AH = 52h: Returns the list of lists, and before it the first memory control block. */
dos_error dos_call_lists(dos *d)
{
    dos_store(d, dos_linear(DOS_DATA, DOS_LISTS - 2), d->first_block);
    bios_set_pointer(&d->bios, ENGINE_EBX, DOS_DATA << 16 | DOS_LISTS);
    return DOS_OK;
}

/* Stores those fields of the swappable data area that resident programs read. The area holds the state of DOS that depends
 * on the current program. */
void dos_swappable_store(dos *d)
{
    enum { DTA = 0x0c, PSP = 0x10, DRIVE = 0x16 };
    uint32_t at = dos_linear(DOS_DATA, DOS_SWAPPABLE);
    bios_store(&d->bios, at + DTA, 4, dos_dta_pointer(d));
    dos_store(d, at + PSP, d->psp);
    bios_store(&d->bios, at + DRIVE, 1, d->drive);
}

/* AH = 5Dh: AL = 06h returns the address of the swappable data area and its two sizes; AL = 0Ah sets the error
 * that AH = 59h returns. */
dos_error dos_call_server(dos *d)
{
    enum { IN_DOS = 0x80, ALWAYS = 0x1a }; /* bytes to swap while InDOS is set, and at any time */
    switch (bios_low(&d->bios, ENGINE_EAX)) {
    case 0x06:
        dos_swappable_store(d);
        dos_set_segment(d, ENGINE_DS, DOS_DATA);
        bios_set_word(&d->bios, ENGINE_ESI, DOS_SWAPPABLE);
        bios_set_word(&d->bios, ENGINE_ECX, IN_DOS);
        bios_set_word(&d->bios, ENGINE_EDX, ALWAYS);
        return DOS_OK;
    case 0x0a:
        dos_set_extended_error(d, dos_pointer(d, ENGINE_DS, ENGINE_EDX));
        return DOS_OK;
    default:
        return DOS_NO_FUNCTION;
    }
}
