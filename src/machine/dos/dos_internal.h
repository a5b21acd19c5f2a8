/* The DOS personality: what MS-DOS 6.22 and its HIMEM.SYS would be to a real-mode program, on the board's
 * BIOS.
 *
 * The vectors of DOS point to stubs in the BIOS's ROM (bios.h), and the work is done by the host when a stub
 * writes to the service port: so a call costs what INT, the stub and IRET cost, and the work itself nothing.
 * What programs look into stands in guest memory: memory control blocks, program segment prefixes with
 * their handle tables, environments. A program that switches to protected mode finds no host of DPMI or VCPI,
 * and memory by XMS. */
#ifndef MACHINE_DOS_DOS_INTERNAL_H
#define MACHINE_DOS_DOS_INTERNAL_H

#include "base/array.h"
#include "machine/bios/bios.h"
#include "machine/board/devices.h"
#include "machine/load/mz.h"
#include "machine/share/share.h"
#include "machine/state.h"

enum {
    DOS_FILES = 64,
    DOS_DRIVES = 26,
    DOS_FIRST_DRIVE = 2, /* C: is the first share */
    DOS_OWN_DRIVE = 25,  /* Z: holds the program, if no share does */
    DOS_DIRECTORY = 68,  /* the largest path, with its NUL */
    DOS_NAME = 13,       /* NAME.EXT and a NUL */
    DOS_NESTED = 16,     /* programs that execute programs */
    DOS_XMS_HANDLES = 64,
    DOS_SEARCHES = 4096
};

/* Error codes, as AX has them with carry set. */
typedef enum dos_error {
    DOS_WAIT = -1, /* none: the call is made again, later */
    DOS_OK = 0,
    DOS_NO_FUNCTION = 1,
    DOS_NO_FILE = 2,
    DOS_NO_PATH = 3,
    DOS_TOO_MANY_FILES = 4,
    DOS_DENIED = 5,
    DOS_NO_HANDLE = 6,
    DOS_BLOCKS_DESTROYED = 7,
    DOS_NO_MEMORY = 8,
    DOS_NO_BLOCK = 9,
    DOS_BAD_FORMAT = 11,
    DOS_BAD_ACCESS = 12,
    DOS_NO_DRIVE = 15,
    DOS_CURRENT_DIRECTORY = 16,
    DOS_OTHER_DEVICE = 17,
    DOS_NO_MORE_FILES = 18,
    DOS_EXISTS = 80
} dos_error;

typedef enum dos_file_kind { DOS_CLOSED, DOS_CONSOLE, DOS_ERROR_OUTPUT, DOS_NUL, DOS_DISK } dos_file_kind;

/* An entry of the system's file table; handles of programs refer to it. */
typedef struct dos_file {
    dos_file_kind kind;
    unsigned references;
    int host;       /* of DOS_DISK */
    uint8_t access; /* 0 read, 1 write, 2 both */
    bool raw;       /* a device without line editing */
    bool inherited; /* by programs that are executed */
    uint8_t drive;
    uint32_t position;
    share_quota *quota; /* of DOS_DISK, NULL: none */
    char *path;         /* of DOS_DISK: in the share tree, NULL for the program on its own drive */
    char name[DOS_NAME];
} dos_file;

/* A program that waits for one that it has executed. */
typedef struct dos_parent {
    uint16_t psp;
    uint32_t registers[ENGINE_EIP];
    engine_segment segments[ENGINE_GS + 1];
    uint32_t dta;
} dos_parent;

typedef struct dos_block {
    bool used;
    uint8_t locks;
    uint32_t start, bytes;
} dos_block;

typedef struct dos {
    bios bios;
    p5_machine *machine;
    engine *engine;
    share_tree tree;
    int program; /* the guest's file */
    char program_name[DOS_NAME];
    dos_file files[DOS_FILES];
    uint16_t first_block; /* segment of the first memory control block */
    uint8_t strategy;
    uint16_t psp;
    uint32_t dta;
    uint8_t drive;
    char directories[DOS_DRIVES][DOS_DIRECTORY]; /* current ones: "" or "\A\B" */
    uint16_t exit_code;                          /* of the last program that ended: AH how, AL code */
    uint8_t break_check, verify;
    uint16_t last_error;
    dos_parent parents[DOS_NESTED];
    unsigned depth;
    uint8_t scan_code; /* of a key without a character, whose 0 has been read; 0: none */
    uint64_t looked_at; /* the clock behind that of the first look for input since a byte was read; 0: none */
    bool input_ended;
    uint32_t reads_at_end, looks_at_end; /* behind the end of the input, */
    uint64_t looking_since;              /* ... from this clock on */
    bool line_feed;                      /* a line feed is to follow the carriage return that was read */
    bool after_return;                   /* the last byte of the input was a carriage return */
    uint16_t line_used;                  /* of INT 21h AH = 0Ah: characters so far */
    ARRAY_OF(char *) searches;           /* directory and pattern of each AH = 4Eh, numbered */
    dos_block blocks[DOS_XMS_HANDLES];
    bool high_memory_taken;
} dos;

