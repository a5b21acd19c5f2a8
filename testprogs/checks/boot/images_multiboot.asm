; A bootable disk that has a Multiboot kernel in its third sector; each says which of them runs.
        org 7c00h
        bits 16
        xor ax, ax
        mov ds, ax
        mov si, text
.next:  lodsb
        out 0e9h, al
        cmp al, 10
        jne .next
        mov al, 0
        out 0f5h, al
        hlt
text:   db 'disk', 10
        times 510 - ($ - $$) db 0
        dw 0aa55h
        times 1024 - ($ - $$) db 0

        bits 32
LOAD    equ 100000h
header: dd 1badb002h, 10000h, -(1badb002h + 10000h)
        dd LOAD, LOAD, 0, 0, LOAD + entry - header
entry:  mov esi, LOAD + kernel - header
.next:  lodsb
        out 0e9h, al
        cmp al, 10
        jne .next
        mov al, 0
        out 0f5h, al
        hlt
kernel: db 'kernel', 10
        times 1474560 - ($ - $$) db 0
