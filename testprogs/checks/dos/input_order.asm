; What DOS has seen of the input the BIOS gives, and what the BIOS was asked for DOS gives, in order.
;! input abcdef
;! dosbox its input is a keyboard
;! output
;! abcdef
org 100h
%include "dos.inc"
.wait:  mov ah, 0bh             ; DOS looks,
        int 21h
        or al, al
        jz .wait
        mov ah, 0               ; the BIOS takes
        int 16h
        call put
.look:  mov ah, 1               ; and the other way round
        int 16h
        jz .look
        mov ah, 8
        int 21h
        call put
        mov ah, 1               ; one is on its way
        int 16h
        mov ah, 8
        int 21h
        call put
        mov ah, 6               ; direct input looks and takes
.direct: mov dl, 0ffh
        int 21h
        jz .direct
        call put
        mov cx, 2
.rest:  mov ah, 0
        int 16h
        call put
        loop .rest
        mov al, 13
        call put
        mov al, 10
        call put
        finish
put:    pusha
        mov dl, al
        mov ah, 2
        int 21h
        popa
        ret
