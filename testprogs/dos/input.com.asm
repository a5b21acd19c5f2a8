; input.com: reads a line by INT 21h AH = 0Ah and the rest of the input by AH = 3Fh and 01h, and echoes all in brackets.
bits 16
org 100h
%include "dos.inc"
        mov dx, line
        mov ah, 0ah
        int 21h
        print 13, 10, "["
        mov cl, [line + 1]
        xor ch, ch
        mov dx, line + 2
        call write
        print "]", 13, 10, "["
        mov bx, 0
        mov cx, 100
        mov dx, text
        mov ah, 3fh
        int 21h
        mov cx, ax
        call write
        print "]", 13, 10
.next:  mov ah, 8
        int 21h
        cmp al, 1ah
        je .end
        cmp al, 13
        je .next
        mov dl, al
        mov ah, 2
        int 21h
        jmp .next
.end:   finish 0
write:  mov bx, 1
        mov ah, 40h
        int 21h
        ret
line:   db 20, 0
        times 20 db 0
text:   times 100 db 0
