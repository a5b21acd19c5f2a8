; INT 10h AX = 1121h to 1124h in a graphics mode: the rows less one, the height of a character, and whether the font is the one of AX = 1130h.
;! output
;! 2708 0001
;! 180E 0001
;! 2A08 0001
;! 0D10 0001
;! 1310 0001
org 100h
%include "dos.inc"
%macro font 3                   ; AL, BL, BH of AX = 1130h
        push cs
        pop es
        mov bp, own
        mov cx, 8
        mov dl, %2 >> 8
        mov ax, 1100h + %1
        mov bl, %2 & 255
        int 10h
        mov bh, %3
        call look
%endmacro
        mov ax, 12h
        int 10h
        font 21h, 2800h, 1      ; DL rows
        font 22h, 2, 2
        font 23h, 3, 3
        font 24h, 1, 6
        font 24h, 1400h, 6
        mov ax, 3
        int 10h
        mov si, seen
.show:  lodsw
        call hex4
        mov dl, ' '
        mov ah, 2
        int 21h
        lodsw
        call hex4
        call crlf
        cmp si, [next]
        jb .show
        finish
look:   mov ax, 1130h
        int 10h
        push 0
        pop ds
        mov dx, [43h * 4]
        mov si, [43h * 4 + 2]
        mov ah, [484h]
        mov al, [485h]
        push cs
        pop ds
        mov di, [next]
        mov [di], ax
        mov ax, es
        sub ax, si
        sub bp, dx
        or ax, bp
        cmp ax, 1
        sbb ax, ax
        neg ax
        mov [di + 2], ax
        add word [next], 4
        push cs
        pop es
        ret
next:   dw seen
        hexadecimal
own:    times 2048 db 0
seen:
