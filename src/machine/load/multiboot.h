/* Multiboot 1 images (specification 0.6.96). */
#ifndef MACHINE_LOAD_MULTIBOOT_H
#define MACHINE_LOAD_MULTIBOOT_H

#include "machine/load/bare.h"

/* The header's words as in the image. The address fields are only valid with MULTIBOOT_ADDRESSES. */
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

/* Finds the header: dword aligned, complete within the first 8192 bytes, its words add up to 0. `*offset` is
 * its place. */
bool multiboot_find(const uint8_t *bytes, size_t size, multiboot_header *header, size_t *offset);
/* Loads the modules and the boot information after `end`, the first free address after the kernel, and puts
 * the processor into the state of section 3.2 with EIP = `entry`. */
p5_status multiboot_start(p5_machine *machine, const multiboot_header *header, const char *path,
                          uint32_t entry, uint32_t end, p5_error *error);

#endif
