; A Multiboot kernel with addresses in its header, a module and a command line. Checks the machine state of section 3.2 and the
; boot information of section 3.3 of the specification; prints the command line and the module's string and first line.
        bits 32
        org 100000h
FLAGS   equ 10007h              ; page-aligned modules, memory information, video mode, addresses
header: dd 1badb002h, FLAGS, -(1badb002h + FLAGS)
        dd header, header, image_end, bss_end, start
        dd 1, 80, 25, 0         ; text mode

%macro require 2                ; number, condition under which it holds
        mov edi, %1
        j%-2 fail
%endmacro

start:  cmp eax, 2badb002h
        require 1, e
        mov esp, stack_top
        mov eax, cr0
        and eax, 80000001h      ; protected, paging off
        cmp eax, 1
        require 2, e
        pushfd
        pop eax
        test ax, 200h
        require 3, z
        cmp dword [bss], 0
        require 4, e
        mov eax, [ebx]
        and eax, 24dh           ; memory, command line, modules, map, loader name
        cmp eax, 24dh
        require 5, e
        cmp dword [ebx + 4], 640
        require 6, e
        cmp dword [ebx + 8], 15 * 1024
        require 7, e
        cmp dword [ebx + 20], 1
        require 8, e
        mov esi, [ebx + 16]
        call print
        mov ebp, [ebx + 24]
        mov esi, [ebp + 8]
        call print
        mov esi, [ebp]
        test esi, 0fffh
        require 9, z
        cmp esi, bss_end        ; after the kernel
        require 10, ae
        mov ecx, [ebp + 4]
        sub ecx, esi
        mov dx, 0e9h
        rep outsb
        mov esi, [ebx + 48]     ; the map: RAM from 0 and from 1 MB
        mov ecx, [ebx + 44]
        xor edx, edx
.entry: cmp dword [esi + 20], 1
        jne .next
        add edx, [esi + 12]
.next:  mov eax, [esi]
        add eax, 4
        add esi, eax
        sub ecx, eax
        ja .entry
        cmp edx, 640 * 1024 + 15 * 1024 * 1024
        require 11, e
        test dword [ebx], 1000h ; the screen: 80 x 25 characters at B8000h
        require 12, nz
        cmp dword [ebx + 88], 0b8000h
        require 13, e
        cmp dword [ebx + 100], 80
        require 14, e
        cmp byte [ebx + 109], 2
        require 15, e
        cmp word [413h], 640    ; the BIOS data area: KB of memory, CRT controller, columns
        require 16, e
        cmp word [463h], 3d4h
        require 17, e
        cmp word [44ah], 80
        require 18, e
        xor edi, edi
fail:   mov eax, edi
        out 0f4h, eax
        hlt
print:  mov dx, 0e9h
.next:  lodsb
        test al, al
        jz .end
        out dx, al
        jmp .next
.end:   mov al, 10
        out dx, al
        ret
image_end:
bss     equ image_end
stack_top equ bss + 4096
bss_end equ stack_top
