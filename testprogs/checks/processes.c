/* What a guest leaves to a real kernel: processes, threads, epoll, eventfd, timer_create, shared mappings of
 * files. */
#include "guest.h"

int guest_main(int argc, char **argv, char **envp)
{
    enum {
        EXECVE = 11,
        CLONE = 120,
        VFORK = 190,
        EPOLL_CREATE = 254,
        TIMER_CREATE = 259,
        EVENTFD = 323,
        CLONE3 = 435
    };
    enum { EVENTFD2 = 328, EPOLL_CREATE1, READ = 1, WRITE = 2, SHARED = 1, PRIVATE = 2, RDWR_CREAT = 0102 };
    static const int calls[] = {SYS_fork, EXECVE,   CLONE,        VFORK,         CLONE3,
                                EVENTFD,  EVENTFD2, EPOLL_CREATE, EPOLL_CREATE1, TIMER_CREATE};
    (void)argc;
    for (u32 i = 0; i < sizeof calls / sizeof calls[0]; i++)
        CHECK(-ENOSYS, guest_syscall(calls[i], argv[0], argv, envp, 0, 0));
    int file = guest_syscall(SYS_open, "/tmp/file", RDWR_CREAT, 0600);
    CHECK(4096, guest_syscall(SYS_write, file, &guest_main, 4096));
    CHECK(-EINVAL, guest_syscall(SYS_mmap2, 0, 4096, READ | WRITE, SHARED, file, 0));
    CHECK(-EINVAL, guest_syscall(SYS_mmap2, 0, 4096, READ, SHARED, file, 0));
    CHECK_RANGE(0x40000000, 0x7fffffff, guest_syscall(SYS_mmap2, 0, 4096, READ, PRIVATE, file, 0));
    return guest_failures != 0;
}
