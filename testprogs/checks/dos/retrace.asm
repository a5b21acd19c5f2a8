; How long a frame is, in tenths of a millisecond by the time-stamp counter at 200 MHz: 449 lines of 900 pixels at 28.322 MHz in text, and as
; long in mode 13h; 525 lines of 800 at 25.175 MHz in mode 12h.
;! options --model p55c-200
;! dosbox it does not keep its own time
;! output
;! 143
;! 143
;! 167
org 100h
%include "dos.inc"
        mov ax, 3
        call frame
        mov ax, 13h
        call frame
        mov ax, 12h
        call frame
        mov ax, 3
        int 10h
        mov si, frames
        mov cx, 3
.next:  lodsw
        mov bl, 100
        div bl
        mov bl, ah
        call digit
        mov al, bl
        aam
        xchg al, ah
        call digit
        mov al, ah
        call digit
        call crlf
        loop .next
        finish
digit:  pusha
        mov dl, al
        add dl, '0'
        mov ah, 2
        int 21h
        popa
        ret
frame:  int 10h
        call begins
        rdtsc
        mov ebx, eax
        call begins
        rdtsc
        sub eax, ebx
        add eax, 10000
        xor edx, edx
        mov ebx, 20000
        div ebx
        mov di, [place]
        mov [di], ax
        add word [place], 2
        ret
begins: mov dx, 3dah
.within: in al, dx
        test al, 8
        jnz .within
.wait:  in al, dx
        test al, 8
        jz .wait
        ret
        hexadecimal
place:  dw frames
frames: dw 0, 0, 0
