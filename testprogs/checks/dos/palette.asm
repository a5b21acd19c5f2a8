; INT 10h AH = 10h: registers of the palette, the border, blinking, colours by one and in blocks, pages of colours, greys.
;! output
;! 10 palette 5 2A05
;! 10 border 1300
;! 01 03 05 07 09 0B 0D 0F 11 13 15 17 19 1B 1D 1F 21 
;! mode 0004 C
;! mode 000C C
;! 10 colour 7 1122 3300
;! 00 3F 2A 3F 00 00 00 3F 00 05 0A 3F 2A 3F 2A 
;! 3F 00 00 00 3F 00 
;! 10 page of 16 0501 C
;! 10 page of 64 0200 C
;! 13 13 13 25 25 25 0E 0E 0E 
org 100h
%include "dos.inc"
%include "report.inc"
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
        video 3
        video 1000h, 2a05h
        video 1007h, 0005h
        report "10 palette 5", bx
        video 1001h, 1300h
        video 1008h, 0
        report "10 border", bx
        video 1002h, 0, 0, table
        video 1009h, 0, 0, area
        call palette
        video 1003h, 0          ; bit 7 is intensity
        call mode
        video 1003h, 1
        call mode
        video 1010h, 7, 1122h, 33ffh    ; green and blue in CX, red in DH; six bits
        video 1015h, 7
        and dx, 0ff00h
        report "10 colour 7", cx, dx
        video 1012h, 20, 3, colours
        video 1017h, 19, 5, area
        mov cx, 15
        call bytes
        video 1012h, 254, 2, colours
        video 1017h, 254, 2, area
        mov cx, 6
        call bytes
        video 1013h, 0100h      ; 16 pages of 16
        video 1013h, 0501h
        video 101ah, 0
        report "10 page of 16", bx
        video 1013h, 0000h      ; 4 pages of 64
        video 1013h, 0201h
        video 101ah, 0
        report "10 page of 64", bx
        video 101bh, 20, 3      ; greys
        video 1017h, 20, 3, area
        mov cx, 9
        call bytes
        video 3
        finish
palette: mov cx, 17
bytes:  mov si, area
.next:  lodsb
        call hex2
        mov dl, ' '
        mov ah, 2
        int 21h
        loop .next
        jmp crlf
mode:   mov dx, 3dah            ; the attribute controller's mode register
        in al, dx
        mov dx, 3c0h
        mov al, 30h
        out dx, al
        inc dx
        in al, dx
        mov ah, 0
        report "mode", ax
        ret
table:  db 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33
colours: db 3fh, 0, 0, 0, 3fh, 0, 5, 10, 7fh
area:   times 32 db 0
        hexadecimal
        reports
