/* Loading of programs: memory, program segment prefix, environment and image. */
#include <stdlib.h>
#include <string.h>

#include "machine/base/notice.h"
#include "machine/dos/dos_internal.h"

enum {
    PSP_PARAGRAPHS = 0x10,
    PSP_CPM = 0x05,  /* code that a program may call for the functions of CP/M */
    PSP_CALL = 0x50, /* offset of code that a program may call for INT 21h */
    OWNER_DOS = 8    /* owns the blocks of a program until it is loaded */
};

/* --- the prefix --- */

/* Writes a prefix at segment `psp`, without names and command line. `top` is the segment of the end of the program's
 * memory; `environment` is a segment. */
static void psp_make(dos *d, uint16_t psp, uint16_t top, uint16_t environment)
{
    static const uint8_t call[] = {0xcd, 0x21, 0xcb}; /* int 21h; retf */
    uint8_t bytes[PSP_BYTES] = {0xcd, 0x20};          /* int 20h */
    /* A far call of the stub at DOS_CPM_SLOT. Its offset is also CP/M's size of the memory for the program. */
    const uint32_t stub = bios_stub_address(DOS_CPM_SLOT);
    const uint16_t size = 0xfef0;
    const uint16_t segment = (uint16_t)((dos_linear((uint16_t)(stub >> 16), (uint16_t)stub) - size) / 16);
    bytes[PSP_CPM] = 0x9a;
    memcpy(bytes + PSP_CPM + 1, &size, 2);
    memcpy(bytes + PSP_CPM + 3, &segment, 2);
    memcpy(bytes + PSP_TOP, &top, 2);
    engine_read_linear(d->engine, DOS_VECTOR_TERMINATE * 4, bytes + PSP_TERMINATE, 12);
    uint16_t parent = d->psp != 0 ? d->psp : psp; /* the first program is its own parent */
    memcpy(bytes + PSP_PARENT, &parent, 2);
    memcpy(bytes + PSP_ENVIRONMENT, &environment, 2);
    memset(bytes + 0x38, 0xff, 4); /* pointer to the previous PSP: none */
    bytes[0x40] = 6;               /* version of DOS: 6.22 */
    bytes[0x41] = 22;
    memcpy(bytes + PSP_CALL, call, sizeof call);
    engine_write_linear(d->engine, dos_linear(psp, 0), bytes, sizeof bytes);
}

/* Writes the command line after the program's name, cut to what fits. */
static void psp_set_tail(dos *d, uint16_t psp, const char *tail)
{
    uint8_t bytes[128] = {0};
    size_t length = strnlen(tail, DOS_TAIL_MOST);
    bytes[0] = (uint8_t)length;
    memcpy(bytes + 1, tail, length);
    bytes[1 + length] = '\r';
    engine_write_linear(d->engine, dos_linear(psp, PSP_TAIL), bytes, sizeof bytes);
}

/* Parses the first two words of the tail into the prefix's file control blocks, as COMMAND.COM does. */
static void psp_set_names(dos *d, uint16_t psp, const char *tail)
{
    enum { SKIP_SEPARATORS = 1 }; /* AL of AH = 29h */
    static const char between[] = " \t,;=";
    for (unsigned i = 0; i < 2; i++) {
        uint8_t fcb[16] = {0}, answer;
        dos_parse_name(d, tail, SKIP_SEPARATORS, fcb, &answer);
        engine_write_linear(d->engine, dos_linear(psp, (uint16_t)(PSP_FCB + 16 * i)), fcb, sizeof fcb);
        tail += strspn(tail, between);
        tail += strcspn(tail, between);
    }
}

uint16_t dos_first_ax(const dos *d, uint16_t psp)
{
    uint16_t ax = 0;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t drive = bios_load(&d->bios, dos_linear(psp, (uint16_t)(PSP_FCB + 16 * i)), 1);
        if (drive != 0 && !dos_drive_there(d, drive - 1))
            ax |= (uint16_t)(0xff << 8 * i);
    }
    return ax;
}

/* Allocates and fills an environment: the variables, an empty one, the number of strings that follow (1), and
 * the program's path. */
static dos_error environment_make(dos *d, const char *variables, size_t size, const char *path,
                                  uint16_t *segment)
{
    size_t whole = size + (size == 0) + 1 + 2 + strlen(path) + 1; /* no variables: two NULs */
    uint16_t paragraphs = (uint16_t)((whole + 15) / 16);
    if (whole > DOS_ENVIRONMENT_MOST)
        return DOS_NO_MEMORY;
    uint8_t *bytes = calloc(whole, 1);
    dos_error wrong = bytes != NULL ? dos_allocate(d, OWNER_DOS, &paragraphs, segment) : DOS_NO_MEMORY;
    if (wrong != DOS_OK) {
        free(bytes);
        return wrong;
    }
    memcpy(bytes, variables, size);
    size_t at = size + (size == 0) + 1;
    bytes[at] = 1;
    strcpy((char *)bytes + at + 2, path);
    engine_write_linear(d->engine, dos_linear(*segment, 0), bytes, whole);
    free(bytes);
    return DOS_OK;
}

/* --- loading --- */

/* Copies the image, with zeros where the file is too short, and relocates it: adds `factor` to each word that a relocation
 * names. Returns false if the copy fails. */
bool dos_place_image(dos *d, const mz_image *image, uint16_t segment, uint16_t factor)
{
    uint8_t *copy = calloc(image->image_size, 1);
    if (copy == NULL)
        return false;
    memcpy(copy, image->bytes + image->image_at, image->stored);
    bool written = engine_write_linear(d->engine, dos_linear(segment, 0), copy, image->image_size);
    free(copy);
    for (unsigned i = 0; i < image->relocation_count; i++) {
        uint32_t at = (dos_linear(segment, 0) + mz_relocation(image, i)) & 0xfffff;
        dos_store(d, at, (uint16_t)(dos_load(d, at) + factor));
    }
    return written;
}

/* Sends a notice that only the DOS part of a file with programs for two systems runs. */
static void notice_other_system(dos *d, const mz_image *image, const char *path)
{
    if (image->other_system != NULL)
        notice_once(&d->machine->notices, NOTICE_OTHER, 0xd0501u, /* a number that no other notice has */
                    "%s also contains a program for %s; p5scope runs the DOS program only", path,
                    image->other_system);
}

/* Allocates memory for prefix and image: as much as is free, between the header's minimum and maximum. COM files and a
 * maximum of 0 take all that is free. */
static dos_error allocate_program(dos *d, const mz_image *image, uint16_t *psp, uint16_t *paragraphs)
{
    const uint32_t loaded = PSP_PARAGRAPHS + (image->image_size + 15) / 16;
    uint32_t least = loaded + image->least;
    uint32_t most = image->com || image->most == 0 ? 0xffff : loaded + image->most;
    most = most > 0xffff ? 0xffff : most < least ? least : most;
    if (least > 0xffff)
        return DOS_NO_MEMORY;
    *paragraphs = (uint16_t)most;
    dos_error wrong = dos_allocate(d, OWNER_DOS, paragraphs, psp);
    if (wrong == DOS_NO_MEMORY && *paragraphs >= least) /* it is the largest free size now */
        wrong = dos_allocate(d, OWNER_DOS, paragraphs, psp);
    return wrong;
}

/* Returns the segment of the image in a memory block of `paragraphs`: directly after the prefix, or at the end of the
 * block if the header asks for no memory, neither at least nor at most. */
static uint16_t image_segment(const mz_image *image, uint16_t psp, uint16_t paragraphs)
{
    if (image->com || image->least != 0 || image->most != 0)
        return (uint16_t)(psp + PSP_PARAGRAPHS);
    return (uint16_t)(psp + paragraphs - (image->image_size + 15) / 16);
}

/* Allocates and fills environment, prefix and image. Sets *psp, and *begin to the registers with which the caller must
 * start the program. */
dos_error dos_load_program(dos *d, const mz_image *image, const dos_command *with, uint16_t *psp,
                           dos_entry *begin)
{
    uint16_t variables, paragraphs;
    dos_error wrong = environment_make(d, with->environment, with->environment_size, with->path, &variables);
    if (wrong != DOS_OK)
        return wrong;
    wrong = allocate_program(d, image, psp, &paragraphs);
    if (wrong != DOS_OK) {
        dos_free(d, variables);
        return wrong;
    }
    uint16_t segment = image_segment(image, *psp, paragraphs);
    if (!dos_place_image(d, image, segment, segment)) {
        dos_free(d, *psp);
        dos_free(d, variables);
        return DOS_NO_MEMORY;
    }
    psp_make(d, *psp, (uint16_t)(*psp + paragraphs), variables);
    psp_set_tail(d, *psp, with->tail);
    psp_set_names(d, *psp, with->tail);
    dos_handles_inherit(d, *psp);
    if (image->com) {
        uint16_t top = paragraphs >= 0x1000 ? 0xfffe : (uint16_t)(paragraphs * 16 - 2);
        *begin = (dos_entry){*psp, 0x100, *psp, top};
        dos_store(d, dos_linear(*psp, top), 0); /* RET ends the program by INT 20h at its address 0 */
    } else {
        *begin = (dos_entry){(uint16_t)(segment + image->cs), image->ip, (uint16_t)(segment + image->ss),
                             image->sp};
    }
    notice_other_system(d, image, with->path);
    const char *name = strrchr(with->path, '\\');
    dos_name_block(d, *psp, name != NULL ? name + 1 : with->path);
    /* the program owns both blocks */
    dos_store(d, dos_linear((uint16_t)(*psp - 1), 1), *psp);
    dos_store(d, dos_linear((uint16_t)(variables - 1), 1), *psp);
    return DOS_OK;
}
