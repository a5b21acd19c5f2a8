/* Computes until a command arrives on its input: o writes "out" without a line end to standard output, e writes "error" to standard
 * error, q ends. */
#include "guest.h"

enum { CALL_poll = 168, POLLIN = 1 };

int guest_main(int argc, char **argv, char **envp)
{
    static volatile u32 sum;
    (void)argc, (void)argv, (void)envp;
    for (;;) {
        struct {
            int fd;
            short events, got;
        } input = {0, POLLIN, 0};
        char word;
        for (u32 i = 0; i < 100000; i++)
            sum += i;
        if (guest_syscall(CALL_poll, &input, 1, 0) != 1)
            continue;
        if (guest_syscall(SYS_read, 0, &word, 1) != 1 || word == 'q')
            return 0;
        if (word == 'o')
            guest_syscall(SYS_write, 1, "out", 3);
        else
            guest_syscall(SYS_write, 2, "error\n", 6);
    }
}
