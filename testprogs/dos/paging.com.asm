; paging.com: runs the real-mode image in protected mode with paging, with code breakpoints set but disabled. A loop accesses more pages
; than the TLBs hold, and changes page table entries and the directory without flushing the TLBs.
bits 16
org 100h
%include "dos.inc"
CODE equ 08h
DATA equ 10h
DIRECTORY equ 40000h            ; tables and data: memory that DOS has allocated to this program
TABLES equ 41000h               ; two for the same 4 MB
FAR_PAGES equ 800000h           ; linear: pages by the tables
FRAMES equ 50000h

start:  xor eax, eax
        mov ax, cs
        mov [real_segment], ax
        shl eax, 4
        mov [gdt + CODE + 2], ax
        mov [gdt + DATA + 2], ax
        shr eax, 16
        mov [gdt + CODE + 4], al
        mov [gdt + DATA + 4], al
        xor eax, eax
        mov ax, cs
        shl eax, 4
        add eax, gdt
        mov [gdt_pointer + 2], eax
        cli
        lgdt [gdt_pointer]
        xor eax, eax
        mov dr0, eax
        mov dr1, eax
        xor ebx, ebx
        mov bx, cs
        shl ebx, 4
        lea eax, [ebx + watched] ; an instruction of the loop
        mov dr2, eax
        mov eax, 400h
        mov dr7, eax
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp CODE:.protected
.protected:
        mov ax, DATA
        mov ds, ax
        mov ax, FLAT
        mov es, ax
        cld
        mov edi, DIRECTORY
        xor eax, eax
        mov ecx, 1024
        a32 rep stosd
        mov dword [es:dword DIRECTORY], 87h ; the first 4 MB as they are, in a large page
        mov dword [es:dword DIRECTORY + (FAR_PAGES >> 20)], TABLES + 7
        mov edi, TABLES
        mov ecx, 2048           ; page n of both is frame n modulo 16
        xor ebx, ebx
.fill:  mov eax, ebx
        and eax, 15
        shl eax, 12
        add eax, FRAMES + 7
        a32 stosd
        inc ebx
        loop .fill
        mov eax, cr4
        or al, 10h              ; PSE
        mov cr4, eax
        mov eax, DIRECTORY
        mov cr3, eax
        mov eax, cr0
        or eax, 80000000h
        mov cr0, eax
        mov edx, 40
.round: xor ecx, ecx
.page:  mov eax, ecx
        shl eax, 12
        mov ebx, [es:eax + FAR_PAGES] ; walked, as there are 150 of them
        add [es:eax + FAR_PAGES + 40], ecx
        add [sum], ebx
        xor dword [es:ecx * 4 + TABLES], 1000h ; another frame, from the next walk on
watched:                        ; DR2
        test cl, 31
        jnz start.same
        xor dword [es:dword DIRECTORY + (FAR_PAGES >> 20)], 3000h ; the other table, at 42000h
start.same:  or dword [es:ecx * 4 + TABLES + 4], 20h
        inc ecx
        cmp ecx, 150
        jne start.page
        dec edx
        jnz start.round
        mov eax, cr0
        and eax, 7fffffffh
        mov cr0, eax
        xor ecx, ecx
        mov cr3, ecx
        mov ax, DATA            ; limits of 64 KB for real mode
        mov es, ax
        mov eax, cr0
        and al, 0feh
        mov cr0, eax
        jmp word 0:.real        ; the segment is put in at the start
real_segment equ $ - 2
.real:  mov ax, cs
        mov ds, ax
        mov es, ax
        mov ss, ax
        sti
        finish 0
FLAT equ 18h
align 8
gdt:    dq 0
        dw 0ffffh, 0, 9a00h, 0
        dw 0ffffh, 0, 9200h, 0
        dw 0ffffh, 0, 9200h, 00cfh
gdt_pointer:
        dw $ - gdt - 1
        dd 0
sum:    dd 0
