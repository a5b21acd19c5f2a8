; A Multiboot 2 kernel that is loaded by the addresses of its header. Checks the machine state of section 3.3 and the boot information of
; section 3.6 of the specification; prints the command line and the module's string and first line. Fails with the number of a check.
        bits 32
        org 100000h
header: dd 0e85250d6h, 0, header_end - header, -(0e85250d6h + header_end - header)
        dw 1, 0                 ; requests command line, modules, memory, map and screen
        dd 28
        dd 1, 3, 4, 6, 8
        dd 0                    ; padding
        dw 2, 0                 ; addresses
        dd 24
        dd header, header, image_end, bss_end
        dw 3, 0                 ; entry
        dd 12
        dd start, 0
        dw 5, 1                 ; text mode, optional
        dd 20
        dd 80, 25, 0, 0
        dw 77, 1                ; an optional feature that does not exist
        dd 8
        dw 0, 0
        dd 8
header_end:

%macro require 2                ; number, condition under which it holds
        mov edi, %1
        j%-2 fail
%endmacro

start:  cmp eax, 36d76289h
        require 1, e
        mov esp, stack_top
        mov eax, cr0
        and eax, 80000001h      ; protected, paging off
        cmp eax, 1
        require 2, e
        test ebx, 7
        require 3, z
        cmp ebx, bss_end        ; after the kernel
        require 4, ae
        cmp dword [bss], 0
        require 5, e
        mov ebp, [ebx]          ; end of the information
        add ebp, ebx
        add ebx, 8
.tag:   mov eax, [ebx]
        test eax, eax
        jz end
        cmp eax, 31
        require 6, b
        bts [seen], eax
        lea esi, [ebx + 8]
        cmp eax, 1
        je .text
        cmp eax, 3
        je .module
        cmp eax, 4
        je .memory
        cmp eax, 6
        je .map
        cmp eax, 8
        je .screen
.next:  mov eax, [ebx + 4]
        add eax, 7
        and eax, -8
        add ebx, eax
        cmp ebx, ebp
        require 7, b
        jmp .tag
.text:  call print
        jmp .next
.module:
        lea esi, [ebx + 16]
        call print
        mov esi, [ebx + 8]
        test esi, 0fffh
        require 8, z
        mov ecx, [ebx + 12]
        sub ecx, esi
        mov dx, 0e9h
        rep outsb
        jmp .next
.memory:
        cmp dword [ebx + 8], 640
        require 9, e
        cmp dword [ebx + 12], 15 * 1024
        require 10, e
        jmp .next
.map:   cmp dword [ebx + 8], 24 ; bytes of an entry
        require 11, e
        mov ecx, [ebx + 4]
        lea ecx, [ebx + ecx]
        lea esi, [ebx + 16]
        xor edx, edx
.entry: cmp dword [esi + 16], 1 ; RAM
        jne .other
        add edx, [esi + 8]
.other: add esi, 24
        cmp esi, ecx
        jb .entry
        cmp edx, 15 * 100000h + 640 * 1024
        require 12, e
        jmp .next
.screen:
        cmp dword [ebx + 8], 0b8000h
        require 13, e
        cmp byte [ebx + 29], 2  ; text
        require 14, e
        jmp .next

end:    cmp dword [ebx + 4], 8
        require 15, e
        add ebx, 8
        cmp ebx, ebp
        require 16, e
        and dword [seen], 15ah
        cmp dword [seen], 15ah
        require 17, e
        cmp word [413h], 640    ; the BIOS data area
        require 18, e
        xor edi, edi
fail:   mov eax, edi
        out 0f4h, al
        hlt

print:  mov dx, 0e9h
.next:  lodsb
        test al, al
        jz .done
        out dx, al
        jmp .next
.done:  mov al, 10
        out dx, al
        ret

seen:   dd 0
image_end:
        absolute $
bss:    resd 1
        alignb 16
        resb 1024
stack_top:
bss_end:
