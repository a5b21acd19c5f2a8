/* A minimal BIOS for boot-sector images, and for an operating system that stands on it. The vectors point to
 * stubs in a ROM at F0000h; a stub's OUT to port B8h calls the service of its vector here, which finds its
 * operands in the registers and gives flags back in the stack's image of them. Where services wait, the stub
 * halts. */
#ifndef MACHINE_BIOS_BIOS_H
#define MACHINE_BIOS_BIOS_H

#include "machine/bios/disk_image.h"
#include "machine/state.h"

typedef struct bios {
    p5_machine *machine;
    disk_image disk;   /* drive BIOS_NO_DRIVE: there is none */
    bool memory_taken; /* a driver gives out what lies above 1 MB, and answers INT 15h AH = 88h: none */
    /* Vectors that are not the BIOS's own: an operating system that stands on it. True: wait. */
    bool (*serve)(struct bios *b, unsigned vector);
    void *owner;             /* of serve */
    uint64_t wait_until;     /* INT 15h AH = 86h; 0 = not waiting */
    uint64_t key_wait_until; /* INT 16h AH = 00h after the input has ended; 0 = not waiting */
} bios;

enum { BIOS_PORT = 0xb8, FLAG_CARRY = 0x01, FLAG_ZERO = 0x40 };

/* One without a disk. */
void bios_init(bios *b, p5_machine *machine);
/* ROM, vectors, data area, the service port. */
void bios_install(bios *b);
/* Only the service port: what a snapshot does not hold. */
void bios_attach(bios *b);

/* An event of the guest: for guest_kind.event. */
engine_action bios_event(bios *b, const engine_event *event);

/* Puts code of up to 16 bytes in the place of the vector's stub, F000h:E000h + vector * 16. In it OUT to
 * BIOS_PORT calls the service of that vector, which leaves carry set if it is to wait. */
void bios_put_stub(bios *b, unsigned vector, const uint8_t *code, size_t size);

/* As machine_is_own_code: a vector's stub, or another part of the ROM. */
bool bios_own_code(uint32_t linear, machine_own_code *own);

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

/* A character where the cursor is, on the screen only. */
void bios_video_put(bios *b, uint8_t character);
/* The buffer of keys in the data area: puts one in (false: it is full), looks at the next, takes it out
 * (false: there is none). */
bool bios_key_put(bios *b, uint16_t key);
bool bios_key_there(const bios *b, uint16_t *key);
bool bios_key_take(bios *b, uint16_t *key);
/* Real mode, all segments 0, as at 0:7C00h. */
void boot_processor(engine *e);

#endif
