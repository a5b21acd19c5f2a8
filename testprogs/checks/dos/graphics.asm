; Graphics by INT 10h in modes of each kind of memory: pixels, also by exclusive or and on a page of its own; characters in colour, over what is
; there and read back; windows that scroll up and down. Each line has the mode, the characters that were read, and checksums of the pixels of
; part of the screen after each step.
;! after results
;! output
;! 0004 6241 9782 6352 CD11 7E28 0000 1801 
;! 0005 6241 9782 6352 CD11 7E28 0000 1801 
;! 000D 6241 B3BF A79F CD11 7E28 0000 1801 
;! 000E 6241 B3BF A79F CD11 7E28 0000 1801 
;! 0010 6241 B3BF B430 A811 B2BC 0000 1801 
;! 0012 6241 B3BF D4E0 063E 556F 0000 1901 
;! 0013 6241 5328 06E8 CD11 7E28 0000 1801 
org 100h
%include "dos.inc"
%include "checksum.inc"
        cld
        mov di, lines
        mov si, modes
.mode:  lodsb
        cmp al, 0ffh
        je .end
        push si
        mov ah, 0
        mov [di], ax
        int 10h
        call all
        pop si
        add di, 16
        jmp .mode
.end:   mov ax, 3
        int 10h
        mov dx, results
        mov ah, 9
        int 21h
        mov si, lines
.line:  mov cx, 8
.word:  lodsw
        call hex4
        mov dl, ' '
        mov ah, 2
        int 21h
        loop .word
        call crlf
        cmp si, di
        jb .line
        finish
all:    mov cx, 40                      ; a line of pixels of all colours
        mov dx, 3
.pixel: mov ah, 0ch
        mov al, cl
        mov bh, 0
        int 10h
        loop .pixel
        mov cx, 21                      ; exclusive or
        mov dx, 3
        mov ax, 0c83h
        mov bh, 0
        int 10h
        mov cx, 22
        mov ax, 0c80h
        int 10h
        call look
        mov [di + 4], ax
        mov dx, 0101h                   ; characters
        mov bh, 0
        mov ah, 2
        int 10h
        mov ax, 0941h
        mov bx, 3
        mov cx, 2
        int 10h
        mov dx, 0103h
        mov bh, 0
        mov ah, 2
        int 10h
        mov ax, 0e62h
        mov bx, 2
        int 10h
        mov ax, 0e78h
        mov bx, 1
        int 10h
        call look
        mov [di + 6], ax
        mov dx, 0102h
        call read
        mov [di + 2], al
        mov dx, 0103h
        call read
        mov [di + 3], al
        mov ax, 0601h                   ; the upper left corner one line up, then two down
        mov bh, 1
        mov cx, 0
        mov dx, 0306h
        int 10h
        call look
        mov [di + 8], ax
        mov ax, 0702h
        mov bh, 2
        mov cx, 0001h
        mov dx, 0305h
        int 10h
        call look
        mov [di + 10], ax
        mov ax, 0600h                   ; nothing is left
        mov bh, 0
        mov cx, 0
        mov dx, 0507h
        int 10h
        call look
        mov [di + 12], ax
        mov dx, 1800h                   ; the last line scrolls
        mov bh, 0
        mov ah, 2
        int 10h
        mov ax, 0e58h
        mov bx, 3
        int 10h
        mov ax, 0e0ah
        int 10h
        mov ah, 3
        mov bh, 0
        int 10h
        mov [di + 14], dx
        ret
read:   mov bh, 0
        mov ah, 2
        int 10h
        mov ah, 8
        mov bh, 0
        int 10h
        ret
look:   mov dword [sum], 0              ; 64 x 48 pixels
        mov dx, 0
.row:   mov cx, 0
.column: mov bh, 0
        mov ah, 0dh
        int 10h
        call add_al
        inc cx
        cmp cx, 64
        jb .column
        inc dx
        cmp dx, 48
        jb .row
        mov ax, [sum]
        xor ax, [sum + 2]
        ret
modes:  db 4, 5, 0dh, 0eh, 10h, 12h, 13h, 0ffh
results: db 13, 10, 'results', 13, 10, '$'
        hexadecimal
        checksums
lines:
