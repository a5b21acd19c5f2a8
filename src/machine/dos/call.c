/* Dispatches the DOS interrupts 20h, 21h, 27h, 29h, 2Fh and 33h, and implements the short functions of INT 21h,
 * whose arguments and results are in the guest's registers. bios_low, bios_high and bios_word read AL, AH and AX or the
 * like; bios_load and bios_store access guest memory. */
#include <string.h>

#include "machine/base/notice.h"
#include "machine/base/time.h"
#include "machine/dos/dos_internal.h"

enum { VERSION_MAJOR = 6, VERSION_MINOR = 22 };
enum { FIRST_WITH_CARRY = 0x38 }; /* functions from this AH on report errors in the carry flag */

bool dos_text(const dos *d, uint32_t linear, char *text, size_t capacity)
{
    for (size_t i = 0; i < capacity; i++) {
        text[i] = (char)bios_load(&d->bios, linear + (uint32_t)i, 1);
        if (text[i] == '\0')
            return true;
    }
    text[capacity - 1] = '\0';
    return false;
}

/* --- drives, vectors, time --- */

/* AH = 0Eh: Selects the drive in DL (0 is A:) if it exists. Returns the number of drive letters in AL. */
static dos_error drive_select(dos *d)
{
    if (dos_drive_there(d, bios_low(&d->bios, ENGINE_EDX)))
        d->drive = bios_low(&d->bios, ENGINE_EDX);
    bios_set_low(&d->bios, ENGINE_EAX, DOS_DRIVES);
    return DOS_OK;
}

/* AH = 19h: Returns the current drive in AL. */
static dos_error drive_get(dos *d)
{
    bios_set_low(&d->bios, ENGINE_EAX, d->drive);
    return DOS_OK;
}

/* The disk of each drive: 1 GB in clusters of 32 KB, and half full. */
enum { CLUSTER_SECTORS = 64, SECTOR_BYTES = 512, CLUSTERS = 0x8000, FREE_CLUSTERS = 0x4000 };

/* AH = 36h: Returns AX sectors of a cluster, BX free clusters, CX bytes of a sector, DX all clusters. AX = FFFFh if the
 * drive DL (0: the current one) does not exist. */
static dos_error drive_space(dos *d)
{
    unsigned drive = dos_drive_number(d, bios_low(&d->bios, ENGINE_EDX));
    bios_set_word(&d->bios, ENGINE_EAX, dos_drive_there(d, drive) ? CLUSTER_SECTORS : 0xffff);
    bios_set_word(&d->bios, ENGINE_EBX, FREE_CLUSTERS);
    bios_set_word(&d->bios, ENGINE_ECX, SECTOR_BYTES);
    bios_set_word(&d->bios, ENGINE_EDX, CLUSTERS);
    return DOS_OK;
}

/* AH = 1Bh, for the current drive, and 1Ch, for the drive DL: Returns AL sectors of a cluster, CX bytes of a sector, DX
 * clusters, and at DS:BX the byte that says that it is a hard disk. AL = FFh if the drive does not exist. */
static dos_error drive_data(dos *d)
{
    enum { CURRENT = 0x1b, HARD_DISK = 0xf8 };
    bool current = bios_high(&d->bios, ENGINE_EAX) == CURRENT;
    unsigned drive = dos_drive_number(d, current ? 0 : bios_low(&d->bios, ENGINE_EDX));
    bios_set_low(&d->bios, ENGINE_EAX, dos_drive_there(d, drive) ? CLUSTER_SECTORS : 0xff);
    if (!dos_drive_there(d, drive))
        return DOS_OK;
    bios_set_word(&d->bios, ENGINE_ECX, SECTOR_BYTES);
    bios_set_word(&d->bios, ENGINE_EDX, CLUSTERS);
    bios_store(&d->bios, dos_linear(DOS_DATA, DOS_MEDIA), 1, HARD_DISK);
    bios_set_word(&d->bios, ENGINE_EBX, DOS_MEDIA);
    dos_set_segment(d, ENGINE_DS, DOS_DATA);
    return DOS_OK;
}

