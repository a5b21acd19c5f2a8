/* Functions of the x87 for the other folders. */
#ifndef ENGINE_X87_X87_H
#define ENGINE_X87_X87_H

#include "engine/internal.h"
#include "engine/x87/x87_operation.h"

/* Moves the guest's x87 registers to Unicorn's state, wherever they are (x87_host.c). Must be called before
 * code outside the engine runs, and before the registers are read. */
void x87_settle_from(engine *e);
static inline void x87_settle(engine *e)
{
    if (e->x87.place != X87_IN_STATE)
        x87_settle_from(e);
}
/* Prepares the x87 of a new engine. */
void x87_open(engine *e);
/* Raises a pending exception before a block whose instruction waits for the x87. EIP must be current. */
void x87_wait_before(engine *e);

/* Convert the state to an image, in which the pointers to the last instruction and its operand are 0, and back,
 * without the control word. */
void x87_to_image(const uc_env *env, uint8_t image[X87_IMAGE_BYTES]);
void x87_from_image(uc_env *env, const uint8_t image[X87_IMAGE_BYTES]);
/* Sets the control and the status word as FLDENV does: bits that do not exist are ignored, and ES and B follow from the
 * flags and the masks. */
void x87_load_words(uc_env *env, uint32_t control, uint32_t status);
/* Returns the 11-bit opcode of an x87 instruction, as FNSTENV stores it, from the two bytes after its prefixes. */
static inline uint16_t x87_opcode(const uint8_t bytes[2])
{
    return (uint16_t)((bytes[0] & 7) << 8 | bytes[1]);
}
/* Executes FNOP: raises a pending exception, or records FNOP as the last x87 instruction (FIP, FCS, opcode). */
void x87_nop(uc_env *env);

#endif
