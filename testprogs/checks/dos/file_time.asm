; AX = 5701h sets the time of a file, here 1996-02-29 23:59:58, which AX = 5700h and AH = 4Eh return, also after the file was closed.
;! dosbox it keeps the host's time
;! output
;! 57 1
;! 57 0 BF7D 205D
;! 57 0 again BF7D 205D
;! 4E BF7D 205D
;! 57 1 of a device
org 100h
%include "dos.inc"
%include "report.inc"
        mov dx, name
        mov cx, 0
        mov ah, 3ch
        int 21h
        mov bx, ax
        mov cx, 5
        mov ah, 40h
        int 21h
        mov cx, 23 << 11 | 59 << 5 | 29
        mov dx, 16 << 9 | 2 << 5 | 29
        mov ax, 5701h
        int 21h
        report "57 1"
        mov ax, 5700h
        int 21h
        report "57 0", cx, dx
        mov ah, 3eh
        int 21h
        mov dx, name
        mov ax, 3d00h
        int 21h
        mov bx, ax
        mov ax, 5700h
        int 21h
        report "57 0 again", cx, dx
        mov dx, name
        mov cx, 0
        mov ah, 4eh
        int 21h
        mov ax, [96h]
        mov cx, [98h]
        report "4E", ax, cx
        mov bx, 1
        mov ax, 5701h
        int 21h
        report "57 1 of a device"
        finish
name:   db 'A.TXT', 0
        hexadecimal
        reports
