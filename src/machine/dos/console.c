/* The console: characters of the input, and text on the screen and to the user. The input is a stream of
 * bytes; what a line ends with, LF or CR or both, is a carriage return for the program. */

#include "machine/dos/dos_internal.h"

enum { CONTROL_C = 3, END_OF_FILE = 0x1a };

int dos_input(dos *d, uint8_t *byte)
{
    const p5_machine_options *options = &d->machine->options;
    uint16_t key;
    if (d->ahead >= 0) {
        *byte = (uint8_t)d->ahead;
        d->ahead = -1;
        return 1;
    }
    if (bios_key_take(&d->bios, &key)) {
        *byte = (uint8_t)key;
        return 1;
    }
    for (;;) {
        if (d->input_ended || options->input == NULL)
            return -1;
        devices_console_flush(d->machine->devices);
        int got = devices_input_idle(d->machine->devices, byte);
        d->input_ended = got < 0;
        if (got != 1)
            return got;
        bool second = d->after_return && *byte == '\n';
        d->after_return = *byte == '\r';
        if (second)
            continue;
        if (*byte == '\n')
            *byte = '\r';
        return 1;
    }
}

void dos_output(dos *d, uint8_t character)
{
    devices_console_char(d->machine->devices, (char)character);
    bios_video_put(&d->bios, character);
}

/* Standard output of the program, whatever handle 1 is. */
static void put(dos *d, uint8_t character)
{
    const dos_file *file = dos_file_at(d, 1);
    if (file != NULL && file->kind == DOS_DISK) {
        dos_put_byte(d, 1, character);
        return;
    }
    if (file == NULL || file->kind == DOS_CONSOLE)
        dos_output(d, character);
}

/* Standard input of the program: a file if handle 0 is one. */
static int take(dos *d, uint8_t *byte)
{
    const dos_file *file = dos_file_at(d, 0);
    if (file != NULL && file->kind == DOS_DISK)
        return dos_get_byte(d, 0, byte) ? 1 : -1;
    return dos_input(d, byte);
}

/* Ctrl-C: the program's handler, or its end. */
static void break_program(dos *d)
{
    put(d, '^');
    put(d, 'C');
    put(d, '\r');
    put(d, '\n');
    dos_terminate(d, 1, 0);
}

/* A character in AL. */
static dos_error input_character(dos *d, bool breaks, bool echoes)
{
    uint8_t byte;
    int got = take(d, &byte);
    if (got == 0)
        return DOS_WAIT;
    if (got < 0)
        byte = END_OF_FILE;
    if (got == 1 && breaks && byte == CONTROL_C) {
        break_program(d);
        return DOS_OK;
    }
    bios_set_low(&d->bios, ENGINE_EAX, byte);
    if (echoes)
        put(d, byte);
    return DOS_OK;
}

dos_error dos_call_input_echo(dos *d)
{
    return input_character(d, true, true);
}

dos_error dos_call_input_raw(dos *d)
{
    return input_character(d, false, false);
}

dos_error dos_call_input(dos *d)
{
    return input_character(d, true, false);
}

dos_error dos_call_output(dos *d)
{
    put(d, bios_low(&d->bios, ENGINE_EDX));
    return DOS_OK;
}

static bool input_waits(dos *d)
{
    uint8_t byte;
    const dos_file *file = dos_file_at(d, 0);
    if (file != NULL && file->kind == DOS_DISK)
        return true;
    int got = dos_input(d, &byte);
    if (got == 1)
        d->ahead = byte;
    return got == 1;
}

/* AH = 06h: DL = FFh takes a character if there is one (ZF clear), else puts DL. */
dos_error dos_call_direct(dos *d)
{
    uint8_t byte = 0;
    if (bios_low(&d->bios, ENGINE_EDX) != 0xff) {
        put(d, bios_low(&d->bios, ENGINE_EDX));
        bios_set_low(&d->bios, ENGINE_EAX, bios_low(&d->bios, ENGINE_EDX));
        return DOS_OK;
    }
    bool there = take(d, &byte) == 1;
    bios_set_flag(&d->bios, FLAG_ZERO, !there);
    bios_set_low(&d->bios, ENGINE_EAX, there ? byte : 0);
    return DOS_OK;
}

dos_error dos_call_string(dos *d)
{
    uint32_t base = bios_segment(&d->bios, ENGINE_DS);
    uint16_t offset = bios_word(&d->bios, ENGINE_EDX);
    for (unsigned i = 0; i < 0x10000; i++, offset++) {
        uint8_t c = (uint8_t)bios_load(&d->bios, base + offset, 1);
        if (c == '$')
            break;
        put(d, c);
    }
    bios_set_low(&d->bios, ENGINE_EAX, '$');
    return DOS_OK;
}

/* AH = 0Ah: DS:DX room, then the length and the line with its carriage return. */
dos_error dos_call_line(dos *d)
{
    uint32_t at = dos_pointer(d, ENGINE_DS, ENGINE_EDX), room = bios_load(&d->bios, at, 1);
    uint8_t byte;
    while (room != 0) {
        int got = take(d, &byte);
        if (got == 0)
            return DOS_WAIT;
        if (got == 1 && byte == CONTROL_C) {
            d->line_used = 0;
            break_program(d);
            return DOS_OK;
        }
        if (got < 0)
            byte = '\r';
        if (byte == '\r')
            break;
        if (byte == '\b') {
            if (d->line_used != 0) {
                d->line_used--;
                put(d, '\b');
                put(d, ' ');
                put(d, '\b');
            }
        } else if (d->line_used + 1u < room) {
            bios_store(&d->bios, at + 2 + d->line_used++, 1, byte);
            put(d, byte);
        }
    }
    if (room != 0) {
        bios_store(&d->bios, at + 1, 1, d->line_used);
        bios_store(&d->bios, at + 2 + d->line_used, 1, '\r');
        put(d, '\r');
    }
    d->line_used = 0;
    return DOS_OK;
}

dos_error dos_call_status(dos *d)
{
    bios_set_low(&d->bios, ENGINE_EAX, input_waits(d) ? 0xff : 0);
    return DOS_OK;
}

/* AH = 0Ch: forgets what has been typed ahead, then does the input function in AL. A file is not forgotten.
 */
dos_error dos_call_flush(dos *d)
{
    switch (bios_low(&d->bios, ENGINE_EAX)) {
    case 0x01:
        return dos_call_input_echo(d);
    case 0x06:
        return dos_call_direct(d);
    case 0x07:
        return dos_call_input_raw(d);
    case 0x08:
        return dos_call_input(d);
    case 0x0a:
        return dos_call_line(d);
    default:
        bios_set_low(&d->bios, ENGINE_EAX, 0);
        return DOS_OK;
    }
}