/* --- guest memory --- */

static inline uint32_t dos_linear(uint16_t segment, uint16_t offset)
{
    return ((uint32_t)segment << 4) + offset;
}
/* The linear address that a segment register and the low half of another register give. */
static inline uint32_t dos_pointer(const dos *d, engine_segment_name segment, engine_register offset)
{
    return bios_segment(&d->bios, segment) + bios_word(&d->bios, offset);
}
static inline uint16_t dos_load(const dos *d, uint32_t linear)
{
    return (uint16_t)bios_load(&d->bios, linear, 2);
}
static inline void dos_store(dos *d, uint32_t linear, uint16_t value)
{
    bios_store(&d->bios, linear, 2, value);
}
/* A text that ends with NUL: false if it does not fit. */
bool dos_text(const dos *d, uint32_t linear, char *text, size_t room);

/* --- memory.c --- */

/* Makes the chain of memory control blocks from segment `first` to A000h. */
void dos_memory_open(dos *d, uint16_t first);
/* `*paragraphs` for `owner`: the segment. DOS_NO_MEMORY: *paragraphs is the largest free block then. */
dos_error dos_allocate(dos *d, uint16_t owner, uint16_t *paragraphs, uint16_t *segment);
dos_error dos_free(dos *d, uint16_t segment);
dos_error dos_resize(dos *d, uint16_t segment, uint16_t *paragraphs);
void dos_free_owned(dos *d, uint16_t owner);
/* The name of the program that owns it, as memory maps show it. */
void dos_name_block(dos *d, uint16_t segment, const char *name);

/* --- path.c --- */

/* A path in DOS's terms: absolute, upper case, every name 8.3. */
typedef struct dos_path {
    uint8_t drive;
    char text[DOS_DIRECTORY]; /* "" for the root, else "\A\B.C" */
} dos_path;

/* What the guest wrote, made absolute. Wildcards are kept. */
dos_error dos_path_parse(const dos *d, const char *text, dos_path *path);
/* The same of the guest's text at `linear`. */
dos_error dos_path_at(const dos *d, uint32_t linear, dos_path *path);
/* The device that a path names whatever its directory: DOS_CLOSED if none. */
dos_file_kind dos_path_device(const dos_path *path);
/* Where it leads on the host, names compared without regard to case. With `missing` the last name may not
 * be there. The caller closes the place. DOS_OWN_DRIVE has no places. */
dos_error dos_path_find(const dos *d, const dos_path *path, bool missing, share_place *place);
/* True if the path is the program on its own drive. */
bool dos_path_is_program(const dos *d, const dos_path *path);
/* A name of the host as 11 characters of a directory entry: false if DOS could not have it. */
bool dos_name_pack(const char *name, char packed[11]);
void dos_name_unpack(const char packed[11], char name[DOS_NAME]);
dos_error dos_error_of(int32_t result);
bool dos_drive_there(const dos *d, unsigned drive);

/* --- disk_file.c --- */

/* A descriptor of its own for what the run was started with. */
int dos_program_again(const dos *d);
/* Opens a regular file by the host's `flags`: its descriptor, which the caller closes, or -1 and *wrong.
 * *place is where it is, unless it is the program on its own drive; the caller closes that, too. */
int dos_open_host(const dos *d, const dos_path *path, int flags, share_place *place, dos_error *wrong);
/* The same of a program file, for reading. */
int dos_open_program(const dos *d, const dos_path *path, dos_error *wrong);
/* Writes as much as the quota (NULL: none) lets: *done bytes. */
dos_error dos_write_host(int host, share_quota *quota, uint32_t position, const void *bytes, size_t size,
                         size_t *done);
/* Seconds since 1970 as a directory entry has them. */
void dos_pack_time(int64_t seconds, uint16_t *time, uint16_t *day);

/* --- find.c --- */

/* How far a search has come. The guest keeps it, in its transfer area or file control block. */
typedef struct dos_search {
    uint16_t number; /* of its text, from 1 */
    uint8_t attributes;
    char last[11];
} __attribute__((packed)) dos_search;

/* An entry of a directory. */
typedef struct dos_found {
    uint8_t drive;
    char name[11];
    uint8_t attribute;
    uint16_t time, date;
    uint32_t size;
} dos_found;

/* A search for `path`, whose last name may have wildcards. DOS_NO_MORE_FILES: nothing can be found. */
dos_error dos_search_begin(dos *d, const dos_path *path, uint8_t attributes, dos_search *state);
dos_error dos_search_next(dos *d, dos_search *state, dos_found *entry);

/* --- file.c --- */

p5_status dos_files_open(dos *d, p5_error *error);
void dos_files_close(dos *d);
/* The file behind a handle of the current program. */
dos_file *dos_file_at(const dos *d, uint16_t handle);
/* A byte to or from a file on a disk; false at its end. */
void dos_put_byte(dos *d, uint16_t handle, uint8_t byte);
bool dos_get_byte(dos *d, uint16_t handle, uint8_t *byte);
/* The handle tables of a new and of an ending program. */
void dos_handles_inherit(dos *d, uint16_t psp);
void dos_handles_close(dos *d, uint16_t psp);

