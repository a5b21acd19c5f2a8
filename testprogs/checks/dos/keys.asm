; INT 21h gives a key without a character as 0 and a scan code.
;! dosbox it has no --keys
;! options --keys a<down><f1><alt-x><ctrl-left><enter>
;! output
;! 61 00 50 00 3B 00 2D 00 73 0D 
org 100h
%include "dos.inc"
        jmp start
hexadecimal
start:  mov ah, 7
        int 21h
        call hex2
        push ax
        mov dl, ' '
        mov ah, 2
        int 21h
        pop ax
        cmp al, 13
        jne start
        call crlf
        finish
