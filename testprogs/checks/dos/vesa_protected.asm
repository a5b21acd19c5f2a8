; The routines of 4F0Ah, called in 32-bit protected mode: the window, the start and a colour that they set are returned by 4F05h, 4F07h and the
; DAC.
;! output
;! 0003 0028 0002 151F2A
org 100h
%include "dos.inc"
        mov bx, 101h
        mov ax, 4f02h
        int 10h
        xor bx, bx
        mov ax, 4f0ah
        int 10h
        cmp ax, 4fh
        jne quit
        xor eax, eax
        mov ax, es
        shl eax, 4
        movzx ebx, di
        add eax, ebx
        mov [routines], eax
        xor eax, eax
        mov ax, ds
        mov [back+2], ax
        shl eax, 4
        mov [base], eax
        mov ebx, eax
        mov [table+18h+2], ax   ; descriptor 18h is this segment, of 16 bits
        shr eax, 16
        mov [table+18h+4], al
        lea eax, [ebx+table]
        mov [pointer+2], eax
        lea eax, [ebx+flat]
        mov [entry], eax
        cli
        mov [stack], sp
        mov [stack+2], ss
        lgdt [pointer]
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp dword far [entry]
bits 32
flat:   mov ax, 10h
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov ebp, ebx            ; this segment
        lea esp, [ebp+0f000h]
        mov esi, [ebp+routines]
        movzx eax, word [esi]
        add eax, esi
        xor ebx, ebx
        mov edx, 3
        mov ax, 4f05h
        push esi
        movzx ecx, word [esi]
        add ecx, esi
        call ecx
        pop esi
        movzx eax, word [esi+2] ; the start: line 2, pixel 40 are byte 1320
        add eax, esi
        mov ecx, 1320/4
        xor edx, edx
        push esi
        call eax
        pop esi
        movzx eax, word [esi+4]
        add eax, esi
        mov ecx, 1
        mov edx, 7
        lea edi, [ebp+colour]
        call eax
        jmp 18h:leave16
bits 16
leave16: mov ax, 20h
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov eax, cr0
        and al, 0feh
        mov cr0, eax
        jmp far [cs:back]
real:   mov ax, cs
        mov ds, ax
        mov ss, [stack+2]
        mov sp, [stack]
        sti
        mov bx, 100h
        mov ax, 4f05h
        int 10h
        mov [values], dx
        mov bx, 1
        mov ax, 4f07h
        int 10h
        mov [values+2], cx
        mov [values+4], dx
        mov dx, 3c7h
        mov al, 7
        out dx, al
        mov dx, 3c9h
        in al, dx
        mov [values+6], al
        in al, dx
        mov [values+7], al
        in al, dx
        mov [values+8], al
        mov ax, 3
        int 10h
        mov si, values
        mov cx, 3
.next:  lodsw
        call hex4
        mov dl, ' '
        mov ah, 2
        int 21h
        loop .next
        mov cx, 3
.dac:   lodsb
        call hex2
        loop .dac
        call crlf
quit:   finish
        hexadecimal
pointer: dw 39
        dd 0
entry:  dd 0
        dw 8
back:   dw real, 0
base:   dd 0
routines: dd 0
stack:  dw 0, 0
values: times 9 db 0
colour: db 2ah, 1fh, 15h, 0
        align 8
table:  dq 0, 00cf9a000000ffffh, 00cf92000000ffffh, 00009a000000ffffh, 000092000000ffffh
