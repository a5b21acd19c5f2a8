; The registers of the VGA in each mode of the BIOS, as they are read back: miscellaneous output, the CRT controller's, the graphics
; controller's and the attribute controller's.
;! output
;! 00 67 2D2728902BA0BF1F004F0D0E000000009C8E8F141F96B9A3FF 0000000000100E0FFF 000102030405140738393A3B3C3D3E3F0C000F0800
;! 01 67 2D2728902BA0BF1F004F0D0E000000009C8E8F141F96B9A3FF 0000000000100E0FFF 000102030405140738393A3B3C3D3E3F0C000F0800
;! 02 67 5F4F50825581BF1F004F0D0E000000009C8E8F281F96B9A3FF 0000000000100E0FFF 000102030405140738393A3B3C3D3E3F0C000F0800
;! 03 67 5F4F50825581BF1F004F0D0E000000009C8E8F281F96B9A3FF 0000000000100E0FFF 000102030405140738393A3B3C3D3E3F0C000F0800
;! 04 63 2D2728902B80BF1F00C10000000000009C8E8F140096B9A2FF 0000000000200F0FFF 0013151702040607101112131415161701000F0000
;! 05 63 2D2728902B80BF1F00C10000000000009C8E8F140096B9A2FF 0000000000200F0FFF 0013151702040607101112131415161701000F0000
;! 06 63 5F4F50825480BF1F00C10000000000009C8E8F280096B9C2FF 0000000000000F0FFF 001717171717171717171717171717170100010000
;! 07 66 5F4F50825581BF1F004F0D0E000000009C8E8F280F96B9A3FF 0000000000100A0FFF 000808080808080810181818181818180C000F0800
;! 0D 63 2D2728902B80BF1F00C00000000000009C8E8F140096B9E3FF 000000000000050FFF 0001020304050607101112131415161701000F0000
;! 0E 63 5F4F50825480BF1F00C00000000000009C8E8F280096B9E3FF 000000000000050FFF 0001020304050607101112131415161701000F0000
;! 0F A2 5F4F50825480BF1F004000000000000083855D280F63BAE3FF 000000000000050FFF 000800001818000000080000001800000B000F0000
;! 10 A3 5F4F50825480BF1F004000000000000083855D280F63BAE3FF 000000000000050FFF 000102030405140738393A3B3C3D3E3F01000F0000
;! 11 E3 5F4F508254800B3E0040000000000000EA8CDF2800E704C3FF 000000000000050FFF 003F3F3F3F3F3F3F3F3F3F3F3F3F3F3F01000F0000
;! 12 E3 5F4F508254800B3E0040000000000000EA8CDF2800E704E3FF 000000000000050FFF 000102030405140738393A3B3C3D3E3F01000F0000
;! 13 63 5F4F50825480BF1F00410000000000009C8E8F284096B9A3FF 000000000040050FFF 000102030405060708090A0B0C0D0E0F41000F0000
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
        mov dx, 3cch
        in al, dx
        mov bx, 3d4h            ; where the CRT controller is
        test al, 1
        jnz .colour
        mov bx, 3b4h
.colour: stosb
        mov dx, bx
        mov cx, 25
        call read
        mov dx, 3ceh
        mov cx, 9
        call read
        mov ah, 0
.attribute: mov dx, bx          ; the next write is an index
        add dx, 6
        in al, dx
        mov dx, 3c0h
        mov al, ah
        out dx, al
        inc dx
        in al, dx
        stosb
        inc ah
        cmp ah, 21
        jb .attribute
        mov dx, bx
        add dx, 6
        in al, dx
        mov dx, 3c0h
        mov al, 20h             ; the screen is on again
        out dx, al
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
counts: db 1, 25, 9, 21, 0
        hexadecimal
values: times 64 db 0
