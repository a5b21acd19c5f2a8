/* The sandbox (docs/reliability.md): once the guest is loaded, the process gives up all rights that it no longer needs,
 * so that a guest that exploits a fault of the emulator gains no others. */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include <stddef.h>

#include "p5scope/machine.h"

/* What the process may still use. */
typedef struct sandbox_needs {
    const p5_share *shares; /* --dir: directories that the guest shares */
    size_t share_count;
    /* Files that are created later, or beside which others are created. Their folders stay writable. NULL: none. */
    const char *outputs[4];
    const char *gdb;          /* port or socket where p5scope waits for gdb; NULL: none */
    const char *const *reads; /* files that are read later; elements may be NULL */
    size_t read_count;
} sandbox_needs;

/* Confines the calling thread and those that it starts from now on, as far as the host and this build allow
 * (sandbox_describe). */
void sandbox_enter(const sandbox_needs *needs);
/* Describes in one line what the host and this build allow. */
void sandbox_describe(char *text, size_t size);

#endif
