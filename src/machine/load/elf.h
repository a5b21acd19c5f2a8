/* Reading i386 ELF executables. Everything in such a file may be hostile: nothing is believed that has not
 * been checked here. */
#ifndef MACHINE_LOAD_ELF_H
#define MACHINE_LOAD_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/status.h"

enum { ELF_SEGMENTS = 64 };

enum { ELF_EXECUTE = 1, ELF_WRITE = 2, ELF_READ = 4 };

/* A loadable segment: `file_size` bytes at file offset `offset`, `memory_size` >= file_size in memory. */
typedef struct elf_segment {
    uint32_t linear, physical;
    uint32_t offset, file_size, memory_size;
    uint32_t flags; /* ELF_* */
} elf_segment;

typedef struct elf_image {
    uint8_t *bytes; /* the whole file */
    size_t size;
    elf_segment segments[ELF_SEGMENTS]; /* by linear address, not overlapping */
    unsigned segment_count;
    uint32_t entry;
    uint32_t headers_linear; /* of the program headers in memory, 0 if not loaded */
    uint16_t header_count, header_size;
    bool linux_program; /* as elf_open judges it, see there */
} elf_image;

/* Reads and checks a static 32-bit i386 executable. P5_ERR_FORMAT with what is wrong and what would be right.
 *
 * Linux program or freestanding? In this order: a multiboot header is freestanding; an interpreter, a TLS
 * segment or OSABI GNU is Linux; a lowest address below 4 MB is freestanding (kernels are linked there,
 * programs never); 128 MB or above is Linux (the i386 ABI's place); in between a PT_GNU_STACK or PT_NOTE
 * header means Linux. */
p5_status elf_open(const char *path, elf_image *image, p5_error *error);
void elf_close(elf_image *image);

#endif
