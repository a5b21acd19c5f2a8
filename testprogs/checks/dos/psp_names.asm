; The first two words of the tail stand in the prefix as names, each with its drive.
;! dosbox it has no drive B:
;! arguments B:ALPHA.TXT BETA.C
;! output
;! 02 ALPHA   TXT
;! 00 BETA    C  
org 100h
%include "dos.inc"
    mov si, 5ch
    call show
    mov si, 6ch
    call show
    finish
show: lodsb
    call hex2
    mov dl, ' '
    mov ah, 2
    int 21h
    mov cx, 11
.n: lodsb
    mov dl, al
    mov ah, 2
    int 21h
    loop .n
    jmp crlf
        hexadecimal
