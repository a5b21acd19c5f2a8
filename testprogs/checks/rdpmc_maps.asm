; The RDPMC experiments under the monitors of later processors: ring 0 announces itself what there is, sets CR4.PCE, programs two counters to
; count instructions at all levels, drops to ring 3, and ring 3 counts. -D P6 or -D ARCH3. Flat image at 8000h; the exit status is the number
; of the first wrong experiment.
        bits 32
        org 8000h

%macro wr 2-3 0                 ; MSR, low half, high half
        mov ecx, %1
        mov eax, %2
        mov edx, %3
        wrmsr
%endmacro
USR_OS equ 3 << 16
EN     equ 1 << 22

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
%ifdef P6
        wr 187h, 16h | USR_OS
        wr 186h, 16h | USR_OS | EN
%else
        xor eax, eax
        cpuid
        cmp eax, 0ah
        mov eax, 8
        jb near ring3.exit
        mov eax, 0ah
        cpuid
        cmp al, 3               ; version
        mov eax, 9
        jne near ring3.exit
        test ebx, 2             ; instructions retired: clear if it is there
        jnz near ring3.exit
        wr 187h, 0c0h | USR_OS | EN
        wr 186h, 16h | USR_OS | EN
        wr 38dh, 33h            ; fixed counters 0 and 1, all levels
        wr 38fh, 3, 3
%endif
        push dword 20h | 3      ; SS
        push dword 6000h        ; ESP
        push dword 3002h        ; EFLAGS: IOPL 3, for the exit port
        push dword 18h | 3      ; CS
        push dword ring3
        iretd

ring3:  mov eax, 20h | 3
        mov ds, eax
        mov es, eax
        call rdpmc_experiments
        test eax, eax
        jnz .exit
%ifdef ARCH3
        mov ecx, 40000000h      ; fixed counter 0: instructions
        rdpmc
        mov esi, eax
        nop
        nop
        rdpmc
        sub eax, esi            ; RDPMC, MOV, NOP, NOP
        cmp eax, 4
        mov eax, 10
        jne .exit
        mov ecx, 40000001h      ; fixed counter 1: clocks, of which there are some
        rdpmc
        test eax, eax
        mov eax, 11
        jz .exit
        xor eax, eax
%endif
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
