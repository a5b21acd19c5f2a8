/* Calls that make processes and threads, or become another program: there are none in a guest. */
#include "guest.h"

int guest_main(int argc, char **argv, char **envp)
{
    enum { SYS_execve = 11, SYS_clone = 120, SYS_vfork = 190, SYS_clone3 = 435 };
    static const int calls[] = {SYS_fork, SYS_execve, SYS_clone, SYS_vfork, SYS_clone3};
    (void)argc;
    for (u32 i = 0; i < sizeof calls / sizeof calls[0]; i++)
        CHECK(-ENOSYS, guest_syscall(calls[i], argv[0], argv, envp, 0, 0));
    return guest_failures != 0;
}
