/* Execution of programs (AH = 4Bh), their prefixes and their end. program_load.c loads them. A program is known by the
 * segment of its prefix (PSP). To continue another program, a function replaces SS:SP and writes the frame that the IRET of
 * INT 21h's stub pops there. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/base/end.h"
#include "machine/base/notice.h"
#include "machine/dos/dos_internal.h"

void dos_put_frame(dos *d, uint32_t base, uint16_t sp, uint32_t pointer, uint16_t flags)
{
    const uint16_t frame[DOS_FRAME_BYTES / 2] = {(uint16_t)pointer, (uint16_t)(pointer >> 16), flags};
    for (unsigned i = 0; i < DOS_FRAME_BYTES / 2; i++)
        dos_store(d, base + (uint16_t)(sp + 2 * i), frame[i]);
}

/* Writes the frame with which a program continues at `cs`:`ip`, with interrupts enabled, to `ss`:`sp`. */
static void put_frame(dos *d, uint16_t ss, uint16_t sp, uint16_t cs, uint16_t ip)
{
    dos_put_frame(d, dos_linear(ss, 0), sp, (uint32_t)cs << 16 | ip, EFLAGS_FIXED | EFLAGS_IF);
}

/* Makes a program the current one, with the registers that MS-DOS gives it. */
static void enter_program(dos *d, uint16_t psp, const dos_entry *begin)
{
    engine *e = d->engine;
    uint16_t sp = (uint16_t)(begin->sp - DOS_FRAME_BYTES);
    put_frame(d, begin->ss, sp, begin->cs, begin->ip);
    for (engine_register r = ENGINE_EAX; r <= ENGINE_EDI; r++)
        engine_set(e, r, 0);
    engine_set(e, ENGINE_EAX, dos_first_ax(d, psp));
    engine_set(e, ENGINE_ECX, 0xff);
    engine_set(e, ENGINE_EDX, psp);
    engine_set(e, ENGINE_ESI, begin->ip);
    engine_set(e, ENGINE_EDI, begin->sp);
    dos_set_segment(d, ENGINE_DS, psp);
    dos_set_segment(d, ENGINE_ES, psp);
    dos_set_segment(d, ENGINE_SS, begin->ss);
    engine_set(e, ENGINE_ESP, sp);
    d->psp = psp;
    d->dta = dos_linear(psp, PSP_TAIL);
    d->dta_segment = psp;
}

void dos_save_stack(dos *d)
{
    bios_store(&d->bios, dos_linear(d->psp, PSP_STACK), 4, bios_pointer(&d->bios, ENGINE_SS, ENGINE_ESP));
}

/* Sets the terminate address (vector 22h) of a child to the return address of the running INT 21h, and saves
 * the caller's stack, as DOS does. */
static void save_caller(dos *d)
{
    bios_store(&d->bios, DOS_VECTOR_TERMINATE * 4, 4,
               bios_load(&d->bios, dos_pointer(d, ENGINE_SS, ENGINE_ESP), 4));
    dos_save_stack(d);
}

/* Saves the current program as the parent of the next one. Returns false if too many wait already. */
static bool save_parent(dos *d)
{
    if (d->depth == DOS_NESTED)
        return false;
    dos_parent *p = &d->parents[d->depth++];
    p->psp = d->psp;
    p->dta = d->dta;
    for (engine_register r = ENGINE_EAX; r < ENGINE_EIP; r++)
        p->registers[r] = engine_get(d->engine, r);
    for (engine_segment_name s = ENGINE_ES; s <= ENGINE_GS; s++)
        engine_get_segment(d->engine, s, &p->segments[s]);
    return true;
}

dos_error dos_begin(dos *d, const mz_image *image, const dos_command *with)
{
    uint16_t psp;
    dos_entry begin;
    const bool has_parent = d->psp != 0;
    if (has_parent && !save_parent(d))
        return DOS_NO_MEMORY;
    dos_error wrong = dos_load_program(d, image, with, &psp, &begin);
    if (wrong != DOS_OK) {
        d->depth -= has_parent;
        return wrong;
    }
    enter_program(d, psp, &begin);
    return DOS_OK;
}

