; AH = 3Fh of the console that is not raw, as MS-DOS reads it: the line of AH = 0Ah with its keys, of which each call gets a part, CR and LF at its end, and
; Ctrl-Z at its beginning as the end of the file. Unlike there, a line of more than 127 characters loses none.
;! dosbox nobody types there
;! options --keys ab<backspace>c<esc>de<left>f<down><enter><backspace><ctrl-z>x<enter>g<ctrl-z><enter>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabc<enter>
;! output
;! two 0002 6664
;! on the screen 6361 645C 2066
;! one 0001 000D
;! rest 0001 000A
;! none 0000 0000
;! Ctrl-Z 0000 0000
;! within 0004 1A67
;! long 007F 6161
;! its rest 0004 6362
org 100h
%include "dos.inc"
%include "report.inc"
%macro get 2
        mov cx, %1
        call read
        report %2, ax, dx
%endmacro
        mov ax, 3
        int 10h
        mov cx, 2
        call read
        push ax
        push 0b800h
        pop es
        mov cl, [es:0]          ; the line that Esc has dropped and its backslash, then the new one
        mov ch, [es:2]
        mov bl, [es:4]
        mov bh, [es:160]
        mov al, [es:162]
        mov ah, [es:164]
        mov si, ax
        pop ax
        push cs
        pop es
        report "two", ax, dx
        report "on the screen", cx, bx, si
        get 1, "one"
        get 200, "rest"
        get 0, "none"
        get 200, "Ctrl-Z"
        get 200, "within"
        get 200, "long"
        get 200, "its rest"
        finish
read:   mov word [area], 0
        mov dx, area
        mov bx, 0
        mov ah, 3fh
        int 21h
        mov dx, [area]
        ret
area:   times 200 db 0
        hexadecimal
        reports
