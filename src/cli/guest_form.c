#include "cli/guest_form.h"

p5_status guest_form_find(const guest_options *options, guest_form *form, p5_error *error)
{
    const char *path = options->command[0];
    *form = options->line->kernel != NULL ? FORM_KERNEL : FORM_FLAT;
    if (options->line->kernel != NULL || options->line->flat != NULL)
        return P5_OK;
    *form = options->line->disk ? FORM_DISK : FORM_MULTIBOOT;
    if (options->line->disk || options->line->multiboot)
        return P5_OK;
    p5_image_kind kind;
    bool linux_program = false;
    p5_status status = p5_machine_image_kind(path, &kind, error);
    if (status != P5_OK)
        return status;
    *form = kind == P5_IMAGE_MULTIBOOT ? FORM_MULTIBOOT
            : kind == P5_IMAGE_KERNEL  ? FORM_BZIMAGE
            : kind == P5_IMAGE_DOS     ? FORM_DOS
            : kind == P5_IMAGE_DISK    ? FORM_DISK
                                       : FORM_ELF;
    if (*form != FORM_ELF)
        return P5_OK;
    status = p5_machine_probe(path, &linux_program, error);
    *form = linux_program ? FORM_LINUX : FORM_ELF;
    return status;
}

bool guest_form_takes(const guest_options *options, guest_form form)
{
    const unsigned programs = FORM_LINUX | FORM_DOS;
    static const char *const names[] = {[FORM_LINUX] = "a Linux program",
                                        [FORM_DOS] = "a DOS program",
                                        [FORM_MULTIBOOT] = "a Multiboot kernel",
                                        [FORM_ELF] = "a bare-metal program",
                                        [FORM_FLAT] = "a flat image",
                                        [FORM_DISK] = "a disk image",
                                        [FORM_BZIMAGE] = "a Linux kernel",
                                        [FORM_KERNEL] = "a Linux kernel"};
    const struct {
        bool given;
        unsigned forms;
        const char *option, *whose;
    } rules[] = {
        {options->line->ctr0 != NULL, FORM_LINUX, "--ctr0",
         "a Linux program, which cannot program the counter itself"},
        {options->line->ctr1 != NULL, FORM_LINUX, "--ctr1",
         "a Linux program, which cannot program the counter itself"},
        {options->machine.pce, FORM_LINUX, "--pce", "a Linux program, which cannot set CR4"},
        {options->machine.random_seed != 0, FORM_LINUX, "--seed", "a Linux program's random numbers"},
        {options->line->argv0 != NULL, FORM_LINUX, "--argv0", "a Linux program"},
        {options->environment_count != 0, programs, "--env", "a Linux or DOS program"},
        {options->machine.share_count != 0, options->line->init != NULL ? programs | FORM_KERNEL : programs,
         "--dir", "a Linux or DOS program, or --init"},
        {options->machine.module_count != 0, FORM_MULTIBOOT, "--module", "a Multiboot kernel"},
        {options->machine.disk_writable, FORM_DISK, "--disk-write", "a disk image"},
        {options->machine.rtc_set, ~(unsigned)FORM_LINUX, "--rtc",
         "a guest that runs on the board, without Linux calls"},
        {options->line->screenshot != NULL, ~(unsigned)FORM_LINUX, "--screenshot",
         "a guest that runs on the board, without Linux calls"},
        {options->line->screen, ~(unsigned)FORM_LINUX, "--screen",
         "a guest that runs on the board, without Linux calls"},
        {options->command[1] != NULL, ~(unsigned)(FORM_ELF | FORM_FLAT | FORM_DISK), "an argument",
         "a Linux or DOS program or a kernel"}};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].given && (rules[i].forms & form) == 0)
            return cli_refuse(NULL, NULL, 0, "%s is for %s; this guest is %s", rules[i].option,
                              rules[i].whose, names[form]);
    return true;
}
