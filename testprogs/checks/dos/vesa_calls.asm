; What VESA's functions 4F02h-4F0Ah answer (VESA BIOS Extension Core Functions 2.0): AX = 004Fh done, 014Fh failed, 024Fh not with this
; hardware. The mode is 101h, 640 x 480 with 8 bits, in 4 MB.
;! options -q
;! dosbox its memory has another size
;! output
;! 4F02 004F
;! columns, rows and height 0050 101D
;! 4F05 no such 014F
;! 4F05 behind the memory 014F
;! 4F05 window B 014F
;! 4F05 the last 004F
;! 4F05 get 004F 003F
;! 4F06 get 004F 0280 0280 1999
;! 4F06 most 004F 2220 2220 01E0
;! 4F06 pixels 004F 0288 0288 1948
;! 4F06 bytes 004F 02C0 02C0 1745
;! 4F06 too few 024F
;! 4F06 too many 024F
;! 4F06 as many 004F 2220
;! 4F06 no such 014F
;! 4F07 004F 0001 0008 0005
;! 4F07 at the retrace 004F
;! 4F07 004F 0010 0006
;! 4F07 the last line 004F
;! 4F07 too far 014F
;! 4F07 no such 014F
;! 4F08 004F 0600
;! 4F08 get 004F 0601
;! 4F08 no such 014F
;! 4F09 004F
;! 4F09 get 004F 0201 0003 113F 0022
;! 1015 0201 0300
;! 4F09 the last 004F
;! 4F09 too many 014F
;! 4F09 no such colour 014F
;! 4F09 no such 014F
;! 4F0A no such 014F
;! 4F0A 004F F000
;! 4F0A the first, its end 0008 00C3
;! 4F04 no such 014F
;! 4F04 saved 004F
;! 4F04 restored 004F 0008 0005
;! 4F02 kept 0005
;! 4F02 cleared 0000
;! 4F02 mode 13h 004F
;! 4F03 004F 0013
;! 4F05 without a mode 014F
;! 4F06 without a mode 014F
;! 4F07 without a mode 014F
;! 4F77 4F77
org 100h
%include "dos.inc"
%include "report.inc"
%macro vesa 1-4                 ; AX, BX, CX, DX
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
        vesa 4f02h, 101h
        report "4F02", ax
        push 40h
        pop es
        mov ax, [es:4ah]
        mov bx, [es:84h]
        report "columns, rows and height", ax, bx
        push cs
        pop es
        vesa 4f05h, 200h, 0, 0
        report "4F05 no such", ax
        vesa 4f05h, 0, 0, 64
        report "4F05 behind the memory", ax
        vesa 4f05h, 1, 0, 0
        report "4F05 window B", ax
        vesa 4f05h, 0, 0, 63
        report "4F05 the last", ax
        vesa 4f05h, 100h, 0, 0
        report "4F05 get", ax, dx
        vesa 4f06h, 1
        report "4F06 get", ax, bx, cx, dx
        vesa 4f06h, 3
        report "4F06 most", ax, bx, cx, dx
        vesa 4f06h, 0, 641
        report "4F06 pixels", ax, bx, cx, dx
        vesa 4f06h, 2, 697
        report "4F06 bytes", ax, bx, cx, dx
        vesa 4f06h, 0, 600
        report "4F06 too few", ax
        vesa 4f06h, 0, 8737
        report "4F06 too many", ax
        vesa 4f06h, 0, 8736
        report "4F06 as many", ax, bx
        vesa 4f06h, 4
        report "4F06 no such", ax
        vesa 4f06h, 0, 640
        vesa 4f07h, 0, 8, 5
        vesa 4f07h, 1, 0, 0
        report "4F07", ax, bx, cx, dx
        vesa 4f07h, 80h, 16, 6
        report "4F07 at the retrace", ax
        vesa 4f07h, 81h, 0, 0
        report "4F07", ax, cx, dx
        vesa 4f07h, 0, 0, 6073  ; 6553 lines of 640 less 480
        report "4F07 the last line", ax
        vesa 4f07h, 0, 0, 6074
        report "4F07 too far", ax
        vesa 4f07h, 2, 0, 0
        report "4F07 no such", ax
        vesa 4f08h, 0800h
        report "4F08", ax, bx
        vesa 4f08h, 1
        report "4F08 get", ax, bx
        vesa 4f08h, 2
        report "4F08 no such", ax
        mov di, colours
        vesa 4f09h, 0, 2, 10
        report "4F09", ax
        mov di, area
        vesa 4f09h, 1, 3, 9
        mov dx, [area + 4]
        mov bx, [area + 6]
        mov si, [area + 8]
        mov bp, [area + 10]
        report "4F09 get", ax, dx, bx, si, bp
        vesa 1015h, 10          ; as the BIOS has it
        mov dl, 0
        report "1015", cx, dx
        mov di, colours
        vesa 4f09h, 80h, 1, 255
        report "4F09 the last", ax
        vesa 4f09h, 0, 2, 255
        report "4F09 too many", ax
        vesa 4f09h, 0, 0, 256
        report "4F09 no such colour", ax
        vesa 4f09h, 2, 1, 0
        report "4F09 no such", ax
        vesa 4f0ah, 1
        report "4F0A no such", ax
        vesa 4f0ah, 0
        mov dx, es
        report "4F0A", ax, dx
        mov si, di
        mov dx, [es:si]         ; the window's routine ends with RET before the next one
        add si, [es:si + 2]
        mov al, [es:si - 1]
        mov ah, 0
        report "4F0A the first, its end", dx, ax
        push cs
        pop es
        vesa 4f04h, 0, 15, 3
        report "4F04 no such", ax
        vesa 4f07h, 0, 8, 5
        vesa 4f04h, area, 15, 1
        report "4F04 saved", ax
        vesa 4f07h, 0, 0, 0
        vesa 4f04h, area, 15, 2
        vesa 4f07h, 1
        report "4F04 restored", ax, cx, dx
        vesa 4f05h, 0, 0, 0
        push 0a000h
        pop es
        mov byte [es:77], 5
        vesa 4f02h, 8101h       ; the memory is kept
        mov al, [es:77]
        mov ah, 0
        report "4F02 kept", ax
        vesa 4f02h, 101h
        mov al, [es:77]
        mov ah, 0
        report "4F02 cleared", ax
        vesa 4f02h, 13h
        report "4F02 mode 13h", ax
        vesa 4f03h
        report "4F03", ax, bx
        vesa 4f05h, 0, 0, 0
        report "4F05 without a mode", ax
        vesa 4f06h, 1
        report "4F06 without a mode", ax
        vesa 4f07h, 1
        report "4F07 without a mode", ax
        vesa 4f77h
        report "4F77", ax
        vesa 3
        finish
colours: db 1, 2, 3, 0, 0ffh, 11h, 22h, 0
        hexadecimal
        reports
area:
