; Which of RDPMC, RDTSC, RDMSR, WRMSR fault: every mode and privilege level, every setting of CR4.TSD and CR4.PCE, ECX on and
; around every register of every monitor.
; Prints two bytes per case to port E9h, vector (40h = no fault) and low byte of the error code, in the order
;   for CR4 in 0, TSD (and PCE, PCE + TSD on a processor with MMX)
;     for mode in real, V86, CPL 0, 1, 2, 3
;       for instruction in RDPMC, RDTSC, RDMSR, WRMSR
;         for ECX in 0 to 14h, C0h to C5h, 185h to 18Ah, 308h to 30Ch, 38Ch to 391h, 40000000h to 40000003h, 80000000h, FFFFFFFFh
; then ends the machine with status 1. Flat image at 8000h; all of it lies below 64 KB, so that real mode reaches it with segment 0.
        org 8000h

SELECTOR_CODE0  equ 08h
SELECTOR_DATA0  equ 10h
SELECTOR_TSS    equ 48h
SELECTOR_CODE16 equ 50h
SELECTOR_DATA16 equ 58h
STACK           equ 7000h
STACK_FAULT     equ 6800h       ; for faults from the other rings
STACK_OTHER     equ 6000h       ; of the other rings, V86, real mode
NO_FAULT        equ 40h
FLAGS           equ 3002h       ; IOPL 3

        bits 32
start:  mov esp, STACK
        lgdt [gdt_register]
        jmp SELECTOR_CODE0:.loaded
.loaded:
        call load_data
        mov ecx, idt_end - idt  ; all vectors but three have no gate
        mov edi, idt
        xor eax, eax
        rep stosb
        mov edi, idt + 6 * 8
        mov eax, fault_6
        mov ecx, 8e00h
        call set_gate
        mov edi, idt + 13 * 8
        mov eax, fault_13
        call set_gate
        mov edi, idt + NO_FAULT * 8
        mov eax, fault_none
        mov ecx, 0ee00h         ; DPL 3
        call set_gate
        lidt [idt_register]
        mov dword [tss + 4], STACK_FAULT
        mov dword [tss + 8], SELECTOR_DATA0
        mov word [tss + 102], 104
        mov eax, SELECTOR_TSS
        ltr ax
        mov word [6 * 4], real_6        ; the real-mode vector table
        mov word [6 * 4 + 2], 0
        mov word [13 * 4], real_13
        mov word [13 * 4 + 2], 0
        mov word [NO_FAULT * 4], real_none
        mov word [NO_FAULT * 4 + 2], 0
        mov eax, 1
        cpuid
        mov dword [settings], 2
        test edx, 1 << 23
        jz .each_cr4
        mov dword [settings], 4

.each_cr4:
        mov eax, [setting]
        mov eax, [cr4_values + eax * 4]
        mov cr4, eax
        mov dword [mode], 0
.each_mode:
        mov dword [instruction], 0
.each_instruction:
        mov dword [value], 0
.each_value:
        call run
        mov al, [vector]
        out 0e9h, al
        mov al, [error_code]
        out 0e9h, al
        inc dword [value]
        cmp dword [value], (values_end - values) / 4
        jb .each_value
        inc dword [instruction]
        cmp dword [instruction], 4
        jb .each_instruction
        inc dword [mode]
        cmp dword [mode], 6
        jb .each_mode
        inc dword [setting]
        mov eax, [setting]
        cmp eax, [settings]
        jb .each_cr4
        xor eax, eax
        out 0f4h, al
        jmp $

set_gate:                       ; EDI gate, EAX handler, ECX type
        mov [edi], ax
        mov word [edi + 2], SELECTOR_CODE0
        mov [edi + 4], cx
        shr eax, 16
        mov [edi + 6], ax
        ret

load_data:
        mov eax, SELECTOR_DATA0
        mov ds, eax
        mov es, eax
        mov fs, eax
        mov gs, eax
        mov ss, eax
        ret

; Runs one case; returns through fault_*.
run:    mov [kernel_esp], esp
        mov byte [vector], 0
        mov byte [error_code], 0
        mov eax, [instruction]
        mov ebx, [stubs + eax * 4]
        mov eax, [value]
        mov ecx, [values + eax * 4]
        xor edx, edx
        mov esi, [mode]
        xor eax, eax
        cmp esi, 0
        je enter_real
        cmp esi, 1
        je enter_v86
        sub esi, 2
        jnz enter_ring
        jmp ebx                 ; CPL 0

