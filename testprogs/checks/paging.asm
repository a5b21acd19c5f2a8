; Page faults: error code, CR2 and EIP of reads, writes, fetches (also when only the second page of an instruction is missing), by level,
; with and without CR0.WP; references that cross a page; deliveries whose stack or gate is not there; then what INVD loses, what WBINVD
; keeps, and A20.
%include "system.inc"
gate_entry equ 0
P equ 1
W equ 2
U equ 4
CR0_WP equ 1 << 16
directory equ 10000h
table equ 11000h
%define PTE(a) dword [table + ((a) >> 12) * 4]
%macro page 2                   ; address, entry
        mov PTE(%1), %2
        invlpg [%1]
%endmacro
; where the cases look
SPOT equ 20000h

start:  call boot
        mov dword [directory], table | P | W | U
        mov eax, P | W | U
        mov edi, table
        mov ecx, 1024
.fill:  stosd
        add eax, 1000h
        loop .fill
        mov eax, directory
        mov cr3, eax
        mov eax, cr0
        or eax, 80000000h | CR0_WP
        mov cr0, eax

        page SPOT, 0
        begin_case
.a1:    mov eax, [SPOT + 12h]
        end_case PF, 0, .a1
        is dword [seen.cr2], SPOT + 12h
        begin_case
.a2:    mov [SPOT], al
        end_case PF, W, .a2
        begin_case
        at_user
.a3:    mov al, [ss:SPOT]
        end_case PF, U, .a3
        page SPOT, SPOT | P
        begin_case
        at_user
.a4:    mov al, [ss:SPOT]
        end_case PF, U | P, .a4
        begin_case
.a5:    mov [SPOT + 8], al                        ; WP: not for level 0 either
        end_case PF, W | P, .a5
        is dword [seen.cr2], SPOT + 8
        mov eax, cr0
        and eax, ~CR0_WP
        mov cr0, eax
        begin_case
        mov [SPOT + 8], al
        end_case NONE, 0, 0
        mov eax, cr0
        or eax, CR0_WP
        mov cr0, eax
        page SPOT, SPOT | P | U
        begin_case
        at_user
.a6:    mov [ss:SPOT], al
        end_case PF, U | W | P, .a6
        page SPOT, SPOT | P | W | U
        page SPOT + 1000h, 0
        begin_case                              ; across the end of a page: nothing is written
        mov dword [SPOT + 0ffch], 12345678h
        mov eax, -1
.a7:    mov [SPOT + 0ffeh], eax
        end_case PF, W, .a7
        is dword [seen.cr2], SPOT + 1000h
        is dword [SPOT + 0ffch], 12345678h
        begin_case                              ; a string stops in the iteration that faults
        mov esi, gdt
        mov edi, SPOT + 0ff0h
        mov ecx, 100
        cld
.a8:    rep movsd
        end_case PF, W, .a8
        is edi, SPOT + 1000h
        is dword [seen.ecx], 96
        ; ---- fetches
        begin_case
        jmp CODE0:SPOT + 1000h
        end_case PF, 0, SPOT + 1000h
        is dword [seen.cr2], SPOT + 1000h
        mov dword [SPOT + 0ff8h], 90909090h       ; four NOPs, then MOV EAX, imm32 of which a byte lies after the end
        mov dword [SPOT + 0ffch], 345678b8h
        begin_case
        jmp CODE0:SPOT + 0ff8h
        end_case PF, 0, SPOT + 0ffch
        is dword [seen.cr2], SPOT + 1000h
        mov dword [SPOT + 0ffch], 90909090h       ; code runs into the page
        begin_case
        jmp CODE0:SPOT + 0ff8h
        end_case PF, 0, SPOT + 1000h
        page SPOT, SPOT | P
        begin_case
        at_user
        push dword SPOT + 0ff8h
        ret
        end_case PF, U | P, SPOT + 0ff8h
        page SPOT, SPOT | P | W | U
        ; ---- on the way to a handler: #PF inside #UD is a fault of its own, with the EIP of the #UD
        page SPOT, 0
        mov dword [tss0 + 4], SPOT + 800h
        vector UD, stubs + UD * STUB_BYTES, 08eh
        vector PF, pf_level1, 08eh, CODE1       ; which has a stack
        begin_case
        at_user
.b1:    ud2
        end_case PF, W, .b1
        is dword [seen.cr2], SPOT + 7fch
        page SPOT, SPOT | P | W | U
        mov dword [tss0 + 4], FAULT_STACK
        vector PF, stubs + PF * STUB_BYTES, 08eh
        begin_case                              ; and it can be done again
        at_user
.b2:    ud2
        end_case UD, 0, .b2
        page 5000h, 0                           ; the IDT in a page that is not there
        mov eax, [idt + PF * 8]
        mov [5000h - 60h * 8 + PF * 8], eax
        mov eax, [idt + PF * 8 + 4]
        mov [5000h - 60h * 8 + PF * 8 + 4], eax
        lidt [far_idt]
        begin_case                              ; vector 14's gate is there, that of the INT is not
.b3:    int 60h
        end_case PF, 0, .b3
        lidt [idt_register]
        page 5000h, 5000h | P | W | U
        ; ---- accessed and dirty, 4 MB pages, stale translations
        page SPOT, SPOT | P | W | U
        mov eax, PTE(SPOT)
        and eax, 60h
        is eax, 0
        mov al, [SPOT]
        mov eax, PTE(SPOT)
        and eax, 60h
        is eax, 20h
        mov [SPOT], al
        mov eax, PTE(SPOT)
        and eax, 60h
        is eax, 60h
        mov eax, cr4
        or al, 10h
        mov cr4, eax
        mov dword [directory + 4], 83h          ; 4 MB to 8 MB are 0 to 4 MB
        mov dword [SPOT + 4], 0cafe1234h
        is dword [400000h + SPOT + 4], 0cafe1234h
        mov dword [directory + 4], 83h | 1000h  ; a reserved bit
        mov eax, cr3
        mov cr3, eax
        begin_case
.c1:    mov al, [400000h]
        end_case PF, 9, .c1                     ; RSVD, P
        mov dword [directory + 4], 0
        mov eax, cr0
        and eax, 7fffffffh
        mov cr0, eax
        ; ---- INVD loses what only the data cache has, WBINVD writes it back first
        wbinvd
        mov dword [SPOT], 11111111h               ; a miss: to memory
        mov eax, [SPOT]                           ; the line is in the cache
        mov dword [SPOT], 22222222h               ; E or M: memory has the old value
        mov dword [SPOT], 33333333h
        invd
        mov eax, [SPOT]
        cmp eax, 33333333h
        jne .lost
        begin_case
        end_case 1, 0, 0                        ; fails
.lost:  mov eax, [SPOT]
        mov dword [SPOT], 44444444h
        mov dword [SPOT], 55555555h
        wbinvd
        invd
        is dword [SPOT], 55555555h
        ; ---- A20 off: 1 MB is 0
        mov dword [5ff0h], 11223344h
        mov dword [105ff0h], 55667788h
        wbinvd
        in al, 92h
        and al, ~2
        out 92h, al
        is dword [105ff0h], 11223344h
        in al, 92h
        or al, 2
        out 92h, al
        is dword [105ff0h], 55667788h
        finish

pf_level1:
        mov ax, DATA3
        mov ds, ax
        mov dword [seen.vector], PF
        mov eax, [esp]
        mov [seen.code], eax
        mov eax, [esp + 4]
        mov [seen.eip], eax
        mov dword [tss0 + 4], FAULT_STACK
        vector 50h, back0, 0eeh
        int 50h
back0:  mov ax, DATA0
        mov ds, ax
        mov ss, ax
        mov esp, [saved_esp]
        mov eax, cr2
        mov [seen.cr2], eax
        jmp [resume]

        align 4
far_idt: dw 256 * 8 - 1
        dd 5000h - 60h * 8                      ; vectors up to 5Fh lie in the page below
