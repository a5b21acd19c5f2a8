/* Translated code (code.c). */
#ifndef ENGINE_MEMORY_CODE_H
#define ENGINE_MEMORY_CODE_H

#include "engine/internal.h"
#include "engine/unicorn/code_buffer.h"

/* Empties the cache of blocks by EIP, after translated code was discarded or other blocks took its place. */
void code_forget_found(engine *e);
/* Records that Unicorn has put a translated block at `at`, in its buffer. Returns whether most of the buffer (3/4)
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
/* Discards translated code in RAM that an instruction is about to overwrite; all bytes lie in one page. If it is
 * the running block, that is left before the store, and this does not return. `retaddr` is where the call
 * from translated code returns to, or 0. */
void code_overwrite(engine *e, uint32_t physical, unsigned size, uintptr_t retaddr);
/* Makes Unicorn translate `size` other bytes, 16 at most, at `linear` than those in memory, and returns where the
 * caller has to put them. With 0 bytes, memory is translated again. */
uint8_t *code_substitute_bytes(engine *e, uint32_t linear, unsigned size);

#endif
