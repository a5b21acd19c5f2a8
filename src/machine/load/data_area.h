/* The BIOS data area at 400h, as a BIOS leaves it for kernels, drivers and boot sectors. */
#ifndef MACHINE_LOAD_DATA_AREA_H
#define MACHINE_LOAD_DATA_AREA_H

#include "machine/board/date.h"
#include "p5scope/machine.h"

enum {
    BIOS_BASE_MEMORY_KB = 640,
    BDA_COM1 = 0x400,      /* its port */
    BDA_EQUIPMENT = 0x410, /* the word that INT 11h returns */
    BDA_MEMORY = 0x413,    /* base memory in KB */
    BDA_SHIFT = 0x417,     /* state of the shift keys */
    BDA_KEY_HEAD = 0x41a,  /* offset of the next key to read, from 400h */
    BDA_KEY_TAIL = 0x41c,  /* offset of the next free place */
    BDA_KEY_BUFFER = 0x41e,
    BDA_VIDEO_MODE = 0x449,
    BDA_COLUMNS = 0x44a,
    BDA_PAGE_BYTES = 0x44c,   /* of a screen page */
    BDA_PAGE_START = 0x44e,   /* offset of the page shown */
    BDA_CURSOR = 0x450,       /* column and row, for each of eight pages */
    BDA_CURSOR_SHAPE = 0x460, /* last and first line */
    BDA_PAGE = 0x462,         /* number of the page shown */
    BDA_CRTC = 0x463,         /* port of its index register */
    BDA_CGA_MODE = 0x465,     /* what ports 3D8h and 3D9h of a CGA would hold */
    BDA_CGA_COLOUR = 0x466,
    BDA_TICKS = 0x46c,     /* timer interrupts since midnight */
    BDA_MIDNIGHT = 0x470,  /* not 0: midnight has passed since the ticks were read */
    BDA_DISKS = 0x475,     /* number of hard disks */
    BDA_KEY_START = 0x480, /* offsets of the key buffer and of its end */
    BDA_KEY_END = 0x482,
    BDA_ROWS = 0x484,      /* minus one */
    BDA_CHARACTER = 0x485, /* height of a character in lines */
    BDA_VIDEO_INFORMATION = 0x487,
    BDA_VIDEO_SWITCHES = 0x488,
    BDA_VIDEO_OPTIONS = 0x489,
    BDA_KEYBOARD = 0x496,   /* bit 4: it has 101 keys; bit 1: the last byte was E0h */
    BDA_EVENT_FLAG = 0x498, /* INT 15h AH = 83h: pointer to the flag that is set when the time is over */
    BDA_EVENT_LEFT = 0x49c, /* microseconds until then */
    BDA_EVENT_WAITS = 0x4a0 /* 1: the flag is to be set */
};

/* Returns the timer interrupts from midnight to the time. */
uint32_t data_area_ticks(const date *t);
/* Fills the data area for the board's drives and clock. The engine must be open. There is no extended data area: the
 * word at 40Eh is 0, and base memory ends at 640 KB. */
void data_area_fill(p5_machine *machine);

#endif
