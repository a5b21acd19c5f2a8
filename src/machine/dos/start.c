/* Loads DOS programs as guests: sets the machine up as after a boot, with the program in memory. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "machine/base/end.h"
#include "machine/dos/dos_internal.h"
#include "machine/dos/guest.h"
#include "machine/load/mz.h"
#include "machine/load/segment.h"
#include "machine/run/open.h"
#include "machine/run/processor.h"

enum {
    FIRST_BLOCK = 0x0800,      /* segment of the first memory control block; DOS's own data are below it */
    ENVIRONMENT_MOST = 0x7000, /* bytes of variables, so that the program's path fits after them */
    BOOT_STACK = 0x7000        /* SP before the program has a stack */
};

/* Explains a fault in the vector table, which usually means that the program jumped to 0000:0000. */
static void explain_null_jump(p5_machine *machine)
{
    enum { VECTOR_TABLE_END = 0x400 };
    if (machine->result.address < VECTOR_TABLE_END)
        machine_end_message(machine, "the program jumped to 0000:0000, probably through an interrupt vector "
                                     "or a far pointer that was never set");
}

/* Ends the run at a real-mode fault that the program does not handle: the fault's vector still points to the BIOS. A real
 * DOS would hang. */
static engine_action dos_event(p5_machine *machine, const engine_event *event)
{
    static const struct {
        uint8_t vector, signal;
    } faults[] = {{0, SIGFPE}, {6, SIGILL}, {8, SIGSEGV}, {12, SIGSEGV}, {13, SIGSEGV}};
    dos *d = machine->guest_state;
    if (event->kind != P5_TRANSFER_FAULT || (engine_get(machine->engine, ENGINE_CR0) & CR0_PE) != 0)
        return bios_event(&d->bios, event);
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (event->vector != faults[i].vector ||
            bios_load(&d->bios, event->vector * 4u, 4) != bios_stub_address(event->vector))
            continue;
        devices_console_flush(machine->devices);
        machine_end(machine, P5_END_SIGNAL, 0);
        machine->result.signal = faults[i].signal;
        machine_end_at(machine, event->eip);
        explain_null_jump(machine);
        return ENGINE_STOP;
    }
    return ENGINE_DELIVER;
}

static void dos_close(p5_machine *machine)
{
    dos *d = machine->guest_state;
    dos_files_close(d);
    if (d->program >= 0)
        close(d->program);
    for (size_t i = 0; i < d->searches.count; i++)
        free(d->searches.items[i]);
    free(d->searches.items);
    free(d);
    machine->guest_state = NULL;
}

/* Returns the address that corresponds to offset 0 of the program's symbols: the PSP for a COM file, the
 * image after the PSP for an MZ file. */
static uint32_t dos_program_base(const p5_machine *machine)
{
    const dos *d = machine->guest_state;
    uint16_t psp = d->depth != 0 ? d->parents[0].psp : d->psp;
    uint8_t sign[2];
    bool mz = pread(d->program, sign, sizeof sign, 0) == sizeof sign && mz_has_magic(sign, sizeof sign);
    return dos_linear(psp, mz ? 0x100 : 0);
}

const guest_kind dos_guest = {.name = "dos",
                              .event = dos_event,
                              .program_base = dos_program_base,
                              .next_own_code = bios_next_own_code,
                              .close = dos_close,
                              .transfer = dos_transfer};

void dos_attach(dos *d, p5_machine *machine)
{
    d->machine = machine;
    d->engine = machine->engine;
    bios_init(&d->bios, machine);
    d->bios.owner = d;
    d->bios.serve = dos_serve;
    d->bios.memory_taken = true;
    keyboard_attach_use(machine->devices, dos_keyboard_use);
}

/* Writes the code to which the vectors lead. An OUT to BIOS_PORT calls dos_serve, which sets carry if the stub must wait
 * and call again. */
static void put_stubs(dos *d)
{
    static const uint8_t service[] = {0xe6, BIOS_PORT, 0xcf}; /* out; iret */
    /* again: cli; out; jnc done; sti; hlt; jmp again; done: iret */
    static const uint8_t waiting[] = {0xfa, 0xe6, BIOS_PORT, 0x73, 0x04, 0xfb, 0xf4, 0xeb, 0xf7, 0xcf};
    static const uint8_t fails[] = {0xb0, 0x03, 0xcf}; /* INT 24h: mov al,3; iret */
    static const uint8_t no_disk[] = {0xb8, 0x07, 0x02, 0xf9,
                                      0xcb}; /* INT 25h, 26h: mov ax,207h; stc; retf */
    /* jmp $+5 and three NOPs, which the XMS specification requires so that programs can hook the driver; out;
     * retf */
    static const uint8_t xms[] = {0xeb, 0x03, 0x90, 0x90, 0x90, 0xe6, BIOS_PORT, 0xcb};
    /* CALL 5 of CP/M, by way of a far call in the prefix. Makes the near return address far, and calls function CL:
     * pop ax; pop ax; push bp; mov bp,sp; xchg ax,[bp+2]; pop bp; push ax; mov ah,cl; int 21h; retf */
    static const uint8_t cpm[] = {0x58, 0x58, 0x55, 0x89, 0xe5, 0x87, 0x46, 0x02,
                                  0x5d, 0x50, 0x88, 0xcc, 0xcd, 0x21, 0xcb};
    static const uint8_t far_service[] = {0xe6, BIOS_PORT, 0xcb}; /* out; retf */
    bios_put_stub(&d->bios, 0x20, waiting, sizeof waiting);
    bios_put_stub(&d->bios, 0x21, waiting, sizeof waiting);
    bios_put_stub(&d->bios, 0x23, waiting, sizeof waiting);
    bios_put_stub(&d->bios, 0x24, fails, sizeof fails);
    bios_put_stub(&d->bios, 0x25, no_disk, sizeof no_disk);
    bios_put_stub(&d->bios, 0x26, no_disk, sizeof no_disk);
    bios_put_stub(&d->bios, 0x27, waiting, sizeof waiting);
    bios_put_stub(&d->bios, 0x29, service, sizeof service);
    bios_put_stub(&d->bios, 0x2f, service, sizeof service);
    bios_put_stub(&d->bios, 0x33, service, sizeof service);
    bios_put_stub(&d->bios, DOS_XMS_SLOT, xms, sizeof xms);
    bios_put_stub(&d->bios, DOS_BREAK_SLOT, service, sizeof service);
    bios_put_stub(&d->bios, DOS_CASE_SLOT, far_service, sizeof far_service);
    bios_put_stub(&d->bios, DOS_CPM_SLOT, cpm, sizeof cpm);
    for (unsigned vector = 0x60; vector < 0x100; vector++) /* 0 tells programs that a vector is free */
        if (vector < 0x68 || vector > 0x77)                /* the BIOS has IRQ 8 to 15 at 70h */
            bios_store(&d->bios, vector * 4, 4, 0);
}

/* Sets `name` to the program's DOS path: in a share if its file is in one, otherwise on DOS_OWN_DRIVE. `path` is the
 * host's. */
static void name_program(dos *d, const char *path, char name[DOS_DIRECTORY + 4])
{
    char *real = realpath(path, NULL), packed[11];
    const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    if (dos_name_pack(base, packed))
        dos_name_unpack(packed, d->program_name);
    else
        strcpy(d->program_name, "GUEST.EXE");
    snprintf(name, DOS_DIRECTORY + 4, "Z:\\%s", d->program_name);
    for (size_t i = 0; real != NULL && i < d->machine->options.share_count; i++) {
        const char *below = share_path_below(&d->machine->options.shares[i], real);
        char text[SHARE_PATH + 4];
        dos_path found;
        SHARE_PLACE(place);
        if (below == NULL)
            continue;
        snprintf(text, sizeof text, "%c:%s", (char)('A' + DOS_FIRST_DRIVE + i), below);
        if (dos_path_parse(d, text, &found) != DOS_OK || dos_path_find(d, &found, false, &place) != DOS_OK)
            continue;
        snprintf(name, DOS_DIRECTORY + 4, "%c:%s", 'A' + found.drive, found.text);
        break;
    }
    free(real);
}

/* Makes the command tail: the arguments after the program's name, each with a blank before it. */
static p5_status make_tail(const char *const *arguments, char tail[DOS_TAIL_MOST + 1], p5_error *error)
{
    size_t used = 0;
    tail[0] = '\0';
    for (const char *const *word = arguments + (arguments[0] != NULL); *word != NULL; word++) {
        if (used + 1 + strlen(*word) > DOS_TAIL_MOST)
            return error_set(error, P5_ERR_RANGE,
                             "the arguments of a DOS program are limited to %d characters", DOS_TAIL_MOST);
        used += (size_t)sprintf(tail + used, " %s", *word);
    }
    return P5_OK;
}

/* Makes the block of variables, each with its NUL. Sets *size to its bytes. */
static p5_status make_environment(const char *const *variables, char *environment, size_t *size,
                                  p5_error *error)
{
    static const char shell[] = "COMSPEC=C:\\COMMAND.COM"; /* DOS always has one */
    bool has_shell = false;
    for (const char *const *v = variables; v != NULL && *v != NULL; v++)
        has_shell |= strncasecmp(*v, shell, sizeof "COMSPEC") == 0;
    *size = has_shell ? 0 : sizeof shell;
    memcpy(environment, shell, *size);
    for (; variables != NULL && *variables != NULL; variables++) {
        size_t length = strlen(*variables) + 1;
        if (length > ENVIRONMENT_MOST - *size)
            return error_set(error, P5_ERR_RANGE, "the environment of a DOS program is limited to %d bytes",
                             ENVIRONMENT_MOST);
        memcpy(environment + *size, *variables, length);
        for (char *c = environment + *size; *c != '=' && *c != '\0'; c++) /* DOS keeps names in upper case */
            *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 32 : *c);
        *size += length;
    }
    return P5_OK;
}

/* Loads the program and makes it the current one. */
static p5_status begin(dos *d, const char *path, const char *const *arguments, const char *const *variables,
                       const mz_image *image, p5_error *error)
{
    char name[DOS_DIRECTORY + 4], tail[DOS_TAIL_MOST + 1];
    char *environment = calloc(ENVIRONMENT_MOST, 1);
    size_t size;
    if (environment == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for DOS");
    name_program(d, path, name);
    p5_status status = make_tail(arguments, tail, error);
    if (status == P5_OK)
        status = make_environment(variables, environment, &size, error);
    if (status == P5_OK && dos_begin(d, image, &(dos_command){name, tail, environment, size}) != DOS_OK)
        status = error_set(error, P5_ERR_FORMAT, "the program needs %u KB of memory; DOS has %u",
                           (image->image_size + image->least * 16u) >> 10, (0xa000u - FIRST_BLOCK) >> 6);
    free(environment);
    return status;
}

/* Sets CS:EIP to the IRET of the INT 21h stub, which enters the program. */
static void set_entry(dos *d)
{
    engine_segment rom = {.selector = 0xf000, .base = 0xf0000, .limit = 0xffff, .flags = SEGMENT_CODE};
    engine_set_segment(d->engine, ENGINE_CS, &rom);
    engine_set(d->engine, ENGINE_EIP, (uint16_t)bios_stub_address(0x21) + 9u /* of `waiting` in put_stubs */);
    engine_set(d->engine, ENGINE_EFLAGS, EFLAGS_FIXED);
}

/* Opens the engine, sets BIOS and DOS up, and loads the program. */
static p5_status start(dos *d, const char *path, const char *const *arguments, const char *const *variables,
                       const mz_image *image, p5_error *error)
{
    p5_machine *machine = d->machine;
    p5_status status = machine_open_engine(machine, BARE_DEFAULT_MEMORY, BARE_LEAST_MEMORY, error);
    if (status == P5_OK)
        status = dos_files_open(d, error);
    if (status != P5_OK)
        return status;
    dos_attach(d, machine);
    boot_processor(machine->engine);
    engine_set(machine->engine, ENGINE_ESP, BOOT_STACK);
    bios_install(&d->bios);
    put_stubs(d);
    keyboard_set_one_by_one(machine->devices);
    devices_set_a20(machine->devices, false);
    dos_national_open(d);
    dos_lists_open(d);
    dos_memory_open(d, FIRST_BLOCK);
    d->drive = d->tree.mount_count != 0 ? DOS_FIRST_DRIVE : DOS_OWN_DRIVE;
    status = begin(d, path, arguments, variables, image, error);
    if (status == P5_OK)
        set_entry(d);
    return status;
}

/* Loads a DOS program. The machine owns the state from the start, so that dos_close frees it after an error. */
p5_status p5_machine_load_dos(p5_machine *machine, const char *path, const char *const *arguments,
                              const char *const *environment, p5_error *error)
{
    uint8_t *bytes = NULL;
    size_t size;
    mz_image image;
    dos *d = calloc(1, sizeof *d);
    if (d == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for DOS");
    d->machine = machine;
    d->program = -1;
    p5_status status = file_read(path, DOS_PROGRAM_LARGEST, false, &bytes, &size, error);
    if (status == P5_OK)
        status = mz_parse(bytes, size, &image, error);
    if (status == P5_OK && (d->program = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0)
        status = error_set(error, P5_ERR_IO, "cannot open the file");
    if (status == P5_OK)
        status = start(d, path, arguments, environment, &image, error);
    free(bytes);
    machine->guest_state = d;
    if (status != P5_OK) {
        dos_close(machine);
        return error_in(error, status, path);
    }
    machine->guest = &dos_guest;
    processor_set_control(machine);
    return P5_OK;
}
