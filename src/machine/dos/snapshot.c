/* DOS's state in snapshots, in addition to guest memory. Open files are saved by their path in the shares and
 * reopened; they must not have changed. A snapshot grants no access to the host, so the user must name the
 * guest's program again. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/dos/dos_internal.h"
#include "machine/dos/guest.h"
#include "machine/share/host_file.h"

/* ---- files --------------------------------------------------------------------------------------------- */

typedef struct saved_file {
    dos_file file;
    host_file state; /* DOS_DISK: of the host's file */
} saved_file;
static const snapshot_table file_state = {
    SNAPSHOT(saved_file, "dos_file", FIELD_MOST(DOS_DISK, file.kind), FIELD_MOST(1 << 20, file.references),
             FIELD_MOST(3, file.access), FIELD_FLAG(file.raw, file.inherited),
             FIELD_MOST(DOS_DRIVES - 1, file.drive), FIELD_ANY(file.position), FIELD_STRING(file.path),
             FIELD_TEXT(file.name), FIELD_TABLE(&host_file_state, state)),
    .partial = true};

/* Opens a file again and checks that it has not changed. A file without a path is the guest's program. */
static void reopen(dos *d, dos_file *file, const host_file *state, snapshot *s)
{
    static const int access[] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR};
    SHARE_PLACE(place);
    if (file->path == NULL) {
        file->host = dos_program_again(d);
        return;
    }
    int32_t wrong = share_resolve(&d->tree, "", file->path, 0, &place);
    file->host = wrong == 0 && place.directory >= 0 ? share_open(&place, access[file->access], 0) : -1;
    file->quota = place.quota;
    if (file->host < 0)
        snapshot_refuse(s, "the guest's open file %s cannot be opened again", file->path);
    else
        host_file_check(state, file->host, file->path, s);
}

/* Saves or loads an entry of the system's file table. */
static void transfer_file(dos *d, dos_file *file, snapshot *s)
{
    saved_file saved = {.file = *file};
    if (!s->loading && file->kind == DOS_DISK)
        saved.state = host_file_of(file->host);
    snapshot_state(s, &file_state, &saved);
    if (!s->loading)
        return;
    *file = saved.file;
    file->host = -1;
    if (s->status == P5_OK && file->kind == DOS_DISK && !d->machine->options.look_only)
        reopen(d, file, &saved.state, s);
}

/* ---- the program --------------------------------------------------------------------------------------- */

typedef struct saved_program {
    char *path;
    host_file state;
} saved_program;
static const snapshot_table program_state = {
    SNAPSHOT(saved_program, "dos_program", FIELD_STRING(path), FIELD_TABLE(&host_file_state, state))};

