/* The sandbox (docs/reliability.md): once the guest is loaded, the process gives up all rights that it
 * does not need any more, so that a guest that breaks the emulator gains nothing else. */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include <stddef.h>

#include "p5scope/machine.h"

/* What the process may still use. */
typedef struct sandbox_needs {
    const p5_share *shares; /* --dir: directories that the guest shares */
    size_t share_count;
    const char *outputs[4];   /* files that are made later, or make others; NULL: none; their folders can be
                                 written to */
    const char *gdb;          /* port or socket where gdb is waited for; NULL: none */
    const char *const *reads; /* files that are read later; NULL among them: none */
    size_t read_count;
} sandbox_needs;

/* Confines the calling thread and those that it starts from now on, as far as the host and this build allow
 * (sandbox_describe). */
void sandbox_enter(const sandbox_needs *needs);
/* Describes in one line what the host and this build allow. */
void sandbox_describe(char *text, size_t size);

#endif
