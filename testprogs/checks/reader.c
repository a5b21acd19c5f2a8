/* A guest with everything open that a snapshot has to open again: a file being read, one being written, a
 * duplicate of its descriptor, one of its own that has been unlinked, a directory half read. Share: /data
 * with the file `input`. */
#include "guest.h"

enum { O_RDWR_CREAT = 0102 };

static void rewind_file(int descriptor)
{
    s64 position;
    guest_syscall(SYS_llseek, descriptor, 0, 0, &position, 0);
}

static void copy(int from, int to, unsigned count)
{
    char byte;
    while (count-- > 0 && guest_syscall(SYS_read, from, &byte, 1) == 1)
        guest_syscall(SYS_write, to, &byte, 1);
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)argv;
    (void)envp;
    static char entries[64];
    int in = guest_syscall(SYS_open, "/data/input", 0, 0);
    int out = guest_syscall(SYS_open, "/data/output", O_RDWR_CREAT, 0600);
    int same = guest_syscall(SYS_dup, out);
    int gone = guest_syscall(SYS_open, "/tmp/temporary", O_RDWR_CREAT, 0600);
    int directory = guest_syscall(SYS_open, "/data", 0, 0);
    guest_syscall(SYS_unlink, "/tmp/temporary");
    guest_syscall(SYS_write, gone, "was unlinked\n", 13);
    rewind_file(gone);
    int before = guest_syscall(SYS_getdents64, directory, entries, sizeof entries);
    for (unsigned i = 0; i < 40; i++) {
        copy(in, 1, 3);
        copy(gone, 1, 1);
        guest_syscall(SYS_write, i & 1 ? same : out, "0123456789" + i % 10, 1);
        for (volatile unsigned wait = 0; wait < 500; wait++)
            ;
    }
    rewind_file(out);
    copy(same, 1, 100);
    int rest = guest_syscall(SYS_getdents64, directory, entries, sizeof entries);
    guest_print(1, before > 0 && rest > 0 ? "\ndirectory read\n" : "\nno directory\n");
    guest_syscall(SYS_unlink, "/data/output");
    return 7;
}
