/* Bare-metal guests: protected mode, CPL 0, flat segments, no paging, on the board (board/devices.h). */
#ifndef MACHINE_LOAD_BARE_H
#define MACHINE_LOAD_BARE_H

#include "machine/load/elf.h"
#include "p5tool/machine.h"

enum { BARE_CODE = 0x08, BARE_DATA = 0x10 }; /* selectors */
enum { BARE_LARGEST_FILE = 1 << 30 };        /* bytes of an image, kernel, module or initrd */

/* Puts the processor into the entry state and makes the machine ready to run. The topmost page of RAM holds a
 * GDT with the two segments (selectors 08h and 10h); the stack grows down from below it. There is no IDT; a
 * guest that needs one loads it. */
void bare_enter(p5_machine *machine, uint32_t entry);
/* Does the same, and makes the engine keep the contents of memory separately from what the processor sees through its
 * caches (contents_keep_memory), so that INVD can discard modified lines. */
void bare_start(p5_machine *machine, uint32_t entry);
/* Copies `size` bytes to physical `address` and zeroes the bytes after them up to `memory_size`. Returns
 * P5_ERR_FORMAT if that is not free RAM. */
p5_status bare_place(p5_machine *machine, uint32_t address, const uint8_t *bytes, size_t size,
                     size_t memory_size, p5_error *error);
/* Copies a file's segments to their physical addresses; they must not overlap. `*end` is the first address
 * after them. `*entry` is the physical address of the entry point, because kernels are often linked high and
 * loaded low. */
p5_status bare_place_elf(p5_machine *machine, const elf_image *image, uint32_t *entry, uint32_t *end,
                         p5_error *error);

#endif
