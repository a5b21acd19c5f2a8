/* Entry of the C guests: calls main(argc, argv) with the values on the initial stack of Linux, then exits. */
#include "guest.h"

enum { LINUX_EXIT = 1 };

_Noreturn void quit(int status)
{
    for (;;)
        system_call(LINUX_EXIT, (uint32_t)status, 0, 0);
}

__attribute__((used)) _Noreturn static void start(uint32_t *stack)
{
    quit(main((int)stack[0], (char **)(stack + 1)));
}

/* The stack is aligned to 16 bytes at entry; the call keeps the alignment that gcc expects of its caller. */
__asm__(".globl _start\n"
        "_start: xorl %ebp, %ebp\n"
        "        movl %esp, %eax\n"
        "        andl $-16, %esp\n"
        "        subl $12, %esp\n"
        "        pushl %eax\n"
        "        call start\n");
