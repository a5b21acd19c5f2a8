/* Multiboot images: specification 0.6.96 (version 1) and 2.0 (version 2). */
#ifndef MACHINE_LOAD_MULTIBOOT_H
#define MACHINE_LOAD_MULTIBOOT_H

#include "machine/load/bare.h"

/* Contents of a header of either version. */
typedef struct multiboot_header {
    unsigned version;     /* 1 or 2 */
    size_t offset, bytes; /* its position and length in the file */
    bool has_addresses;   /* header_address, load_address, load_end and bss_end are valid */
    bool has_entry;       /* entry replaces an ELF file's entry point */
    uint32_t header_address, load_address;
    uint32_t load_end, bss_end; /* 0: the file's end; no BSS */
    uint32_t entry;
    bool wants_graphics; /* it requests a frame buffer, which is not available: it gets text mode */
    uint32_t flags;      /* version 1 */
} multiboot_header;

/* Finds a header of version 1 in the first 8 KB, aligned to 4 bytes, or else one of version 2 in the first
 * 32 KB, aligned to 8. */
bool multiboot_find(const uint8_t *bytes, size_t size, multiboot_header *header);
/* Rejects a header that requires features that the board or this loader lacks. `bytes` is the file. */
p5_status multiboot_check(const multiboot_header *header, const uint8_t *bytes, p5_error *error);
/* Loads the modules and the boot information after `end`, the first free address after the kernel, and
 * puts the processor into the state that both versions define, with EIP = `entry`. The command line is that of the
 * options, or else the name of the file `path`. */
p5_status multiboot_start(p5_machine *machine, const multiboot_header *header, const char *path,
                          uint32_t entry, uint32_t end, p5_error *error);

#endif
