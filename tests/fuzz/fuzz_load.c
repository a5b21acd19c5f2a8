/* Loads files: ELF programs for Linux and bare metal, Multiboot images, Linux kernels, disks, DOS programs, flat
 * images. An input is random bytes, or damage to a valid file. A file is refused with a message, or its guest runs
 * within its limits, the laws of its counts hold, and its profile can be written. */
#include "elf.h"
#include "fuzz.h"
#include "p5tool/machine.h"
#include "p5scope/profile.h"
#include "p5tool/report.h"

enum { FILE_BYTES = 0x2000, CODE_BYTES = 0x40 };

typedef enum kind {
    KIND_LINUX,
    KIND_ELF,
    KIND_MULTIBOOT,
    KIND_KERNEL,
    KIND_VMLINUX,
    KIND_DISK,
    KIND_DOS,
    KIND_FLAT,
    KIND_REAL,
    KINDS
} kind;

static const uint8_t code[] = {0x40, 0x50, 0x58, 0x75, 0x02, 0x31, 0xc0, 0xe2, 0xf7,
                               0xb8, 0x01, 0x00, 0x00, 0x00, 0xcd, 0x80, 0xf4};

static void put32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

/* Appends section headers, symbols and names to an ELF file of `size` bytes. Returns its new size. */
static size_t add_symbols(uint8_t *file, size_t size, uint32_t base)
{
    static const char names[] = "\0.text\0.symtab\0.strtab\0start\0loop\0data";
    const Elf32_Sym symbols[4] = {{0},
                                  {.st_name = 23,
                                   .st_value = base,
                                   .st_size = 9,
                                   .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC),
                                   .st_shndx = 1},
                                  {.st_name = 29,
                                   .st_value = base + 9,
                                   .st_size = 8,
                                   .st_info = ELF32_ST_INFO(STB_LOCAL, STT_FUNC),
                                   .st_shndx = 1},
                                  {.st_name = 34,
                                   .st_value = base + 17,
                                   .st_size = 4,
                                   .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT),
                                   .st_shndx = 1}};
    const Elf32_Shdr sections[4] = {{0},
                                    {.sh_name = 1,
                                     .sh_type = SHT_PROGBITS,
                                     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                     .sh_addr = base,
                                     .sh_offset = ELF_CODE,
                                     .sh_size = CODE_BYTES},
                                    {.sh_name = 7,
                                     .sh_type = SHT_SYMTAB,
                                     .sh_offset = (Elf32_Off)size,
                                     .sh_size = sizeof symbols,
                                     .sh_link = 3,
                                     .sh_info = 3,
                                     .sh_entsize = sizeof symbols[0]},
                                    {.sh_name = 15,
                                     .sh_type = SHT_STRTAB,
                                     .sh_offset = (Elf32_Off)(size + sizeof symbols),
                                     .sh_size = sizeof names}};
    Elf32_Ehdr header;
    memcpy(file + size, symbols, sizeof symbols);
    memcpy(file + size + sizeof symbols, names, sizeof names);
    size += sizeof symbols + sizeof names;
    memcpy(&header, file, sizeof header);
    header.e_shoff = (Elf32_Off)size;
    header.e_shentsize = sizeof sections[0];
    header.e_shnum = 4;
    header.e_shstrndx = 3;
    memcpy(file, &header, sizeof header);
    memcpy(file + size, sections, sizeof sections);
    return size + sizeof sections;
}

/* Makes a valid file of a kind. Returns its size. */
static size_t sample(uint8_t *file, kind which)
{
    memset(file, 0, FILE_BYTES);
    switch (which) {
    case KIND_LINUX:
    case KIND_ELF:
    case KIND_VMLINUX: {
        memcpy(file + ELF_CODE, code, sizeof code);
        size_t size = elf_make(file, CODE_BYTES, 0x2000, which == KIND_LINUX);
        return add_symbols(file, size, (which == KIND_LINUX ? ELF_BASE : 0x100000) + ELF_CODE);
    }
    case KIND_MULTIBOOT: {
        static const uint32_t header[] = {
            0x1badb002, 0x10003, 0u - 0x1badb002 - 0x10003, 0x100000, 0x100000, 0x100100, 0x102000, 0x100040};
        memcpy(file, header, sizeof header);
        memcpy(file + 0x40, code, sizeof code);
        return 0x100;
    }
    case KIND_KERNEL:
        file[0x1f1] = 1; /* setup_sects */
        put32(file + 0x1f4, 0x40);
        file[0x1fe] = 0x55;
        file[0x1ff] = 0xaa;
        memcpy(file + 0x200, "\xeb\x66HdrS\x0c\x02", 8);
        file[0x211] = 1; /* LOADED_HIGH */
        put32(file + 0x214, 0x100000);
        put32(file + 0x22c, 0x37ffffff);
        put32(file + 0x230, 0x1000);
        put32(file + 0x238, 255);
        put32(file + 0x260, 0x10000);
        memcpy(file + 0x400, code, sizeof code);
        return 0x800;
    case KIND_DISK:
        memcpy(file, code, sizeof code);
        file[510] = 0x55;
        file[511] = 0xaa;
        return 0x1000;
    case KIND_DOS:
        memcpy(file, "MZ\x40\0\x02\0\0\0\x02\0\x10\0\xff\xff\0\0\0\x01\0\0\0\0\0\0\x1c\0", 26);
        memcpy(file + 0x20, code, sizeof code);
        return 0x240;
    default:
        memcpy(file, code, sizeof code);
        return 0x100;
    }
}

static p5_status load(p5_machine *machine, kind which, const char *path, const p5_load_options *kernel,
                      uint32_t address, p5_error *error)
{
    static const char *const arguments[] = {"program", "one", NULL}, *const environment[] = {"A=1", NULL};
    switch (which) {
    case KIND_LINUX:
        return p5_machine_load_linux(machine, path, arguments, environment, error);
    case KIND_ELF:
        return p5_machine_load_elf(machine, path, error);
    case KIND_MULTIBOOT:
        return p5_machine_load_multiboot(machine, path, error);
    case KIND_KERNEL:
    case KIND_VMLINUX:
        return p5_machine_load_kernel(machine, path, kernel, error);
    case KIND_DISK:
        return p5_machine_load_disk(machine, path, error);
    case KIND_DOS:
        return p5_machine_load_dos(machine, path, arguments, environment, error);
    case KIND_REAL:
        return p5_machine_load_real(machine, path, (uint16_t)(address >> 12), (uint16_t)address, error);
    default:
        return p5_machine_load_flat(machine, path, address, error);
    }
}

/* Writes the machine's profile in the formats that need the guest's symbols. */
static void write_profile(p5_machine *machine)
{
    p5_profile *profile;
    p5_error error = {0};
    LAW(p5_profile_take(machine, "program", "", &profile, &error) == P5_OK);
    FILE *out = fopen("/dev/null", "w");
    LAW(out != NULL);
    LAW(p5_profile_write(out, profile, &error) == P5_OK);
    LAW(p5_profile_write_callgrind(out, profile, &error) == P5_OK);
    fclose(out);
    p5_profile_free(profile);
}

static void run(p5_machine *machine, const char *path, int profiled)
{
    const p5_limits limits = {.size = sizeof limits, .max_instructions = 3000, .max_clocks = 10000000};
    p5_run_result result = {.size = sizeof result};
    p5_error error = {0};
    /* The guest's file is also given as a file of symbols if `profiled` is 2. */
    const char *const symbols[] = {path, NULL};
    const p5_profile_options options = {.size = sizeof options, .symbols = profiled == 2 ? symbols : NULL};
    if (profiled != 0 && p5_profile_start(machine, path, &options, &error) != P5_OK) {
        LAW(error.message[0] != '\0');
        profiled = 0;
    }
    LAW(p5_machine_run(machine, &limits, &result, &error) == P5_OK);
    LAW(result.end != P5_END_FAILED && result.end != P5_END_STOPPED);
    unsigned checked;
    LAW(p5_laws_check_machine(machine, stderr, &checked) == 0);
    fuzz_figures_now.instructions += p5_machine_instructions(machine);
    if (profiled)
        write_profile(machine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[FILE_BYTES];
    fuzz_input input = {data, size};
    kind which = (kind)(fuzz_byte(&input) % KINDS);
    unsigned how = fuzz_byte(&input);
    size_t bytes = sample(file, which);
    if (how >= 0xf0) {
        bytes = input.size < sizeof file ? input.size : sizeof file;
        memcpy(file, input.data, bytes);
    } else {
        if (how >= 0xe0)
            bytes = bytes * fuzz_byte(&input) / 256;
        fuzz_patch(file, bytes, &input);
    }
    fuzz_file guest = fuzz_file_make(which == KIND_DOS && how & 1 ? "guest.com" : "guest", file, bytes),
              initrd = {{0}}, init = {{0}};
    p5_load_options kernel = {.size = sizeof kernel, .append = how & 2 ? "console=ttyS0" : NULL};
    const p5_share share = {.size = sizeof share, .host = fuzz_folder(), .guest = "/c"};
    const char *modules[] = {guest.path};
    const p5_machine_options options = {.size = sizeof options,
                                        .memory_bytes = 8 << 20,
                                        .console = fuzz_discard,
                                        .shares = &share,
                                        .share_count = 1,
                                        .modules = modules,
                                        .module_count = how >> 2 & 1};
    if (which == KIND_KERNEL || which == KIND_VMLINUX) {
        static uint8_t program[FILE_BYTES];
        if (how & 4)
            kernel.initrd = (initrd = fuzz_file_make("initrd", file, 100)).path;
        else if (how & 8)
            kernel.init = (init = fuzz_file_make("init", program, sample(program, KIND_LINUX))).path;
    }
    p5_machine *machine;
    p5_error error = {0};
    p5_guest_kind found;
    p5_guest_detect(guest.path, &found, &error);
    error.message[0] = '\0';
    LAW(p5_machine_open(&options, &machine, &error) == P5_OK);
    uint32_t address = how & 0x10 ? 0x100000 : (uint32_t)how << 12;
    if (load(machine, which, guest.path, &kernel, address, &error) == P5_OK)
        run(machine, guest.path, (how & 0x20) == 0 ? 0 : (how & 8) == 0 ? 1 : 2);
    else
        LAW(error.message[0] != '\0');
    p5_machine_close(machine);
    return 0;
}
