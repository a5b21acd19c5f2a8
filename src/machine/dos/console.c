/* The console: input characters, and output on the screen and on standard output. The input is a stream of
 * bytes. The program receives the end of a line (LF, CR or CR LF) as a carriage return. A function of INT 21h that must wait
 * for input returns DOS_WAIT: the guest idles and calls it again. */

#include "machine/base/end.h"
#include "machine/base/time.h"
#include "machine/dos/dos_internal.h"

enum { ESC = 0x1b, END_OF_FILE = 0x1a, CODE_LEFT = 0x4b /* scan code of the left arrow */ };
/* Time from the first status poll until input becomes available (dos_input_waits). */
enum { POLL_DELAY_NS = 2000000 };

/* --- the end of the input --- */

/* A program that keeps asking for input after its end would never terminate. It is stopped after READS_AT_END
 * reads, or after POLLS_AT_END status polls that have gone on for SECONDS_AT_END seconds of machine time. */
enum { READS_AT_END = 1000, POLLS_AT_END = 1000000, SECONDS_AT_END = 2 };

/* Ends the run of a program that keeps asking for input. */
static void stop_asking(dos *d)
{
    devices_console_flush(d->machine->devices);
    machine_end(d->machine, P5_END_HALT, 0);
    machine_end_at(d->machine, engine_get(d->engine, ENGINE_EIP));
    machine_end_message(d->machine, "the program keeps asking for input, but the input has ended");
}

/* Counts a status poll after the end of the input. */
static void count_poll_at_end(dos *d)
{
    uint64_t now = devices_now(d->machine->devices);
    if (d->looks_at_end == 0)
        d->looking_since = now;
    if (d->looks_at_end < POLLS_AT_END)
        d->looks_at_end++;
    else if (machine_clocks_to_ns(d->machine, now - d->looking_since) / 1000000000u >= SECONDS_AT_END)
        stop_asking(d);
}

/* --- characters of the input --- */

/* Returns who receives the next key. It is a handler of the program in protected mode, and in real mode if the vector of
 * IRQ 1 is not the BIOS's. The handler may pass keys on to the BIOS, so it must wait while the BIOS's key buffer is full. */
keyboard_use dos_keyboard_use(const p5_machine *machine)
{
    enum { KEYBOARD_VECTOR = 9 };
    const dos *d = machine->guest_state;
    if ((engine_get(machine->engine, ENGINE_CR0) & CR0_PE) == 0 &&
        bios_load(&d->bios, KEYBOARD_VECTOR * 4, 4) == bios_stub_address(KEYBOARD_VECTOR))
        return KEYS_BY_BIOS;
    return bios_key_room(&d->bios) ? KEYS_TO_HANDLER : KEYS_WAIT;
}

/* Takes a key of the input stream, even if the BIOS key buffer has earlier ones. Returns 1, 0 if there is none yet, or -1 at
 * the end of the input. Drops the LF of a CR LF, and turns another LF into CR. */
static int take_input(dos *d, key_press *key)
{
    for (;;) {
        if (d->input_ended || d->machine->options.input == NULL)
            return -1;
        devices_console_flush(d->machine->devices);
        int got = keyboard_take_key(d->machine->devices, devices_input_idle, key);
        d->input_ended = got < 0;
        if (got != 1)
            return got;
        bool second = d->after_return && key->character == '\n';
        d->after_return = key->character == '\r';
        if (second)
            continue;
        if (key->character == '\n')
            key->character = '\r';
        return 1;
    }
}

/* Returns the first byte of a key, given as a BIOS key word. The second byte of a key without a character is kept for the
 * next read. Such a key has the low byte 0 or E0h; with the scan code 0, E0h is a character. */
static uint8_t first_byte(dos *d, uint16_t key)
{
    enum { EXTENDED = 0xe0 };
    uint8_t low = (uint8_t)key;
    bool special = low == 0 || (low == EXTENDED && key >> 8 != 0);
    d->scan_code = special ? (uint8_t)(key >> 8) : 0;
    return special ? 0 : low;
}

/* Takes the next byte of the BIOS key buffer or the input stream. Returns 1, 0 if there is none yet, or -1 at the end of
 * the input. A key without a character gives two bytes: 0 and its scan code. */
