; Each mode of the VGA: the colours that it loads, what AH = 0Fh tells, columns, rows and height of a character in the data area; a text
; written by AH = 09h, 0Eh and 13h in colours is read back by AH = 08h and by its pixels, after a line of it was scrolled.
;! last line
;! output
;! 50D92CB3
org 100h
%include "dos.inc"
%include "checksum.inc"
        mov si, modes
.next:  lodsb
        cmp al, 0ffh
        je .end
        push si
        mov ah, 0
        int 10h
        call look
        pop si
        jmp .next
.end:   mov dl, ' '             ; after the letters that were written
        mov ah, 2
        int 21h
        call tell
        finish
look:   mov ah, 0fh
        int 10h
        call add_al
        mov al, ah
        call add_al
        push 40h
        pop es
        mov al, [es:84h]
        call add_al
        mov al, [es:85h]
        call add_al
        mov dx, 3c7h            ; the DAC
        xor al, al
        out dx, al
        mov dx, 3c9h
        mov cx, 768
.dac:   in al, dx
        call add_al
        loop .dac
        mov ax, 1007h           ; the palette
        xor bx, bx
.ar:    mov ax, 1007h
        int 10h
        mov al, bh
        call add_al
        inc bl
        cmp bl, 16
        jb .ar
        mov dx, 0205h
        mov bh, 0
        mov ah, 2
        int 10h
        mov ax, 0941h           ; three of A in red
        mov bx, 4
        mov cx, 3
        int 10h
        mov dx, 0208h
        mov ah, 2
        int 10h
        mov ax, 0e62h           ; b
        mov bx, 2
        int 10h
        mov cx, 0               ; the whole screen one line up
        mov dx, 1827h
        mov bh, 0
        mov ax, 0601h
        int 10h
        mov dx, 0105h
        call read
        mov dx, 0108h
        call read
        mov ah, 0fh
        int 10h
        cmp al, 4               ; pixels of graphics modes
        jb .done
        cmp al, 7
        je .done
        mov dx, 5
.row:   mov cx, 35
.pixel: mov bh, 0
        mov ah, 0dh
        int 10h
        call add_al
        inc cx
        cmp cx, 80
        jb .pixel
        inc dx
        cmp dx, 40
        jb .row
        mov cx, 100             ; and a pixel of exclusive or
        mov dx, 100
        mov ax, 0c83h
        int 10h
        mov ax, 0c81h
        int 10h
        mov ah, 0dh
        int 10h
        call add_al
.done:  ret
read:   mov bh, 0
        mov ah, 2
        int 10h
        mov ah, 8
        int 10h
        jmp add_al
modes:  db 0, 1, 2, 3, 4, 5, 6, 0dh, 0eh, 10h, 11h, 12h, 13h, 0ffh
        checksums
        hexadecimal
