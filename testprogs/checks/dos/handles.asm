; Handles: what AH = 44h tells of devices and files, duplicates, and reads and writes of more than one piece of 4 KB.
;! output
;! 44 CON 80D3
;! 3C 0005
;! 44 a file 0002
;! 44 set a file 0001 C
;! 44 output 00FF
;! 40 270F
;! 40 2711
;! 44 at its end 0000
;! 45 0006
;! 42 of the other 1FFF
;! 44 before its end 00FF
;! 46
;! 3F 2E21
;! its checksum D2AC 2E68
;! 3E again 0006 C
;! 44 local
;! 44 no drive 000F C
;! 44 fixed 0001
;! 44 no drive 000F C
;! 44 letters 0000
;! 44 no such 0001 C
org 100h
%include "dos.inc"
%include "report.inc"
%include "checksum.inc"
        mov dx, con
        mov ax, 3d02h
        int 21h
        mov bx, ax
        mov ax, 4400h
        int 21h
        mov cx, dx
        and cx, 80d3h
        report "44 CON", cx
        mov ah, 3eh
        int 21h
        mov cx, 0
        mov dx, name
        mov ah, 3ch
        int 21h
        mov bx, ax
        report "3C", ax
        mov ax, 4400h
        int 21h
        and dx, 0bfh
        report "44 a file", dx
        mov ax, 4401h
        mov dx, 0
        int 21h
        report "44 set a file", ax
        mov ax, 4407h
        int 21h
        and ax, 0ffh
        report "44 output", ax
        mov cx, 16              ; 20000 bytes, of which 9999 in one call
        mov di, data
.fill:  call random
        mov [di], ax
        add di, 2
        cmp di, data + 20000
        jb .fill
        mov ah, 40h
        mov cx, 9999
        mov dx, data
        int 21h
        report "40", ax
        mov ah, 40h
        mov cx, 10001
        mov dx, data + 9999
        int 21h
        report "40", ax
        mov ax, 4406h
        int 21h
        and ax, 0ffh
        report "44 at its end", ax
        mov ah, 45h
        int 21h
        mov si, ax
        report "45", ax
        mov ax, 4200h           ; moves both
        mov cx, 0
        mov dx, 8191
        int 21h
        push bx
        mov bx, si
        mov ax, 4201h
        mov dx, 0
        int 21h
        report "42 of the other", ax
        mov ax, 4406h
        int 21h
        and ax, 0ffh
        report "44 before its end", ax
        mov cx, 12              ; another becomes the same
        mov ah, 46h
        int 21h
        report "46"
        mov ah, 3eh
        int 21h
        pop bx
        mov ah, 3eh
        int 21h
        mov bx, 12
        mov cx, 60000
        mov dx, data
        mov ah, 3fh
        int 21h
        report "3F", ax
        mov si, data
        mov cx, ax
.sum:   lodsb
        call add_al
        loop .sum
        mov ax, [sum]
        mov bx, [sum + 2]
        report "its checksum", bx, ax
        mov bx, 12
        mov ah, 3eh
        int 21h
        mov bx, 12
        mov ah, 3eh
        int 21h
        report "3E again", ax
        mov bx, 3               ; the drive
        mov ax, 4409h
        int 21h
        report "44 local"
        mov bx, 20
        mov ax, 4409h
        int 21h
        report "44 no drive", ax
        mov bx, 3
        mov ax, 4408h
        int 21h
        report "44 fixed", ax
        mov bx, 20
        mov ax, 4408h
        int 21h
        report "44 no drive", ax
        mov bx, 3
        mov ax, 440eh
        int 21h
        and ax, 0ffh
        report "44 letters", ax
        mov bx, 3
        mov ax, 44ffh
        int 21h
        report "44 no such", ax
        mov dx, name
        mov ah, 41h
        int 21h
        finish
con:    db 'CON', 0
name:   db 'DATA.BIN', 0
        hexadecimal
        reports
        checksums
data:
