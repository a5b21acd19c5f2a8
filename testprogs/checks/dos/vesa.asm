; VESA: what 4F00h and 4F01h tell of modes, windows, lines that are longer, starts, and pixels written in one window and read in another.
;! options -q
;! output
;! 0200 VESA 101 640x480x8 640 A000
;! 111 640x480x16 1280 A000
;! 113 800x600x15 1600 A000
;! 004F 014F 004F 004F
;! 0101 0003 00
;! 0400 0400
;! 000A 0014
;! DABFF723
org 100h
%include "dos.inc"
%include "checksum.inc"
        mov di, block
        mov dword [di], 'VBE2'
        mov ax, 4f00h
        int 10h
        mov ax, [block+4]
        call hex4
        mov al, ' '
        call put
        mov si, block
        mov cx, 4
.sign:  lodsb
        call put
        loop .sign
        mov al, ' '
        call put
        mov cx, 101h
        call mode
        mov cx, 111h
        call mode
        mov cx, 113h
        call mode
        mov bx, 101h
        mov ax, 4f02h
        int 10h
        push ax
        mov bx, 1ffh            ; none
        mov ax, 4f02h
        int 10h
        mov di, ax
        pop ax
        call hex4s
        mov ax, 014fh           ; (the number of the error is not the same everywhere)
        cmp di, 004fh
        jne .fails
        mov ax, di
.fails: call hex4s
        xor bx, bx              ; a window
        mov dx, 3
        mov ax, 4f05h
        int 10h
        call hex4s
        push 0a000h
        pop es
        mov byte [es:1234h], 5ah
        mov ax, 4f03h
        int 10h
        call hex4
        call crlf
        mov ax, bx
        and ax, 1ffh
        call hex4s
        mov bx, 100h            ; which window?
        mov ax, 4f05h
        int 10h
        mov ax, dx
        call hex4s
        xor bx, bx
        mov dx, 2
        mov ax, 4f05h
        int 10h
        mov al, [es:1234h]
        call hex2
        call crlf
        xor bx, bx              ; lines of 1024
        mov cx, 1024
        mov ax, 4f06h
        int 10h
        mov ax, bx
        call hex4s
        mov ax, cx
        call hex4
        call crlf
        xor bx, bx              ; begins at pixel 10 of line 20
        mov cx, 10
        mov dx, 20
        mov ax, 4f07h
        int 10h
        mov bx, 1
        mov ax, 4f07h
        int 10h
        mov ax, cx
        call hex4s
        mov ax, dx
        call hex4
        call crlf
        mov cx, 8               ; random bytes in random windows, then all of a few lines
.write: push cx
        call random
        and ax, 7
        mov dx, ax
        xor bx, bx
        mov ax, 4f05h
        int 10h
        mov cx, 500
.bytes: call random
        mov di, ax
        call random
        mov [es:di], ax
        loop .bytes
        pop cx
        loop .write
        xor dx, dx
.read:  xor bx, bx
        mov ax, 4f05h
        int 10h
        xor di, di
.all:   mov al, [es:di]
        call add_al
        inc di
        jnz .all
        inc dx
        cmp dx, 8
        jb .read
        call tell
        finish
mode:   mov di, block
        mov ax, 4f01h
        push cx
        push ds
        pop es
        int 10h
        pop ax
        call hex3
        mov al, ' '
        call put
        mov ax, [block+18]
        call decimal
        mov al, 'x'
        call put
        mov ax, [block+20]
        call decimal
        mov al, 'x'
        call put
        movzx ax, byte [block+25]
        call decimal
        mov al, ' '
        call put
        mov ax, [block+16]
        call decimal
        mov al, ' '
        call put
        mov ax, [block+8]
        call hex4
        jmp crlf
hex3:   push ax
        mov al, ah
        add al, '0'
        call put
        pop ax
        jmp hex2
hex4s:  call hex4
        mov al, ' '
put:    pusha
        mov dl, al
        mov ah, 2
        int 21h
        popa
        ret
decimal: pusha
        mov bx, 10
        xor cx, cx
.digit: xor dx, dx
        div bx
        push dx
        inc cx
        or ax, ax
        jnz .digit
.out:   pop ax
        add al, '0'
        call put
        loop .out
        popa
        ret
        checksums
        hexadecimal
block:
