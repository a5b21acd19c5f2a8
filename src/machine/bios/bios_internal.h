/* What the BIOS's services share. */
#ifndef MACHINE_BIOS_BIOS_INTERNAL_H
#define MACHINE_BIOS_BIOS_INTERNAL_H

#include "machine/bios/bios.h"
#include "machine/board/devices.h"

enum {
    BIOS_SECTOR = 512,
    BIOS_BOOT = 0x7c00,
    BIOS_BASE_MEMORY_KB = 640,
    /* The data area at 400h. */
    BDA_COM1 = 0x400,
    BDA_EQUIPMENT = 0x410,
    BDA_MEMORY = 0x413,
    BDA_SHIFT = 0x417,
    BDA_KEY_HEAD = 0x41a,
    BDA_KEY_TAIL = 0x41c,
    BDA_KEY_BUFFER = 0x41e,
    BDA_VIDEO_MODE = 0x449,
    BDA_COLUMNS = 0x44a,
    BDA_PAGE_BYTES = 0x44c,
    BDA_PAGE_START = 0x44e,
    BDA_CURSOR = 0x450, /* of eight pages */
    BDA_CURSOR_SHAPE = 0x460,
    BDA_PAGE = 0x462,
    BDA_CRTC = 0x463,
    BDA_TICKS = 0x46c,
    BDA_MIDNIGHT = 0x470,
    BDA_DISKS = 0x475,
    BDA_KEY_START = 0x480,
    BDA_KEY_END = 0x482,
    BDA_ROWS = 0x484, /* less one */
    BDA_CHARACTER = 0x485,
    BDA_VIDEO_INFORMATION = 0x487,
    BDA_VIDEO_OPTIONS = 0x489
};

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
p5_status bios_disk_open(bios_disk *disk, const char *path, bool writable, p5_error *error);
void bios_disk_close(bios_disk *disk);
/* Reads sector 0 to 7C00h. */
bool bios_disk_boot(bios *b);

#endif
