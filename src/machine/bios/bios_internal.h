/* What the BIOS's services share. */
#ifndef MACHINE_BIOS_BIOS_INTERNAL_H
#define MACHINE_BIOS_BIOS_INTERNAL_H

#include "machine/bios/bios.h"
#include "machine/board/devices.h"
#include "machine/load/data_area.h"

enum { BIOS_BOOT = 0x7c00 };

/* Segment and offset of a vector's own stub, as they stand in the vector table. */
uint32_t bios_stub_address(unsigned vector);

/* Fails with a status in AH and carry, or ends with AH = 0 and no carry. */
void bios_finish(bios *b, uint8_t status);

/* Services by file; each answers one vector. bios_keyboard and bios_system return true to wait. */
void bios_video(bios *b); /* video.c: 10h */
void bios_video_open(bios *b);
bool bios_keyboard(bios *b);      /* keyboard.c: 16h */
void bios_key_interrupt(bios *b); /* 09h */
bool bios_system(bios *b);        /* system.c: 15h */
void bios_time(bios *b);          /* 1Ah */
void bios_disk_service(bios *b);  /* disk.c: 13h */
/* Loads what the drive boots from, and its number into DL. *entry is where that begins. False: it cannot be
 * read. */
bool bios_disk_boot(bios *b, uint32_t *entry);

#endif
