/* Multiboot 1 images (specification 0.6.96). */
#ifndef MACHINE_LOAD_MULTIBOOT_H
#define MACHINE_LOAD_MULTIBOOT_H

#include "machine/load/bare.h"

/* The header's words as they stand in the image; the address fields only count with MULTIBOOT_ADDRESSES. */
typedef struct multiboot_header {
    uint32_t magic, flags, checksum;
    uint32_t header_address, load_address, load_end, bss_end, entry;
} multiboot_header;

enum {
    MULTIBOOT_PAGE_ALIGN = 1 << 0,
    MULTIBOOT_MEMORY_INFO = 1 << 1,
    MULTIBOOT_VIDEO = 1 << 2,
    MULTIBOOT_ADDRESSES = 1 << 16
};

/* Finds the header: dword aligned, whole in the first 8192 bytes, words that sum up to 0. *offset is where.
 */
bool multiboot_find(const uint8_t *bytes, size_t size, multiboot_header *header, size_t *offset);
/* Loads the modules and the information structure behind `end`, the first free address behind the kernel, and
 * leaves the processor in the state of section 3.2 with EIP = `entry`. */
p5_status multiboot_start(p5_machine *machine, const multiboot_header *header, const char *path,
                          uint32_t entry, uint32_t end, p5_error *error);

#endif
