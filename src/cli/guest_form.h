/* The kinds of guests, and which options apply to each. */
#ifndef CLI_GUEST_FORM_H
#define CLI_GUEST_FORM_H

#include "cli/guest_options.h"

/* Bits, so that an option can name the kinds that it applies to. */
typedef enum guest_form {
    FORM_LINUX = 1,
    FORM_DOS = 2,
    FORM_MULTIBOOT = 4,
    FORM_ELF = 8, /* bare metal */
    FORM_FLAT = 16,
    FORM_DISK = 32,
    FORM_BZIMAGE = 64,
    FORM_KERNEL = 128 /* --kernel */
} guest_form;

/* Finds the kind by the options and the file. */
p5_status guest_form_find(const guest_options *options, guest_form *form, p5_error *error);
/* Returns false after a message if an option or argument does not apply to such a guest. */
bool guest_form_takes(const guest_options *options, guest_form form);

#endif
