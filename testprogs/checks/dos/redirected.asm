; Standard output and input that are files: AH = 02h, 06h, 09h and 40h write to the file of handle 1; AH = 06h, 07h, 08h, 0Bh and 3Fh read from
; that of handle 0.
;! output
;! written 000C
;! 07 0061
;! 0B 00FF
;! 08 0062
;! 06 0074
;! 3F 0003 7865
;! 3F the rest 0006
org 100h
%include "dos.inc"
%include "report.inc"
        mov dx, name
        mov cx, 0
        mov ah, 3ch
        int 21h
        mov [file], ax
        mov bx, 1               ; the old one is kept
        mov ah, 45h
        int 21h
        mov [old], ax
        mov bx, [file]
        mov cx, 1
        mov ah, 46h
        int 21h
        mov dl, 'a'
        mov ah, 2
        int 21h
        mov dl, 'b'
        mov ah, 6
        int 21h
        mov dx, text
        mov ah, 9
        int 21h
        mov bx, 1
        mov cx, 4
        mov dx, text
        mov ah, 40h
        int 21h
        mov bx, [old]
        mov cx, 1
        mov ah, 46h
        int 21h
        mov bx, [file]
        mov ax, 4201h
        mov cx, 0
        mov dx, 0
        int 21h
        report "written", ax
        mov ax, 4200h
        mov cx, 0
        mov dx, 0
        int 21h
        mov cx, 0               ; and it is the input
        mov ah, 46h
        int 21h
        report_al "07", 7
        report_al "0B", 0bh
        report_al "08", 8
        mov dl, 0ffh
        report_al "06", 6
        mov bx, 0
        mov cx, 3
        mov dx, area
        mov ah, 3fh
        int 21h
        mov bx, [area]
        report "3F", ax, bx
        mov bx, 0
        mov cx, 100
        mov dx, area
        mov ah, 3fh
        int 21h
        report "3F the rest", ax
        mov dx, name
        mov ah, 41h
        int 21h
        finish
name:   db 'INOUT.TXT', 0
file:   dw 0
old:    dw 0
text:   db 'text', 13, 10, '$'
area:   times 100 db 0
        hexadecimal
        reports
