/* DOS in snapshots. What programs see stands in guest memory; here is what DOS knows beside it. Files are
 * named by their path in the shares and opened again; they must be as they were. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/dos/dos.h"

static void reopen(dos *d, dos_file *file, uint64_t size, snapshot *s)
{
    static const int access[] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR};
    share_place place;
    struct stat about;
    if (file->path == NULL) {
        file->host = fcntl(d->program, F_DUPFD_CLOEXEC, 3);
        return;
    }
    int32_t wrong = share_resolve(&d->tree, "", file->path, 0, &place);
    file->host = wrong == 0 && place.directory >= 0 ? share_open(&place, access[file->access & 3], 0) : -1;
    file->quota = place.quota;
    share_place_close(&place);
    if (file->host < 0)
        snapshot_refuse(s, "the guest has %s open, which cannot be opened again", file->path);
    else if (fstat(file->host, &about) != 0 || !S_ISREG(about.st_mode) || (uint64_t)about.st_size != size)
        snapshot_refuse(s, "the guest has %s open, which has changed since the snapshot was made",
                        file->path);
}

static void transfer_file(dos *d, dos_file *file, snapshot *s)
{
    struct stat about = {0};
    file->kind = (dos_file_kind)snapshot_number(s, "file.kind", file->kind, DOS_DISK);
    file->references = (unsigned)snapshot_number(s, "file.references", file->references, 1 << 20);
    file->access = (uint8_t)snapshot_number(s, "file.access", file->access, 3);
    file->raw = snapshot_number(s, "file.raw", file->raw, 1) != 0;
    file->inherited = snapshot_number(s, "file.inherited", file->inherited, 1) != 0;
    file->drive = (uint8_t)snapshot_number(s, "file.drive", file->drive, DOS_DRIVES - 1);
    file->position = (uint32_t)snapshot_number(s, "file.position", file->position, UINT32_MAX);
    snapshot_text(s, "file.path", &file->path);
    snapshot_piece(s, "file.name", file->name, sizeof file->name);
    file->name[DOS_NAME - 1] = '\0';
    if (file->kind == DOS_DISK && !s->loading)
        fstat(file->host, &about);
    uint64_t size = snapshot_number(s, "file.size", (uint64_t)about.st_size, UINT32_MAX);
    if (s->loading && s->status == P5_OK && file->kind == DOS_DISK)
        reopen(d, file, size, s);
}

static void transfer_searches(dos *d, snapshot *s)
{
    size_t count = (size_t)snapshot_number(s, "searches", d->searches.count, DOS_SEARCHES);
    for (size_t i = 0; i < count && s->status == P5_OK; i++) {
        char *text = s->loading ? NULL : d->searches.items[i];
        snapshot_text(s, "search", &text);
        if (!s->loading)
            continue;
        if (text == NULL || !ARRAY_ROOM(&d->searches)) {
            free(text);
            s->status = error_set(s->error, P5_ERR_FORMAT, "a search of the snapshot has no text");
            return;
        }
        d->searches.items[d->searches.count++] = text;
    }
}

/* The program's file, for its own drive and the debuggers of programs that read themselves. */
static void transfer_program(dos *d, snapshot *s)
{
    char *path = NULL, own[64];
    if (!s->loading) {
        char text[SHARE_PATH];
        snprintf(own, sizeof own, "/proc/self/fd/%d", d->program);
        ssize_t length = readlink(own, text, sizeof text - 1);
        text[length > 0 ? length : 0] = '\0';
        path = strdup(text);
    }
    snapshot_text(s, "program", &path);
    if (s->loading && s->status == P5_OK) {
        d->program = path != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
        if (d->program < 0)
            snapshot_refuse(s, "the guest's program %s cannot be opened again", path != NULL ? path : "");
    }
    free(path);
}

static void transfer_parent(dos_parent *p, snapshot *s)
{
    snapshot_piece(s, "parent", p, sizeof *p);
}

void dos_transfer(p5_machine *machine, snapshot *s)
{
    dos *d = machine->guest_state;
    if (s->loading) {
        d = calloc(1, sizeof *d);
        if (d == NULL) {
            s->status = error_set(s->error, P5_ERR_MEMORY, "no memory for DOS");
            return;
        }
        d->program = d->bios.disk.file = -1;
        d->bios.disk.drive = BIOS_NO_DRIVE;
        for (unsigned i = 0; i < DOS_FILES; i++)
            d->files[i].host = -1;
        dos_attach(d, machine);
        bios_attach(&d->bios);
        machine->guest_state = d;
        if (s->status == P5_OK)
            s->status = share_tree_open(&d->tree, &machine->options, s->error);
    }
    transfer_program(d, s);
    snapshot_piece(s, "program.name", d->program_name, sizeof d->program_name);
    for (unsigned i = 0; i < DOS_FILES; i++)
        transfer_file(d, &d->files[i], s);
    d->first_block = (uint16_t)snapshot_number(s, "first_block", d->first_block, 0xffff);
    d->strategy = (uint8_t)snapshot_number(s, "strategy", d->strategy, 255);
    d->psp = (uint16_t)snapshot_number(s, "psp", d->psp, 0xffff);
    d->dta = (uint32_t)snapshot_number(s, "dta", d->dta, UINT32_MAX);
    d->drive = (uint8_t)snapshot_number(s, "drive", d->drive, DOS_DRIVES - 1);
    snapshot_piece(s, "directories", d->directories, sizeof d->directories);
    for (unsigned i = 0; i < DOS_DRIVES; i++)
        d->directories[i][DOS_DIRECTORY - 1] = '\0';
    d->exit_code = (uint16_t)snapshot_number(s, "exit_code", d->exit_code, 0xffff);
    d->break_check = (uint8_t)snapshot_number(s, "break", d->break_check, 1);
    d->verify = (uint8_t)snapshot_number(s, "verify", d->verify, 1);
    d->last_error = (uint16_t)snapshot_number(s, "last_error", d->last_error, 0xffff);
    d->depth = (unsigned)snapshot_number(s, "depth", d->depth, DOS_NESTED);
    for (unsigned i = 0; i < d->depth; i++)
        transfer_parent(&d->parents[i], s);
    d->ahead = (int)snapshot_number(s, "ahead", (uint64_t)(d->ahead + 1), 256) - 1;
    d->input_ended = snapshot_number(s, "input_ended", d->input_ended, 1) != 0;
    d->line_feed = snapshot_number(s, "line_feed", d->line_feed, 1) != 0;
    d->after_return = snapshot_number(s, "after_return", d->after_return, 1) != 0;
    d->line_used = (uint16_t)snapshot_number(s, "line_used", d->line_used, 255);
    d->high_memory_taken = snapshot_number(s, "high_memory", d->high_memory_taken, 1) != 0;
    d->bios.wait_until = snapshot_number(s, "bios.wait_until", d->bios.wait_until, UINT64_MAX);
    for (unsigned i = 0; i < DOS_XMS_HANDLES; i++) {
        dos_block *b = &d->blocks[i];
        b->used = snapshot_number(s, "xms.used", b->used, 1) != 0;
        b->locks = (uint8_t)snapshot_number(s, "xms.locks", b->locks, 255);
        b->start = (uint32_t)snapshot_number(s, "xms.start", b->start, machine->options.memory_bytes);
        b->bytes = (uint32_t)snapshot_number(
            s, "xms.bytes", b->bytes, s->loading ? machine->options.memory_bytes - b->start : UINT32_MAX);
    }
    transfer_searches(d, s);
}
