/* The second wall (docs/reliability.md): once the guest is loaded, the process gives up what it does not need
 * any more, so that a guest which got the better of the emulator gets nothing else. */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include <stddef.h>

#include "p5scope/machine.h"

typedef struct sandbox_needs {
    const p5_share *shares;
    size_t share_count;
    const char *outputs[4];   /* files that are made later, or make others; NULL: none; their folders can be
                                 written to */
    const char *gdb;          /* a place where gdb is waited for, NULL: none */
    const char *const *reads; /* files that are read later; NULL among them: none */
    size_t read_count;
} sandbox_needs;

/* What the host offers and was not to be had stays away: sandbox_describe says what there is. For the calling
 * thread and those that it starts from now on. */
void sandbox_enter(const sandbox_needs *needs);
/* One line. */
void sandbox_describe(char *text, size_t size);

#endif
