; Handles as MS-DOS has them (Ralf Brown's Interrupt List; for 67h, the source of MS-DOS 4.0): raw devices, NUL with any directory and extension, tables of more than 20, and
; names of temporary files.
;! dosbox it knows no raw devices, reads zeros from NUL, makes larger tables than are asked for, and refuses a directory without a name
;! output
;! 44 raw
;! 44 is raw 0020
;! 44 is not 0000
;! 44 NUL 00C4
;! 40 NUL 0005
;! 3F NUL 0000
;! 67
;! 67 so many 0028
;! 67 fewer
;! 67 at least 0014 0018
;! 67 again
;! the 30th 0022
;! 67 one is open 0004 C
;! 67 up to it
;! 67 so many 0023 0000
;! 67 too many 0001 C
;! 44 kept
;! 5A
;! 41 its name
;! 3D no more 0004 C
;! C:\TMP00000
org 100h
%include "dos.inc"
%include "report.inc"
        mov dx, con
        mov ax, 3d02h
        int 21h
        mov bx, ax
        mov ah, 0
        mov dx, 20h
        mov ax, 4401h           ; raw
        mov dh, 0
        int 21h
        report "44 raw"
        mov ax, 4400h
        int 21h
        and dx, 20h
        report "44 is raw", dx
        mov dx, 0
        mov ax, 4401h
        int 21h
        mov ax, 4400h
        int 21h
        and dx, 20h
        report "44 is not", dx
        mov ah, 3eh
        int 21h
        mov dx, nul
        mov ax, 3d02h
        int 21h
        mov bx, ax
        mov ax, 4400h
        int 21h
        and dx, 0c4h
        report "44 NUL", dx
        mov ah, 40h
        mov cx, 5
        mov dx, area
        int 21h
        report "40 NUL", ax
        mov ah, 3fh
        mov cx, 5
        int 21h
        report "3F NUL", ax
        mov ah, 3eh
        int 21h
        push cs
        pop es
        mov bx, 2000h           ; memory for the table
        mov ah, 4ah
        int 21h
        mov bx, 40
        mov ah, 67h
        int 21h
        report "67"
        mov cx, [cs:32h]
        report "67 so many", cx
        mov bx, 10
        mov ah, 67h
        int 21h
        report "67 fewer"
        mov cx, [cs:32h]
        mov dx, [cs:34h]        ; in the prefix again
        report "67 at least", cx, dx
        mov bx, 40
        mov ah, 67h
        int 21h
        report "67 again"
        mov cx, 30
.open:  push cx
        mov dx, con
        mov ax, 3d00h
        int 21h
        pop cx
        jc .full
        mov si, ax
        loop .open
.full:  report "the 30th", si
        mov bx, si
        mov ah, 67h
        int 21h
        report "67 one is open", ax
        lea bx, [si + 1]
        mov ah, 67h
        int 21h
        report "67 up to it"
        mov cx, [cs:32h]
        mov dx, [cs:34h]
        report "67 so many", cx, dx
        mov bx, 0ffffh
        mov ah, 67h
        int 21h
        report "67 too many", ax
        mov bx, 40
        mov ah, 67h
        int 21h
        mov bx, 1
        mov ax, 4400h
        int 21h
        report "44 kept"
        mov dx, temporary       ; a new file
        mov cx, 0
        mov ah, 5ah
        int 21h
        mov bx, ax
        report "5A"
        mov ah, 3eh
        int 21h
        mov dx, temporary
        mov ah, 41h
        int 21h
        report "41 its name"
        mov cx, 50              ; the system's table has 64
.more:  push cx
        mov dx, con
        mov ax, 3d00h
        int 21h
        pop cx
        jc .none
        loop .more
.none:  report "3D no more", ax
        mov ah, 0bh
        mov si, temporary
.name:  lodsb
        or al, al
        jz .end
        mov dl, al
        mov ah, 2
        int 21h
        jmp .name
.end:   call crlf
        finish
con:    db 'CON', 0
nul:    db 'C:\NUL.TXT', 0
temporary: db 'C:\', 0
        times 16 db 0
area:   times 16 db 'x'
        hexadecimal
        reports
