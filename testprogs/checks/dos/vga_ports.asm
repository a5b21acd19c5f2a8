; The VGA's ports: index and data of each controller, the attribute controller's turns, the DAC's three parts and its two indices, registers of
; the CRT controller that are protected, and where it is in monochrome.
;! output
;! 02 05 0F 08 A5 03 12 0C 5F 00 1F 5F 0A 17 0B 0B 01 02 03 3F 21 22 23 FF 0F 31 32 33 34 63 77 62 
org 100h
%include "dos.inc"
%macro put 2                    ; port, byte
        mov dx, %1
        mov al, %2
        out dx, al
%endmacro
%macro get 2                    ; port, where to
        mov dx, %1
        in al, dx
        mov [%2], al
%endmacro
%macro pair 3                   ; port, index, byte
        mov dx, %1
        mov ax, %3 * 256 + %2
        out dx, ax
%endmacro
        mov ax, 13h
        int 10h
        ; the sequencer's and the graphics controller's indices and data
        pair 3c4h, 2, 5
        get 3c4h, v
        get 3c5h, v + 1
        pair 3c4h, 2, 0fh
        get 3c5h, v + 2
        pair 3ceh, 8, 0a5h
        get 3ceh, v + 3
        get 3cfh, v + 4
        pair 3ceh, 8, 0ffh
        pair 3ceh, 0, 3
        get 3cfh, v + 5
        ; the CRT controller
        pair 3d4h, 0ch, 12h
        get 3d5h, v + 6
        get 3d4h, v + 7
        pair 3d4h, 0ch, 0
        pair 3d4h, 0, 55h       ; protected
        get 3d5h, v + 8
        get 3d4h, v + 9
        pair 3d4h, 11h, 0eh     ; no longer
        pair 3d4h, 7, 1fh
        get 3d5h, v + 10
        pair 3d4h, 0, 5fh
        get 3d5h, v + 11
        pair 3d4h, 11h, 8eh
        ; the attribute controller
        get 3dah, v + 12
        put 3c0h, 0ah
        get 3c1h, v + 12
        put 3c0h, 17h           ; data
        get 3dah, v + 13
        put 3c0h, 0ah           ; an index again
        get 3c1h, v + 13
        get 3dah, v + 14
        put 3c0h, 0bh
        get 3c1h, v + 14
        get 3dah, v + 15
        put 3c0h, 20h
        ; the DAC
        put 3c8h, 10
        put 3c9h, 1
        put 3c9h, 2
        put 3c9h, 3
        put 3c9h, 0ffh          ; six bits of it
        get 3c8h, v + 15
        put 3c7h, 10
        get 3c9h, v + 16
        get 3c9h, v + 17
        get 3c9h, v + 18
        get 3c9h, v + 19
        put 3c8h, 20            ; begins a colour anew
        put 3c9h, 21h
        put 3c9h, 22h
        put 3c9h, 23h
        put 3c7h, 20
        get 3c9h, v + 20
        get 3c9h, v + 21
        get 3c9h, v + 22
        get 3c6h, v + 23
        put 3c6h, 0fh
        get 3c6h, v + 24
        put 3c6h, 0ffh
        put 3c8h, 255           ; the last one, then the first
        put 3c9h, 31h
        put 3c9h, 32h
        put 3c9h, 33h
        put 3c9h, 34h
        put 3c9h, 35h
        put 3c9h, 36h
        put 3c7h, 255
        get 3c9h, v + 25
        get 3c9h, v + 26
        get 3c9h, v + 27
        get 3c9h, v + 28
        get 3cch, v + 29
        put 3c2h, 62h           ; the CRT controller moves to 3B4h
        pair 3b4h, 0dh, 77h
        get 3b5h, v + 30
        get 3cch, v + 31
        put 3c2h, 63h
        pair 3d4h, 0dh, 0
        mov ax, 3
        int 10h
        mov si, v
        mov cx, 32
.next:  lodsb
        call hex2
        mov dl, ' '
        mov ah, 2
        int 21h
        loop .next
        call crlf
        finish
v:      times 32 db 0
        hexadecimal
