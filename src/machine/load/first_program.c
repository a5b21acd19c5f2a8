/* The initrd of --init. It holds the program, the directories of --dir, device nodes, and a first process
 * that runs the program and ends the run with its status. */
#include "machine/load/first_program.h"

#include <string.h>

#include "base/error.h"
#include "machine/load/elf.h"

/* Offsets in the file of the first process, /init, which is loaded at 08048000h. */
enum {
    CODE = 0x54,        /* after an ELF header and one program header */
    PROC = 0x200,       /* "proc" */
    SLASH_PROC = 0x208, /* "/proc" */
    DIRECTORY = 0x300,  /* path of the first --dir */
    PROGRAM = 0x500,    /* path of the program */
    IMAGE = 0x600       /* size of the file */
};

/* The code of /init. It mounts /proc, changes to the first directory of --dir and runs the program, with its
 * own arguments and environment, as its only child. When the child has ended, it writes the status to port
 * F5h (128 + the number of the signal if one ended it). If the kernel does not permit that, it restarts the
 * machine. */
static const uint8_t first_code[] = {
    0x89, 0xe5,                                     /* mov ebp, esp */
    0xb8, 21,   0,    0,    0,                      /* mount(proc, "/proc", proc, 0, 0) */
    0xbb, 0x00, 0x82, 0x04, 0x08,                   /* mov ebx, PROC */
    0xb9, 0x08, 0x82, 0x04, 0x08,                   /* mov ecx, SLASH_PROC */
    0x89, 0xda, 0x31, 0xf6, 0x31, 0xff, 0xcd, 0x80, /* mov edx, ebx; xor esi, esi; xor edi, edi; int 80h */
    0xb8, 12,   0,    0,    0,                      /* chdir */
    0xbb, 0x00, 0x83, 0x04, 0x08, 0xcd, 0x80,       /* mov ebx, DIRECTORY; int 80h */
    0xb8, 2,    0,    0,    0,    0xcd, 0x80,       /* fork */
    0x85, 0xc0, 0x74, 0x79,                         /* test eax, eax; jz child */
    0x89, 0xc6,                                     /* mov esi, eax */
    0xb8, 7,    0,    0,    0,                      /* again: waitpid(-1, esp, 0) */
    0x83, 0xcb, 0xff, 0x53, 0x89, 0xe1,             /* or ebx, -1; push ebx; mov ecx, esp */
    0x31, 0xd2, 0xcd, 0x80, 0x5f,                   /* xor edx, edx; int 80h; pop edi */
    0x85, 0xc0, 0x78, 0x04,                         /* test eax, eax; js ended */
    0x39, 0xf0, 0x75, 0xe8,                         /* cmp eax, esi; jne again */
    0xb8, 54,   0,    0,    0,    0xbb, 1,    0,    0,    0,    /* ended: ioctl(1, TCSBRK, 1): drain */
    0xb9, 0x09, 0x54, 0,    0,    0x89, 0xda, 0xcd, 0x80,       /* mov ecx, 5409h; mov edx, ebx; int 80h */
    0x89, 0xf8, 0x83, 0xe0, 0x7f, 0x74, 0x04,                   /* mov eax, edi; and eax, 7fh; jz normal */
    0x04, 0x80, 0xeb, 0x05,                                     /* add al, 80h; jmp have */
    0x89, 0xf8, 0xc1, 0xe8, 0x08,                               /* normal: mov eax, edi; shr eax, 8 */
    0x89, 0xc7,                                                 /* have: mov edi, eax */
    0xb8, 36,   0,    0,    0,    0xcd, 0x80,                   /* sync */
    0xb8, 101,  0,    0,    0,                                  /* ioperm(F5h, 1, 1) */
    0xbb, 0xf5, 0,    0,    0,    0xb9, 1,    0,    0,    0,    /* mov ebx, F5h; mov ecx, 1 */
    0x89, 0xca, 0xcd, 0x80,                                     /* mov edx, ecx; int 80h */
    0x85, 0xc0, 0x75, 0x04,                                     /* test eax, eax; jnz restart */
    0x89, 0xf8, 0xe6, 0xf5,                                     /* mov eax, edi; out F5h, al */
    0xb8, 88,   0,    0,    0,                                  /* restart: reboot(RESTART) */
    0xbb, 0xad, 0xde, 0xe1, 0xfe, 0xb9, 0x69, 0x19, 0x12, 0x28, /* its two magic numbers */
    0xba, 0x67, 0x45, 0x23, 0x01, 0xcd, 0x80,                   /* mov edx, 1234567h; int 80h */
    0xeb, 0xfe,                                                 /* jmp to itself */
    0x8d, 0x4d, 0x04,                                           /* child: lea ecx, [ebp + 4] */
    0xbb, 0x00, 0x85, 0x04, 0x08, 0x89, 0x19,                   /* mov ebx, PROGRAM; mov [ecx], ebx */
    0x8b, 0x45, 0x00, 0x8d, 0x54, 0x85, 0x08, /* mov eax, [ebp]; lea edx, [ebp + eax * 4 + 8] */
    0xb8, 11,   0,    0,    0,    0xcd, 0x80, /* execve */
    0xb8, 1,    0,    0,    0,    0xbb, 127,  0,    0,    0,    0xcd, 0x80 /* exit(127) */
};
_Static_assert(sizeof first_code <= PROC - CODE, "the code ends before its texts");

/* Makes the file of the first process. `directory` may be empty: the root. */
static void first_image(uint8_t image[IMAGE], const char *directory, const char *program)
{
    static const uint8_t header[CODE] =
        {
            0x7f, 'E',        'L',  'F',  1, 1,          1, 0, 0,    0,    0,    0,    0,  0,    0,    0,
            2,    0,          3,    0,    1, 0,          0, 0, CODE, 0x80, 0x04, 0x08, 52, 0,    0,    0,
            0,    0,          0,    0,    0, 0,          0, 0, 52,   0,    32,   0,    1,  0,    0,    0,
            0,    0,          0,    0,    1, 0,          0, 0, 0,    0,    0,    0,    0,  0x80, 0x04, 0x08,
            0,    0x80,       0x04, 0x08, /* PT_LOAD of the whole file at 08048000h */
            0,    IMAGE >> 8, 0,    0,    0, IMAGE >> 8, 0, 0, 7,    0,    0,    0,    0,  0x10, 0,    0};
    memset(image, 0, IMAGE);
    memcpy(image, header, sizeof header);
    memcpy(image + CODE, first_code, sizeof first_code);
    strcpy((char *)image + PROC, "proc");
    strcpy((char *)image + SLASH_PROC, "/proc");
    strncpy((char *)image + DIRECTORY, directory[0] != '\0' ? directory : "/", PROGRAM - DIRECTORY - 1);
    strncpy((char *)image + PROGRAM, program, IMAGE - PROGRAM - 1);
}

/* Adds the device nodes that programs expect, and empty directories. */
static void add_nodes(cpio *archive)
{
    static const struct {
        const char *name;
        unsigned device; /* major << 8 | minor */
    } nodes[] = {{"dev/console", 0x501}, {"dev/null", 0x103}, {"dev/zero", 0x105}, {"dev/random", 0x108},
                 {"dev/urandom", 0x109}, {"dev/tty", 0x500},  {"dev/ttyS0", 0x440}};
    static const char *const directories[] = {"dev", "proc", "tmp"};
    for (unsigned i = 0; i < sizeof directories / sizeof directories[0]; i++)
        cpio_add(archive, directories[i], CPIO_DIRECTORY, NULL, 0, 0);
    for (unsigned i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        cpio_add(archive, nodes[i].name, CPIO_DEVICE, NULL, 0, nodes[i].device);
}

p5_status first_program_archive(cpio *archive, const char *path, const p5_machine_options *options,
                                p5_error *error)
{
    enum { LONGEST = 200 };
    elf_image program;
    share_tree tree = {0};
    uint8_t image[IMAGE];
    char place[LONGEST + 8];
    const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    *archive = (cpio){0};
    p5_status status = elf_open(path, &program, error);
    if (status != P5_OK)
        return status;
    if (!program.linux_program || strlen(base) > LONGEST) {
        status = error_set(error, P5_ERR_FORMAT, "--init takes a static Linux program");
        error_at(error, path, 0, 0);
    }
    snprintf(place, sizeof place, "/bin/%s", base);
    if (status == P5_OK)
        status = share_tree_open(&tree, options, error);
    if (status == P5_OK && tree.mount_count != 0 && strlen(tree.mounts[0].guest) >= PROGRAM - DIRECTORY)
        status = error_set(error, P5_ERR_RANGE, "the guest path of the first --dir is too long for --init");
    if (status == P5_OK) {
        first_image(image, tree.mount_count != 0 ? tree.mounts[0].guest : "", place);
        add_nodes(archive);
        cpio_add(archive, "init", CPIO_PROGRAM, image, sizeof image, 0);
        cpio_add(archive, "bin", CPIO_DIRECTORY, NULL, 0, 0);
        cpio_add(archive, place + 1, CPIO_PROGRAM, program.bytes, program.size, 0);
    }
    for (size_t i = 0; i < tree.mount_count && status == P5_OK; i++)
        status = cpio_add_share(archive, &tree.mounts[i], error);
    if (status == P5_OK && !cpio_end(archive))
        status = error_set(error, P5_ERR_MEMORY, "no memory for the initrd");
    share_tree_close(&tree);
    elf_close(&program);
    return status;
}
