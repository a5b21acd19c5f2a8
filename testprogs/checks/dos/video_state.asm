; INT 10h AH = 1Bh in each mode: AL, and of the 64 bytes the mode and columns, the rows and height of a character, the display, the colours,
; the pages, the lines and the memory.
;! output
;! 00281910081000080203
;! 03501910081000080203
;! 04281908080400010003
;! 06501908080200010003
;! 07501910080100080203
;! 0D281908081000080003
;! 0E501908081000040003
;! 0F50190E080200020103
;! 1050190E081000020103
;! 11501E10080200010303
;! 12501E10081000010303
;! 13281908080001010003
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
places: db 4, 5, 22h, 23h, 25h, 27h, 28h, 29h, 2ah, 31h, 0ffh
.end:
answer: db 0
filled: dw shown
        hexadecimal
state:  times 64 db 0
shown:
