; Clocks of a store to video memory that follows others: 8 bus clocks of the PCI transfer and an idle one, at 3 core clocks each.
;! options --model p55c-200
;! dosbox it has no such clocks
;! output
;! 27
org 100h
%include "dos.inc"
        mov ax, 13h
        int 10h
        push 0a000h
        pop es
        xor di, di
        mov cx, 1000
        cld
        mov eax, 01020304h
        rep stosd               ; all in the caches, and the write buffers full
        mov cx, 1000
        rdtsc
        mov ebx, eax
.next:  mov [es:di], ecx
        dec cx
        jnz .next
        rdtsc
        sub eax, ebx
        add eax, 500
        xor edx, edx
        mov ebx, 1000
        div ebx
        push ax
        mov ax, 3
        int 10h
        pop ax
        aam
        add ax, '00'
        push ax
        mov dl, ah
        mov ah, 2
        int 21h
        pop dx
        mov ah, 2
        int 21h
        mov dl, 10
        int 21h
        finish
