; The linear frame buffer: bytes written there, from unreal mode, are read in the windows, and the other way round.
;! output
;! 11 22 33 44
org 100h
%include "dos.inc"
        mov di, block
        mov cx, 101h
        mov ax, 4f01h
        int 10h
        mov edi, [block+40]
        mov bx, 4101h
        mov ax, 4f02h
        int 10h
        xor eax, eax
        mov ax, ds
        shl eax, 4
        add eax, table
        mov [pointer+2], eax
        cli
        push ds
        lgdt [pointer]
        mov eax, cr0
        inc ax
        mov cr0, eax
        jmp .in
.in:    mov bx, 8
        mov ds, bx
        dec ax
        mov cr0, eax
        jmp .out
.out:   xor bx, bx
        mov ds, bx
        mov dword [edi+12345h], 44332211h
        mov al, [edi+12346h]
        pop ds
        sti
        mov [seen], al
        xor bx, bx
        mov dx, 1
        mov ax, 4f05h
        int 10h
        push 0a000h
        pop es
        mov eax, [es:2345h]
        mov [value], eax
        mov ax, 3
        int 10h
        mov si, value
        mov cx, 4
.next:  lodsb
        call hex2
        cmp cx, 1
        je .last
        mov dl, ' '
        mov ah, 2
        int 21h
        loop .next
.last:  cmp byte [seen], 22h
        jne .next
        call crlf
        finish
        hexadecimal
pointer: dw 15
        dd 0
table:  dq 0, 00cf92000000ffffh
value:  dd 0
seen:   db 0
block:
