/* The vectors of DOS: INT 20h, 21h, 27h, 29h, 2Fh, and the functions of INT 21h that are a few lines. */
#include <string.h>

#include "machine/base/notice.h"
#include "machine/base/time.h"
#include "machine/dos/dos_internal.h"

enum { VERSION_MAJOR = 6, VERSION_MINOR = 22 };

bool dos_text(const dos *d, uint32_t linear, char *text, size_t room)
{
    for (size_t i = 0; i < room; i++) {
        text[i] = (char)bios_load(&d->bios, linear + (uint32_t)i, 1);
        if (text[i] == '\0')
            return true;
    }
    text[room - 1] = '\0';
    return false;
}

static void set_es(dos *d, uint16_t segment, uint16_t offset)
{
    engine_segment es;
    engine_get_segment(d->engine, ENGINE_ES, &es);
    es.selector = segment;
    es.base = (uint32_t)segment << 4;
    engine_set_segment(d->engine, ENGINE_ES, &es);
    bios_set_word(&d->bios, ENGINE_EBX, offset);
}

/* --- drives, vectors, time --- */

static dos_error drive_select(dos *d)
{
    if (dos_drive_there(d, bios_low(&d->bios, ENGINE_EDX)))
        d->drive = bios_low(&d->bios, ENGINE_EDX);
    bios_set_low(&d->bios, ENGINE_EAX, DOS_DRIVES);
    return DOS_OK;
}

static dos_error drive_get(dos *d)
{
    bios_set_low(&d->bios, ENGINE_EAX, d->drive);
    return DOS_OK;
}

/* AH = 36h: as a disk of 1 GB that is half full, on every host: 32 KB clusters. */
static dos_error drive_space(dos *d)
{
    unsigned drive = bios_low(&d->bios, ENGINE_EDX);
    drive = drive == 0 ? d->drive : drive - 1;
    bios_set_word(&d->bios, ENGINE_EAX, dos_drive_there(d, drive) ? 64 : 0xffff);
    bios_set_word(&d->bios, ENGINE_EBX, 0x4000);
    bios_set_word(&d->bios, ENGINE_ECX, 512);
    bios_set_word(&d->bios, ENGINE_EDX, 0x8000);
    return DOS_OK;
}

static dos_error transfer_set(dos *d)
{
    d->dta = dos_pointer(d, ENGINE_DS, ENGINE_EDX);
    return DOS_OK;
}

static dos_error transfer_get(dos *d)
{
    set_es(d, (uint16_t)(d->dta >> 4), (uint16_t)(d->dta & 15));
    return DOS_OK;
}

static dos_error vector_set(dos *d)
{
    unsigned vector = bios_low(&d->bios, ENGINE_EAX);
    engine_segment ds;
    engine_get_segment(d->engine, ENGINE_DS, &ds);
    bios_store(&d->bios, vector * 4, 4, (uint32_t)ds.selector << 16 | bios_word(&d->bios, ENGINE_EDX));
    if (vector == 9) /* it looks at the keyboard itself, so keys come without being asked for */
        keyboard_want(d->machine->devices, true);
    return DOS_OK;
}

static dos_error vector_get(dos *d)
{
    uint32_t pointer = bios_load(&d->bios, bios_low(&d->bios, ENGINE_EAX) * 4u, 4);
    set_es(d, (uint16_t)(pointer >> 16), (uint16_t)pointer);
    return DOS_OK;
}

static dos_error date_get(dos *d)
{
    const date *t = cmos_time(d->machine->devices);
    const date midnight = {.day = t->day, .month = t->month, .year = t->year};
    bios_set_low(&d->bios, ENGINE_EAX, (uint8_t)(date_of_epoch(date_epoch(&midnight)).weekday - 1));
    bios_set_word(&d->bios, ENGINE_ECX, (uint16_t)t->year);
    bios_set_word(&d->bios, ENGINE_EDX, (uint16_t)(t->month << 8 | t->day));
    return DOS_OK;
}

