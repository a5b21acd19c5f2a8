; Error codes of MS-DOS 6.22 (Ralf Brown's Interrupt List, INT 21h) where DOSBox has others. Those of paths are MS-DOS 4.0's (TransPath and its
; callers in MACRO2.ASM, FILE.ASM, PATH.ASM and SEARCH.ASM).
;! dosbox it has other codes
;! output
;! 42 no such 0001 C
;! 57 no such 0001 C
;! 57 no handle 0006 C
;! 39 a file 0005 C
;! 3C a folder 0005 C
;! 3D mode 3 000C C
;! 6C neither 0001 C
;! 6C no such 0001 C
;! 6C no such 0001 C
;! 41 no parent 0003 C
;! 41 a folder 0005 C
;! 43 no parent 0003 C
;! 43 a folder 0010
;! 43 hidden 0005 C
;! 4E none 0012 C
;! 59 0012 0803 0200
;! 5D sets it 0077
;! 5D its meaning 0077 0C02 0500
;! 59 of a failure 0001 0704 0100
;! 59 of 0000 0000 0000
;! 59 of 0001 0704 0100
;! 59 of 0002 0803 0200
;! 59 of 0003 0803 0200
;! 59 of 0004 0104 0100
;! 59 of 0005 0303 0200
;! 59 of 0006 0704 0100
;! 59 of 0007 0705 0500
;! 59 of 0008 0104 0500
;! 59 of 0009 0704 0500
;! 59 of 000B 0903 0100
;! 59 of 000C 0704 0100
;! 59 of 000F 0803 0200
;! 59 of 0010 0303 0200
;! 59 of 0011 0D03 0200
;! 59 of 0012 0803 0200
;! 59 of 0050 0C03 0200
;! 60 above the root 0003 C
;! 33 version 1606 0000 C
;! 33 no such 00FF
;! 30 version 1606
;! 5D no such 0001 C
;! 36 space 0040 4000 0200 8000 C
;! 36 no drive FFFF C
;! 5D area 0002 0000 0080 001A 0080 0000
;! 4E volume 0012 C
;! 3D nothing 0002 C
;! 3C nothing 0002 C
;! 60 nothing 0002 C
;! 39 nothing 0003 C
;! 3A nothing 0003 C
;! 3B nothing 0003 C
;! 41 nothing 0003 C
;! 43 nothing 0003 C
;! 4E nothing 0003 C
;! 4B nothing 0002 C
;! 3D a drive 0002 C
;! 3B a drive 0003 C
;! 43 a drive 0003 C
;! 3D no name 0002 C
;! 3D no folder's name 0003 C
;! 43 no name 0003 C
;! 43 pattern 0003 C
;! 4B no such 0001 C
;! 41 4100
;! 3A 3A00
org 100h
%include "dos.inc"
%include "report.inc"
%macro file 3                   ; text, AX, path
        mov dx, %3
        mov ax, %2
        int 21h
        report %1, ax
%endmacro
        mov ah, 39h
        mov dx, folder
        int 21h
        mov cx, 0
        mov ah, 3ch
        mov dx, inside
        int 21h
        mov bx, ax
        mov ax, 4203h
        int 21h
        report "42 no such", ax
        mov ax, 5709h
        int 21h
        report "57 no such", ax
        mov ah, 3eh
        int 21h
        file "57 no handle", 5700h, inside
        file "39 a file", 3900h, inside
        mov cx, 0
        file "3C a folder", 3c00h, folder
        file "3D mode 3", 3d03h, inside
        mov bx, 2
        mov si, inside
        mov dx, 0
        mov ax, 6c00h
        int 21h
        report "6C neither", ax
        mov dx, 3
        mov ax, 6c00h
        int 21h
        report "6C no such", ax
        mov dx, 21h
        mov ax, 6c00h
        int 21h
        report "6C no such", ax
        file "41 no parent", 4100h, no_parent
        file "41 a folder", 4100h, folder
        file "43 no parent", 4300h, no_parent
        mov ax, 4300h
        mov dx, folder
        int 21h
        report "43 a folder", cx
        mov cx, 2
        file "43 hidden", 4301h, inside
        mov cx, 0
        file "4E none", 4e00h, none
        call ask_error
        report "59", ax, bx, cx ; not found: class 8, action 3, locus 2
        call set_error
        report "5D sets it", ax
        mov word [error + 2], 0c02h ; BX: class and action
        mov word [error + 4], 0500h ; CX: locus
        call set_error
        report "5D its meaning", ax, bx, cx
        mov ax, 5dffh
        int 21h
        call ask_error
        report "59 of a failure", ax, bx, cx
        mov word [error + 2], 0
        mov word [error + 4], 0
        cld
        mov si, codes
.code:  lodsw                   ; class, action and locus by MS-DOS 4.0's ERR_TABLE_21
        cmp ax, 0ffffh
        je .coded
        mov [error], ax
        call set_error
        report "59 of", ax, bx, cx
        jmp .code
.coded:
        mov si, above
        push ds
        pop es
        mov di, area
        mov ah, 60h
        int 21h
        report "60 above the root", ax
        mov ax, 3306h
        int 21h
        report "33 version", bx, dx
        mov ax, 33ffh
        int 21h
        and ax, 0ffh
        report "33 no such", ax
        mov ax, 3000h
        int 21h
        report "30 version", ax
        mov ax, 5d77h
        int 21h
        report "5D no such", ax
        mov dl, 0
        mov ah, 36h
        int 21h
        report "36 space", ax, bx, cx, dx
        mov dl, 24
        mov ah, 36h
        int 21h
        report "36 no drive", ax
        mov ax, 5d06h
        push ds
        int 21h
        mov bx, [si + 10h]
        mov al, [si + 16h]
        mov di, [si + 0ch]
        mov bp, [si + 0eh]
        pop ds
        mov ah, 0
        mov si, cs
        sub bx, si
        sub bp, si
        report "5D area", ax, bx, cx, dx, di, bp
        mov cx, 8               ; there is no volume label
        file "4E volume", 4e00h, inside
        mov cx, 0
        file "3D nothing", 3d00h, nothing
        file "3C nothing", 3c00h, nothing
        mov si, nothing
        mov di, area
        mov ah, 60h
        int 21h
        report "60 nothing", ax
        file "39 nothing", 3900h, nothing
        file "3A nothing", 3a00h, nothing
        file "3B nothing", 3b00h, nothing
        file "41 nothing", 4100h, nothing
        file "43 nothing", 4300h, nothing
        file "4E nothing", 4e00h, nothing
        file "4B nothing", 4b00h, nothing
        file "3D a drive", 3d00h, drive
        file "3B a drive", 3b00h, drive
        file "43 a drive", 4300h, drive
        file "3D no name", 3d00h, no_name
        file "3D no folder's name", 3d00h, no_folder
        file "43 no name", 4300h, no_name
        file "43 pattern", 4300h, pattern
        file "4B no such", 4b07h, inside
        file "41", 4100h, inside
        file "3A", 3a00h, folder
        finish
; Sets the last error from the block `error` by AX = 5D0Ah, and asks for it.
set_error:
        mov ax, 5d0ah
        mov dx, error
        int 21h
; Returns AX, BX and CH of AH = 59h, with CL = 0.
ask_error:
        mov bx, 0
        mov ah, 59h
        int 21h
        mov cl, 0
        ret
folder: db 'FOLDER', 0
inside: db '\FOLDER\A.TXT', 0
no_parent: db 'NONE\A.TXT', 0
none:   db 'NONE.TXT', 0
nothing: db 0
drive:  db 'C:', 0
no_name: db 'A|B', 0
no_folder: db 'A|B\C', 0
pattern: db 'A?', 0
above:  db '..\..\x', 0
codes:  dw 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 18, 80, 0ffffh
error:  dw 77h, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
area:   times 128 db 0
        hexadecimal
        reports
