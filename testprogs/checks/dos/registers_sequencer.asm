; The sequencer's registers in each mode of the BIOS (IBM's VGA technical reference).
;! dosbox it has other values
;! output
;! 00 0308030002
;! 01 0308030002
;! 02 0300030002
;! 03 0300030002
;! 04 0309030002
;! 05 0309030002
;! 06 0309010006
;! 07 0300030002
;! 0D 03090F0006
;! 0E 03010F0006
;! 0F 03010F0006
;! 10 03010F0006
;! 11 03010F0006
;! 12 03010F0006
;! 13 03010F000E
org 100h
%include "dos.inc"
        cld
        mov si, modes
.mode:  lodsb
        cmp al, 0ffh
        je .end
        push si
        mov [mode], al
        mov ah, 0
        int 10h
        mov di, values
        mov dx, 3c4h
        mov cx, 5
        call read
        mov ax, 3
        int 10h
        mov al, [mode]
        call hex2
        mov si, values
        mov bx, counts
.group: mov dl, ' '
        mov ah, 2
        int 21h
        mov cl, [bx]
        mov ch, 0
        inc bx
.byte:  lodsb
        call hex2
        loop .byte
        cmp byte [bx], 0
        jne .group
        call crlf
        pop si
        jmp .mode
.end:   finish
read:   mov ah, 0               ; CX registers from index 0 on
.next:  mov al, ah
        out dx, al
        inc dx
        in al, dx
        dec dx
        stosb
        inc ah
        loop .next
        ret
mode:   db 0
modes:  db 0, 1, 2, 3, 4, 5, 6, 7, 0dh, 0eh, 0fh, 10h, 11h, 12h, 13h, 0ffh
counts: db 5, 0
        hexadecimal
values: times 64 db 0