/* The board's clock; its hundredths are those of the model's time. */
static dos_error time_get(dos *d)
{
    const date *t = cmos_time(d->machine->devices);
    uint64_t ns = machine_clocks_to_ns(d->machine, devices_now(d->machine->devices));
    bios_set_word(&d->bios, ENGINE_ECX, (uint16_t)(t->hour << 8 | t->minute));
    bios_set_word(&d->bios, ENGINE_EDX,
                  (uint16_t)((unsigned)t->second << 8 | (unsigned)(ns / 10000000 % 100)));
    return DOS_OK;
}

/* The time is the model's and cannot be set: FFh. */
static dos_error time_refuse(dos *d)
{
    bios_set_low(&d->bios, ENGINE_EAX, 0xff);
    return DOS_OK;
}

/* --- what DOS is --- */

static dos_error version(dos *d)
{
    bios_set_word(&d->bios, ENGINE_EAX, VERSION_MINOR << 8 | VERSION_MAJOR);
    bios_set_word(&d->bios, ENGINE_EBX, 0xff00); /* MS-DOS */
    bios_set_word(&d->bios, ENGINE_ECX, 0);
    return DOS_OK;
}

static dos_error break_flag(dos *d)
{
    switch (bios_low(&d->bios, ENGINE_EAX)) {
    case 0x00:
        bios_set_low(&d->bios, ENGINE_EDX, d->break_check);
        break;
    case 0x01:
        d->break_check = bios_low(&d->bios, ENGINE_EDX) & 1;
        break;
    case 0x05: /* started from C: */
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

static dos_error verify_set(dos *d)
{
    d->verify = bios_low(&d->bios, ENGINE_EAX) & 1;
    return DOS_OK;
}

static dos_error verify_get(dos *d)
{
    bios_set_low(&d->bios, ENGINE_EAX, d->verify);
    return DOS_OK;
}

static dos_error nothing(dos *d)
{
    (void)d;
    return DOS_OK;
}

/* AH = 37h: '/' begins an option. */
static dos_error switch_character(dos *d)
{
    bios_set_low(&d->bios, ENGINE_EDX, '/');
    bios_set_low(&d->bios, ENGINE_EAX, bios_low(&d->bios, ENGINE_EAX) == 0 ? 0 : 0xff);
    return DOS_OK;
}

/* AH = 34h: InDOS, always clear: the host answers at once. AH = 52h: the list of lists, of which only the
 * first control block in front of it is there. Both stand in DOS's page at 500h (start.c). */
static dos_error in_dos(dos *d)
{
    set_es(d, 0x50, 0x21);
    return DOS_OK;
}

static dos_error list_of_lists(dos *d)
{
    bios_store(&d->bios, 0x50e, 2, d->first_block);
    set_es(d, 0x50, 0x10);
    return DOS_OK;
}

/* AH = 38h: the United States. */
static dos_error country(dos *d)
{
    static const uint8_t information[34] = {0, 0, '$', 0, 0, 0, 0, ',', 0, '.', 0, '-', 0, ':', 0, 0, 2, 0};
    if (bios_word(&d->bios, ENGINE_EDX) == 0xffff)
        return DOS_OK;
    engine_write_linear(d->engine, dos_pointer(d, ENGINE_DS, ENGINE_EDX), information, sizeof information);
    bios_set_word(&d->bios, ENGINE_EBX, 1);
    bios_set_word(&d->bios, ENGINE_EAX, 1);
    return DOS_OK;
}

/* AH = 65h: AL = 20h-22h make upper case of DL, of CX characters and of a text at DS:DX. */
static dos_error upper_case(dos *d)
{
    uint32_t at = dos_pointer(d, ENGINE_DS, ENGINE_EDX), count = bios_word(&d->bios, ENGINE_ECX);
    uint8_t what = bios_low(&d->bios, ENGINE_EAX), c = bios_low(&d->bios, ENGINE_EDX);
    if (what < 0x20 || what > 0x22)
        return DOS_NO_FUNCTION;
    if (what == 0x20) {
        bios_set_low(&d->bios, ENGINE_EDX, c >= 'a' && c <= 'z' ? (uint8_t)(c - 32) : c);
        return DOS_OK;
    }
    for (uint32_t i = 0; i < (what == 0x21 ? count : 0xffffu); i++) {
        c = (uint8_t)bios_load(&d->bios, at + i, 1);
        if (what == 0x22 && c == 0)
            break;
        if (c >= 'a' && c <= 'z')
            bios_store(&d->bios, at + i, 1, c - 32u);
    }
    return DOS_OK;
}

static dos_error code_page(dos *d)
{
    if (bios_low(&d->bios, ENGINE_EAX) == 1) {
        bios_set_word(&d->bios, ENGINE_EBX, 437);
        bios_set_word(&d->bios, ENGINE_EDX, 437);
    }
    return DOS_OK;
}

/* AH = 59h: of the last call that failed. Class 8 (not found), action 3 (ask the user), locus 1. */
static dos_error extended_error(dos *d)
{
    bios_set_word(&d->bios, ENGINE_EAX, d->last_error);
    bios_set_word(&d->bios, ENGINE_EBX, 0x803);
    bios_set_high(&d->bios, ENGINE_ECX, 1);
    return DOS_OK;
}

/* AH = 29h: the name at DS:SI into the file control block at ES:DI; AL = 1 with wildcards, FFh: no such
 * drive. */
static dos_error parse_name(dos *d)
{
    static const char ends[] = " \t:;,=+<>|/\\\"[]";
    uint32_t base = bios_segment(&d->bios, ENGINE_DS), fcb = dos_pointer(d, ENGINE_ES, ENGINE_EDI);
    uint16_t at = bios_word(&d->bios, ENGINE_ESI);
    uint8_t how = bios_low(&d->bios, ENGINE_EAX), answer = 0;
    char name[11];
    memset(name, ' ', sizeof name);
#define CHARACTER(offset) ((char)bios_load(&d->bios, base + (uint16_t)(at + (offset)), 1))
    while (CHARACTER(0) == ' ' || CHARACTER(0) == '\t' ||
           ((how & 1) != 0 && CHARACTER(0) != '\0' && strchr(":;,=+", CHARACTER(0)) != NULL))
        at++;
    uint8_t drive = 0;
    if (CHARACTER(0) != '\0' && CHARACTER(1) == ':') {
        drive = (uint8_t)((CHARACTER(0) & 0x5f) - 'A' + 1);
        answer = dos_drive_there(d, drive - 1u) ? 0 : 0xff;
        at = (uint16_t)(at + 2);
    }
    unsigned used = 0, most = 8;
    for (char c; (c = CHARACTER(0)) > ' ' && strchr(ends, c) == NULL; at++) {
        if (c == '.') {
            if (most == 11)
                break;
            used = 8;
            most = 11;
        } else if (c == '*') {
            while (used < most)
                name[used++] = '?';
        } else if (used < most) {
            name[used++] = (char)(c >= 'a' && c <= 'z' ? c - 32 : c);
        }
    }
#undef CHARACTER
    if (answer == 0 && memchr(name, '?', sizeof name) != NULL)
        answer = 1;
    bios_store(&d->bios, fcb, 1, drive);
    engine_write_linear(d->engine, fcb + 1, name, sizeof name);
    bios_set_word(&d->bios, ENGINE_ESI, at);
    bios_set_low(&d->bios, ENGINE_EAX, answer);
    return DOS_OK;
}

/* --- INT 21h --- */

static dos_call *const calls[256] = {
    [0x00] = dos_call_terminate,
    [0x01] = dos_call_input_echo,
    [0x02] = dos_call_output,
    [0x04] = nothing, /* auxiliary output, printer */
    [0x05] = nothing,
    [0x06] = dos_call_direct,
    [0x07] = dos_call_input_raw,
    [0x08] = dos_call_input,
    [0x09] = dos_call_string,
    [0x0a] = dos_call_line,
    [0x0b] = dos_call_status,
    [0x0c] = dos_call_flush,
    [0x0d] = nothing, /* disk buffers */
    [0x0e] = drive_select,
    [0x19] = drive_get,
    [0x1a] = transfer_set,
    [0x25] = vector_set,
    [0x26] = dos_call_create_psp,
    [0x29] = parse_name,
    [0x2a] = date_get,
    [0x2b] = time_refuse,
    [0x2c] = time_get,
    [0x2d] = time_refuse,
    [0x2e] = verify_set,
    [0x2f] = transfer_get,
    [0x30] = version,
    [0x31] = dos_call_stay,
    [0x33] = break_flag,
    [0x34] = in_dos,
    [0x35] = vector_get,
    [0x36] = drive_space,
    [0x37] = switch_character,
    [0x38] = country,
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
    [0x52] = list_of_lists,
    [0x54] = verify_get,
    [0x55] = dos_call_create_psp,
    [0x56] = dos_call_rename,
    [0x57] = dos_call_file_time,
    [0x58] = dos_call_strategy,
    [0x59] = extended_error,
    [0x5a] = dos_call_create_temporary,
    [0x5b] = dos_call_create_new,
    [0x5c] = nothing, /* locks: nobody else is there */
    [0x60] = dos_call_truename,
    [0x62] = dos_call_get_psp,
    [0x65] = upper_case,
    [0x66] = code_page,
    [0x67] = dos_call_handles,
    [0x68] = dos_call_commit,
    [0x6c] = dos_call_open_extended,
};

/* From AH = 38h on carry tells of errors; programs ask for AH = 71h (long names) to see that it fails. */
static bool dos_function(dos *d)
{
    enum { FIRST_WITH_CARRY = 0x38, LONG_NAMES = 0x71 };
    unsigned function = bios_high(&d->bios, ENGINE_EAX);
    uint16_t psp = d->psp;
    dos_error wrong = DOS_NO_FUNCTION;
    if (calls[function] != NULL)
        wrong = calls[function](d);
    else if (function == LONG_NAMES)
        wrong = (dos_error)0x7100;
    else {
        notice_once(&d->machine->notices, NOTICE_SYSCALL, function,
                    "DOS function %02Xh (INT 21h) is not there", function);
        bios_set_low(&d->bios, ENGINE_EAX, function < FIRST_WITH_CARRY ? 0xff : 0);
    }
    if (wrong == DOS_WAIT || psp != d->psp || d->machine->ended || function < FIRST_WITH_CARRY ||
        function == 0x59)
        return wrong == DOS_WAIT;
    if (wrong != DOS_OK) {
        d->last_error = (uint16_t)wrong;
        bios_set_word(&d->bios, ENGINE_EAX, (uint16_t)wrong);
    }
    bios_set_flag(&d->bios, FLAG_CARRY, wrong != DOS_OK);
    return false;
}

/* --- INT 2Fh --- */

/* XMS is there; Windows, DPMI and the rest are not: AX stays what it was. */
static void multiplex(dos *d)
{
    switch (bios_word(&d->bios, ENGINE_EAX)) {
    case 0x1600: /* no Windows */
        bios_set_low(&d->bios, ENGINE_EAX, 0);
        break;
    case 0x4300:
        bios_set_low(&d->bios, ENGINE_EAX, 0x80);
        break;
    case 0x4310:
        set_es(d, 0xf000, 0xe000 + DOS_XMS_SLOT * 16);
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
        VECTOR_STAY = 0x27,
        VECTOR_PUT = 0x29,
        VECTOR_MULTIPLEX = 0x2f
    };
    dos *d = b->owner;
    uint16_t paragraphs;
    switch (vector) {
    case VECTOR_TERMINATE:
        dos_terminate(d, 0, 0);
        return false;
    case VECTOR_DOS:
        return dos_function(d);
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
    case DOS_XMS_SLOT:
        dos_xms(d);
        return false;
    default:
        return false;
    }
}
