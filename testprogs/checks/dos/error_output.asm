; Characters of AH = 02h and 09h go to the error output if handle 1 refers to it.
;! dosbox there the error output is the screen
;! output
;! to the error output
org 100h
        mov bx, 2
        mov cx, 1
        mov ah, 46h
        int 21h
        mov dl, 't'
        mov ah, 2
        int 21h
        mov dx, text
        mov ah, 9
        int 21h
        mov ax, 4c00h
        int 21h
text:   db "o the error output", 13, 10, "$"
