/* Translated code (code.c). */
#ifndef ENGINE_MEMORY_CODE_H
#define ENGINE_MEMORY_CODE_H

#include "engine/internal.h"
#include "engine/unicorn/code_buffer.h"

/* Empties the cache of blocks by EIP, after translated code was discarded or other blocks took its place. */
void code_forget_found(engine *e);
/* Records that Unicorn has put a translated block at `at`, in its buffer. Returns whether most of the buffer
 * is used. */
bool code_translated(engine *e, uintptr_t at);
/* Discards all translated code. */
void code_forget(engine *e);
/* Marks `size` bytes, all in one page, as translated code, so that stores into them are noticed. */
void code_protect(engine *e, uint32_t physical, unsigned size);
/* Returns true if translated code lies in these bytes, all in one page of RAM. */
bool code_lies_in(const engine *e, uint32_t physical, unsigned size);
/* Returns whether the page of `physical` is RAM without translated code. */
bool code_none_in_page(const engine *e, uint32_t physical);
/* Discards translated code in RAM that an instruction is about to overwrite. May not return. */
void code_overwrite(engine *e, uint32_t physical, unsigned size, uintptr_t retaddr);
/* Makes Unicorn translate other bytes at `linear` than those in memory, and returns where to put them. 0
 * bytes: no longer. */
uint8_t *code_substitute_bytes(engine *e, uint32_t linear, unsigned size);

#endif
