; The RDPMC experiments on bare metal: ring 0 sets CR4.PCE, programs CESR, drops to ring 3; ring 3 counts and ends the machine with the
; number of the first wrong experiment. Flat image at 8000h.
        bits 32
        org 8000h

CESR_BOTH equ 00d600d6h         ; ES = 16h instructions executed, CC = 3: CPL 0-2 and 3, in both halves

start:  mov esp, 7000h
        lgdt [gdt_register]
        jmp 08h:.loaded
.loaded:
        mov eax, 10h
        mov ds, eax
        mov es, eax
        mov ss, eax
        mov eax, cr4
        or eax, 100h            ; PCE
        mov cr4, eax
        mov ecx, 11h            ; CESR
        mov eax, CESR_BOTH
        xor edx, edx
        wrmsr
        push dword 20h | 3      ; SS
        push dword 6000h        ; ESP
        push dword 3002h        ; EFLAGS: IOPL 3, for the exit port
        push dword 18h | 3      ; CS
        push dword ring3
        iretd

ring3:  mov eax, 20h | 3
        mov ds, eax
        mov es, eax
        mov ax, cs
        and al, 3
        cmp al, 3               ; really there?
        mov eax, 7
        jne .exit
        call rdpmc_experiments
.exit:  out 0f4h, al
        jmp $

%include "rdpmc_experiment.inc"

        align 8
gdt:    dq 0
        dq 00cf9b000000ffffh    ; 08h code, CPL 0
        dq 00cf93000000ffffh    ; 10h data
        dq 00cffb000000ffffh    ; 18h code, CPL 3
        dq 00cff3000000ffffh    ; 20h data
gdt_register:
        dw $ - gdt - 1
        dd gdt