/* --- change.c --- */

/* Deletes a file, renames one to a path where nothing is. */
dos_error dos_delete(dos *d, const dos_path *path);
dos_error dos_rename(dos *d, const dos_path *from, const dos_path *to);

/* --- fcb.c --- */

/* The name at `text` as a file control block has it, 12 bytes with the drive before: how many characters it
 * took; `how` and `*answer` are AL of AH = 29h. */
size_t dos_parse_name(const dos *d, const char *text, uint8_t how, uint8_t fcb[12], uint8_t *answer);

/* --- console.c --- */

/* The next byte of the input: 1, 0 = none yet, -1 = it has ended. */
int dos_input(dos *d, uint8_t *byte);
bool dos_input_waits(dos *d);
void dos_output(dos *d, uint8_t character);

/* --- program.c --- */

/* Puts a program into memory as a child of the current one (none: the guest) and makes it the current one; it
 * begins when the stub returns. `tail` is the command line behind the name, `environment` its variables, each
 * with a NUL behind it. */
dos_error dos_begin(dos *d, const mz_image *image, const char *path, const char *tail,
                    const char *environment, size_t environment_size);
/* Ends the current program: `how` 0 = normally, 1 = Ctrl-C, 3 = it stays resident. */
void dos_terminate(dos *d, uint8_t how, uint8_t code);

/* --- The functions of INT 21h by file: DOS_OK, DOS_WAIT or an error for AX --- */

typedef dos_error dos_call(dos *d);
dos_call dos_call_input_echo, dos_call_output, dos_call_direct, dos_call_input_raw, dos_call_input,
    dos_call_string, dos_call_line, dos_call_status, dos_call_flush; /* console.c */
dos_call dos_call_make_directory, dos_call_remove_directory, dos_call_change_directory, dos_call_create,
    dos_call_open, dos_call_close, dos_call_read, dos_call_write, dos_call_delete, dos_call_seek,
    dos_call_attributes, dos_call_ioctl, dos_call_duplicate, dos_call_duplicate_to, dos_call_get_directory,
    dos_call_rename, dos_call_file_time, dos_call_create_temporary, dos_call_create_new, dos_call_handles,
    dos_call_commit, dos_call_open_extended, dos_call_truename; /* file.c, change.c */
dos_call dos_call_find_first, dos_call_find_next;               /* find.c */
dos_call dos_call_fcb_open, dos_call_fcb_close, dos_call_fcb_find_first, dos_call_fcb_find_next,
    dos_call_fcb_delete, dos_call_fcb_read, dos_call_fcb_write, dos_call_fcb_create, dos_call_fcb_rename,
    dos_call_fcb_read_random, dos_call_fcb_write_random, dos_call_fcb_size, dos_call_fcb_set_random,
    dos_call_fcb_read_block, dos_call_fcb_write_block, dos_call_parse_name;            /* fcb.c */
dos_call dos_call_country, dos_call_lead_bytes, dos_call_national, dos_call_code_page; /* national.c */
dos_call dos_call_allocate, dos_call_free, dos_call_resize, dos_call_strategy;         /* memory.c */
dos_call dos_call_execute, dos_call_terminate, dos_call_exit, dos_call_stay, dos_call_exit_code,
    dos_call_create_psp, dos_call_set_psp, dos_call_get_psp; /* program.c */

/* call.c: a service of DOS's vectors. True: wait. */
bool dos_serve(bios *b, unsigned vector);
/* xms.c: the entry point of HIMEM. */
void dos_xms(dos *d);
/* snapshot.c */
void dos_transfer(p5_machine *machine, snapshot *s);

/* In the places of these vectors' stubs. */
enum { DOS_XMS_SLOT = 0xf0, DOS_CASE_SLOT = 0xf1 };

/* DOS's own data in guest memory: a segment, and what stands in it. */
enum {
    DOS_DATA = 0x70,
    DOS_LISTS = 0x26,      /* the list of lists, */
    DOS_SWAPPABLE = 0x100, /* swappable data area: InDOS is its second byte, */
    DOS_NATIONAL = 0x200   /* tables of the country: national.c */
};

static inline void dos_set_segment(dos *d, engine_segment_name name, uint16_t value)
{
    engine_segment segment;
    engine_get_segment(d->engine, name, &segment);
    segment.selector = value;
    segment.base = (uint32_t)value << 4;
    segment.limit = 0xffff;
    engine_set_segment(d->engine, name, &segment);
}

/* national.c: puts the tables into memory; the routine of AH = 38h that makes upper case of AL. */
void dos_national_open(dos *d);
void dos_case_map(dos *d);

/* start.c: the stubs, which a snapshot has in memory; and what it does not have. */
void dos_attach(dos *d, p5_machine *machine);

#endif
