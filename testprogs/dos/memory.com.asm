; memory.com: allocates blocks by INT 21h AH = 48h-4Ah and extended memory by XMS, and moves data there and back.
bits 16
org 100h
%include "dos.inc"
%include "check.inc"
        mov sp, stack_top
        mov bx, (stack_top - $$ + 100h + 15) / 16
        int21 4ah               ; the program keeps what it needs
        expect jnc
        mov bx, 0ffffh
        int21 48h
        expect jc
        cmp ax, 8
        expect je
        mov [largest], bx
        cmp bx, 8000h           ; 512 KB at least
        expect ja
        int21 48h               ; all of it
        expect jnc
        mov es, ax
        mov word [es:0], 1234h
        mov bx, 100h
        int21 4ah               ; 4 KB of it
        expect jnc
        mov bx, 200h
        int21 48h
        expect jnc
        mov dx, es
        add dx, 101h            ; after the first
        cmp ax, dx
        expect je
        mov di, ax
        int21 49h               ; of ES
        expect jnc
        mov es, di
        int21 49h
        expect jnc
        int21 49h               ; freeing twice is allowed, a wrong segment is not
        mov ax, 1
        mov es, ax
        int21 49h
        expect jc
        cmp ax, 9
        expect je
        mov bx, 0ffffh
        int21 48h
        cmp bx, [largest]
        expect je

        mov ax, 4300h
        int 2fh
        cmp al, 80h
        expect je
        mov ax, 4310h
        int 2fh
        mov [xms], bx
        mov [xms + 2], es
        mov ah, 88h             ; the XMS driver owns all memory; only newer functions report it
        int 15h
        expect jnc
        cmp ax, 0
        expect je
        mov ax, 0e801h
        int 15h
        expect jnc
        cmp ax, 15 * 1024
        expect je
        mov ah, 8
        call far [xms]
        mov [largest], dx
        mov dx, 64              ; KB
        mov ah, 9
        call far [xms]
        cmp ax, 1
        expect je
        mov [to_handle], dx
        mov ah, 8
        call far [xms]
        add dx, 64
        cmp dx, [largest]
        expect je
        mov word [from_offset], digits
        mov [from_offset + 2], ds
        mov dword [to_offset], 1000
        mov si, move
        mov ah, 0bh
        call far [xms]
        cmp ax, 1
        expect je
        mov dx, [to_handle]     ; back to another place
        mov [from_handle], dx
        mov word [to_handle], 0
        mov dword [from_offset], 1000
        mov word [to_offset], text
        mov [to_offset + 2], ds
        mov si, move
        mov ah, 0bh
        call far [xms]
        cmp ax, 1
        expect je
        cmp dword [text + 6], '6789'
        expect je
        mov dword [from_offset], 65530 ; ends after the block
        mov ah, 0bh
        mov si, move
        call far [xms]
        cmp ax, 0
        expect je
        cmp bl, 0a4h
        expect je
        mov dx, [from_handle]
        mov ah, 0ah
        call far [xms]
        cmp ax, 1
        expect je
        mov dx, [from_handle]
        mov ah, 0ah
        call far [xms]
        cmp bl, 0a2h
        expect je
        print "memory is in order", 13, 10
        finish 0
xms:    dd 0
largest: dw 0
digits: db '0123456789'
move:   dd 10
from_handle: dw 0
from_offset: dd 0
to_handle: dw 0
to_offset: dd 0
        routine_failed
        routine_print_decimal
text:   times 16 db 0
        times 256 db 0
stack_top:
