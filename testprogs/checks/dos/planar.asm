; 4000 times: a random register of the graphics controller or the sequencer, then a random byte or word written to planar memory, and one
; read; then all planes of the first 4 KB. The checksum is DOSBox's.
;! output
;! A7477183
org 100h
%include "dos.inc"
%include "checksum.inc"
        mov ax, 12h
        int 10h
        push 0a000h
        pop es
        mov cx, 4000
.next:  call random
        movzx bx, al
        and bx, 15
        mov dx, [ports+bx]      ; registers by pairs of bytes
        and bx, 14
        mov dx, [ports+bx]
        mov ax, [registers+bx]
        push ax
        call random
        pop bx
        and al, bh              ; the bits that may change
        mov ah, al
        mov al, bl
        out dx, ax
        call random
        mov di, ax
        and di, 0fffh
        call random
        test cx, 1
        jz .word
        mov [es:di], al
        jmp .read
.word:  mov [es:di], ax
.read:  call random
        mov di, ax
        and di, 0fffh
        mov ax, [es:di]
        call add_al
        mov al, ah
        call add_al
        loop .next
        mov dx, 3ceh            ; plain reads
        mov ax, 0005h
        out dx, ax
        mov bl, 0
.plane: mov ah, bl
        mov al, 4
        out dx, ax
        xor di, di
.byte:  mov al, [es:di]
        call add_al
        inc di
        cmp di, 4096
        jb .byte
        inc bl
        cmp bl, 4
        jb .plane
        call tell
        finish
ports:  dw 3ceh, 3ceh, 3ceh, 3ceh, 3ceh, 3ceh, 3ceh, 3c4h
registers: db 0, 0fh, 1, 0fh, 3, 1fh, 4, 3, 5, 0bh, 7, 0fh, 8, 0ffh, 2, 0fh
        checksums
        hexadecimal
