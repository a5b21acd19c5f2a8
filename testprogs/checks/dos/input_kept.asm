; A program that empties the keyboard before it asks loses nothing of a pipe.
;! input abc
;! dosbox its input is a keyboard
;! output
;! abc
org 100h
%include "dos.inc"
.dos:   mov ah, 0bh
        int 21h
        or al, al
        jz .direct
        mov ah, 8
        int 21h
        jmp .dos
.direct: mov ah, 6
        mov dl, 0ffh
        int 21h
        jnz .direct
        mov ax, 0c00h
        int 21h
        mov cx, 3
.take:  mov ah, 8
        int 21h
        mov dl, al
        mov ah, 2
        int 21h
        loop .take
        mov dl, 10
        int 21h
        finish