enter_ring:                     ; ESI = 1, 2, 3: selectors lie 10h apart
        mov edi, esi
        shl edi, 4
        add edi, esi
        lea ebp, [edi + SELECTOR_DATA0]
        push ebp
        push dword STACK_OTHER
        push dword FLAGS
        lea ebp, [edi + SELECTOR_CODE0]
        push ebp
        push ebx
        iretd

enter_v86:
        push dword 0            ; GS FS DS ES
        push dword 0
        push dword 0
        push dword 0
        push dword 0            ; SS
        push dword STACK_OTHER
        push dword FLAGS | 1 << 17
        push dword 0            ; CS
        push ebx
        iretd

fault_6:
        mov dword [ss:vector], 6
        jmp back
fault_13:
        mov dword [ss:vector], 13
        pop eax
        mov [ss:error_code], eax
        jmp back
fault_none:
        mov dword [ss:vector], NO_FAULT
back:   call load_data
        mov esp, [kernel_esp]
        ret

enter_real:
        jmp SELECTOR_CODE16:.code16
        bits 16
.code16:
        mov ax, SELECTOR_DATA16
        mov ds, ax
        mov es, ax
        mov ss, ax
        lidt [real_idt_register]
        mov eax, cr0
        and al, 0feh
        mov cr0, eax
        jmp 0:.real
.real:  xor ax, ax
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov sp, STACK_OTHER
        xor eax, eax
        jmp bx
real_6: mov dword [vector], 6
        jmp real_back
real_13:
        mov dword [vector], 13
        jmp real_back
real_none:
        mov dword [vector], NO_FAULT
real_back:
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp dword SELECTOR_CODE0:.protected
        bits 32
.protected:
        mov eax, SELECTOR_DATA0 ; no CALL before SS is right again
        mov ss, eax
        mov esp, [ss:kernel_esp]
        mov ds, eax
        mov es, eax
        lidt [idt_register]
        ret

; The same bytes in 16- and 32-bit code.
stub_rdpmc: db 0fh, 33h, 0cdh, NO_FAULT
stub_rdtsc: db 0fh, 31h, 0cdh, NO_FAULT
stub_rdmsr: db 0fh, 32h, 0cdh, NO_FAULT
stub_wrmsr: db 0fh, 30h, 0cdh, NO_FAULT

        align 8
stubs:  dd stub_rdpmc, stub_rdtsc, stub_rdmsr, stub_wrmsr
%macro range 2
%assign n %1
%rep (%2) - (%1) + 1
        dd n
%assign n n + 1
%endrep
%endmacro
values: range 0, 14h
        range 0c0h, 0c5h
        range 185h, 18ah
        range 308h, 30ch
        range 38ch, 391h
        range 40000000h, 40000003h
        dd 80000000h, 0ffffffffh
values_end:
cr4_values: dd 0, 4, 100h, 104h
settings: dd 0
setting: dd 0
mode:   dd 0
instruction: dd 0
value:  dd 0
vector: dd 0
error_code: dd 0
kernel_esp: dd 0

        align 8
gdt:    dq 0
        dq 00cf9b000000ffffh    ; 08h code, CPL 0
        dq 00cf93000000ffffh    ; 10h data
        dq 00cfbb000000ffffh    ; 18h CPL 1
        dq 00cfb3000000ffffh
        dq 00cfdb000000ffffh    ; 28h CPL 2
        dq 00cfd3000000ffffh
        dq 00cffb000000ffffh    ; 38h CPL 3
        dq 00cff3000000ffffh
        dw 103, tss, 8900h, 0   ; 48h TSS, below 64 KB
        dq 00009b000000ffffh    ; 50h 16-bit code
        dq 000093000000ffffh    ; 58h 16-bit data
gdt_end:
gdt_register:
        dw gdt_end - gdt - 1
        dd gdt
idt_register:
        dw idt_end - idt - 1
        dd idt
real_idt_register:
        dw 3ffh
        dd 0
        align 8
tss:    times 104 db 0
idt:    times (NO_FAULT + 1) * 8 db 0
idt_end:
