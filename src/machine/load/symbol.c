/* Symbols of the guest's ELF file by name, for options that name a place of the guest. */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "p5scope/observe.h"

/* Every symbol with a name and a place in the program, until `visit` answers false. */
static void each_symbol(Elf *elf, bool (*visit)(void *context, const char *name, const GElf_Sym *symbol),
                        void *context)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data = elf_getdata(section, NULL);
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_SYMTAB ||
            header.sh_entsize == 0 || data == NULL)
            continue;
        for (uint64_t i = 1; i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            if (gelf_getsym(data, (int)i, &symbol) == NULL || symbol.st_shndx == SHN_UNDEF ||
                GELF_ST_TYPE(symbol.st_info) == STT_FILE || GELF_ST_TYPE(symbol.st_info) == STT_SECTION)
                continue;
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name != NULL && name[0] != '\0' && !visit(context, name, &symbol))
                return;
        }
    }
}

typedef struct search {
    const char *wanted;
    bool found;
    uint32_t address, size;
    size_t symbols;
    text_nearest nearest;
} search;

static bool look(void *context, const char *name, const GElf_Sym *symbol)
{
    search *s = context;
    s->symbols++;
    if (strcmp(name, s->wanted) != 0) {
        text_nearest_offer(&s->nearest, name);
        return true;
    }
    s->found = true;
    s->address = (uint32_t)symbol->st_value;
    s->size = (uint32_t)symbol->st_size;
    return GELF_ST_BIND(symbol->st_info) == STB_LOCAL; /* a global one of that name comes first */
}

static p5_status find_name(const char *path, const char *name, search *s, p5_error *error)
{
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    p5_status status = P5_OK;
    s->wanted = name;
    text_nearest_init(&s->nearest, name);
    if (elf != NULL && elf_kind(elf) == ELF_K_ELF)
        each_symbol(elf, look, s);
    if (!s->found) {
        if (s->symbols == 0)
            status = error_set(error, P5_ERR_NAME, "%s has no symbols; an address (0x...) is possible", path);
        else
            status = error_set(error, P5_ERR_NAME, "%s has no symbol '%s'", path, name);
        char hint[200];
        error_hint(error, "%s", text_nearest_sentence(&s->nearest, hint, sizeof hint));
    }
    if (elf != NULL)
        elf_end(elf);
    if (fd >= 0)
        close(fd);
    return status;
}

p5_status p5_symbol_find(const char *path, const char *text, uint32_t *address, uint32_t *size,
                         p5_error *error)
{
    uint64_t number, offset = 0;
    if (size != NULL)
        *size = 0;
    if (text_to_u64(text, &number)) {
        if (number > UINT32_MAX)
            return error_set(error, P5_ERR_RANGE, "an address has 32 bits");
        *address = (uint32_t)number;
        return P5_OK;
    }
    const char *plus = strrchr(text, '+');
    char *name = strndup(text, plus != NULL ? (size_t)(plus - text) : strlen(text));
    search found = {0};
    p5_status status;
    if (name == NULL)
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    else if (plus != NULL && (!text_to_u64(plus + 1, &offset) || offset > UINT32_MAX))
        status = error_set(error, P5_ERR_SYNTAX, "an offset follows the +, as in main+0x10");
    else
        status = find_name(path, name, &found, error);
    if (status == P5_OK) {
        *address = found.address + (uint32_t)offset;
        if (size != NULL)
            *size = offset < found.size ? found.size - (uint32_t)offset : 0;
    }
    free(name);
    return status;
}
