; markers: a bare-metal guest that writes markers to ports (begin EAh, end EBh) and programs the performance monitor between them.
global start
section .text
%include "bare.inc"

CESR equ 11h
CTR0 equ 12h

start:
        mov esp, stack_top
        mov al, 7
        out 0eah, al            ; begin 7
        mov ecx, CESR
        mov eax, 000000c0h      ; CTR0: data reads at any CPL
        xor edx, edx
        wrmsr
        mov esi, stack_top - 4
        mov ebx, 10
again:  mov eax, [esi]
        dec ebx
        jnz again
        mov ecx, CTR0
        rdmsr                   ; 10
        mov eax, 70000h
        out 0ebh, eax           ; end 70000h: a word for it
        finish 0

section .bss
        resb 4096
stack_top:
