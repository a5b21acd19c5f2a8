; Functions of the console with an input that is a pipe: each way to read a character, editing a line, lines longer than their room, a handle's
; line, and what the end of the input is.
;! input ab\003cdef\010g\nlonger than it may be\nh\ni\n\nz
;! dosbox its input is a keyboard
;! output
;! a01 0061
;! 08 0062
;! 07 0003
;! 0C07 0063
;! 0B 00FF
;! 06 0064 0000
;! ef g
;! 0A 0206 6765 000D
;! longe
;! 0A too long 0506 0D65 0000
;! 3F 0002 0D68
;! 3F its end 0001 0D0A
;! 3F a line 0003 0D69 000A
;! 3F an empty line 0002 0A0D
;! 3F at the end 0001 0A7A
;! 08 at the end 001A
;! 06 at the end 0000 0001
;! 0C00 0000
;! text09 0924
;! !06 0621
;! ?
org 100h
%include "dos.inc"
%include "report.inc"
        mov ax, 2523h           ; Ctrl-C is read by AH = 07h
        mov dx, handler
        int 21h
        report_al "01", 1
        report_al "08", 8
        report_al "07", 7
        mov ax, 0c07h
        int 21h
        and ax, 0ffh
        report "0C07", ax
.wait:  mov ah, 0bh
        int 21h
        or al, al
        jz .wait
        and ax, 0ffh
        report "0B", ax
        mov dl, 0ffh
        mov ah, 6
        int 21h
        mov cx, 0
        jnz .there
        inc cx
.there: and ax, 0ffh
        report "06", ax, cx
        mov dx, line
        mov ah, 0ah
        int 21h
        call crlf
        mov bx, [line]
        mov cx, [line + 2]
        mov dx, [line + 4]
        report "0A", bx, cx, dx
        mov dx, line
        mov ah, 0ah
        int 21h
        call crlf
        mov bx, [line]
        mov cx, [line + 6]
        mov dx, [line + 8]
        report "0A too long", bx, cx, dx
        mov bx, 0               ; a line by a handle, in two parts
        mov cx, 2
        mov dx, area
        mov ah, 3fh
        int 21h
        mov bx, [area]
        report "3F", ax, bx
        mov bx, 0
        mov cx, 20
        mov dx, area
        mov ah, 3fh
        int 21h
        mov bx, [area]
        report "3F its end", ax, bx
        mov bx, 0
        mov cx, 20
        mov dx, area
        mov ah, 3fh
        int 21h
        mov bx, [area]
        mov cx, [area + 2]
        report "3F a line", ax, bx, cx
        mov bx, 0
        mov cx, 20
        mov dx, area
        mov ah, 3fh
        int 21h
        mov bx, [area]
        report "3F an empty line", ax, bx
        mov bx, 0
        mov cx, 20
        mov dx, area
        mov ah, 3fh
        int 21h
        mov bx, [area]
        report "3F at the end", ax, bx
        report_al "08 at the end", 8
        mov dl, 0ffh
        mov ah, 6
        int 21h
        mov cx, 0
        jnz .more
        inc cx
.more:  and ax, 0ffh
        report "06 at the end", ax, cx
        mov ax, 0c00h
        int 21h
        and ax, 0ffh
        report "0C00", ax
        mov dx, text
        mov ah, 9
        int 21h
        report "09", ax
        mov dl, '!'
        mov ah, 6
        int 21h
        report "06", ax
        mov al, '?'
        int 29h
        call crlf
        finish
handler: iret
line:   db 6, 0
        times 16 db 0
text:   db 'text$'
area:   times 32 db 0
        hexadecimal
        reports
