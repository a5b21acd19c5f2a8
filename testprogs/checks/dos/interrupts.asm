; The BIOS's handlers of the two controllers' interrupts leave all registers. The vectors whose handlers did not are written.
;! dosbox it does not return from all of them
;! output
;! .
org 100h
%include "dos.inc"
        sti
next:   mov si, [place]
        inc word [place]
        lodsb
        test al, al
        jz done
        mov [interrupt + 1], al
        mov ax, 1111h
        mov bx, 2222h
        mov cx, 3333h
        mov dx, 4444h
        mov si, 5555h
        mov di, 6666h
        mov bp, 7777h
        mov [stack], sp
        jmp interrupt
interrupt:
        int 0
        sub ax, 1111h
        sub bx, 2222h
        sub cx, 3333h
        sub dx, 4444h
        sub si, 5555h
        sub di, 6666h
        sub bp, 7777h
        or ax, bx
        or ax, cx
        or ax, dx
        or ax, si
        or ax, di
        or ax, bp
        mov bx, sp
        sub bx, [stack]
        or ax, bx
        jz next
        mov al, [interrupt + 1]
        call hex2
        jmp next
done:   say dot
        finish
place:  dw vectors
stack:  dw 0
vectors: db 8, 0ah, 0bh, 0ch, 0dh, 0eh, 0fh, 70h, 71h, 72h, 73h, 74h, 75h, 76h, 77h, 0
dot:    db '.', 13, 10, '$'
        hexadecimal
