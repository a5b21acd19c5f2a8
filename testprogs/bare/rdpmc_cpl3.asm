; rdpmc_cpl3: RDPMC at CPL 3 with CR4.PCE clear (#GP), with it set, and with ECX = 2 (#GP), in one run; own GDT, IDT and TSS.
global start
section .text
%include "bare.inc"

CODE0 equ 08h
DATA0 equ 10h
CODE3 equ 18h | 3
DATA3 equ 20h | 3
TASK equ 28h
CR4_PCE equ 1 << 8
GP equ 13
SYSTEM equ 80h                  ; INT 80h at CPL 3: print EAX = 0: "read", 1: set CR4.PCE, 2: end

start:
        mov esp, stack_top
        mov eax, tss            ; the base of the TSS descriptor
        mov [gdt_tss + 2], ax
        shr eax, 16
        mov [gdt_tss + 4], al
        mov [gdt_tss + 7], ah
        lgdt [gdt_pointer]
        jmp CODE0:.flat
.flat:  mov ax, DATA0
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov dword [tss + 4], stack_top
        mov word [tss + 8], DATA0
        mov ax, TASK
        ltr ax

        mov eax, general_protection
        mov ebx, idt + GP * 8
        mov ecx, 8e00h          ; interrupt gate, DPL 0
        call set_gate
        mov eax, system_call
        mov ebx, idt + SYSTEM * 8
        mov ecx, 0ee00h         ; interrupt gate, DPL 3
        call set_gate
        lidt [idt_pointer]

        push dword DATA3        ; to CPL 3
        push dword user_stack_top
        push dword 3002h        ; EFLAGS with IOPL 3: the user code may write to ports E9h and F4h
        push dword CODE3
        push dword user
        iretd

set_gate:                       ; EAX: handler, EBX: gate, CX: type
        mov [ebx], ax
        mov word [ebx + 2], CODE0
        mov [ebx + 4], cx
        shr eax, 16
        mov [ebx + 6], ax
        ret

general_protection:             ; prints, and continues after the RDPMC (2 bytes)
        print "#GP(0)", 10
        add dword [esp + 4], 2
        add esp, 4
        iretd

system_call:                    ; sets CR4.PCE
        mov eax, cr4
        or eax, CR4_PCE
        mov cr4, eax
        iretd

user:
        mov ax, DATA3
        mov ds, ax
        mov es, ax
        print "CPL 3, PCE = 0, ECX = 0: "
        xor ecx, ecx
        rdpmc
        int SYSTEM
        print "CPL 3, PCE = 1, ECX = 2: "
        mov ecx, 2
        rdpmc
        print "CPL 3, PCE = 1, ECX = 1: "
        mov ecx, 1
        rdpmc
        print "read", 10
        finish 0

section .data
align 8
gdt:    dq 0
        dq 00cf9a000000ffffh    ; code, CPL 0, flat
        dq 00cf92000000ffffh    ; data
        dq 00cffa000000ffffh    ; code, CPL 3
        dq 00cff2000000ffffh    ; data
gdt_tss:
        dw 103, 0
        db 0, 89h, 0, 0
gdt_end:
gdt_pointer:
        dw gdt_end - gdt - 1
        dd gdt
idt_pointer:
        dw 129 * 8 - 1
        dd idt

section .bss
align 16
idt:    resb 129 * 8
tss:    resb 104
        resb 4096
stack_top:
        resb 4096
user_stack_top:
