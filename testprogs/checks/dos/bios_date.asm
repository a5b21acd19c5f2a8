; The BIOS's date at F000:FFF5 is two digits, a slash and so on; each digit is written as a 9.
;! output
;! 99/99/99
org 100h
%include "dos.inc"
    mov ax, 0f000h
    mov es, ax
    mov si, 0fff5h
    mov cx, 8
.n: mov dl, [es:si]
    inc si
    mov al, dl
    sub al, '0'
    cmp al, 9
    ja .put
    mov dl, '9'
.put: mov ah, 2
    int 21h
    loop .n
    call crlf
    finish
        hexadecimal
