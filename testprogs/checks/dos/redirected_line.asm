; Handle 0 that is a file or NUL: MS-DOS keeps the LF of CR LF, and any other LF, out of a line of AH = 0Ah. NUL has no characters.
;! dosbox stores each LF in the line
;! output
;! first
;! 0A 0528 6966
;! se
;! cond
;! 0A the next line 0628 6573
;! 0B of NUL 00FF
;! 08 of NUL 001A
org 100h
%include "dos.inc"
%include "report.inc"
        mov dx, name
        mov cx, 0
        mov ah, 3ch
        int 21h
        mov bx, ax
        mov cx, lines.end - lines
        mov dx, lines
        mov ah, 40h
        int 21h
        mov ax, 4200h
        mov cx, 0
        mov dx, 0
        int 21h
        call to_input
        call get_line
        report "0A", ax, bx
        call get_line
        report "0A the next line", ax, bx
        mov dx, name
        mov ah, 41h
        int 21h
        mov dx, nul
        mov ax, 3d00h
        int 21h
        mov bx, ax
        call to_input
        report_al "0B of NUL", 0bh
        report_al "08 of NUL", 8
        finish
to_input: mov cx, 0             ; the handle BX
        mov ah, 46h
        int 21h
        ret
get_line: mov dx, line
        mov ah, 0ah
        int 21h
        call crlf
        mov ax, [line]
        mov bx, [line + 2]
        ret
name:   db 'LINES.TXT', 0
nul:    db 'NUL', 0
lines:  db 'first', 13, 10, 'se', 10, 'cond', 13, 10
.end:
line:   db 40
        times 41 db 0
        hexadecimal
        reports
