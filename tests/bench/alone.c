/* alone IMAGE ADDRESS: runs a guest of worst.py on Unicorn without p5scope, to measure what the translation of code
 * costs. Exit status 1 if the guest does not reach its end, because Unicorn delivers no interrupts. */
#include <stdio.h>
#include <stdlib.h>

#include <unicorn/unicorn.h>

enum { MEMORY_BYTES = 64 << 20 };

static void leave(uc_engine *uc, uint32_t port, int size, uint32_t value, void *ended)
{
    (void)port, (void)size, (void)value;
    *(bool *)ended = true;
    uc_emu_stop(uc);
}

/* Reads the image; answers how many bytes it has, 0 if it cannot be read. */
static size_t load(uc_engine *uc, const char *path, uint64_t address)
{
    static uint8_t bytes[MEMORY_BYTES / 4];
    FILE *image = fopen(path, "rb");
    if (!image)
        return 0;
    size_t size = fread(bytes, 1, sizeof bytes, image);
    fclose(image);
    return uc_mem_write(uc, address, bytes, size) == UC_ERR_OK ? size : 0;
}

int main(int argc, char **argv)
{
    uc_engine *uc;
    uc_hook out;
    bool ended = false;
    if (argc != 3) {
        fprintf(stderr, "usage: alone IMAGE ADDRESS\n");
        return 2;
    }
    uint64_t address = strtoull(argv[2], NULL, 0);
    if (uc_open(UC_ARCH_X86, UC_MODE_32, &uc) != UC_ERR_OK ||
        uc_mem_map(uc, 0, MEMORY_BYTES, UC_PROT_ALL) != UC_ERR_OK || !load(uc, argv[1], address) ||
        uc_hook_add(uc, &out, UC_HOOK_INSN, (void *)leave, &ended, 1, 0, UC_X86_INS_OUT) != UC_ERR_OK) {
        fprintf(stderr, "alone: cannot run %s at %s\n", argv[1], argv[2]);
        return 2;
    }
    uc_err error = uc_emu_start(uc, address, UINT32_MAX, 0, 0);
    uc_close(uc);
    return error == UC_ERR_OK && ended ? 0 : 1;
}
