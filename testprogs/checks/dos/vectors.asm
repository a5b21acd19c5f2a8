; Unused vectors are 0:0: 7Fh and C0h.
;! output
;! 0000
;! 0000
org 100h
%include "dos.inc"
    mov ax, 357fh
    int 21h
    mov ax, es
    call hex4
    call crlf
    mov ax, 35c0h
    int 21h
    mov ax, es
    call hex4
    call crlf
    finish
        hexadecimal