/* Saves the path of the program's file, or opens the file again, because DOS_OWN_DRIVE needs it. */
static void transfer_program(dos *d, snapshot *s)
{
    saved_program saved = {0};
    if (!s->loading) {
        char own[64], text[SHARE_PATH];
        snprintf(own, sizeof own, "/proc/self/fd/%d", d->program);
        ssize_t length = readlink(own, text, sizeof text - 1);
        text[length > 0 ? length : 0] = '\0';
        saved.path = strdup(text);
        saved.state = host_file_of(d->program);
    }
    snapshot_state(s, &program_state, &saved);
    /* A copy of a running machine (snapshot/copy.h) may open what that machine has open. */
    const char *image = d->machine->replaying ? saved.path : d->machine->options.image;
    if (s->loading && s->status == P5_OK && !d->machine->options.look_only) {
        if (image == NULL)
            snapshot_refuse(s, "the snapshot's guest is the program %s; name it on the command line",
                            saved.path != NULL ? saved.path : "");
        d->program = image != NULL ? open(image, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
        if (d->program < 0)
            snapshot_refuse(s, "the guest's program %s cannot be opened again", image != NULL ? image : "");
        else
            host_file_check(&saved.state, d->program, image, s);
    }
    free(saved.path);
}

/* ---- searches ------------------------------------------------------------------------------------------ */

typedef struct saved_search {
    char *text;
} saved_search;
static const snapshot_table search_state = {SNAPSHOT(saved_search, "dos_search", FIELD_STRING(text))};

static void transfer_searches(dos *d, snapshot *s)
{
    size_t count = (size_t)snapshot_number(s, "dos_searches", d->searches.count, DOS_SEARCHES);
    for (size_t i = 0; i < count && s->status == P5_OK; i++) {
        saved_search saved = {s->loading ? NULL : d->searches.items[i]};
        snapshot_state(s, &search_state, &saved);
        if (!s->loading)
            continue;
        if (s->status == P5_OK && saved.text == NULL)
            snapshot_refuse(s, "dos_search.text is missing");
        if (s->status != P5_OK || !ARRAY_ADD(&d->searches, saved.text)) {
            free(saved.text);
            snapshot_no_memory(s);
            return;
        }
    }
}

/* ---- DOS ----------------------------------------------------------------------------------------------- */

static const snapshot_table segment_state = {
    SNAPSHOT(engine_segment, "segment", FIELD_ANY(selector, base, limit, flags))};

static const snapshot_table parent_state = {SNAPSHOT(dos_parent, "parent", FIELD_ANY(psp),
                                                     FIELD_ANY_OF([0], registers),
                                                     FIELD_TABLE(&segment_state, segments), FIELD_ANY(dta))};

static const snapshot_table block_state = {
    SNAPSHOT(dos_block, "block", FIELD_FLAG(used), FIELD_ANY(locks, start, bytes))};

static const snapshot_table dos_state = {
    SNAPSHOT(dos, "dos", FIELD_DEADLINE(bios.wait_until), FIELD_TEXT(program_name),
             FIELD_ANY(first_block, strategy, psp, dta), FIELD_SINCE(2, FIELD_ANY(dta_segment)),
             FIELD_MOST(DOS_DRIVES - 1, drive), FIELD_TEXT_OF([0], directories), FIELD_ANY(exit_code),
             FIELD_MOST(1, break_check, verify), FIELD_ANY(last_error),
             FIELD_SINCE(3, FIELD_ANY(error_class, error_action, error_locus)),
             FIELD_TABLE(&parent_state, parents), FIELD_MOST(DOS_NESTED, depth), FIELD_ANY(scan_code),
             FIELD_TIME(looked_at), FIELD_FLAG(input_ended), FIELD_ANY(reads_at_end, looks_at_end),
             FIELD_TIME(looking_since), FIELD_FLAG(line_feed, after_return), FIELD_MOST(255, line_used),
             FIELD_TABLE(&block_state, blocks), FIELD_FLAG(high_memory_taken),
             FIELD_SINCE(2, FIELD_TABLE(&dos_mouse_state, mouse))),
    .partial = true};

const snapshot_table *const dos_tables[] = {&program_state, &file_state, &dos_state, &search_state, NULL};

/* Checks that the blocks of extended memory lie in RAM, because they are copied without further checks. */
static void check_blocks(const dos *d, snapshot *s)
{
    uint32_t memory = d->machine->options.memory_bytes;
    for (unsigned i = 0; i < DOS_XMS_HANDLES; i++)
        if (d->blocks[i].start > memory || d->blocks[i].bytes > memory - d->blocks[i].start)
            snapshot_refuse(s, "dos.blocks.start[%u]: the block is outside memory", i);
}

/* Saves or loads DOS's state. A load makes it, and opens the shares and files again. */
void dos_transfer(p5_machine *machine, snapshot *s)
{
    dos *d = machine->guest_state;
    if (s->loading) {
        d = calloc(1, sizeof *d);
        if (d == NULL) {
            snapshot_no_memory(s);
            return;
        }
        d->program = -1;
        for (unsigned i = 0; i < DOS_FILES; i++)
            d->files[i].host = -1;
        dos_attach(d, machine);
        bios_attach(&d->bios);
        machine->guest_state = d;
        if (s->status == P5_OK)
            s->status = share_tree_open(&d->tree, &machine->options, s->error);
    }
    transfer_program(d, s);
    snapshot_state(s, &dos_state, d);
    if (s->loading && s->status == P5_OK)
        check_blocks(d, s);
    for (unsigned i = 0; i < DOS_FILES; i++)
        transfer_file(d, &d->files[i], s);
    transfer_searches(d, s);
}
