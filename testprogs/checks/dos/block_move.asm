; INT 15h AH = 87h copies words upwards, as REP MOVSW does. If the target begins within the source, the first words repeat.
;! output
;! 87h 2 bytes up 0000
;! words 1111 1111 1111 1111 1111
;! 87h 4 bytes up 0000
;! words 1111 2222 1111 2222 1111
;! 87h 2 bytes down 0000
;! words 2222 3333 4444 5555 5555
org 100h
%include "dos.inc"
%include "report.inc"
%macro move 4                   ; text, source, target, number of words: copies them, and shows all words
        mov si, fresh
        mov di, words
        mov cx, 5
        push cs
        pop es
        rep movsw
        mov ax, cs
        movzx eax, ax
        shl eax, 4
        lea ebx, [eax + %3]
        add eax, %2
        mov [table + 12h], eax
        mov byte [table + 15h], 93h
        mov [table + 1ah], ebx
        mov byte [table + 1dh], 93h
        mov si, table
        mov cx, %4
        mov ah, 87h
        int 15h
        mov al, 0
        report %1, ax
        mov ax, [words]
        mov bx, [words + 2]
        mov cx, [words + 4]
        mov dx, [words + 6]
        mov si, [words + 8]
        report "words", ax, bx, cx, dx, si
%endmacro
        move "87h 2 bytes up", words, words + 2, 4
        move "87h 4 bytes up", words, words + 4, 3
        move "87h 2 bytes down", words + 2, words, 4
        finish
        hexadecimal
        reports
table:  times 2 dq 0            ; descriptors for AH = 87h
        times 2 dw 0ffffh, 0, 0, 0
        times 2 dq 0
fresh:  dw 1111h, 2222h, 3333h, 4444h, 5555h
words:  times 5 dw 0
