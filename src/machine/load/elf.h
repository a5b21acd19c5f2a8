/* Reading i386 ELF executables. Such a file may be hostile: no value from it is used unchecked. */
#ifndef MACHINE_LOAD_ELF_H
#define MACHINE_LOAD_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/status.h"

enum { ELF_SEGMENTS = 64 }; /* most loadable segments */

enum { ELF_EXECUTE = 1, ELF_WRITE = 2, ELF_READ = 4 };

/* A loadable segment: `file_size` bytes at file offset `offset`, `memory_size` >= file_size bytes in
 * memory. */
typedef struct elf_segment {
    uint32_t linear, physical;
    uint32_t offset, file_size, memory_size;
    uint32_t flags; /* ELF_* */
} elf_segment;

typedef struct elf_image {
    uint8_t *bytes; /* the whole file */
    size_t size;
    elf_segment segments[ELF_SEGMENTS]; /* sorted by linear address, not overlapping */
    unsigned segment_count;
    uint32_t entry;
    uint32_t headers_linear; /* address of the program headers in memory; 0 if they are not loaded */
    uint16_t header_count, header_size; /* of the program headers; bytes of one */
    bool linux_program;                 /* not freestanding (elf_open) */
} elf_image;

/* Reads and checks a static 32-bit i386 executable. The caller must call elf_close after success. Returns P5_ERR_FORMAT
 * with a message that says what is wrong and what to do.
 *
 * Decides whether it is a Linux program or freestanding, in this order:
 *
 *   - A multiboot header means freestanding.
 *   - A TLS segment or OSABI GNU means Linux.
 *   - A lowest address below 4 MB means freestanding: kernels are linked there, programs never.
 *   - A lowest address of 128 MB or above means Linux (the place of the i386 ABI).
 *   - In between, a PT_GNU_STACK or PT_NOTE header means Linux. */
p5_status elf_open(const char *path, elf_image *image, p5_error *error);
void elf_close(elf_image *image);
/* Returns whether the file begins with ELF's magic number. */
bool elf_has_magic(const uint8_t *bytes, size_t size);

#endif
