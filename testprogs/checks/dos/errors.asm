; Error codes of the functions of files and directories: each line has AX, and C if carry is set.
;! output
;! 39 new 3900
;! 39 again 0005 C
;! 39 no parent 0003 C
;! 3B 3B00
;! 3B none 0003 C
;! 3A current 0010 C
;! 3B root 3B00
;! 3A none 0003 C
;! 3C
;! 40 0005
;! 3E
;! 3E again 0006 C
;! 3A not empty 0005 C
;! 3B a file 0003 C
;! 3C no parent 0003 C
;! 3D none 0002 C
;! 3D no parent 0003 C
;! 3D no drive 0003 C
;! 3B no drive 0003 C
;! 3D a folder 0005 C
;! 41 none 0002 C
;! 43 a file 0020
;! 43 none 0002 C
;! 43 archive
;! 43 no such 0001 C
;! 47 no drive 000F C
;! 4E pattern 0012 C
;! 4E no parent 0003 C
;! 4E no drive 0003 C
;! 56 there 0005 C
;! 56 none 0002 C
;! 56 5600
;! 5B there 0050 C
;! 3D read 0005
;! 40 read only 0005 C
;! 3F 0005
;! 3F at the end 0000
;! 42 from 0 0002 0000
;! 42 from here 0004 0000
;! 42 from the end 0002 0000
;! 42 behind it 0003 0001
;! 3F write only 0005 C
;! 40 ends it 0000
;! 42 its end 0003 0000
;! 68
;! 3F no handle 0006 C
;! 40 no handle 0006 C
;! 42 no handle 0006 C
;! 44 no handle 0006 C
;! 45 no handle 0006 C
;! 46 no handle 0006 C
;! 68 no handle 0006 C
;! 3E no handle 0006 C
;! 6C open none 0002 C
;! 6C create 0002
;! 6C create again C
;! 6C open 0001
;! 6C its size 0007
;! 6C truncate 0003
;! 6C its size 0000
;! 5B there 0050 C
;! 41 4100
;! 41 other 4100
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
        xor cx, cx
        file "39 new", 3900h, folder
        file "39 again", 3900h, folder
        file "39 no parent", 3900h, no_parent
        file "3B", 3b00h, folder
        file "3B none", 3b00h, none
        file "3A current", 3a00h, whole_folder
        file "3B root", 3b00h, root
        file "3A none", 3a00h, none
        xor cx, cx
        mov dx, inside
        mov ah, 3ch
        int 21h
        mov [handle], ax
        mov bx, ax
        report "3C"
        mov ah, 40h
        mov cx, 5
        mov dx, root
        int 21h
        report "40", ax
        mov ah, 3eh
        int 21h
        report "3E"
        mov ah, 3eh
        int 21h
        report "3E again", ax
        file "3A not empty", 3a00h, folder
        file "3B a file", 3b00h, inside
        xor cx, cx
        file "3C no parent", 3c00h, no_parent
        file "3D none", 3d00h, none
        file "3D no parent", 3d00h, no_parent
        file "3D no drive", 3d00h, no_drive
        file "3B no drive", 3b00h, no_drive
        file "3D a folder", 3d00h, folder
        file "41 none", 4100h, none
        xor cx, cx
        mov ax, 4300h
        mov dx, inside
        int 21h
        report "43 a file", cx
        file "43 none", 4300h, none
        mov cx, 20h
        mov ax, 4301h
        mov dx, inside
        int 21h
        report "43 archive"
        file "43 no such", 4309h, inside
        mov dl, 20
        mov si, area
        mov ah, 47h
        int 21h
        report "47 no drive", ax
        mov cx, 0
        file "4E pattern", 4e00h, pattern
        file "4E no parent", 4e00h, no_parent
        file "4E no drive", 4e00h, no_drive_all
        push ds
        pop es
        mov di, inside
        file "56 there", 5600h, inside
        mov di, other
        file "56 none", 5600h, none
        file "56", 5600h, inside
        file "5B there", 5b00h, other
        ; handles
        file "3D read", 3d00h, other
        mov bx, ax
        mov [handle], ax
        mov cx, 1
        file "40 read only", 4000h, area
        mov cx, 10
        file "3F", 3f00h, area
        mov cx, 10
        file "3F at the end", 3f00h, area
        mov cx, 0
        mov dx, 2
        mov ax, 4200h
        int 21h
        report "42 from 0", ax, dx
        mov cx, 0
        mov dx, 2
        mov ax, 4201h
        int 21h
        report "42 from here", ax, dx
        mov cx, -1
        mov dx, -3
        mov ax, 4202h
        int 21h
        report "42 from the end", ax, dx
        mov cx, 1
        mov dx, 3
        mov ax, 4200h
        int 21h
        report "42 behind it", ax, dx
        mov ah, 3eh
        int 21h
        mov ax, 3d01h
        mov dx, other
        int 21h
        mov bx, ax
        mov cx, 1
        file "3F write only", 3f00h, area
        mov cx, 0
        mov dx, 3
        mov ax, 4200h
        int 21h
        mov cx, 0
        file "40 ends it", 4000h, area
        mov cx, 0
        mov dx, 0
        mov ax, 4202h
        int 21h
        report "42 its end", ax, dx
        mov ah, 68h
        int 21h
        report "68"
        mov ah, 3eh
        int 21h
        mov bx, 19              ; not open
        mov cx, 1
        file "3F no handle", 3f00h, area
        file "40 no handle", 4000h, area
        file "42 no handle", 4200h, area
        file "44 no handle", 4400h, area
        mov bx, 19
        file "45 no handle", 4500h, area
        mov bx, 19
        file "46 no handle", 4600h, area
        mov bx, 19
        mov bx, 19
        file "68 no handle", 6800h, area
        mov bx, 99              ; more than there can be
        file "3E no handle", 3e00h, area
        ; 6Ch
        mov si, none
        mov bx, 2
        mov cx, 0
        mov dx, 1
        mov ax, 6c00h
        int 21h
        report "6C open none", ax
        mov si, none
        mov bx, 2
        mov cx, 0
        mov dx, 10h
        mov ax, 6c00h
        int 21h
        mov bx, ax
        report "6C create", cx
        mov ah, 40h
        mov cx, 7
        mov dx, area
        int 21h
        mov ah, 3eh
        int 21h
        mov si, none
        mov bx, 2
        mov cx, 0
        mov dx, 10h
        mov ax, 6c00h
        int 21h
        report "6C create again"
        mov si, none
        mov bx, 2
        mov cx, 0
        mov dx, 11h
        mov ax, 6c00h
        int 21h
        mov bx, ax
        report "6C open", cx
        mov ax, 4202h
        mov cx, 0
        mov dx, 0
        int 21h
        report "6C its size", ax
        mov ah, 3eh
        int 21h
        mov si, none
        mov bx, 2
        mov cx, 0
        mov dx, 12h
        mov ax, 6c00h
        int 21h
        mov bx, ax
        report "6C truncate", cx
        mov ax, 4202h
        mov cx, 0
        mov dx, 0
        int 21h
        report "6C its size", ax
        mov ah, 3eh
        int 21h
        mov cx, 0
        mov dx, none
        mov ah, 5bh
        int 21h
        report "5B there", ax
        file "41", 4100h, none
        file "41 other", 4100h, other
        file "3A", 3a00h, folder
        finish
folder: db 'FOLDER', 0
whole_folder: db 'C:\FOLDER', 0
root:   db '\', 0
none:   db 'NONE.TXT', 0
no_parent: db 'NONE\A.TXT', 0
inside: db '\FOLDER\A.TXT', 0
other:  db '\FOLDER\B.TXT', 0
pattern: db '*.XYZ', 0
no_drive: db 'Y:\x', 0
no_drive_all: db 'Y:\*.*', 0
handle: dw 0
area:   times 128 db 0
        hexadecimal
        reports
