; Keys in a line of AH = 0Ah, as MS-DOS 6.22 has them: Esc writes a backslash and begins again, the left arrow is Backspace. Those that copy the
; previous line, F1 to F5, have no effect here, nor have other keys without a character.
;! dosbox nobody types there
;! options --keys ab<f5>c<esc>de<down>f<left>g<enter>
;! output
;! abc\
;! def g
;! 0A 6403 6765 000D
org 100h
%include "dos.inc"
%include "report.inc"
        mov dx, line
        mov ah, 0ah
        int 21h
        mov dl, 10
        mov ah, 2
        int 21h
        mov ax, [line + 1]
        mov bx, [line + 3]
        mov cl, [line + 5]
        mov ch, 0
        report "0A", ax, bx, cx
        finish
line:   db 40, 0
        times 42 db 0
        hexadecimal
        reports
