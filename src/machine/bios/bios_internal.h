/* Declarations shared by the BIOS services. */
#ifndef MACHINE_BIOS_BIOS_INTERNAL_H
#define MACHINE_BIOS_BIOS_INTERNAL_H

#include "machine/bios/bios.h"
#include "machine/board/devices.h"
#include "machine/load/data_area.h"

enum { BIOS_BOOT = 0x7c00 /* address of the boot sector in memory */ };
enum { BIOS_SYSTEM_TABLE = 0xe6f5 /* offset in the ROM: what INT 15h AH = C0h returns */ };

/* Returns the far pointer F000h:offset into the ROM, with the segment in the upper half. */
static inline uint32_t bios_rom_pointer(uint32_t offset)
{
    return 0xf0000000u | offset;
}

/* Loads a segment register as in real mode: its base becomes selector * 16; limit and rights stay. */
void bios_set_segment(engine *e, engine_segment_name which, uint16_t selector);

/* Returns a status to the guest: in AH, and in the carry flag of the FLAGS that INT pushed, which is set unless the
 * status is 0. */
void bios_finish(bios *b, uint8_t status);

/* Ends the run at the instruction that the interrupt frame points to, or `before` bytes before it. Returns that
 * instruction's offset from the current CS, which is the ROM's, as machine_end_at expects it. */
uint32_t bios_end_at_caller(bios *b, uint32_t before);
enum { INT_BYTES = 2 }; /* length of the INT that has called a service */

/* Services, by vector; bios.c has the others. bios_keyboard and bios_system return true if the guest's stub must wait
 * for an interrupt and then call the service again. */
void bios_video(bios *b);           /* 10h: video.c */
void bios_video_open(bios *b);      /* sets the first mode, text with 80 columns */
bool bios_keyboard(bios *b);        /* 16h: keyboard.c */
void bios_key_interrupt(bios *b);   /* 09h: keyboard.c */
void bios_clock_interrupt(bios *b); /* 70h: system.c; counts the time of INT 15h AH = 83h */
bool bios_system(bios *b);          /* 15h: system.c */
void bios_time(bios *b);            /* 1Ah: system.c */
void bios_disk_service(bios *b);    /* 13h: disk.c */
/* Writes the parameter tables of the drives into the ROM. */
void bios_disk_tables(const bios *b, uint8_t *rom);
/* Returns the far pointer to the parameter table that vector 1Eh (diskettes), 41h or 46h (first and second hard disk)
 * points to; 0 if there is no such hard disk, and for any other vector. */
uint32_t bios_disk_table(const bios *b, unsigned vector);
/* Loads the boot sector or boot image of the drive that the machine boots from. Sets DL to the drive's number, and
 * *entry to the segment (upper half) and offset of the first instruction. Returns false if the disk cannot be read.
 * The signature AA55h is not checked. */
bool bios_disk_boot(bios *b, uint32_t *entry);

#endif
