; The fonts in ROM: each of AX = 1130h, and 8 x 8 at F000:FA6E; the fonts themselves are in the public domain, and DOSBox has the same.
;! output
;! 18633DAD
org 100h
%include "dos.inc"
%include "checksum.inc"
        mov si, list
.next:  lodsb
        or al, al
        jz .end
        mov bh, al
        lodsw
        mov di, ax
        mov ax, 1130h
        int 10h
.byte:  mov al, [es:bp]
        call add_al
        inc bp
        dec di
        jnz .byte
        jmp .next
.end:   push 0f000h
        pop es
        mov bp, 0fa6eh
.low:   mov al, [es:bp]
        call add_al
        inc bp
        cmp bp, 0fe6eh
        jb .low
        call tell
        finish
list:   db 3
        dw 1024
        db 4
        dw 1024
        db 2
        dw 3584
        db 6
        dw 4096
        db 0
        checksums
        hexadecimal
