; File control blocks with records of 10 bytes: five are written as a block, number 3 is read at random and then the sequential one is the
; same, the size is returned in records, two renames, find first and next, deleting both by wildcards; then nothing is found.
;! output
;! 00 0005
;! 00 3333333333
;! 01 0003
;! 00 000005
;! 0000
;! 00 A1      NEW
;! 00 B2      NEW
;! FF
;! 00
;! FF
org 100h
%include "dos.inc"
%macro call21 2                 ; function, block
        mov dx, %2
        mov ah, %1
        int 21h
        call hex2
%endmacro
        mov dx, 80h
        mov ah, 1ah
        int 21h
        mov dx, second          ; an empty file beside
        mov ah, 16h
        int 21h
        mov ah, 10h
        int 21h
        mov dx, first
        mov ah, 16h
        int 21h
        mov word [first+0eh], 10
        mov dx, records
        mov ah, 1ah
        int 21h
        mov cx, 5
        call21 28h, first
        mov al, ' '
        call put
        mov ax, [first+21h]     ; the next random record
        call hex4
        call crlf
        mov ah, 10h
        int 21h
        mov dx, first
        mov ah, 0fh
        int 21h
        mov word [first+0eh], 10
        mov dx, 80h
        mov ah, 1ah
        int 21h
        mov word [first+21h], 3
        mov byte [first+23h], 0
        call21 21h, first
        mov al, ' '
        call put
        mov si, 80h
        mov cx, 10
.r:     lodsb
        call put
        loop .r
        call crlf
        mov word [first+21h], 4 ; three records from 4 on: one is there
        mov cx, 3
        mov word [first+0ch], 0
        mov dx, first
        mov ah, 27h
        int 21h
        call hex2
        mov al, ' '
        call put
        mov word [first+21h], 0
        mov byte [first+20h], 3
        mov ah, 24h
        int 21h
        mov ax, [first+21h]
        call hex4
        call crlf
        call21 23h, first
        mov al, ' '
        call put
        mov al, [first+23h]
        call hex2
        mov ax, [first+21h]
        call hex4
        call crlf
        mov ah, 10h
        mov dx, first
        int 21h
        call21 17h, rename1
        call21 17h, rename2
        call crlf
        call21 11h, found
        call show
        call21 12h, found
        call show
        call21 12h, found
        call crlf
        call21 13h, found
        call crlf
        call21 11h, found
        call crlf
        finish
show:   mov al, ' '
        call put
        mov si, 81h
        mov cx, 11
.n:     lodsb
        call put
        loop .n
        jmp crlf
put:    pusha
        mov dl, al
        mov ah, 2
        int 21h
        popa
        ret
        hexadecimal
first:  db 0, 'A1      TST'
        times 28 db 0
second: db 0, 'B2      TST'
        times 28 db 0
found:  db 0, '????????NEW'
        times 28 db 0
rename1: db 0, 'A1      TST', 0, 0, 0, 0, 0, 'A1      NEW'
        times 12 db 0
rename2: db 0, 'B2      TST', 0, 0, 0, 0, 0, 'B2      NEW'
        times 12 db 0
records: times 10 db '0'
        times 10 db '1'
        times 10 db '2'
        times 10 db '3'
        times 10 db '4'
