/* p5_machine_load: loads a guest of any kind with the loader for that kind. */
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "machine/state.h"
#include "p5tool/machine.h"

/* Loads a Linux or DOS program. Without arguments in the options it gets its file's name as the only one. */
static p5_status load_program(p5_machine *machine, const char *path, const p5_load_options *options,
                              p5_error *error)
{
    static const char *const none[] = {NULL};
    const char *slash = strrchr(path, '/');
    const char *const name[] = {slash != NULL ? slash + 1 : path, NULL};
    const char *const *arguments = options->arguments != NULL ? options->arguments : name;
    const char *const *environment = options->environment != NULL ? options->environment : none;
    return options->kind == P5_GUEST_DOS
               ? p5_machine_load_dos(machine, path, arguments, environment, error)
               : p5_machine_load_linux(machine, path, arguments, environment, error);
}

/* Calls the loader of options->kind. Every loader finds its other options, such as shares, in the machine. */
static p5_status load_kind(p5_machine *machine, const char *path, const p5_load_options *options,
                           p5_error *error)
{
    switch (options->kind) {
    case P5_GUEST_LINUX:
    case P5_GUEST_DOS:
        return load_program(machine, path, options, error);
    case P5_GUEST_MULTIBOOT:
        return p5_machine_load_multiboot(machine, path, error);
    case P5_GUEST_ELF:
        return p5_machine_load_elf(machine, path, error);
    case P5_GUEST_FLAT:
        return p5_machine_load_flat(machine, path, options->address, error);
    case P5_GUEST_REAL:
        return p5_machine_load_real(machine, path, options->segment, options->offset, error);
    case P5_GUEST_DISK:
        return p5_machine_load_disk(machine, path, error);
    case P5_GUEST_KERNEL:
        return p5_machine_load_kernel(machine, path, options, error);
    case P5_GUEST_DETECT:
        break;
    }
    return error_set(error, P5_ERR_RANGE, "p5_load_options.kind is %d", (int)options->kind);
}

p5_status p5_machine_load(p5_machine *machine, const char *path, const p5_load_options *options,
                          p5_error *error)
{
    p5_load_options own;
    if (path == NULL)
        return error_null(error, "path");
    p5_status status = SIZED_COPY_IN(p5_load_options, &own, options, error);
    if (status == P5_OK && own.kind == P5_GUEST_DETECT)
        status = p5_guest_detect(path, &own.kind, error);
    if (status != P5_OK)
        return status;
    const bool for_kernel = own.append != NULL || own.initrd != NULL || own.init != NULL;
    if (for_kernel && own.kind != P5_GUEST_KERNEL)
        return error_set(error, P5_ERR_UNSUPPORTED, "%s: append, initrd and init are for Linux kernels",
                         path);
    /* arguments[0] is the guest's name, which every guest may have. */
    bool takes_none = own.kind == P5_GUEST_ELF || own.kind == P5_GUEST_FLAT || own.kind == P5_GUEST_REAL ||
                      own.kind == P5_GUEST_DISK;
    if (takes_none && own.arguments != NULL && own.arguments[0] != NULL && own.arguments[1] != NULL)
        return error_set(error, P5_ERR_UNSUPPORTED, "%s: a guest of this kind takes no arguments", path);
    return load_kind(machine, path, &own, error);
}
