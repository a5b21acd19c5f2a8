/* Finds out which kind of guest the command line names, and refuses options that this kind does not have. */
#include "cli/guest_form.h"

#include <string.h>

p5_status guest_form_find(const guest_options *options, guest_form *form, p5_error *error)
{
    const char *path = options->command[0];
    *form = options->line->kernel != NULL ? FORM_KERNEL : FORM_FLAT;
    if (options->line->kernel != NULL || options->line->flat != NULL)
        return P5_OK;
    *form = options->line->disk ? FORM_DISK : FORM_MULTIBOOT;
    if (options->line->disk || options->line->multiboot)
        return P5_OK;
    static const guest_form forms[] = {
        [P5_GUEST_LINUX] = FORM_LINUX, [P5_GUEST_DOS] = FORM_DOS,   [P5_GUEST_MULTIBOOT] = FORM_MULTIBOOT,
        [P5_GUEST_ELF] = FORM_ELF,     [P5_GUEST_DISK] = FORM_DISK, [P5_GUEST_KERNEL] = FORM_BZIMAGE};
    p5_guest_kind kind;
    p5_status status = p5_guest_detect(path, &kind, error);
    if (status == P5_OK)
        *form = forms[kind];
    return status;
}

bool guest_form_takes(const guest_options *options, guest_form form)
{
    static const char *const names[] = {[FORM_LINUX] = "a Linux program",
                                        [FORM_DOS] = "a DOS program",
                                        [FORM_MULTIBOOT] = "a Multiboot kernel",
                                        [FORM_ELF] = "a bare-metal program",
                                        [FORM_FLAT] = "a flat image",
                                        [FORM_DISK] = "a disk image",
                                        [FORM_BZIMAGE] = "a Linux kernel",
                                        [FORM_KERNEL] = "a Linux kernel"};
    /* Options that only some kinds of guests have, and how a message names these kinds. */
    static const struct {
        unsigned forms;
        const char *options, *whose;
    } rules[] = {{FORM_LINUX, "ctr0 ctr1", "a Linux program, which cannot program the counter itself"},
                 {FORM_LINUX, "pce", "a Linux program, which cannot set CR4"},
                 {FORM_LINUX, "seed argv0", "a Linux program"},
                 {FORM_LINUX | FORM_DOS, "env", "a Linux or DOS program"},
                 {FORM_LINUX | FORM_DOS, "dir", "a Linux or DOS program, or --init"},
                 {FORM_MULTIBOOT, "module", "a Multiboot kernel"},
                 {FORM_DISK, "disk-write", "a disk image, or --disk2"},
                 {~(unsigned)FORM_LINUX, "rtc screenshot screen",
                  "a guest that runs on the board, without Linux calls"}};
    char shown[CLI_SHOWN_LENGTH];
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        bool with_init = options->line->init != NULL && strcmp(rules[i].options, "dir") == 0;
        bool with_disk = options->line->disk2.count != 0 && strcmp(rules[i].options, "disk-write") == 0;
        if ((rules[i].forms & form) == 0 && !with_init && !with_disk &&
            cli_first_used(options->line, rules[i].options, shown) != NULL)
            return cli_refuse(NULL, NULL, 0, "%s is for %s; this guest is %s", shown, rules[i].whose,
                              names[form]);
    }
    if (options->command[1] != NULL && (form & (FORM_ELF | FORM_FLAT | FORM_DISK)) != 0)
        return cli_refuse(NULL, NULL, 0, "%s takes no arguments; put options before the guest", names[form]);
    return true;
}
