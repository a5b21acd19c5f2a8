; After a reset whose INT 19h returns, the processor halts between the ticks of the clock.
;! dosbox it has no performance monitor
;! output
;! halted
org 100h
%include "dos.inc"
        mov dx, back
        mov ax, 2519h
        int 21h
        mov dx, tick
        mov ax, 251ch
        int 21h
        sti
        jmp 0f000h:0fff0h
back:   iret
tick:   push cs
        pop ds
        xor edx, edx
        inc byte [ticks]
        cmp byte [ticks], 3
        je .third
        cmp byte [ticks], 2
        jne back
        mov ecx, 12h            ; CTR0
        xor eax, eax
        wrmsr
        mov ecx, 11h            ; CESR: instructions
        mov eax, 0d6h
        wrmsr
        iret
.third: mov ecx, 12h
        rdmsr
        cmp eax, 1000
        jae .end
        say halted
.end:   finish
ticks:  db 0
halted: db 'halted', 13, 10, '$'
