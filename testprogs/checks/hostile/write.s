# Writes without end.
        .intel_syntax noprefix
        .globl _start
_start: mov eax,4
        mov ebx,1
        lea ecx,_start
        mov edx,256
        int 0x80
        jmp _start
