; INT 10h AH = 1Bh in each mode: AL, and of the 64 bytes the mode and columns, the rows and height of a character, the display, the colours,
; the pages, the lines, the flags and the memory. Of the flags, cursor emulation (bit 4) is left out, because DOSBox does not have it.
;! output
;! 0028191008100008022103
;! 0350191008100008022103
;! 0428190808040001000103
;! 0650190808020001000103
;! 0750191008010008022103
;! 0D28190808100008000103
;! 0E50190808100004000103
;! 0F50190E08020002010103
;! 1050190E08100002010103
;! 11501E1008020001030103
;! 12501E1008100001030103
;! 1328190808000101000103
;! 1B
org 100h
%include "dos.inc"
        cld
        mov si, modes
.next:  lodsb
        cmp al, 0ffh
        je .end
        mov ah, 0
        int 10h
        mov di, state
        mov cx, 64
        mov al, 55h
        rep stosb
        mov ax, 1b00h
        xor bx, bx
        mov di, state
        int 10h
        mov [answer], al
        and byte [state + 2dh], ~10h
        push si
        mov si, places
.byte:  lodsb
        cmp al, 0ffh
        je .line
        mov bl, al
        xor bh, bh
        mov al, [state + bx]
        mov di, [filled]
        stosb
        mov [filled], di
        jmp .byte
.line:  pop si
        jmp .next
.end:   mov ax, 3
        int 10h
        mov si, shown
.show:  cmp si, [filled]
        jae .done
        mov cx, places.end - places - 1
.one:   lodsb
        call hex2
        loop .one
        call crlf
        jmp .show
.done:  mov al, [answer]
        call hex2
        call crlf
        finish
modes:  db 0, 3, 4, 6, 7, 0dh, 0eh, 0fh, 10h, 11h, 12h, 13h, 0ffh
places: db 4, 5, 22h, 23h, 25h, 27h, 28h, 29h, 2ah, 2dh, 31h, 0ffh
.end:
answer: db 0
filled: dw shown
        hexadecimal
state:  times 64 db 0
shown:
