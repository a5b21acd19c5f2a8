; AH = 65h AL = 1, 2, 5, 6, AH = 63h, and AX = 5D06h.
;! output
;! ok
;! ok
;! ok
;! ok
;! ok
;! ok
org 100h
%include "dos.inc"
    mov ax, 6501h
    call ask
    mov ax, 6502h
    call ask
    mov ax, 6505h
    call ask
    mov ax, 6506h
    call ask
    mov si, 0ffffh
    mov ax, 6300h
    push ds
    int 21h
    mov bl, al
    pop ds
    or bl, bl
    call result
    push ds
    xor si, si
    mov ax, 5d06h
    int 21h
    pop ds
    jc .bad
    xor al, al
.bad: or al, al
    call result
    finish
ask: mov bx, -1
    mov cx, 41
    mov dx, -1
    mov di, buf
    push cs
    pop es
    int 21h
    mov al, 0
    sbb al, al
    or al, al
result:
    mov dx, good
    jz .say
    mov dx, bad
.say: mov ah, 9
    int 21h
    ret
good: db 'ok',13,10,'$'
bad: db 'fails',13,10,'$'
buf: times 64 db 0
