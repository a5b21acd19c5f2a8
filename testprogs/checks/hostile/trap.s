# POPA after the POPF that sets TF. The handler is reset by its first signal: the second one ends the program.
        .intel_syntax noprefix
        .globl _start
_start: mov eax,48 # signal(SIGTRAP, handler)
        mov ebx,5
        lea ecx,handler
        int 0x80
again:  pusha
        pushf
        or dword ptr [esp],0x100
        popf
        nop
        popa
        jmp again
handler:
        ret
