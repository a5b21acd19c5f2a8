/* The DOS personality: emulates MS-DOS 6.22 and its HIMEM.SYS for a real-mode program, on top of the board's
 * BIOS.
 *
 * The DOS interrupt vectors point to stubs in the BIOS ROM (bios.h). A stub writes to the service port, and
 * the host then does the work. A DOS call therefore costs the clocks of INT, the stub and IRET; the work
 * itself is free. The structures that programs inspect are in guest memory: memory control blocks, program
 * segment prefixes with their handle tables, and environments. There is no DPMI or VCPI host; a program that
 * switches to protected mode by itself can get memory through XMS. */
#ifndef MACHINE_DOS_DOS_INTERNAL_H
#define MACHINE_DOS_DOS_INTERNAL_H

#include "base/array.h"
#include "machine/bios/bios.h"
#include "machine/board/devices.h"
#include "machine/load/mz.h"
#include "machine/share/share.h"
#include "machine/state.h"

enum {
    DOS_FILES = 64, /* entries of the system's file table */
    DOS_DRIVES = 26,
    DOS_FIRST_DRIVE = 2, /* C: is the first share */
    DOS_OWN_DRIVE = 25,  /* Z: holds the program if it is in no share */
    DOS_DIRECTORY = 68,  /* bytes of the longest path, with its NUL */
    DOS_NAME = 13,       /* bytes of NAME.EXT and its NUL */
    DOS_NESTED = 16,     /* depth of programs that execute programs */
    DOS_XMS_HANDLES = 64,
    DOS_SEARCHES = 4096,           /* different patterns for which a program may search */
    DOS_PROGRAM_LARGEST = 64 << 20 /* bytes of a program's file */
};

/* Error codes that calls return in AX with the carry flag set. */
typedef enum dos_error {
    DOS_BREAK = -2, /* no error: Ctrl-C has been read, so INT 23h follows (break.c) */
    DOS_WAIT = -1,  /* no error: the stub repeats the call later */
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

/* DOS_NUL also stands for the devices AUX, PRN and the like. */
typedef enum dos_file_kind { DOS_CLOSED, DOS_CONSOLE, DOS_ERROR_OUTPUT, DOS_NUL, DOS_DISK } dos_file_kind;

/* An entry of the system's file table; handles of programs refer to it. */
typedef struct dos_file {
    dos_file_kind kind;
    unsigned references; /* number of handles; entries 0 to 3 have one more; 0: the entry is free */
    int host;            /* DOS_DISK: the descriptor */
    uint8_t access;      /* 0 read, 1 write, 2 both */
    bool raw;            /* device without line editing */
    bool inherited;      /* child programs inherit the handles that refer to it */
    uint8_t drive;       /* DOS_DISK: 0 is A: */
    uint32_t position;
    share_quota *quota;  /* DOS_DISK: of its share, for writes; NULL if there is no quota */
    char *path;          /* DOS_DISK: path in the share tree; NULL for the program on DOS_OWN_DRIVE */
    char name[DOS_NAME]; /* DOS_DISK: the last name of its DOS path */
} dos_file;

/* A program that waits for its child to end, with its registers at the call that executed the child. */
typedef struct dos_parent {
    uint16_t psp;
    uint32_t registers[ENGINE_EIP]; /* EAX to EDI */
    engine_segment segments[ENGINE_GS + 1];
    uint32_t dta;
} dos_parent;

/* A block of extended memory (xms.c). Its handle is its index + 1. */
typedef struct dos_block {
    bool used;
    uint8_t locks;         /* calls of "lock" without their "unlock" */
    uint32_t start, bytes; /* physical address; size */
} dos_block;

/* The mouse driver's state; the pointer is not drawn. */
typedef struct dos_mouse {
    uint16_t x, y;                               /* in pixels of the virtual screen */
    uint16_t left, right, top, bottom;           /* where the pointer may be */
    uint16_t hidden;                             /* calls of 02h without their 01h */
    uint16_t mask;                               /* events for which the handler would be called */
    uint32_t handler;                            /* segment and offset */
    uint16_t horizontal, vertical, double_speed; /* sensitivity */
} dos_mouse;

typedef struct dos {
    bios bios;
    p5_machine *machine;
    engine *engine;
    share_tree tree;
    int program;                 /* the host's descriptor of the guest's program file; -1: none */
    char program_name[DOS_NAME]; /* its name on DOS_OWN_DRIVE */
    dos_file files[DOS_FILES];
    uint16_t first_block; /* segment of the first memory control block */
    uint8_t strategy;     /* allocation strategy (AH = 58h) */
    uint16_t psp;         /* segment of the current program's prefix; 0: there is none yet */
    uint32_t dta;         /* linear address of the disk transfer area (AH = 1Ah) */
    uint16_t dta_segment; /* segment that the program gave for it, or for an earlier one: dos_dta_pointer */
    uint8_t drive;        /* the current one; 0 is A: */
    char directories[DOS_DRIVES][DOS_DIRECTORY]; /* current directories: "" or "\A\B" */
    uint16_t exit_code;                          /* of the last child, as AH = 4Dh returns it in AX */
    uint8_t break_check, verify;                 /* flags of AH = 33h and 2Eh, which have no effect */
    uint16_t last_error;                         /* of the last call that failed (AH = 59h) */
    /* What AX = 5D0Ah has set for the error; class 0: its usual meaning. */
    uint8_t error_class, error_action, error_locus;
    dos_parent parents[DOS_NESTED]; /* the first program is [0] */
    unsigned depth;                 /* number of waiting parents */
    uint8_t scan_code;              /* second byte of a key without a character, to be read next; 0: none */
    uint64_t looked_at; /* clock + 1 of the first status poll since the last byte was read; 0: none */
    bool input_ended;
    uint32_t reads_at_end, looks_at_end; /* reads and status polls after the end of the input */
    uint64_t looking_since;              /* clock of the first of these polls */
    bool line_feed;                      /* the next byte read is the line feed after a carriage return */
    bool after_return;                   /* the last byte of the input was a carriage return */
    uint16_t line_used;                  /* characters of the line that is being typed */
    ARRAY_OF(char *) searches;           /* path and pattern of each AH = 4Eh; dos_search has the number */
    dos_block blocks[DOS_XMS_HANDLES];
    bool high_memory_taken; /* a program has requested the high memory area (XMS) */
    dos_mouse mouse;
} dos;

/* --- guest memory. bios_low, bios_high and bios_word (bios.h) read the low byte, second byte and word of a register,
 * bios_set_low etc. write them; bios_load and bios_store access guest memory at a linear address. --- */

static inline uint32_t dos_linear(uint16_t segment, uint16_t offset)
{
    return ((uint32_t)segment << 4) + offset;
}
/* Returns the linear address of `segment`:`offset`, two registers. */
static inline uint32_t dos_pointer(const dos *d, engine_segment_name segment, engine_register offset)
{
    return bios_segment(&d->bios, segment) + bios_word(&d->bios, offset);
}
/* Returns a drive's number (0 is A:), from an operand in which 0 is the current drive and 1 is A:. */
static inline unsigned dos_drive_number(const dos *d, uint8_t operand)
{
    return operand == 0 ? d->drive : operand - 1u;
}
/* Load and store a word. */
static inline uint16_t dos_load(const dos *d, uint32_t linear)
{
    return (uint16_t)bios_load(&d->bios, linear, 2);
}
static inline void dos_store(dos *d, uint32_t linear, uint16_t value)
{
    bios_store(&d->bios, linear, 2, value);
}
/* Reads a text that ends with NUL. Returns false if it does not fit. */
bool dos_text(const dos *d, uint32_t linear, char *text, size_t capacity);

/* --- memory.c --- */

/* Makes the chain of memory control blocks from segment `first` to A000h. */
void dos_memory_open(dos *d, uint16_t first);
/* Allocates `*paragraphs` for `owner`. On DOS_NO_MEMORY, sets *paragraphs to the largest free block. */
dos_error dos_allocate(dos *d, uint16_t owner, uint16_t *paragraphs, uint16_t *segment);
/* Frees the block at `segment`. */
dos_error dos_free(dos *d, uint16_t segment);
/* Sets the size of a block. On DOS_NO_MEMORY, sets *paragraphs to the largest size possible, which the block has then. */
dos_error dos_resize(dos *d, uint16_t segment, uint16_t *paragraphs);
/* Frees all blocks of an owner. An owner is the segment of a program's prefix, or 8 for DOS. */
void dos_free_owned(dos *d, uint16_t owner);
/* Writes the owner's name into the control block of `segment`; tools that list memory show it. */
void dos_name_block(dos *d, uint16_t segment, const char *name);

/* --- path.c --- */

/* A DOS path: absolute, upper case, every name in 8.3 form. */
typedef struct dos_path {
    uint8_t drive;
    char text[DOS_DIRECTORY]; /* "" for the root, else "\A\B.C" */
} dos_path;

/* Makes the guest's path absolute. Keeps wildcards. */
dos_error dos_path_parse(const dos *d, const char *text, dos_path *path);
/* Does the same for the guest's text at `linear`. */
dos_error dos_path_at(const dos *d, uint32_t linear, dos_path *path);
/* Returns the device that the last name of the path denotes in any directory, or DOS_CLOSED. */
dos_file_kind dos_path_device(const dos_path *path);
/* Finds the host's file for a path; letter case does not matter. With `missing`, the last name may be
 * missing. The caller closes the place. Files on DOS_OWN_DRIVE have no place. */
dos_error dos_path_find(const dos *d, const dos_path *path, bool missing, share_place *place);
/* Returns true if the path is the program on DOS_OWN_DRIVE. */
bool dos_path_is_program(const dos *d, const dos_path *path);
/* Packs a host's name into the 11 characters of a directory entry. Returns false if it has no 8.3 form. */
bool dos_name_pack(const char *name, char packed[11]);
void dos_name_unpack(const char packed[11], char name[DOS_NAME]);
/* Converts a result of a share's function, 0 or -errno. */
dos_error dos_error_of(int32_t result);
/* Returns true if drive number `drive` (0 is A:) exists. */
bool dos_drive_there(const dos *d, unsigned drive);

/* --- disk_file.c --- */

/* Duplicates the descriptor of the guest's program file. The caller closes it. */
int dos_program_again(const dos *d);
/* Attributes of files and of directory entries. */
enum {
    DOS_READ_ONLY = 0x01,
    DOS_VOLUME = 0x08,
    DOS_SUBDIRECTORY = 0x10,
    DOS_ARCHIVE = 0x20,
    DOS_DEVICE = 0x40
};
/* Returns true if the file has the attribute R: its share is read-only, or its owner on the host may not write it. */
bool dos_read_only(const share_place *place, const struct stat *about);
/* Returns the attributes of a file or directory of the host. */
uint8_t dos_attributes(const share_place *place, const struct stat *about);
/* Opens a regular file of at most 4 GB with the host's `flags`. Returns its descriptor, or -1 and the error in
 * *wrong. Sets *place, except for the program on DOS_OWN_DRIVE. The caller closes the descriptor and the place. */
int dos_open_host(const dos *d, const dos_path *path, int flags, share_place *place, dos_error *wrong);
/* Writes as many bytes as the quota permits (NULL: no limit) and sets *done to their number. */
dos_error dos_write_host(int host, share_quota *quota, uint32_t position, const void *bytes, size_t size,
                         size_t *done);
/* Converts seconds since 1970 to the two words of a directory entry, and back. */
void dos_pack_time(int64_t seconds, uint16_t *time, uint16_t *day);
int64_t dos_unpack_time(uint16_t time, uint16_t day);

/* --- find.c --- */

/* Returns the DTA as a far pointer, segment << 16 | offset, with the segment that the program gave if the DTA lies in
 * it. */
uint32_t dos_dta_pointer(const dos *d);

/* State of a search. The guest keeps it in its transfer area or file control block. */
typedef struct dos_search {
    uint16_t number;    /* index + 1 in dos.searches; 0: nothing can be found */
    uint8_t attributes; /* which files are wanted, as in CX of AH = 4Eh */
    char last[11];      /* packed name (dos_name_pack) of the last entry found; zeros: none yet */
} __attribute__((packed)) dos_search;

/* An entry of a directory. */
typedef struct dos_found {
    uint8_t drive;
    char name[11]; /* packed */
    uint8_t attribute;
    uint16_t time, date;
    uint32_t size;
} dos_found;

/* Begins a search for `path`; its last name may have wildcards. Returns DOS_NO_MORE_FILES for a search that
 * cannot find anything. */
dos_error dos_search_begin(dos *d, const dos_path *path, uint8_t attributes, dos_search *state);
/* Finds the next entry, in the order of names, and updates the state. */
dos_error dos_search_next(dos *d, dos_search *state, dos_found *entry);

/* --- file.c, file_data.c --- */

/* Makes the system's own files and opens the shares; closes everything. */
p5_status dos_files_open(dos *d, p5_error *error);
void dos_files_close(dos *d);
/* Returns the file of a handle of the current program, or NULL. */
dos_file *dos_file_at(const dos *d, uint16_t handle);
/* Writes a byte to a file or device, unless the disk is full. */
void dos_put_byte(dos *d, dos_file *file, uint8_t byte);
/* Reads a byte of a DOS_DISK file. Returns false at its end. */
bool dos_get_byte(dos_file *file, uint8_t *byte);
/* Fill the handle table of a new program; close the handles of one that ends. */
void dos_handles_inherit(dos *d, uint16_t psp);
void dos_handles_close(dos *d, uint16_t psp);

/* --- change.c --- */

/* Delete and rename a file. The new path must not exist. */
dos_error dos_delete(dos *d, const dos_path *path);
dos_error dos_rename(dos *d, const dos_path *from, const dos_path *to);

/* --- fcb.c --- */

/* Converts the name at `text` to the first 12 bytes of a file control block: drive and name. Returns the
 * number of characters read. `flags` and `*answer` are AL before and after AH = 29h. */
size_t dos_parse_name(const dos *d, const char *text, uint8_t flags, uint8_t to[12], uint8_t *answer);

/* --- console.c --- */

/* Returns how the program receives keys (keyboard_attach_use). */
keyboard_use dos_keyboard_use(const p5_machine *machine);
/* Takes the next byte of the input. Returns 1, 0 if there is none yet, or -1 at the end of the input. */
int dos_input(dos *d, uint8_t *byte);
/* Returns true if a byte of the input is available. */
bool dos_input_waits(dos *d);
/* Echoes ^C and returns DOS_BREAK: the result of a call that has read DOS_CONTROL_C. */
enum { DOS_CONTROL_C = 3 };
dos_error dos_input_break(dos *d);
/* Reads at most one line of the console for a handle that is not raw, up to `size` bytes to the linear address `to`. */
dos_error dos_read_line(dos *d, uint32_t to, uint16_t size, uint16_t *done);
/* Writes a character to the console: the host's standard output and the screen. */
void dos_output(dos *d, uint8_t character);

/* --- program_load.c --- */

/* Offsets in a program segment prefix, and limits in bytes. */
enum {
    PSP_BYTES = 0x100,
    PSP_TOP = 0x02,         /* segment of the end of the program's memory */
    PSP_TERMINATE = 0x0a,   /* vectors 22h-24h */
    PSP_PARENT = 0x16,      /* segment of the parent's prefix */
    PSP_ENVIRONMENT = 0x2c, /* segment */
    PSP_STACK = 0x2e,       /* SS:SP at the last call that executed or created a program, or read Ctrl-C */
    PSP_FCB = 0x5c,         /* two blocks of 16 bytes */
    PSP_TAIL = 0x80,        /* the command line after the program's name: length, characters, CR */
    DOS_TAIL_MOST = 126,
    DOS_ENVIRONMENT_MOST = 0x8000,
    DOS_VECTOR_TERMINATE = 0x22 /* the address at which a program's parent continues */
};

/* The registers with which a program begins. */
typedef struct dos_entry {
    uint16_t cs, ip, ss, sp;
} dos_entry;

/* How a program is executed. */
typedef struct dos_command {
    const char *path, *tail; /* DOS path; the command line after the name */
    const char *environment; /* variables, each with its NUL */
    size_t environment_size; /* their bytes */
} dos_command;

/* Loads a program as a child of the current one, if there is one. Returns its prefix and how it begins. */
dos_error dos_load_program(dos *d, const mz_image *image, const dos_command *with, uint16_t *psp,
                           dos_entry *begin);
/* Copies the image to `segment` and adds `factor` to each word in the relocation table. These words may lie
 * after the image, in the extra memory that the header requests (EXEPACK). */
bool dos_place_image(dos *d, const mz_image *image, uint16_t segment, uint16_t factor);
/* Returns a new program's AX: AL and AH are FFh if the drive of the first or second name does not exist. */
uint16_t dos_first_ax(const dos *d, uint16_t psp);

/* --- program.c --- */

/* Loads a program as a child of the current one, if there is one, and makes it the current program. It begins
 * when the stub returns. */
dos_error dos_begin(dos *d, const mz_image *image, const dos_command *with);
/* Ends the current program. `type` is the termination type: 0 normal, 1 Ctrl-C, 3 stays resident. */
void dos_terminate(dos *d, uint8_t type, uint8_t code);
/* The frame that the IRET of a stub pops: IP, CS and FLAGS. Writes it to offset `sp` of the stack segment at linear
 * address `base`; `pointer` is IP with CS in the upper half. */
enum { DOS_FRAME_BYTES = 6 };
void dos_put_frame(dos *d, uint32_t base, uint16_t sp, uint32_t pointer, uint16_t flags);
/* Saves SS:SP, which point to the frame of the running INT 21h, in the prefix of the current program. */
void dos_save_stack(dos *d);

/* --- break.c: Ctrl-C --- */

/* Calls INT 23h when the stub of INT 21h returns. */
void dos_break_begin(dos *d);
/* Serves the stub to which the handler of INT 23h returns, and that handler itself if the program has none. */
void dos_break_returned(dos *d);
void dos_break_end(dos *d);

/* --- The functions of INT 21h by file. Each returns DOS_OK, DOS_WAIT, DOS_BREAK or an error for AX --- */

typedef dos_error dos_call(dos *d);
dos_call dos_call_input_echo, dos_call_output, dos_call_direct, dos_call_input_raw, dos_call_input,
    dos_call_string, dos_call_line, dos_call_status, dos_call_flush; /* console.c */
dos_call dos_call_make_directory, dos_call_remove_directory, dos_call_change_directory, dos_call_create,
    dos_call_open, dos_call_close, dos_call_read, dos_call_write, dos_call_delete, dos_call_seek,
    dos_call_attributes, dos_call_ioctl, dos_call_duplicate, dos_call_duplicate_to, dos_call_get_directory,
    dos_call_rename, dos_call_file_time, dos_call_create_temporary, dos_call_create_new, dos_call_handles,
    dos_call_commit, dos_call_open_extended, dos_call_truename; /* file.c, file_data.c, change.c */
dos_call dos_call_extended_error;                               /* error.c */
void dos_set_extended_error(dos *d, uint32_t list);             /* error.c */
dos_call dos_call_find_first, dos_call_find_next, dos_call_set_dta, dos_call_get_dta; /* find.c */
dos_call dos_call_fcb_open, dos_call_fcb_close, dos_call_fcb_find_first, dos_call_fcb_find_next,
    dos_call_fcb_delete, dos_call_fcb_read, dos_call_fcb_write, dos_call_fcb_create, dos_call_fcb_rename,
    dos_call_fcb_read_random, dos_call_fcb_write_random, dos_call_fcb_size, dos_call_fcb_set_random,
    dos_call_fcb_read_block, dos_call_fcb_write_block, dos_call_parse_name; /* fcb.c, fcb_records.c */
dos_call dos_call_in_dos, dos_call_lists, dos_call_server;                  /* structures.c */
dos_call dos_call_country, dos_call_lead_bytes, dos_call_national, dos_call_code_page; /* national.c */
dos_call dos_call_allocate, dos_call_free, dos_call_resize, dos_call_strategy;         /* memory.c */
dos_call dos_call_execute, dos_call_terminate, dos_call_exit, dos_call_stay, dos_call_exit_code,
    dos_call_create_psp, dos_call_set_psp, dos_call_get_psp; /* program.c */

/* structures.c: fills in the list of lists; stores the current program, drive and DTA in the swappable data area. */
void dos_lists_open(dos *d);
void dos_swappable_store(dos *d);
/* call.c: serves a DOS vector. Returns true if the stub must wait and call again. */
bool dos_serve(bios *b, unsigned vector);
/* mouse.c: INT 33h. */
void dos_mouse_service(dos *d);
extern const snapshot_table dos_mouse_state;
/* xms.c: serves the XMS entry point. */
void dos_xms(dos *d);
/* snapshot.c */
void dos_transfer(p5_machine *machine, snapshot *s);

/* Services that are not interrupts. They use the stubs of unused vectors (bios_stub_address), as VESA_WINDOW_SLOT does. */
enum { DOS_XMS_SLOT = 0xf0, DOS_CASE_SLOT = 0xf1, DOS_BREAK_SLOT = 0xf3, DOS_CPM_SLOT = 0xf4 };

/* The segment of DOS's data in guest memory, and offsets in it. */
enum {
    DOS_DATA = 0x70,
    DOS_LISTS = 0x26,      /* list of lists */
    DOS_MEDIA = 0xf0,      /* the byte to which AH = 1Bh and 1Ch point */
    DOS_SWAPPABLE = 0x100, /* swappable data area; its second byte is InDOS */
    DOS_NATIONAL = 0x200,  /* country tables (national.c) */
    DOS_LINE = 0x400       /* the line of AH = 3Fh (console.c) */
};

/* Loads a segment register as in real mode. */
static inline void dos_set_segment(dos *d, engine_segment_name name, uint16_t value)
{
    engine_segment segment;
    engine_get_segment(d->engine, name, &segment);
    segment.selector = value;
    segment.base = (uint32_t)value << 4;
    segment.limit = 0xffff;
    engine_set_segment(d->engine, name, &segment);
}

/* national.c: dos_national_open writes the tables to guest memory; dos_case_map is the case-map routine
 * whose address AH = 38h returns. */
void dos_national_open(dos *d);
void dos_case_map(dos *d);

/* start.c: connects DOS to the machine, at a start and after a snapshot has been loaded. */
void dos_attach(dos *d, p5_machine *machine);

#endif
