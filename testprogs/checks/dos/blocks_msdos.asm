; Memory control blocks as MS-DOS has them: errors of a segment that is no block, an empty block, a damaged chain.
;! dosbox it has other codes, and trusts the chain
;! output
;! 4A no block 0009 C
;! 48 nothing 0000
;! 48 destroyed 0007 C
;! 49 destroyed 0007 C
org 100h
%include "dos.inc"
%include "report.inc"
%macro take 1                   ; paragraphs; AX: the segment
        mov bx, %1
        mov ah, 48h
        int 21h
%endmacro
        mov sp, stack
        push cs
        pop es
        mov bx, 200h
        mov ah, 4ah
        int 21h
        mov ax, cs
        add ax, 5
        mov es, ax
        mov bx, 5
        mov ah, 4ah
        int 21h
        report "4A no block", ax
        mov bp, cs
        add bp, 201h
        take 0
        mov [a], ax
        sub ax, bp
        report "48 nothing", ax
        mov es, [a]
        mov ah, 49h
        int 21h
        take 10h                ; a damaged chain
        mov es, ax
        dec ax
        mov ds, ax
        mov byte [0], 'X'
        push cs
        pop ds
        take 10h
        report "48 destroyed", ax
        mov ah, 49h
        int 21h
        report "49 destroyed", ax
        mov ax, es
        dec ax
        mov es, ax
        mov byte [es:0], 'M'
        finish
a:      dw 0
        hexadecimal
        reports
        times 512 db 0
stack:
