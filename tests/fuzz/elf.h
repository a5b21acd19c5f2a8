/* A small static i386 ELF file, for fuzzers that need a guest or something to damage. */
#ifndef FUZZ_ELF_H
#define FUZZ_ELF_H

#include <elf.h>
#include <string.h>

enum {
    ELF_BASE = 0x08048000,
    ELF_CODE = 0x1000, /* in the file, and after the base */
    ELF_LINUX = 1      /* it says that it is a Linux program */
};

/* Headers before ELF_CODE bytes in, for `size` bytes of code there: one segment, read, write and
 * execute, with `zeros` bytes after. Returns the file's size; `file` must be large enough. */
static inline size_t elf_make(uint8_t *file, size_t size, uint32_t zeros, int kind)
{
    const Elf32_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT,
                                           kind == ELF_LINUX ? ELFOSABI_LINUX : ELFOSABI_NONE},
                               .e_type = ET_EXEC,
                               .e_machine = EM_386,
                               .e_version = EV_CURRENT,
                               .e_entry = (kind == ELF_LINUX ? ELF_BASE : 0x100000) + ELF_CODE,
                               .e_phoff = sizeof header,
                               .e_ehsize = sizeof header,
                               .e_phentsize = sizeof(Elf32_Phdr),
                               .e_phnum = kind == ELF_LINUX ? 2 : 1};
    const Elf32_Phdr segments[2] = {{.p_type = PT_LOAD,
                                     .p_offset = 0,
                                     .p_vaddr = kind == ELF_LINUX ? ELF_BASE : 0x100000,
                                     .p_paddr = kind == ELF_LINUX ? ELF_BASE : 0x100000,
                                     .p_filesz = (Elf32_Word)(ELF_CODE + size),
                                     .p_memsz = (Elf32_Word)(ELF_CODE + size + zeros),
                                     .p_flags = PF_R | PF_W | PF_X,
                                     .p_align = 0x1000},
                                    {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16}};
    memset(file, 0, ELF_CODE);
    memcpy(file, &header, sizeof header);
    memcpy(file + sizeof header, segments, sizeof segments);
    return ELF_CODE + size;
}

#endif
