; No notice reports functions and ports that programs call only to detect a feature: AH = 53h, 5Eh, 63h, FFh and others, of the video BIOS and the mouse, and the ports of cards.
;! dosbox it has some of the cards
;! output
;! told of nothing
org 100h
%include "dos.inc"
        mov ax, 0ff00h
        int 21h
        mov ax, 6300h
        push ds
        int 21h
        pop ds
        mov ax, 7100h
        int 21h
        mov si, functions
.call:  lodsb
        or al, al
        jz .ports
        mov ah, al
        xor al, al
        push si
        int 21h
        pop si
        jmp .call
.ports: mov ax, 4f15h          ; VESA: a display's data; power
        xor bx, bx
        int 10h
        mov ax, 4f10h
        xor bx, bx
        int 10h
        mov ah, 0fah            ; the EGA register interface
        int 10h
        mov ax, 11h             ; the Genius mouse
        int 33h
        mov si, ports
.next:  lodsw
        or ax, ax
        jz .end
        mov dx, ax
        in al, dx
        jmp .next
.end:   say text
        finish
text:   db 'told of nothing', 13, 10, '$'
functions: db 53h, 5eh, 5fh, 64h, 69h, 6ah, 70h, 73h, 74h, 0ffh, 0 ; drivers, networks, later versions, beyond DOS
ports:  dw 201h, 278h, 2e8h, 2f8h, 330h, 378h, 3b4h, 3bah, 3bch, 3e8h, 0