/* --- the end --- */

/* Restores the registers of the parent that executed the current program. Returns false if `parent` did not
 * execute it: the program was made without EXEC, or its parent has been changed. */
static bool restore_parent(dos *d, uint16_t parent)
{
    if (d->depth == 0 || d->parents[d->depth - 1].psp != parent)
        return false;
    const dos_parent *p = &d->parents[--d->depth];
    d->dta = p->dta;
    for (engine_register r = ENGINE_EAX; r < ENGINE_EIP; r++)
        engine_set(d->engine, r, p->registers[r]);
    for (engine_segment_name s = ENGINE_ES; s <= ENGINE_GS; s++)
        if (s != ENGINE_CS)
            engine_set_segment(d->engine, s, &p->segments[s]);
    return true;
}

/* Continues the parent at the terminate address in the ending program's prefix, with the parent's stack. */
static void return_to_parent(dos *d, uint16_t psp, uint16_t parent)
{
    uint8_t vectors[12];
    uint32_t at = dos_linear(psp, PSP_TERMINATE);
    uint16_t ip = dos_load(d, at), cs = dos_load(d, at + 2);
    engine_read_linear(d->engine, at, vectors, sizeof vectors);
    engine_write_linear(d->engine, DOS_VECTOR_TERMINATE * 4, vectors, sizeof vectors);
    if (!restore_parent(d, parent)) {
        dos_set_segment(d, ENGINE_SS, dos_load(d, dos_linear(parent, PSP_STACK + 2)));
        engine_set(d->engine, ENGINE_ESP, dos_load(d, dos_linear(parent, PSP_STACK)));
    }
    d->psp = parent;
    engine_segment ss;
    engine_get_segment(d->engine, ENGINE_SS, &ss);
    put_frame(d, ss.selector, bios_word(&d->bios, ENGINE_ESP), cs, ip);
}

/* Ends the current program. `type` is the termination type: 0 normal, 1 Ctrl-C, 3 stays resident. Returns to the parent;
 * a program that is its own parent keeps its memory then, as COMMAND.COM does. If the terminate address is still the BIOS's
 * stub, no program has set it, so that no parent waits and the run ends. */
void dos_terminate(dos *d, uint8_t type, uint8_t code)
{
    enum { STAYS = 3 };
    uint16_t psp = d->psp, parent = dos_load(d, dos_linear(psp, PSP_PARENT));
    bool last =
        bios_load(&d->bios, dos_linear(psp, PSP_TERMINATE), 4) == bios_stub_address(DOS_VECTOR_TERMINATE);
    d->exit_code = (uint16_t)(type << 8 | code);
    if (type != STAYS && (last || parent != psp)) {
        dos_handles_close(d, psp);
        dos_free_owned(d, psp);
    }
    if (!last) {
        return_to_parent(d, psp, parent);
        return;
    }
    devices_console_flush(d->machine->devices);
    machine_end(d->machine, P5_END_EXIT, code);
}

/* AH = 00h: Ends the program with exit code 0. */
dos_error dos_call_terminate(dos *d)
{
    dos_terminate(d, 0, 0);
    return DOS_OK;
}

/* AH = 4Ch: Ends the program with exit code AL. */
dos_error dos_call_exit(dos *d)
{
    dos_terminate(d, 0, bios_low(&d->bios, ENGINE_EAX));
    return DOS_OK;
}

/* AH = 31h: Ends the program but keeps DX paragraphs of its memory. */
dos_error dos_call_stay(dos *d)
{
    uint16_t paragraphs = bios_word(&d->bios, ENGINE_EDX);
    dos_resize(d, d->psp, &paragraphs);
    dos_terminate(d, 3, bios_low(&d->bios, ENGINE_EAX));
    return DOS_OK;
}

/* AH = 4Dh: Returns how the last child ended (AH) and its exit code (AL). A second call returns 0. */
dos_error dos_call_exit_code(dos *d)
{
    bios_set_word(&d->bios, ENGINE_EAX, d->exit_code);
    d->exit_code = 0;
    return DOS_OK;
}

/* --- AH = 4Bh --- */

/* Copies the variables of an environment in guest memory. Returns their size, or 0 if no end is found. */
static size_t environment_copy(const dos *d, uint16_t segment, char *to)
{
    size_t size = 0;
    engine_read_linear(d->engine, dos_linear(segment, 0), to, DOS_ENVIRONMENT_MOST);
    while (size < DOS_ENVIRONMENT_MOST - 1 && to[size] != '\0')
        size += strnlen(to + size, DOS_ENVIRONMENT_MOST - 1 - size) + 1;
    return size < DOS_ENVIRONMENT_MOST - 1 ? size : 0;
}

/* The parameter block at ES:BX. */
typedef struct parameters {
    uint16_t environment;               /* segment; 0: that of the caller */
    uint16_t tail_offset, tail_segment; /* the command line after the name: length and characters */
    uint16_t fcb[4];                    /* offset and segment of two file control blocks */
    uint16_t sp, ss, ip, cs;            /* AL = 1: where the program begins, for the caller */
} parameters;

/* AL = 0 (`run`): Executes a program. AL = 1: Loads it and makes it current; the caller, a debugger, starts it. */
static dos_error execute(dos *d, const mz_image *image, const dos_path *path, bool run)
{
    uint32_t at = dos_pointer(d, ENGINE_ES, ENGINE_EBX);
    parameters block;
    char tail[129] = "", name[DOS_DIRECTORY + 4];
    engine_read_linear(d->engine, at, &block, sizeof block);
    uint32_t tail_at = dos_linear(block.tail_segment, block.tail_offset);
    uint32_t length = bios_load(&d->bios, tail_at, 1);
    engine_read_linear(d->engine, tail_at + 1, tail, length < DOS_TAIL_MOST ? length : DOS_TAIL_MOST);
    tail[strcspn(tail, "\r")] = '\0';
    uint16_t variables =
        block.environment != 0 ? block.environment : dos_load(d, dos_linear(d->psp, PSP_ENVIRONMENT));
    char *environment = calloc(DOS_ENVIRONMENT_MOST, 1);
    if (environment == NULL)
        return DOS_NO_MEMORY;
    snprintf(name, sizeof name, "%c:%s", 'A' + path->drive, path->text);
    const dos_command with = {name, tail, environment, environment_copy(d, variables, environment)};
    uint16_t psp;
    dos_entry begin;
    save_caller(d);
    dos_error wrong = run ? dos_begin(d, image, &with) : dos_load_program(d, image, &with, &psp, &begin);
    free(environment);
    if (wrong != DOS_OK)
        return wrong;
    if (run)
        psp = d->psp;
    for (unsigned i = 0; i < 2; i++) { /* copy the file control blocks */
        uint8_t fcb[16];
        engine_read_linear(d->engine, dos_linear(block.fcb[2 * i + 1], block.fcb[2 * i]), fcb, sizeof fcb);
        engine_write_linear(d->engine, dos_linear(psp, (uint16_t)(PSP_FCB + 16 * i)), fcb, sizeof fcb);
    }
    if (run) {
        engine_set(d->engine, ENGINE_EAX, dos_first_ax(d, psp));
    } else {
        block.sp = (uint16_t)(begin.sp - 2); /* the debugger pops AX from there */
        dos_store(d, dos_linear(begin.ss, block.sp), dos_first_ax(d, psp));
        block.ss = begin.ss;
        block.ip = begin.ip;
        block.cs = begin.cs;
        engine_write_linear(d->engine, at, &block, sizeof block);
        d->psp = psp;
        d->dta = dos_linear(psp, PSP_TAIL);
        d->dta_segment = psp;
    }
    return DOS_OK;
}

/* AL = 3: Loads an overlay to a segment with a relocation factor. */
static dos_error overlay(dos *d, const mz_image *image)
{
    uint32_t at = dos_pointer(d, ENGINE_ES, ENGINE_EBX);
    uint16_t segment = dos_load(d, at), factor = dos_load(d, at + 2);
    if (dos_linear(segment, 0) + image->image_size > 0xa0000)
        return DOS_NO_MEMORY;
    return dos_place_image(d, image, segment, factor) ? DOS_OK : DOS_NO_MEMORY;
}

/* AH = 4Bh: Executes or loads the program DS:DX, by the parameters at ES:BX. */
dos_error dos_call_execute(dos *d)
{
    char text[128];
    dos_path path;
    dos_error wrong;
    p5_error why = {0};
    mz_image image;
    struct stat about;
    SHARE_PLACE(place);
    uint8_t function = bios_low(&d->bios, ENGINE_EAX);
    if (function != 0 && function != 1 && function != 3)
        return DOS_NO_FUNCTION;
    if (!dos_text(d, dos_pointer(d, ENGINE_DS, ENGINE_EDX), text, sizeof text))
        return DOS_NO_PATH;
    wrong = dos_path_parse(d, text, &path);
    int host = wrong == DOS_OK ? dos_open_host(d, &path, O_RDONLY, &place, &wrong) : -1;
    if (host < 0)
        return wrong;
    size_t size =
        fstat(host, &about) == 0 && about.st_size <= DOS_PROGRAM_LARGEST ? (size_t)about.st_size : 0;
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL || pread(host, bytes, size, 0) != (ssize_t)size)
        wrong = DOS_BAD_FORMAT;
    close(host);
    if (wrong == DOS_OK && mz_parse(bytes, size, &image, &why) != P5_OK) {
        notice_once(&d->machine->notices, NOTICE_OTHER, 0xd0500u /* no other notice has it */,
                    "DOS cannot execute %s: %s", text, why.message);
        wrong = DOS_BAD_FORMAT;
    }
    if (wrong == DOS_OK)
        wrong = function == 3 ? overlay(d, &image) : execute(d, &image, &path, function == 0);
    free(bytes);
    return wrong;
}

/* --- AH = 26h, 50h, 51h, 55h, 62h --- */

/* AH = 26h: Copies the current prefix to segment DX. AH = 55h: Also makes it a child of the current program, and
 * current. */
dos_error dos_call_create_psp(dos *d)
{
    uint16_t psp = bios_word(&d->bios, ENGINE_EDX);
    uint8_t bytes[PSP_BYTES];
    save_caller(d);
    engine_read_linear(d->engine, dos_linear(d->psp, 0), bytes, sizeof bytes);
    engine_write_linear(d->engine, dos_linear(psp, 0), bytes, sizeof bytes);
    engine_read_linear(d->engine, DOS_VECTOR_TERMINATE * 4, bytes, 12);
    engine_write_linear(d->engine, dos_linear(psp, PSP_TERMINATE), bytes, 12);
    if (bios_high(&d->bios, ENGINE_EAX) == 0x55) { /* SI is the segment of the end of the child's memory */
        dos_store(d, dos_linear(psp, PSP_TOP), bios_word(&d->bios, ENGINE_ESI));
        dos_store(d, dos_linear(psp, PSP_PARENT), d->psp);
        dos_handles_inherit(d, psp);
        d->psp = psp;
    }
    return DOS_OK;
}

/* AH = 50h: Makes the program with prefix BX the current one. */
dos_error dos_call_set_psp(dos *d)
{
    d->psp = bios_word(&d->bios, ENGINE_EBX);
    return DOS_OK;
}

/* AH = 51h, 62h: Returns the current prefix in BX. */
dos_error dos_call_get_psp(dos *d)
{
    bios_set_word(&d->bios, ENGINE_EBX, d->psp);
    return DOS_OK;
}
