; INT 33h: the driver answers, the pointer stays where programs put it.
;! output
;! FFFF 
;! 0000 0140 0064 
;! 0000 0064 0032 
;! 0000 0028 0032 
;! 0000 0050 0032 
;! 0000 0050 000A 
;! 0000 0000 0000 0000 
;! 0000 0000 
;! 0004 0000 0400 
;! FFFF 
;! 0140 0064 
;! 0400 0005 
;! 027F 018F 
org 100h
%include "dos.inc"
%macro mouse 1
        mov ax, %1
        int 33h
%endmacro
%macro show 1-*
%rep %0
        mov ax, %1
        call hex4
        call space
%rotate 1
%endrep
        call end
%endmacro
        jmp start
hexadecimal
space:  pusha
        mov dl, ' '
        mov ah, 2
        int 21h
        popa
        ret
end:    call crlf
        ret
keep:   mov [a], ax
        mov [b], bx
        mov [c], cx
        mov [d], dx
        ret
a       dw 0
b       dw 0
c       dw 0
d       dw 0
start:
        mov ax, 3
        int 10h
        mouse 0
        call keep
        show [a]
        mouse 3                 ; in the middle
        call keep
        show [b], [c], [d]
        mov cx, 100
        mov dx, 50
        mouse 4
        mouse 3
        call keep
        show [b], [c], [d]
        mov cx, 40              ; ranges, the second one with its ends exchanged
        mov dx, 0
        mouse 7
        mouse 3
        call keep
        show [b], [c], [d]
        mov cx, 80
        mov dx, 400
        mouse 7
        mouse 3
        call keep
        show [b], [c], [d]
        mov cx, 10
        mov dx, 5
        mouse 8
        mouse 3
        call keep
        show [b], [c], [d]
        mov bx, 0               ; presses of the left button
        mouse 5
        call keep
        show [a], [b], 0, 0
        mouse 0bh
        call keep
        show [c], [d]
        mov cx, 4               ; a handler is what the next exchange gives back
        mov dx, 400h
        mouse 0ch
        mov cx, 0
        mov dx, 0
        push es
        mouse 14h
        mov bx, es
        pop es
        call keep
        mov ax, cs
        sub [b], ax
        show [c], [b], [d]
        mouse 21h               ; a reset of the driver: the ranges are the whole screen again
        call keep
        show [a]
        mouse 3
        call keep
        show [c], [d]
        mouse 24h
        call keep
        and word [c], 0ff00h
        show [c], 5
        mov ax, 1112h           ; 50 lines of text
        mov bl, 0
        int 10h
        mouse 0
        mouse 26h
        call keep
        show [c], [d]
        finish
