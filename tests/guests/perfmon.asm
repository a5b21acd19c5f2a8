; The monitors of later processors in the machine: which registers fault, levels 0, 1 and 3, overflow interrupts. -D P6 or -D ARCH3;
; pins.pmi is nmi.
%include "system.inc"
gate_entry equ 0

USR equ 1 << 16
OS  equ 1 << 17
INT_ON equ 1 << 20
EN  equ 1 << 22
SEL0 equ 186h
PMC0 equ 0c1h

%macro wr 2-3 0                 ; MSR, low half, high half
        mov ecx, %1
        mov eax, %2
        mov edx, %3
        wrmsr
%endmacro
%macro refused 2-4 0, 0         ; instruction, ECX, EAX, EDX: #GP(0)
        begin_case
        mov ecx, %2
        mov eax, %3
        mov edx, %4
%%at:   %1
        end_case GP, 0, %%at
%endmacro

start:  call boot
        vector 42h, to_1, 0eeh
        vector 2, on_nmi, 8eh
        ; ---- CESR, CTR0 and CTR1 are not there
        refused rdmsr, 11h
        refused wrmsr, 11h
        refused rdmsr, 12h
        refused wrmsr, 13h
        ; ---- reserved bits, edge detection
        refused wrmsr, SEL0, 1 << 18
        refused wrmsr, SEL0, 0, 1
%ifdef P6
        refused wrmsr, SEL0, 1 << 21
        refused wrmsr, SEL0 + 1, EN
        refused rdmsr, SEL0 + 2
        refused rdmsr, 0c3h
        refused rdmsr, 309h
        refused rdmsr, 38fh
        refused rdpmc, 2
        refused rdpmc, 40000000h
%else
        refused rdmsr, SEL0 + 4
        refused wrmsr, 38dh, 1 << 12
        refused wrmsr, 38eh     ; read-only
        refused wrmsr, 38fh, 10h
        refused wrmsr, 390h, 10h
        refused rdpmc, 4
        refused rdpmc, 40000003h
%endif
        begin_case              ; CR4.PCE is clear: at CPL 3 RDPMC faults
        at_user
        xor ecx, ecx
.user:  rdpmc
        end_case GP, 0, .user
        begin_case
        at_user
        mov ecx, PMC0
.read:  rdmsr
        end_case GP, 0, .read

        ; ---- USR is CPL 1 to 3: what runs at CPL 1 counts there, and not with OS
        wr SEL0, 16h | OS | EN
        wr PMC0, 0
        call at_1
        is ebx, 14              ; WRMSR, CALL, eight up to IRET, the handler's four in front of RDMSR
        wr SEL0, 16h | USR | EN
        wr PMC0, 0
        call at_1
        is ebx, 10 + 2          ; the NOPs, the INT by which it ends, and the invocation of its handler

        ; ---- an overflow is a request: NMI
        mov eax, cr0
        wr SEL0, 0
        wr PMC0, -50
        wr SEL0, 16h | OS | EN | INT_ON
        mov ecx, 200
.spin:  dec ecx
        jnz .spin
        wr SEL0, 0
        mov eax, [nmis]
        is eax, 1
%ifdef ARCH3
        mov ecx, 38eh
        rdmsr
        is eax, 1
        wr 390h, 1
        mov ecx, 38eh
        rdmsr
        is eax, 0
        ; a fixed counter, which asks through FIXED_CTR_CTRL
        wr 309h, 0ffffff80h, 0ffffh
        wr 38dh, 1 | 8
        wr 38fh, 0, 1
        mov ecx, 200
.fixed: dec ecx
        jnz .fixed
        wr 38fh, 0
        mov eax, [nmis]
        is eax, 2
        mov ecx, 38eh
        rdmsr
        is edx, 1
%endif
        finish

on_nmi: inc dword [nmis]
        iretd

; EBX = counter 0 behind ten NOPs at CPL 1
at_1:   pop dword [back]
        mov [saved_esp], esp
        push dword DATA1
        push dword 6600h
        push dword 2
        push dword CODE1
        push dword .inner
        iretd
.inner: times 10 nop
        int 42h
to_1:   mov ax, DATA0
        mov ds, ax
        mov esp, [saved_esp]
        mov ecx, PMC0
        rdmsr
        mov ebx, eax
        jmp [back]

        align 4
nmis:   dd 0
back:   dd 0
