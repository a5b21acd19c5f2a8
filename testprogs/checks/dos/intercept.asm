; The BIOS calls INT 15h AH = 4Fh with each byte of the keyboard. A hook may change AL, or drop the byte with carry clear (IBM's PS/2 and PC BIOS
; interface technical reference). Here it makes B of A, and drops X.
;! dosbox nobody types there
;! options --keys axc
;! output
;! 16 3062
;! 16 2E63
;! bytes 0005
org 100h
%include "dos.inc"
%include "report.inc"
        mov ax, 3515h
        int 21h
        mov [old], bx
        mov [old + 2], es
        mov dx, hook
        mov ax, 2515h
        int 21h
        mov ah, 0
        int 16h
        report "16", ax
        mov ah, 0
        int 16h
        report "16", ax
        mov ax, [bytes]
        report "bytes", ax
        push ds
        lds dx, [old]
        mov ax, 2515h
        int 21h
        pop ds
        finish
hook:   cmp ah, 4fh
        je .key
        jmp far [cs:old]
.key:   inc word [cs:bytes]
        push bx
        mov bl, al
        and bl, 7fh
        cmp bl, 2dh
        je .drop
        cmp bl, 1eh
        jne .pass
        add al, 30h - 1eh
.pass:  pop bx
        stc
        retf 2
.drop:  pop bx
        clc
        retf 2
bytes:  dw 0
old:    dd 0
        hexadecimal
        reports
