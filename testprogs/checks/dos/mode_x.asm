; Mode 13h is drawn, taken apart into planes (mode X), the planes are read and copied by the latches, and the bytes are read again one after
; the other.
;! output
;! 3605317C
org 100h
%include "dos.inc"
%include "checksum.inc"
        mov ax, 13h
        int 10h
        push 0a000h
        pop es
        xor di, di
.draw:  call random
        mov [es:di], ax
        add di, 2
        cmp di, 64000
        jb .draw
        mov dx, 3c4h
        mov ax, 0604h           ; not chained
        out dx, ax
        mov dx, 3ceh
        mov bl, 0
.plane: mov ah, bl
        mov al, 4
        out dx, ax
        xor di, di
.byte:  mov al, [es:di]
        call add_al
        inc di
        cmp di, 16384
        jb .byte
        inc bl
        cmp bl, 4
        jb .plane
        mov ax, 4105h           ; write mode 1
        out dx, ax
        push ds
        push es
        pop ds
        mov si, 1000h
        mov di, 2000h
        mov cx, 4096
        cld
        rep movsb
        pop ds
        mov ax, 4005h
        out dx, ax
        mov dx, 3c4h            ; a byte to two planes at once
        mov ax, 0502h
        out dx, ax
        mov cx, 300
        mov di, 4
        mov al, 77h
        rep stosb
        mov ax, 0f02h
        out dx, ax
        mov ax, 0e04h           ; chained again
        out dx, ax
        xor di, di
.again: mov ax, [es:di]
        call add_al
        mov al, ah
        call add_al
        add di, 2
        cmp di, 64000
        jb .again
        call tell
        finish
        checksums
        hexadecimal
