/* Machines: what the tool needs in addition to p5scope/machine.h. */
#ifndef P5TOOL_MACHINE_H
#define P5TOOL_MACHINE_H

#include "p5scope/machine.h"

/* Loads a static i386 Linux ELF file. `arguments` and `environment` are NULL-terminated. The guest gets
 * arguments[0] unchanged; the command line passes the file's name without its directory, so that no count
 * depends on where the file is. The guest does not see `path` anywhere else. ESP at entry depends on the
 * number of arguments and variables but not on their length, as long as they and the program's name fit into
 * 4 KB. */
p5_status p5_machine_load_linux(p5_machine *machine, const char *path, const char *const *arguments,
                                const char *const *environment, p5_error *error);

/* Returns the length of the file's name in a module "FILE" or "FILE ARGUMENTS": up to the last blank or the end
 * before which it is the name of an existing file, otherwise up to the first blank. */
size_t p5_module_file_length(const char *text);

/* Loads a Multiboot image, either ELF or with addresses in its header, with the modules of the options. If it
 * has headers of both versions, the first one counts. */
p5_status p5_machine_load_multiboot(p5_machine *machine, const char *path, p5_error *error);

/* Boots a disk image, or a CD image by El Torito: its first sector at 0:7C00h in real mode, with a minimal
 * BIOS (docs/board.md) whose INT 13h reads and writes the image. */
p5_status p5_machine_load_disk(p5_machine *machine, const char *path, p5_error *error);

/* Loads a DOS program, COM or MZ, to run in real mode under a DOS that the host emulates (docs/dos.md). The
 * options' shares become drives from C: on. `arguments` and `environment` are as for p5_machine_load_linux;
 * COMSPEC is added if it is missing. P5_ERR_RANGE if there are more of them than DOS can hold. */
p5_status p5_machine_load_dos(p5_machine *machine, const char *path, const char *const *arguments,
                              const char *const *environment, p5_error *error);

/* Loads a Linux kernel, bzImage or vmlinux, by the 32-bit boot protocol, with the `append`, `initrd` and `init` of the
 * options. The guest's input goes to the serial
 * port if the command line has a console there (console=ttyS...), otherwise to the keyboard. */
p5_status p5_machine_load_kernel(p5_machine *machine, const char *path, const p5_load_options *with,
                                 p5_error *error);

/* Loads a freestanding ELF file at the physical addresses of its segments, to run at CPL 0 in protected mode
 * with flat segments and without paging. */
p5_status p5_machine_load_elf(p5_machine *machine, const char *path, p5_error *error);

/* Loads a flat image at physical `address` and enters it at its first byte, in the state of
 * p5_machine_load_elf. */
p5_status p5_machine_load_flat(p5_machine *machine, const char *path, uint32_t address, p5_error *error);

/* Loads a flat image at segment:offset and enters it there in real mode, with the BIOS of
 * p5_machine_load_disk but without a disk. CS, DS, ES and SS are `segment`, SP is FFFEh. */
p5_status p5_machine_load_real(p5_machine *machine, const char *path, uint16_t segment, uint16_t offset,
                               p5_error *error);

/* ESP at the entry of a case: the page-aligned end of its 64 KB stack. */
enum { P5_CASE_STACK_TOP = 0x1ff4000 };

/* A prepared memory image of a case file. p5scope-case(5) describes the state at entry. */
typedef struct p5_case_image {
    const uint8_t *text; /* the code; all addresses are linear and physical */
    size_t text_size;
    uint32_t text_address;
    const uint8_t *data;
    size_t data_size;
    uint32_t data_address;
    size_t bss_size; /* zeroed memory */
    uint32_t bss_address;
    uint32_t entry;        /* address of the first instruction */
    uint32_t exit_address; /* address of an instruction that raises #UD: the run ends with status 0 before it
                              executes; 0 = none */
    uint32_t stack_end;    /* accesses through SS from here on raise #SS; 0 = SS is flat */
    uint8_t cpl;           /* 0 or 3 */
    uint32_t cr4;
} p5_case_image;

/* Loads a case. The guest ends at the exit address, so that nothing of the exit is counted, or by OUT to port
 * F4h (CPL 3 has IOPL 3). */
p5_status p5_machine_load_case(p5_machine *machine, const p5_case_image *image, p5_error *error);

/* Checks the form of `where` for p5_machine_run_gdb. P5_ERR_RANGE for another host, a port that is not 1
 * to 65535, or a path that is too long. */
p5_status p5_gdb_place_check(const char *where, p5_error *error);

/* Calls `output` before each write of the guest to the host's standard output (descriptor 1) or standard
 * error (2), so that the caller can erase a progress line first. NULL: no callback. */
void p5_machine_on_output(p5_machine *machine, void (*output)(void *context, int descriptor), void *context);
/* Returns true if one of the process's first 256 descriptors is open for writing and accepts no output now. Signal
 * handlers may call it. */
bool p5_output_is_full(void);
/* Returns how many instructions of later processors the guest has executed (--isa=permissive). */
uint64_t p5_machine_permissive_count(const p5_machine *machine);

#endif
