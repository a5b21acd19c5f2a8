; The drive of a program that no share has contains the program and no folders.
;! dosbox its drive Z: contains other files
;! name OWN.COM
;! output
;! OWN.COM
;! 4E no folder 0003 C
;! 4E no file 0012 C
org 100h
%include "dos.inc"
%include "report.inc"
        mov ah, 1ah
        mov dx, area
        int 21h
        mov ah, 4eh
        xor cx, cx
        mov dx, all
        int 21h
        jc .none
        mov si, area + 1eh
.show:  lodsb
        test al, al
        jz .none
        mov dl, al
        mov ah, 2
        int 21h
        jmp .show
.none:  call crlf
        mov ah, 4eh
        mov dx, no_folder
        int 21h
        report "4E no folder", ax
        mov ah, 4eh
        mov dx, no_file
        int 21h
        report "4E no file", ax
        finish
all:    db 'Z:\*.*', 0
no_folder: db 'Z:\NONE\*.*', 0
no_file: db 'Z:\NONE.*', 0
area:   times 128 db 0
        hexadecimal
        reports
