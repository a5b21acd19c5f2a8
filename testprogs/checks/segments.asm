; Code whose segment does not begin at 0, for gdb: real mode at 7C0h:0, then 32-bit protected mode with the same base.
        bits 16
        org 0
start:  xor ax, ax
        inc ax
        jmp around
        times 20h - ($ - $$) nop
around: inc ax                  ; 7C20h
        inc ax
        cli
        o32 lgdt [cs:table]
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp dword 8:wide
        times 60h - ($ - $$) nop
        bits 32
wide:   mov ax, 10h             ; 7C60h
        mov ds, ax
        mov ebx, 5
        times 80h - ($ - $$) nop
again:  dec ebx                 ; 7C80h
        jnz again
        mov al, 3
        out 0f4h, al
        hlt
        align 8
gdt:    dq 0
        dw 0ffffh, 7c00h
        db 0, 9ah, 40h, 0
        dw 0ffffh, 0
        db 0, 92h, 0cfh, 0
table:  dw 23
        dd 7c00h + gdt
