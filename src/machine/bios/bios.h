/* A minimal BIOS for boot-sector images and for the DOS personality. The vectors point to stubs in a ROM at
 * F0000h. A stub's OUT to port B8h calls the service of its vector, which takes its operands from the registers and
 * returns flags in the FLAGS image on the stack. While a service waits, the stub halts, and calls the service again
 * after each interrupt. */
#ifndef MACHINE_BIOS_BIOS_H
#define MACHINE_BIOS_BIOS_H

#include "machine/board/devices.h"
#include "machine/state.h"

typedef struct bios {
    p5_machine *machine;
    uint8_t disk_status; /* of the last INT 13h, for its AH = 01h */
    bool memory_taken;   /* an XMS driver owns all extended memory, so INT 15h AH = 88h returns 0 */
    /* Serves vectors that the BIOS does not; NULL: there are none. Returns true if the stub must wait. */
    bool (*serve)(struct bios *b, unsigned vector);
    void *owner;         /* state of the part of the program that has set `serve` */
    uint64_t wait_until; /* clock at which INT 15h AH = 86h returns; 0: it is not waiting */
    /* Clock at which a wait for a key ends the run, because the input has ended; 0: none. */
    uint64_t key_wait_until;
} bios;

enum { BIOS_PORT = 0xb8, FLAG_CARRY = 0x01, FLAG_ZERO = 0x40 };

void bios_init(bios *b, p5_machine *machine);
/* Writes ROM, vectors and data area, attaches the service port, programs the board as a self-test does, and
 * directs the user's input to the keyboard. The engine must be open. */
void bios_install(bios *b);
/* Attaches the service port only; the rest comes from a snapshot. */
void bios_attach(bios *b);

/* Handles an exception of the guest, for guest_kind.event: a stub's OUT in virtual-8086 mode calls the service. */
engine_action bios_event(bios *b, const engine_event *event);

/* Replaces the stub of a vector, at F000h:E000h + vector * 16, by up to 16 bytes of code. Its OUT to BIOS_PORT
 * calls the service of that vector, which sets carry, in EFLAGS, if the stub must wait. */
void bios_put_stub(bios *b, unsigned vector, const uint8_t *code, size_t size);

/* Returns the far pointer to the stub of a vector: segment << 16 | offset. */
uint32_t bios_stub_address(unsigned vector);

/* Finds the code of the ROM, for machine_next_own_code: the vectors' stubs, and the rest after them. */
bool bios_next_own_code(uint32_t linear, machine_own_code *own);

/* Access to the guest's registers, their parts, and its memory: _word is AX, _low AL, _high AH if `r` is EAX. */
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
/* A pointer has its segment in the upper half. bios_pointer returns that of `segment` and the word of `r`;
 * bios_set_pointer sets ES and `r`. */
uint32_t bios_pointer(const bios *b, engine_segment_name segment, engine_register r);
void bios_set_pointer(bios *b, engine_register r, uint32_t pointer);
/* Returns the base of a segment: the linear address of its offset 0. */
uint32_t bios_segment(const bios *b, engine_segment_name which);
/* Read and write a number of 1 to 4 bytes in memory. Where no page is present, a read gives 0 and a write is lost. */
uint32_t bios_load(const bios *b, uint32_t linear, unsigned size);
void bios_store(bios *b, uint32_t linear, unsigned size, uint32_t value);
/* Changes a flag (FLAG_*) that the caller of the interrupt sees after IRET. */
void bios_set_flag(bios *b, uint32_t flag, bool set);

/* Sets the real-time clock, and the ticks since midnight in the data area. */
void bios_set_clock(bios *b, const date *t);

/* Writes a character at the cursor, as a teletype, on the screen only: the host's console does not get it. */
void bios_video_put(bios *b, uint8_t character);
/* The key buffer in the data area. A key is a word as INT 16h returns it. bios_key_room returns whether there is room for
 * one. bios_key_put adds one, or returns false if there is none. bios_key_there reads the next key and leaves it there;
 * bios_key_take also removes it. Both return false if the buffer is empty. */
bool bios_key_put(bios *b, uint16_t key);
bool bios_key_room(const bios *b);
bool bios_key_there(const bios *b, uint16_t *key);
bool bios_key_take(bios *b, uint16_t *key);
/* Returns the word that stands for a key in the buffer. */
uint16_t bios_key_word(const key_press *key);
/* Sets the processor to real mode with all segments 0 and EIP 7C00h, as a BIOS enters a boot sector. */
void boot_processor(engine *e);

#endif
