; INT 10h AH = 0Bh in mode 04h, as the BIOS of a VGA has it: background and border, the intensity of the other colours, and their two sets. Each
; line has the palette's first four registers and the border's.
;! dosbox it keeps other bits
;! output
;! 0103050701
;! 0312141603
;! 0002040614
;! 0003050714
;! 1712141617
org 100h
%include "dos.inc"
%macro video 1-4                ; AX, BX, CX, DX
  %if %0 > 3
        mov dx, %4
  %endif
  %if %0 > 2
        mov cx, %3
  %endif
  %if %0 > 1
        mov bx, %2
  %endif
        mov ax, %1
        int 10h
%endmacro
        push cs
        pop es
        video 4
        video 0b00h, 0001h
        call four
        video 0b00h, 0013h
        call four
        video 0b00h, 0100h
        call four
        video 0b00h, 0101h
        call four
        video 0b00h, 001fh
        call four
        video 3
        finish
four:   video 1009h, 0, 0, area
        mov cx, 4
        mov si, area
        mov di, kept
        rep movsb
        movsb
        mov al, [area + 16]
        mov [kept + 4], al
        mov ax, 3               ; the text after it
        int 10h
        mov si, kept
        mov cx, 5
.next:  lodsb
        call hex2
        loop .next
        call crlf
        video 4
        video 1002h, 0, 0, table
        ret
table: db 0, 2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
kept:   times 8 db 0
area:   times 32 db 0
        hexadecimal
