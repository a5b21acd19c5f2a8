; What programs look for in DOS's structures (Ralf Brown's Interrupt List): the list of lists with its chain of device drivers, the high memory area,
; and the call of CP/M by way of the prefix.
;! dosbox its list of lists has other drivers, and its prefix no CP/M
;! output
;! 52 last drive, largest sector 001A 0200
;! 52 NUL 8004 554E 204C
;! 52 drivers after it 0000
;! 52 file tables, directories FFFF FFFF
;! 2F 4A01 0000 FFFF FFFF
;! 2F 4A02 0000 FFFF FFFF
;! 5 far call, size 009A FEF0
;! CP/M
;! 5 function 19h 0002 0000
;! 3D access 3 000C C
;! 3D access 5 000C C
;! 3D sharing 5 000C C
;! 3D XMSXXXX0 0080
org 100h
%include "dos.inc"
%include "report.inc"
        mov ah, 52h
        int 21h
        mov al, [es:bx + 21h]
        mov ah, 0
        mov cx, [es:bx + 10h]
        report "52 last drive, largest sector", ax, cx
        lea si, [bx + 22h]
        mov ax, [es:si + 4]
        mov cx, [es:si + 10]
        mov dx, [es:si + 12]
        report "52 NUL", ax, cx, dx
        mov di, bx
        mov cx, -1
.next:  inc cx
        les si, [es:si]
        cmp si, -1
        jne .next
        report "52 drivers after it", cx
        mov ah, 52h
        int 21h
        mov ax, [es:bx + 4]
        mov cx, [es:bx + 16h]
        report "52 file tables, directories", ax, cx
        mov bx, 100
        mov ax, 4a01h
        int 2fh
        report "2F 4A01", bx, es, di
        mov bx, 100
        mov ax, 4a02h
        int 2fh
        report "2F 4A02", bx, es, di
        mov al, [5]
        mov ah, 0
        mov bx, [6]
        report "5 far call, size", ax, bx
        mov si, sp
        mov dx, text
        mov cl, 9
        call 5
        mov cl, 19h             ; the current drive
        call 5
        mov ah, 0
        sub si, sp
        report "5 function 19h", ax, si
        mov dx, name
        mov ax, 3d03h
        int 21h
        report "3D access 3", ax
        mov ax, 3d05h
        int 21h
        report "3D access 5", ax
        mov ax, 3d50h
        int 21h
        report "3D sharing 5", ax
        mov dx, driver
        mov ax, 3dc2h
        int 21h
        mov bx, ax
        mov ax, 4400h
        int 21h
        and dx, 80h
        report "3D XMSXXXX0", dx
        finish
text:   db 'CP/M', 13, 10, '$'
name:   db 'STRUCTUR.COM', 0
driver: db 'XMSXXXX0', 0
        hexadecimal
        reports
