/* The prefix bytes, for those who look for an opcode without decoding the instruction. */
#ifndef ISA_PREFIX_H
#define ISA_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

/* Segment overrides, operand and address size, LOCK, REPNE, REP. */
static inline bool isa_is_prefix(uint8_t byte)
{
    return (byte & 0xe7) == 0x26 || (byte >= 0x64 && byte <= 0x67) || byte == 0xf0 || byte == 0xf2 ||
           byte == 0xf3;
}

#endif
