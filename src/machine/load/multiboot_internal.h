/* Parts that both versions of Multiboot share: memory for the loader's data, modules, the text screen. */
#ifndef MACHINE_LOAD_MULTIBOOT_INTERNAL_H
#define MACHINE_LOAD_MULTIBOOT_INTERNAL_H

#include "machine/load/multiboot.h"

enum {
    MULTIBOOT_LOW_MEMORY_KB = 640,
    MULTIBOOT_HIGH_MEMORY = 1 << 20,
    MULTIBOOT_MAP_ENTRIES = 3,
    /* The screen: mode 3 of a VGA. */
    MULTIBOOT_SCREEN = 0xb8000,
    MULTIBOOT_SCREEN_COLUMNS = 80,
    MULTIBOOT_SCREEN_ROWS = 25,
    MULTIBOOT_SCREEN_TEXT = 2 /* type of frame buffer */
};

/* Memory from the kernel's end upwards, into which modules and boot information are put. */
typedef struct multiboot_space {
    p5_machine *machine;
    const char *line; /* the kernel's command line */
    uint32_t next;    /* the first free address */
} multiboot_space;

typedef struct multiboot_module {
    uint32_t start, end; /* in memory; `end` is the first address after it */
    const char *text;    /* its string; belongs to the options */
} multiboot_module;

typedef struct multiboot_area {
    uint64_t base, length;
    uint32_t type; /* 1 RAM, 2 reserved */
} multiboot_area;

/* Copies bytes to the next address with this alignment and returns it in *at. */
p5_status multiboot_put(multiboot_space *space, const void *bytes, size_t size, uint32_t alignment,
                        uint32_t *at, p5_error *error);
/* Loads all modules of the options. The caller frees *modules. */
p5_status multiboot_load_modules(multiboot_space *space, multiboot_module **modules, p5_error *error);
/* Return the KB of memory above 1 MB, and fill in the memory map. */
uint32_t multiboot_upper_kb(const p5_machine *machine);
void multiboot_map(const p5_machine *machine, multiboot_area map[MULTIBOOT_MAP_ENTRIES]);

/* The parts of multiboot_find, multiboot_check and multiboot_start for version 2 (multiboot2.c). multiboot2_inform puts
 * modules and boot information into memory; *at is the address of the latter. MULTIBOOT2_LOADED_MAGIC is the value of
 * EAX at the entry. */
bool multiboot2_find(const uint8_t *bytes, size_t size, multiboot_header *header);
p5_status multiboot2_check(const multiboot_header *header, const uint8_t *bytes, p5_error *error);
p5_status multiboot2_inform(multiboot_space *space, uint32_t *at, p5_error *error);
enum { MULTIBOOT2_LOADED_MAGIC = 0x36d76289 };

#endif