static int next_byte(dos *d, uint8_t *byte)
{
    uint16_t word;
    key_press key;
    int got = 1;
    if (d->scan_code != 0) {
        *byte = d->scan_code;
        d->scan_code = 0;
    } else if (bios_key_take(&d->bios, &word)) {
        *byte = first_byte(d, word);
    } else {
        got = keyboard_sends_key(d->machine->devices) ? 0 : take_input(d, &key);
        if (got == 1)
            *byte = key.code == 0 || key.character != 0 ? key.character : first_byte(d, bios_key_word(&key));
    }
    if (got == 1)
        d->looked_at = 0;
    return got;
}

int dos_input(dos *d, uint8_t *byte)
{
    int got = next_byte(d, byte);
    if (got < 0 && ++d->reads_at_end >= READS_AT_END)
        stop_asking(d);
    return got;
}

/* Returns true if a byte is available, and moves it to the key buffer, so that the BIOS sees it, too. A byte becomes
 * available only POLL_DELAY_NS after the first poll, because some programs discard pending keys before they ask a question, and
 * would lose the input of a pipe. */
bool dos_input_waits(dos *d)
{
    uint16_t word;
    key_press key;
    if (d->scan_code != 0 || bios_key_there(&d->bios, &word))
        return true;
    uint64_t now = devices_now(d->machine->devices);
    if (d->looked_at == 0)
        d->looked_at = now + 1;
    if (now < d->looked_at + machine_ns_to_clocks(d->machine, POLL_DELAY_NS))
        return false;
    int got = keyboard_sends_key(d->machine->devices) ? 0 : take_input(d, &key);
    if (got < 0)
        count_poll_at_end(d);
    return got == 1 && bios_key_put(&d->bios, bios_key_word(&key));
}

void dos_output(dos *d, uint8_t character)
{
    devices_console_char(d->machine->devices, (char)character);
    bios_video_put(&d->bios, character);
}

/* Writes to the program's standard output, handle 1, which may be a file; to the console if the handle is closed. */
static void put(dos *d, uint8_t character)
{
    dos_file *file = dos_file_at(d, 1);
    if (file != NULL)
        dos_put_byte(d, file, character);
    else
        dos_output(d, character);
}

/* Returns what the program's standard input, handle 0, is instead of the console: a file or NUL; or NULL. */
static dos_file *input_file(const dos *d)
{
    dos_file *file = dos_file_at(d, 0);
    return file != NULL && (file->kind == DOS_DISK || file->kind == DOS_NUL) ? file : NULL;
}

/* Reads a byte from standard input. Returns the same values as dos_input. */
static int take(dos *d, uint8_t *byte)
{
    dos_file *file = input_file(d);
    if (file == NULL)
        return dos_input(d, byte);
    return file->kind == DOS_DISK && dos_get_byte(file, byte) ? 1 : -1;
}

dos_error dos_input_break(dos *d)
{
    for (const char *text = "^C\r\n"; *text != '\0'; text++)
        put(d, (uint8_t)*text);
    return DOS_BREAK;
}

/* Reads a character into AL; Ctrl-Z at the end of the input. `breaks`: Ctrl-C calls INT 23h. */
static dos_error input_character(dos *d, bool breaks, bool echoes)
{
    uint8_t byte;
    int got = take(d, &byte);
    if (got == 0)
        return DOS_WAIT;
    if (got < 0)
        byte = END_OF_FILE;
    if (breaks && byte == DOS_CONTROL_C)
        return dos_input_break(d);
    bios_set_low(&d->bios, ENGINE_EAX, byte);
    if (echoes)
        put(d, byte);
    return DOS_OK;
}

/* AH = 01h: Reads a character and echoes it. Ctrl-C calls INT 23h. */
dos_error dos_call_input_echo(dos *d)
{
    return input_character(d, true, true);
}

/* AH = 07h: Reads a character without echo. Ctrl-C is a character like others. */
dos_error dos_call_input_raw(dos *d)
{
    return input_character(d, false, false);
}

