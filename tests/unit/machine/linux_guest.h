/* A machine with a small Linux program. */
#ifndef UNIT_LINUX_GUEST_H
#define UNIT_LINUX_GUEST_H

#include "load.h"

#include <elf.h>

#include "machine/linux/linux_internal.h"

enum {
    LINUX_GUEST_BASE = 0x8048000,
    LINUX_GUEST_ENTRY = LINUX_GUEST_BASE + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr)
};

/* Opens a program of one segment that loops. */
static inline p5_machine *linux_guest_open(const char *const *arguments, const char *const *environment)
{
    struct {
        Elf32_Ehdr header;
        Elf32_Phdr segment;
        uint8_t code[2];
    } program = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
                   .e_type = ET_EXEC,
                   .e_machine = EM_386,
                   .e_version = EV_CURRENT,
                   .e_phoff = sizeof(Elf32_Ehdr),
                   .e_ehsize = sizeof(Elf32_Ehdr),
                   .e_phentsize = sizeof(Elf32_Phdr),
                   .e_phnum = 1},
        .code = {0xeb, 0xfe}};
    program.header.e_entry = LINUX_GUEST_ENTRY;
    program.segment = (Elf32_Phdr){
        PT_LOAD, 0, LINUX_GUEST_BASE, LINUX_GUEST_BASE, sizeof program, sizeof program, PF_R | PF_X, 0x1000};
    char path[] = "/tmp/p5scope-tree-XXXXXX";
    unit_file(path, &program, sizeof program);
    p5_machine *machine = load_machine((p5_machine_options){.memory_bytes = 4 << 20});
    p5_error error = {0};
    if (p5_machine_load_linux(machine, path, arguments, environment, &error) != P5_OK)
        fail_msg("%s", error.message);
    unlink(path);
    return machine;
}

#endif
