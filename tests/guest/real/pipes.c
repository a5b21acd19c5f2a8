/* pipes: a child writes numbers into a pipe, its parent adds them up and ends with the child's status. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2], status, number;
    unsigned sum = 0;
    if (pipe(ends) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        for (number = 1; number <= 1000; number++)
            if (write(ends[1], &number, sizeof number) != sizeof number)
                _exit(1);
        _exit(9);
    }
    close(ends[1]);
    while (read(ends[0], &number, sizeof number) == sizeof number)
        sum += (unsigned)number;
    waitpid(child, &status, 0);
    printf("sum %u\n", sum); /* 1000 * 1001 / 2 */
    return WEXITSTATUS(status);
}