/* AH = 08h: Reads a character without echo. Ctrl-C calls INT 23h. */
dos_error dos_call_input(dos *d)
{
    return input_character(d, true, false);
}

/* AH = 02h: Writes the character DL. Returns the last character written in AL: a blank for a tab. */
dos_error dos_call_output(dos *d)
{
    uint8_t character = bios_low(&d->bios, ENGINE_EDX);
    put(d, character);
    bios_set_low(&d->bios, ENGINE_EAX, character == '\t' ? ' ' : character);
    return DOS_OK;
}

/* Returns true if a read from standard input would not wait. */
static bool input_waits(dos *d)
{
    return input_file(d) != NULL || dos_input_waits(d);
}

/* AH = 06h: If DL is FFh, reads a character without waiting: clears ZF if there is one, else sets it. Writes any other
 * DL. */
dos_error dos_call_direct(dos *d)
{
    uint8_t byte = 0;
    if (bios_low(&d->bios, ENGINE_EDX) != 0xff) {
        put(d, bios_low(&d->bios, ENGINE_EDX));
        bios_set_low(&d->bios, ENGINE_EAX, bios_low(&d->bios, ENGINE_EDX));
        return DOS_OK;
    }
    bool there = input_waits(d) && take(d, &byte) == 1;
    bios_set_flag(&d->bios, FLAG_ZERO, !there);
    bios_set_low(&d->bios, ENGINE_EAX, there ? byte : 0);
    return DOS_OK;
}

/* AH = 09h: Writes the text at DS:DX, which ends with '$'. */
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

/* How a line is typed: where its characters come from and are echoed, and what becomes of those without room. */
typedef struct line_kind {
    int (*take)(dos *d, uint8_t *byte);
    void (*echo)(dos *d, uint8_t character);
    bool in_parts; /* a line that fills the buffer is complete; otherwise further characters are dropped */
} line_kind;

static void echo_text(dos *d, const line_kind *kind, const char *text)
{
    for (; *text != '\0'; text++)
        kind->echo(d, (uint8_t)*text);
}

/* Lets the user type and edit a line of less than `capacity` characters, which are stored at `at`; d->line_used becomes
 * their number. *returned becomes true if a carriage return ended the line; it is not stored. When the call is repeated
 * after DOS_WAIT, it continues with the d->line_used characters that it has stored. */
static dos_error edit_line(dos *d, const line_kind *kind, uint32_t at, unsigned capacity, bool *returned)
{
    uint8_t byte;
    do {
        int got = kind->take(d, &byte);
        if (got == 0)
            return DOS_WAIT;
        if (got == 1 && byte == DOS_CONTROL_C) {
            d->line_used = 0;
            return dos_input_break(d);
        }
        *returned = got == 1 && byte == '\r';
        if (got < 0 || *returned)
            break;
        if (byte == 0 && d->scan_code != 0) { /* a key without a character: the left arrow is Backspace */
            byte = d->scan_code == CODE_LEFT ? '\b' : 0;
            d->scan_code = 0;
            if (byte == 0)
                continue;
        }
        if (byte == ESC) { /* drops the line */
            d->line_used = 0;
            echo_text(d, kind, "\\\r\n");
        } else if (byte == '\b') {
            if (d->line_used == 0)
                continue;
            d->line_used--;
            echo_text(d, kind, "\b \b");
        } else if (byte == '\n') { /* not stored; the one of a file's CR LF comes first in the next line */
            if (d->line_used != 0)
                echo_text(d, kind, "\r\n");
        } else if (d->line_used + 1u < capacity) {
            bios_store(&d->bios, at + d->line_used++, 1, byte);
            kind->echo(d, byte);
        }
    } while (!kind->in_parts || d->line_used + 1u < capacity);
    return DOS_OK;
}

/* AH = 0Ah: Reads a line. The buffer at DS:DX has its size in the first byte; DOS stores the length in the
 * second, and then the line and a carriage return, also if the end of the input has ended the line. */
dos_error dos_call_line(dos *d)
{
    static const line_kind kind = {.take = take, .echo = put};
    uint32_t at = dos_pointer(d, ENGINE_DS, ENGINE_EDX), capacity = bios_load(&d->bios, at, 1);
    bool returned;
    if (capacity == 0)
        return DOS_OK;
    dos_error wrong = edit_line(d, &kind, at + 2, capacity, &returned);
    if (wrong != DOS_OK)
        return wrong;
    bios_store(&d->bios, at + 1, 1, d->line_used);
    bios_store(&d->bios, at + 2 + d->line_used, 1, '\r');
    put(d, '\r');
    d->line_used = 0;
    return DOS_OK;
}

/* Echoes a character of a handle's line on the screen. Standard output does not get it: a terminal echoes its user's line
 * itself, and the input of a pipe is none of the program's output. */
static void echo_on_screen(dos *d, uint8_t character)
{
    bios_video_put(&d->bios, character);
}

/* Offsets in DOS's data of the console's line for AH = 3Fh: a byte with the number of characters that the program has
 * read, a byte with the number of all, and the characters, of which a carriage return may be the last. */
enum { LINE_READ = DOS_LINE, LINE_COUNT, LINE_TEXT };
enum { LINE_CAPACITY = 128 };

/* Reads a new line into DOS's data. A line that begins with Ctrl-Z is the end of the file: it becomes empty. */
static dos_error fill_line(dos *d)
{
    static const line_kind kind = {.take = dos_input, .echo = echo_on_screen, .in_parts = true};
    uint32_t text = dos_linear(DOS_DATA, LINE_TEXT);
    bool returned = false;
    dos_error wrong = edit_line(d, &kind, text, LINE_CAPACITY, &returned);
    if (wrong != DOS_OK)
        return wrong;
    uint32_t count = d->line_used;
    d->line_used = 0;
    if (returned) {
        bios_store(&d->bios, text + count++, 1, '\r');
        echo_on_screen(d, '\r');
    }
    if (count != 0 && bios_load(&d->bios, text, 1) == END_OF_FILE) {
        count = 0;
        echo_on_screen(d, '\n');
    }
    bios_store(&d->bios, dos_linear(DOS_DATA, LINE_READ), 1, 0);
    bios_store(&d->bios, dos_linear(DOS_DATA, LINE_COUNT), 1, count);
    return DOS_OK;
}

/* Reads from the console's line, or from a new one if it has been read completely. The line feed after its carriage return
 * ends the read. *done becomes the number of bytes, 0 at the end of the input. */
dos_error dos_read_line(dos *d, uint32_t to, uint16_t size, uint16_t *done)
{
    uint32_t read = dos_linear(DOS_DATA, LINE_READ), text = dos_linear(DOS_DATA, LINE_TEXT);
    if (size != 0 && !d->line_feed && bios_load(&d->bios, read, 1) >= bios_load(&d->bios, read + 1, 1)) {
        dos_error wrong = fill_line(d);
        if (wrong != DOS_OK)
            return wrong;
    }
    uint32_t next = bios_load(&d->bios, read, 1), count = bios_load(&d->bios, read + 1, 1);
    bool ended = false;
    *done = 0;
    while (*done < size && !ended && (d->line_feed || next < count)) {
        ended = d->line_feed;
        uint8_t byte = ended ? '\n' : (uint8_t)bios_load(&d->bios, text + next++, 1);
        bios_store(&d->bios, to + (*done)++, 1, byte);
        d->line_feed = byte == '\r';
        if (ended)
            echo_on_screen(d, byte);
    }
    bios_store(&d->bios, read, 1, next);
    return DOS_OK;
}

/* AH = 0Bh: Returns AL = FFh if a character is available, else 0. Takes Ctrl-C from the key buffer. */
dos_error dos_call_status(dos *d)
{
    uint16_t word;
    bool waits = input_waits(d);
    if (waits && bios_key_there(&d->bios, &word) && (uint8_t)word == DOS_CONTROL_C) {
        bios_key_take(&d->bios, &word);
        return dos_input_break(d);
    }
    bios_set_low(&d->bios, ENGINE_EAX, waits ? 0xff : 0);
    return DOS_OK;
}

/* AH = 0Ch: Calls the input function in AL. Unlike MS-DOS, it keeps pending input, because a piped input would
 * be lost. */
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
