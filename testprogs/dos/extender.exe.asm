; extender.exe: a small DOS extender: memory by XMS, A20, its own GDT and IDT, protected mode with paging off. Its 32-bit part counts
; ticks of the 8254 in its own interrupt handler and switches to real mode to call DOS.
bits 16
%include "mz.inc"
%include "dos.inc"

CODE16 equ 08h                  ; real mode's segments as descriptors
DATA16 equ 10h
CODE32 equ 18h                  ; flat
DATA32 equ 20h

start:  mov ax, 0
relocated:
        mov ds, ax
        mov [real_segment], ax
        mov ax, 1687h           ; a host of DPMI? Then this would not be needed
        int 2fh
        test ax, ax
        jz no
        mov ax, 4300h
        int 2fh
        cmp al, 80h
        jne no
        mov ax, 4310h
        int 2fh
        mov [xms], bx
        mov [xms + 2], es
        mov ah, 5               ; A20
        call far [xms]
        dec ax
        jnz no
        mov dx, 256             ; KB
        mov ah, 9
        call far [xms]
        dec ax
        jnz no
        mov [handle], dx
        mov ah, 0ch
        call far [xms]
        mov [block], bx
        mov [block + 2], dx
        jmp protect
no:     print "no XMS", 13, 10
        finish 1

protect:
        xor eax, eax
        mov ax, cs
        shl eax, 4
        mov [base], eax
        mov [gdt + CODE16 + 2], ax
        mov [gdt + DATA16 + 2], ax
        shr eax, 16
        mov [gdt + CODE16 + 4], al
        mov [gdt + DATA16 + 4], al
        mov eax, [base]
        add eax, gdt
        mov [gdt_pointer + 2], eax
        mov eax, [base]
        add eax, idt
        mov [idt_pointer + 2], eax
        mov eax, [base]
        add eax, tick
        mov [idt + 8 * 8], ax
        shr eax, 16
        mov [idt + 8 * 8 + 6], ax
        mov eax, [base]
        add eax, flat
        mov [entry], eax
        mov eax, [block]
        add eax, 40000h
        mov [stack_place], eax
        cli
        mov [real_sp], sp
        mov [real_ss], ss
        lgdt [gdt_pointer]
        lidt [idt_pointer]
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp dword far [entry]

bits 32
flat:   mov ax, DATA32
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov esp, 0              ; filled in: where the stack is to be
stack_place equ $ - 4
        call here
here:   pop ebp
        sub ebp, here           ; the image's linear address
        mov edi, [ebp + block]
        ; the block is really there: fill 256 KB less the stack and read it back
        mov ecx, 30000h / 4
        mov eax, ecx
        push edi
        rep stosd
        pop edi
        mov edx, 0
        mov ecx, 30000h / 4
.sum:   add edx, [edi + ecx * 4 - 4]
        dec ecx
        jnz .sum
        mov eax, 30000h / 4
        imul eax, eax
        cmp eax, edx
        jne .back
        sti
.wait:  hlt
        cmp dword [ebp + ticks], 3
        jb .wait
        cli
.back:  jmp CODE16:to_real

tick:   push eax
        push ebp
        call .here
.here:  pop ebp
        sub ebp, .here
        inc dword [ebp + ticks]
        mov al, 20h
        out 20h, al
        pop ebp
        pop eax
        iretd

bits 16
to_real:
        mov ax, DATA16
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov eax, cr0
        and al, 0feh
        mov cr0, eax
        jmp far [cs:real_entry]
real:   mov ax, [cs:real_segment]
        mov ds, ax
        mov ss, [real_ss]
        mov sp, [real_sp]
        lidt [real_idt]
        sti
        mov eax, [ticks]
        call print_decimal
        print " ticks in protected mode", 13, 10
        mov dx, [handle]
        mov ah, 0dh
        call far [xms]
        mov dx, [handle]
        mov ah, 0ah
        call far [xms]
        dec ax
        jnz no
        finish 0
        routine_print_decimal
align 8
gdt:    dq 0
        dq 00009a000000ffffh
        dq 000092000000ffffh
        dq 00cf9a000000ffffh
        dq 00cf92000000ffffh
gdt_end:
idt:    times 8 dq 0
        dw 0, CODE32, 8e00h, 0
idt_end:
gdt_pointer:
        dw gdt_end - gdt - 1
        dd 0
idt_pointer:
        dw idt_end - idt - 1
        dd 0
real_idt:
        dw 3ffh
        dd 0
entry:  dd 0
        dw CODE32
real_entry:
        dw real
real_segment:
        dw 0
xms:    dd 0
handle: dw 0
block:  dd 0
base:   dd 0
ticks:  dd 0
real_ss: dw 0
real_sp: dw 0
        mz_end
