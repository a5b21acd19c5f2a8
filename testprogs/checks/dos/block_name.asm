; Resizing a block keeps the name in its control block.
;! output
;! BLOCK_NA
;! BLOCK_NA
org 100h
%include "dos.inc"
    call show
    push cs
    pop es
    mov bx, 100h
    mov ah, 4ah
    int 21h
    call show
    finish
show: mov ax, cs
    dec ax
    mov es, ax
    mov si, 8
    mov cx, 8
.n: mov dl, [es:si]
    inc si
    or dl, dl
    jz .end
    mov ah, 2
    int 21h
    loop .n
.end: jmp crlf
        hexadecimal
