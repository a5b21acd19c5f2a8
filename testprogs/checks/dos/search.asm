; AH = 4Eh and 4Fh: names by patterns, attributes and sizes of files and directories, the time as AH = 57h has it, and two searches at once.
;! output
;! all
;! 20 00000005 A.TXT
;! 20 0000012C AB.TXT
;! 20 00000000 B
;! 20 00000007 C.TX
;! with directories C
;! 10 .
;! 10 ..
;! 10 0BELOW
;! 20 00000005 A.TXT
;! 20 0000012C AB.TXT
;! 20 00000000 B
;! 20 00000007 C.TX
;! A* C
;! 20 00000005 A.TXT
;! 20 0000012C AB.TXT
;! ?.T* C
;! 20 00000005 A.TXT
;! 20 00000007 C.TX
;! no extension C
;! 20 00000000 B
;! by its name C
;! 20 0000012C AB.TXT
;! a directory C
;! 10 0BELOW
;! with its path C
;! 20 00000005 A.TXT
;! 20 0000012C AB.TXT
;! a device C
;! 40 00000000 NUL
;! a device in no directory C
;! time and date 0000 0000
;! AB.TXT
;! 4F the other
;! 3A
org 100h
%include "dos.inc"
%include "report.inc"
%macro make 2                   ; name, bytes
        mov cx, 0
        mov dx, %1
        mov ah, 3ch
        int 21h
        mov bx, ax
        mov cx, %2
        mov dx, 100h
        mov ah, 40h
        int 21h
        mov ah, 3eh
        int 21h
%endmacro
%macro each 3                   ; text, pattern, attributes
        report %1
        mov dx, %2
        mov cx, %3
        call all
%endmacro
        mov dx, folder
        mov ah, 39h
        int 21h
        mov dx, folder
        mov ah, 3bh
        int 21h
        mov dx, below
        mov ah, 39h
        int 21h
        make a, 5
        make b, 300
        make c, 0
        make d, 7
        each "all", every, 0
        each "with directories", every, 10h
        each "A*", a_any, 0
        each "?.T*", brief, 0
        each "no extension", bare, 0
        each "by its name", b, 0
        each "a directory", below, 10h
        each "with its path", whole, 0
        each "a device", device, 0
        each "a device in no directory", nowhere, 0
        mov dx, b               ; its time
        mov ax, 3d00h
        int 21h
        mov bx, ax
        mov ax, 5700h
        int 21h
        push cx
        push dx
        mov ah, 3eh
        int 21h
        mov dx, area
        mov ah, 1ah
        int 21h
        mov dx, b
        mov cx, 0
        mov ah, 4eh
        int 21h
        pop dx
        pop cx
        sub cx, [area + 16h]
        sub dx, [area + 18h]
        report "time and date", cx, dx
        mov dx, a_any           ; another search in another area
        mov cx, 0
        mov ah, 4eh
        int 21h
        mov dx, second
        mov ah, 1ah
        int 21h
        mov dx, brief
        mov cx, 0
        mov ah, 4eh
        int 21h
        mov dx, area
        mov ah, 1ah
        int 21h
        mov ah, 4fh
        int 21h
        mov si, area + 1eh
        call text
        mov dx, second
        mov ah, 1ah
        int 21h
        mov ah, 4fh
        int 21h
        report "4F the other"
        mov dx, a
        mov ah, 41h
        int 21h
        mov dx, b
        mov ah, 41h
        int 21h
        mov dx, c
        mov ah, 41h
        int 21h
        mov dx, d
        mov ah, 41h
        int 21h
        mov dx, below
        mov ah, 3ah
        int 21h
        mov dx, root
        mov ah, 3bh
        int 21h
        mov dx, folder
        mov ah, 3ah
        int 21h
        report "3A"
        finish
all:    push dx
        mov dx, area
        mov ah, 1ah
        int 21h
        pop dx
        mov ah, 4eh
.next:  int 21h
        jc .end
        mov al, [area + 15h]
        call hex2
        mov dl, ' '
        mov ah, 2
        int 21h
        cmp byte [area + 15h], 10h
        je .name
        mov ax, [area + 1ch]
        call hex4
        mov ax, [area + 1ah]
        call hex4
        mov dl, ' '
        mov ah, 2
        int 21h
.name:  mov si, area + 1eh
        call text
        mov ah, 4fh
        jmp .next
.end:   ret
text:   lodsb
        or al, al
        jz crlf
        mov dl, al
        mov ah, 2
        int 21h
        jmp text
folder: db '\FOLDER', 0
root:   db '\', 0
below:  db '0BELOW', 0
a:      db 'A.TXT', 0
b:      db 'AB.TXT', 0
c:      db 'B', 0
d:      db 'C.TX', 0
every:  db '*.*', 0
a_any:  db 'A*.*', 0
brief:  db '?.T*', 0
bare:   db '*.', 0
device: db 'NUL', 0
nowhere: db 'NOWHERE\NUL', 0
whole:  db 'C:\FOLDER\*.TXT', 0
area:   times 43 db 0
second: times 43 db 0
        hexadecimal
        reports
