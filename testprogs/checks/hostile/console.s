# The same by the debug port, without an operating system.
        .code16
        .intel_syntax noprefix
        .globl _start
_start: mov al,65
        out 0xe9,al
        jmp _start
