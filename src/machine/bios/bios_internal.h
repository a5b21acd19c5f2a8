/* Declarations shared by the BIOS services. */
#ifndef MACHINE_BIOS_BIOS_INTERNAL_H
#define MACHINE_BIOS_BIOS_INTERNAL_H

#include "machine/bios/bios.h"
#include "machine/board/devices.h"
#include "machine/load/data_area.h"

enum { BIOS_BOOT = 0x7c00 /* address of the boot sector in memory */ };
enum { BIOS_SYSTEM_TABLE = 0xe6f5 /* offset in the ROM: what INT 15h AH = C0h returns */ };

/* Returns a pointer to an offset in the ROM: its segment, F000h, is in the upper half. */
static inline uint32_t bios_rom_pointer(uint32_t offset)
{
    return 0xf0000000u | offset;
}

/* Loads a segment register as in real mode: its base becomes selector * 16. */
void bios_set_segment(engine *e, engine_segment_name which, uint16_t selector);

/* Returns a status to the caller of the interrupt: in AH, with carry set unless the status is 0. */
void bios_finish(bios *b, uint8_t status);

/* The service of each vector. bios_keyboard and bios_system return true if the stub must wait. */
void bios_video(bios *b);           /* video.c: 10h */
void bios_video_open(bios *b);      /* sets the first mode, text with 80 columns */
bool bios_keyboard(bios *b);        /* keyboard.c: 16h */
void bios_key_interrupt(bios *b);   /* 09h */
void bios_clock_interrupt(bios *b); /* 70h: counts the time of INT 15h AH = 83h */
bool bios_system(bios *b);          /* system.c: 15h */
void bios_time(bios *b);            /* 1Ah */
void bios_disk_service(bios *b);    /* disk.c: 13h */
/* Writes the parameter tables of the drives into the ROM. */
void bios_disk_tables(const bios *b, uint8_t *rom);
/* Returns the pointer to the disk parameter table for vector 1Eh, 41h or 46h; 0 if there is no such drive, and for any
 * other vector. */
uint32_t bios_disk_table(const bios *b, unsigned vector);
/* Loads the boot sector or boot image of the drive that the machine boots from. Sets DL to the drive's number, and
 * *entry to the segment (upper half) and offset of the first instruction. Returns false if the disk cannot be read. */
bool bios_disk_boot(bios *b, uint32_t *entry);

#endif
