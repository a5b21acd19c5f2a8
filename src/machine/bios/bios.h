/* A minimal BIOS for boot-sector images. The vectors point to stubs in a ROM at F0000h; a stub's OUT to port
 * B8h calls the service of its vector here, which finds its operands in the registers and gives flags back in
 * the stack's image of them. Where services wait, the stub halts. */
#ifndef MACHINE_BIOS_BIOS_H
#define MACHINE_BIOS_BIOS_H

#include "machine/board/devices.h"
#include "machine/state.h"

/* The image behind INT 13h. */
typedef struct bios_disk {
    int file;
    char *path; /* absolute, for snapshots; NULL if the host cannot tell */
    bool writable;
    uint8_t drive; /* 0 diskette, 80h hard disk */
    uint8_t status;
    uint64_t sectors;
    uint32_t cylinders, heads, per_track;
} bios_disk;

typedef struct bios {
    p5_machine *machine;
    bios_disk disk;    /* drive BIOS_NO_DRIVE: there is none */
    bool memory_taken; /* a driver has what lies above 1 MB and gives it out */
    /* Vectors that are not the BIOS's own: an operating system that stands on it. True: wait. */
    bool (*serve)(struct bios *b, unsigned vector);
    void *owner;         /* of serve */
    uint64_t wait_until; /* INT 15h AH = 86h; 0 = not waiting */
} bios;

enum {
    BIOS_PORT = 0xb8,
    BIOS_NO_DRIVE = 0xff,
    BIOS_SECTOR = 512,
    BIOS_BOOT = 0x7c00,
    BIOS_BASE_MEMORY_KB = 640,
    FLAG_CARRY = 0x01,
    FLAG_ZERO = 0x40,
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
    BDA_CURSOR = 0x450,
    BDA_CURSOR_SHAPE = 0x460,
    BDA_CRTC = 0x463,
    BDA_TICKS = 0x46c,
    BDA_MIDNIGHT = 0x470,
    BDA_DISKS = 0x475,
    BDA_KEY_START = 0x480,
    BDA_KEY_END = 0x482,
    BDA_ROWS = 0x484
};

/* bios.c: ROM, vectors, data area, the service port. */
void bios_install(bios *b);
/* Only the service port: what a snapshot does not hold. */
void bios_attach(bios *b);

/* Puts code of up to 16 bytes in the place of the vector's stub, F000h:E000h + vector * 16. In it OUT to
 * BIOS_PORT calls the service of that vector, which leaves carry set if it is to wait. */
void bios_put_stub(bios *b, unsigned vector, const uint8_t *code, size_t size);

/* Registers by halves, and memory of the guest. */
static inline uint32_t bios_reg(const bios *b, engine_register r)
{
    return engine_get(b->machine->engine, r);
}
static inline uint16_t bios_word(const bios *b, engine_register r)
{
    return (uint16_t)bios_reg(b, r);
}
static inline uint8_t bios_low(const bios *b, engine_register r)
{
    return (uint8_t)bios_reg(b, r);
}
static inline uint8_t bios_high(const bios *b, engine_register r)
{
    return (uint8_t)(bios_reg(b, r) >> 8);
}
void bios_set_word(bios *b, engine_register r, uint16_t value);
void bios_set_low(bios *b, engine_register r, uint8_t value);
void bios_set_high(bios *b, engine_register r, uint8_t value);
uint32_t bios_segment(const bios *b, engine_segment_name which);
uint32_t bios_load(const bios *b, uint32_t linear, unsigned size);
void bios_store(bios *b, uint32_t linear, unsigned size, uint32_t value);
/* The flags that the caller will find. */
void bios_set_flag(bios *b, uint32_t flag, bool set);
/* Fails with a status in AH and carry, or ends with AH = 0 and no carry. */
void bios_finish(bios *b, uint8_t status);

/* Services by file; each answers one vector. bios_keyboard and bios_system return true to wait. */
void bios_video(bios *b); /* video.c: 10h */
void bios_video_clear(bios *b);
/* A character where the cursor is, on the screen only. */
void bios_video_put(bios *b, uint8_t character);
bool bios_keyboard(bios *b);      /* keyboard.c: 16h */
void bios_key_interrupt(bios *b); /* 09h */
/* A key out of the buffer of the data area, if there is one. */
bool bios_key_take(bios *b, uint16_t *key);
bool bios_system(bios *b);       /* system.c: 15h */
void bios_time(bios *b);         /* 1Ah */
void bios_disk_service(bios *b); /* disk.c: 13h */
p5_status bios_disk_open(bios_disk *disk, const char *path, bool writable, p5_error *error);
void bios_disk_close(bios_disk *disk);
/* boot_sector.c: real mode, all segments 0, as at 0:7C00h. */
void boot_processor(engine *e);
/* Reads sector 0 to 7C00h. */
bool bios_disk_boot(bios *b);

#endif