/* AH = 25h: Sets interrupt vector AL to DS:DX. */
static dos_error vector_set(dos *d)
{
    unsigned vector = bios_low(&d->bios, ENGINE_EAX);
    bios_store(&d->bios, vector * 4, 4, bios_pointer(&d->bios, ENGINE_DS, ENGINE_EDX));
    return DOS_OK;
}

/* AH = 35h: Returns interrupt vector AL in ES:BX. */
static dos_error vector_get(dos *d)
{
    bios_set_pointer(&d->bios, ENGINE_EBX, bios_load(&d->bios, bios_low(&d->bios, ENGINE_EAX) * 4u, 4));
    return DOS_OK;
}

/* AH = 2Ah: Returns the date, and the weekday (0 is Sunday). The weekday is computed from the date, because the RTC's may
 * differ. */
static dos_error date_get(dos *d)
{
    const date *t = cmos_time(d->machine->devices);
    const date midnight = {.day = t->day, .month = t->month, .year = t->year};
    bios_set_low(&d->bios, ENGINE_EAX, (uint8_t)(date_of_epoch(date_epoch(&midnight)).weekday - 1));
    bios_set_word(&d->bios, ENGINE_ECX, (uint16_t)t->year);
    bios_set_word(&d->bios, ENGINE_EDX, (uint16_t)(t->month << 8 | t->day));
    return DOS_OK;
}

/* AH = 2Ch: Returns the time of the real-time clock; the hundredths come from the machine's time. */
static dos_error time_get(dos *d)
{
    const date *t = cmos_time(d->machine->devices);
    uint64_t ns = machine_clocks_to_ns(d->machine, devices_now(d->machine->devices));
    bios_set_word(&d->bios, ENGINE_ECX, (uint16_t)(t->hour << 8 | t->minute));
    bios_set_word(&d->bios, ENGINE_EDX,
                  (uint16_t)((unsigned)t->second << 8 | (unsigned)(ns / 10000000 % 100)));
    return DOS_OK;
}

/* Sets the clock, and returns AL = 0; FFh if the day, the time or these hundredths of a second do not exist. */
static dos_error clock_set(dos *d, const date *t, unsigned hundredths)
{
    date there = date_of_epoch(date_epoch(t));
    bool exists = hundredths < 100 && t->year >= 1980 && t->year <= 2099 && t->month >= 1 && t->month <= 12 &&
                  there.day == t->day && there.month == t->month && there.hour == t->hour &&
                  there.minute == t->minute && there.second == t->second;
    if (exists)
        bios_set_clock(&d->bios, t);
    bios_set_low(&d->bios, ENGINE_EAX, exists ? 0 : 0xff);
    return DOS_OK;
}

/* AH = 2Bh: Sets the date to year CX, month DH and day DL. */
static dos_error date_set(dos *d)
{
    date t = *cmos_time(d->machine->devices);
    t.year = bios_word(&d->bios, ENGINE_ECX);
    t.month = bios_high(&d->bios, ENGINE_EDX);
    t.day = bios_low(&d->bios, ENGINE_EDX);
    return clock_set(d, &t, 0);
}

/* AH = 2Dh: Sets the time to hour CH, minute CL and second DH. The clock does not keep the hundredths in
 * DL. */
static dos_error time_set(dos *d)
{
    date t = *cmos_time(d->machine->devices);
    t.hour = bios_high(&d->bios, ENGINE_ECX);
    t.minute = bios_low(&d->bios, ENGINE_ECX);
    t.second = bios_high(&d->bios, ENGINE_EDX);
    return clock_set(d, &t, bios_low(&d->bios, ENGINE_EDX));
}

/* --- version and settings --- */

