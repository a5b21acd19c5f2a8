/* Translated code (code.c). */
#ifndef ENGINE_MEMORY_CODE_H
#define ENGINE_MEMORY_CODE_H

#include "engine/internal.h"
#include "engine/unicorn/code_buffer.h"

/* Empties the cache in which the block at an EIP is looked up. Must be called when translated code was discarded or
 * replaced. */
void code_forget_found(engine *e);
/* Records that Unicorn has put a translated block at `at`, in its buffer. Returns whether more than 3/4 of the buffer
 * are used; code_forget should then be called between two blocks. */
bool code_translated(engine *e, uintptr_t at);
/* Discards all translated code. */
void code_forget(engine *e);
/* Marks the 64-byte lines of these bytes, all in one page, as translated code, so that stores into them are noticed.
 * Does nothing outside of RAM. */
void code_protect(engine *e, uint32_t physical, unsigned size);
/* Returns whether translated code lies in the 64-byte lines of these bytes, all in one page of RAM. */
bool code_lies_in(const engine *e, uint32_t physical, unsigned size);
/* Returns whether the page of `physical` is RAM without translated code. */
bool code_none_in_page(const engine *e, uint32_t physical);
/* Discards the translated code in these bytes of RAM, all in one page, which are about to be overwritten. `retaddr` is
 * the address in translated code to which the helper that stores returns. If that code is discarded, too, control
 * leaves it before the store, and this function does not return. With 0 it always returns. */
void code_overwrite(engine *e, uint32_t physical, unsigned size, uintptr_t retaddr);
/* Replaces the bytes at `linear` that Unicorn fetches to translate, until the next call. Returns the buffer of the
 * engine into which the caller puts the `size` bytes, at most 16. With 0, Unicorn fetches from memory again. */
uint8_t *code_substitute_bytes(engine *e, uint32_t linear, unsigned size);

#endif