/* AH = 30h: Returns the version in AX, the manufacturer in BH, and a serial number of 0. */
static dos_error version(dos *d)
{
    bios_set_word(&d->bios, ENGINE_EAX, VERSION_MINOR << 8 | VERSION_MAJOR);
    bios_set_word(&d->bios, ENGINE_EBX, 0xff00); /* MS-DOS */
    bios_set_word(&d->bios, ENGINE_ECX, 0);
    return DOS_OK;
}

/* AH = 33h: Returns or sets (AL = 0, 1) the Ctrl-Break flag; returns the boot drive (5) and version (6). */
static dos_error break_flag(dos *d)
{
    switch (bios_low(&d->bios, ENGINE_EAX)) {
    case 0x00:
        bios_set_low(&d->bios, ENGINE_EDX, d->break_check);
        break;
    case 0x01:
        d->break_check = bios_low(&d->bios, ENGINE_EDX) & 1;
        break;
    case 0x05: /* booted from C: */
        bios_set_low(&d->bios, ENGINE_EDX, 3);
        break;
    case 0x06:
        bios_set_word(&d->bios, ENGINE_EBX, VERSION_MINOR << 8 | VERSION_MAJOR);
        bios_set_word(&d->bios, ENGINE_EDX, 0);
        break;
    default:
        bios_set_low(&d->bios, ENGINE_EAX, 0xff);
    }
    return DOS_OK;
}

/* AH = 2Eh: Sets the verify flag, with which MS-DOS reads back what it has written. Here it has no effect. */
static dos_error verify_set(dos *d)
{
    d->verify = bios_low(&d->bios, ENGINE_EAX) & 1;
    return DOS_OK;
}

/* AH = 54h: Returns the verify flag in AL. */
static dos_error verify_get(dos *d)
{
    bios_set_low(&d->bios, ENGINE_EAX, d->verify);
    return DOS_OK;
}

/* Does nothing and changes no register. */
static dos_error nothing(dos *d)
{
    (void)d;
    return DOS_OK;
}

/* AH = 18h, 1Dh, 1Eh, 20h, 61h, 6Bh: Returns AL = 0, as the null functions of MS-DOS do. */
static dos_error null_function(dos *d)
{
    bios_set_low(&d->bios, ENGINE_EAX, 0);
    return DOS_OK;
}

/* AH = 37h: Returns '/', the character that begins an option. */
static dos_error switch_character(dos *d)
{
    bios_set_low(&d->bios, ENGINE_EDX, '/');
    bios_set_low(&d->bios, ENGINE_EAX, bios_low(&d->bios, ENGINE_EAX) == 0 ? 0 : 0xff);
    return DOS_OK;
}

/* --- INT 21h --- */

static dos_call *const calls[256] = {
    [0x00] = dos_call_terminate,
    [0x01] = dos_call_input_echo,
    [0x02] = dos_call_output,
    [0x04] = nothing, /* auxiliary output */
    [0x05] = nothing, /* printer output */
    [0x06] = dos_call_direct,
    [0x07] = dos_call_input_raw,
    [0x08] = dos_call_input,
    [0x09] = dos_call_string,
    [0x0a] = dos_call_line,
    [0x0b] = dos_call_status,
    [0x0c] = dos_call_flush,
    [0x0d] = nothing, /* flush disk buffers */
    [0x0e] = drive_select,
    [0x0f] = dos_call_fcb_open,
    [0x10] = dos_call_fcb_close,
    [0x11] = dos_call_fcb_find_first,
    [0x12] = dos_call_fcb_find_next,
    [0x13] = dos_call_fcb_delete,
    [0x14] = dos_call_fcb_read,
    [0x15] = dos_call_fcb_write,
    [0x16] = dos_call_fcb_create,
    [0x17] = dos_call_fcb_rename,
    [0x18] = null_function,
    [0x19] = drive_get,
    [0x1a] = dos_call_set_dta,
    [0x1b] = drive_data,
    [0x1c] = drive_data,
    [0x1d] = null_function,
    [0x1e] = null_function,
    [0x20] = null_function,
    [0x21] = dos_call_fcb_read_random,
    [0x22] = dos_call_fcb_write_random,
    [0x23] = dos_call_fcb_size,
    [0x24] = dos_call_fcb_set_random,
    [0x25] = vector_set,
    [0x26] = dos_call_create_psp,
    [0x27] = dos_call_fcb_read_block,
    [0x28] = dos_call_fcb_write_block,
    [0x29] = dos_call_parse_name,
    [0x2a] = date_get,
    [0x2b] = date_set,
    [0x2c] = time_get,
    [0x2d] = time_set,
    [0x2e] = verify_set,
    [0x2f] = dos_call_get_dta,
    [0x30] = version,
    [0x31] = dos_call_stay,
    [0x33] = break_flag,
    [0x34] = dos_call_in_dos,
    [0x35] = vector_get,
    [0x36] = drive_space,
    [0x37] = switch_character,
    [0x38] = dos_call_country,
    [0x39] = dos_call_make_directory,
    [0x3a] = dos_call_remove_directory,
    [0x3b] = dos_call_change_directory,
    [0x3c] = dos_call_create,
    [0x3d] = dos_call_open,
    [0x3e] = dos_call_close,
    [0x3f] = dos_call_read,
    [0x40] = dos_call_write,
    [0x41] = dos_call_delete,
    [0x42] = dos_call_seek,
    [0x43] = dos_call_attributes,
    [0x44] = dos_call_ioctl,
    [0x45] = dos_call_duplicate,
    [0x46] = dos_call_duplicate_to,
    [0x47] = dos_call_get_directory,
    [0x48] = dos_call_allocate,
    [0x49] = dos_call_free,
    [0x4a] = dos_call_resize,
    [0x4b] = dos_call_execute,
    [0x4c] = dos_call_exit,
    [0x4d] = dos_call_exit_code,
    [0x4e] = dos_call_find_first,
    [0x4f] = dos_call_find_next,
    [0x50] = dos_call_set_psp,
    [0x51] = dos_call_get_psp,
    [0x52] = dos_call_lists,
    [0x54] = verify_get,
    [0x55] = dos_call_create_psp,
    [0x56] = dos_call_rename,
    [0x57] = dos_call_file_time,
    [0x58] = dos_call_strategy,
    [0x59] = dos_call_extended_error,
    [0x5a] = dos_call_create_temporary,
    [0x5b] = dos_call_create_new,
    [0x5c] = nothing, /* file locks: there is one task only */
    [0x5d] = dos_call_server,
    [0x60] = dos_call_truename,
    [0x61] = null_function,
    [0x62] = dos_call_get_psp,
    [0x63] = dos_call_lead_bytes,
    [0x65] = dos_call_national,
    [0x66] = dos_call_code_page,
    [0x67] = dos_call_handles,
    [0x68] = dos_call_commit,
    [0x6b] = null_function,
    [0x6c] = dos_call_open_extended,
};

/* Returns true for functions whose absence needs no notice, because programs call them only to detect a feature
 * or without an effect here: 53h (device drivers), 5Eh, 5Fh (networks), 64h, 69h-6Ah, 70h, 71h, 73h (later
 * versions), and all from 74h on, which only resident programs and other systems provide. */
static bool is_probe(unsigned function)
{
    static const uint8_t probes[] = {0x53, 0x5e, 0x5f, 0x64, 0x69, 0x6a, 0x70, 0x71, 0x73};
    enum { BEYOND = 0x74 };
    return function >= BEYOND || memchr(probes, (int)function, sizeof probes) != NULL;
}

/* Fails a function that is not implemented: with error 1, 7100h for AH = 71h (long names), or AL = FFh. */
static dos_error missing_function(dos *d, unsigned function)
{
    enum { LONG_NAMES = 0x71 };
    if (function == LONG_NAMES)
        return (dos_error)0x7100; /* the value of AX, as for errors */
    if (!is_probe(function))
        notice_once(&d->machine->notices, NOTICE_SYSCALL, function,
                    "DOS function %02Xh (INT 21h) is not implemented", function);
    bios_set_low(&d->bios, ENGINE_EAX, function < FIRST_WITH_CARRY ? 0xff : 0);
    return DOS_NO_FUNCTION;
}

/* Executes INT 21h with the function in AH. Returns true if the stub must wait and call again. If the current program has
 * changed, the flags and AX stay unchanged, because they then belong to another program. */
static bool dos_function(dos *d)
{
    unsigned function = bios_high(&d->bios, ENGINE_EAX);
    uint16_t psp = d->psp;
    uint32_t dta = d->dta;
    uint8_t drive = d->drive;
    dos_error wrong = calls[function] != NULL ? calls[function](d) : missing_function(d, function);
    if (psp != d->psp || dta != d->dta || drive != d->drive)
        dos_swappable_store(d);
    if (wrong == DOS_BREAK)
        dos_break_begin(d);
    if (wrong == DOS_WAIT || wrong == DOS_BREAK || psp != d->psp || d->machine->ended ||
        function < FIRST_WITH_CARRY)
        return wrong == DOS_WAIT;
    if (wrong != DOS_OK) {
        d->last_error = (uint16_t)wrong;
        d->error_class = 0;
        bios_set_word(&d->bios, ENGINE_EAX, (uint16_t)wrong);
    }
    bios_set_flag(&d->bios, FLAG_CARRY, wrong != DOS_OK);
    return false;
}

/* --- INT 2Fh --- */

/* Answers the queries for XMS, Windows and the high memory area. Other queries, such as that for DPMI, leave AX unchanged, which
 * means that the service does not exist. */
static void multiplex(dos *d)
{
    switch (bios_word(&d->bios, ENGINE_EAX)) {
    case 0x1600: /* no Windows */
        bios_set_low(&d->bios, ENGINE_EAX, 0);
        break;
    case 0x4a01: /* DOS does not use the high memory area */
    case 0x4a02:
        bios_set_word(&d->bios, ENGINE_EBX, 0);
        bios_set_pointer(&d->bios, ENGINE_EDI, 0xffffffff);
        break;
    case 0x4300: /* an XMS driver is installed */
        bios_set_low(&d->bios, ENGINE_EAX, 0x80);
        break;
    case 0x4310: /* its entry point is a stub in the BIOS ROM */
        bios_set_pointer(&d->bios, ENGINE_EBX, bios_stub_address(DOS_XMS_SLOT));
        break;
    default:
        break;
    }
}

bool dos_serve(bios *b, unsigned vector)
{
    enum {
        VECTOR_TERMINATE = 0x20,
        VECTOR_DOS = 0x21,
        VECTOR_BREAK = 0x23,
        VECTOR_STAY = 0x27, /* ends the program but keeps DX bytes of its memory */
        VECTOR_PUT = 0x29,  /* writes the character AL */
        VECTOR_MULTIPLEX = 0x2f,
        VECTOR_MOUSE = 0x33
    };
    dos *d = b->owner;
    uint16_t paragraphs;
    switch (vector) {
    case VECTOR_TERMINATE:
        dos_terminate(d, 0, 0);
        return false;
    case VECTOR_DOS:
        return dos_function(d);
    case VECTOR_BREAK:
        dos_break_end(d);
        return false;
    case DOS_BREAK_SLOT:
        dos_break_returned(d);
        return false;
    case VECTOR_STAY:
        paragraphs = (uint16_t)((bios_word(b, ENGINE_EDX) + 15u) / 16);
        dos_resize(d, d->psp, &paragraphs);
        dos_terminate(d, 3, 0);
        return false;
    case VECTOR_PUT:
        dos_output(d, bios_low(b, ENGINE_EAX));
        return false;
    case VECTOR_MULTIPLEX:
        multiplex(d);
        return false;
    case VECTOR_MOUSE:
        dos_mouse_service(d);
        return false;
    case DOS_XMS_SLOT:
        dos_xms(d);
        return false;
    case DOS_CASE_SLOT:
        dos_case_map(d);
        return false;
    default:
        return false;
    }
}
