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
        ; ---- each of the 64 bits of each register alone: kept, or #GP(0)
        mov esi, rows
.row:   mov ebp, 0
.bit:   begin_case
        xor eax, eax
        xor edx, edx
        bts eax, ebp            ; modulo 32
        cmp ebp, 32
        jb .low
        xchg eax, edx
.low:   mov [low], eax
        mov [high], edx
        mov ecx, [esi]
        test eax, [esi + 4]
        jnz .taken
        test edx, [esi + 8]
        jnz .taken
.wr:    wrmsr
        end_case GP, 0, .wr
        jmp .next_bit
.taken: begin_case
        wrmsr
        end_case NONE, 0, 0
        test byte [esi + 12], 1
        jz .next_bit
        mov ecx, [esi]
        rdmsr
        mov [was], edx
        is eax, [low]
        is dword [was], [high]
.next_bit:
        mov [case_now], ebp     ; which bit, if a value is wrong
        inc ebp
        cmp ebp, 64
        jb .bit
        mov ecx, [esi]          ; back to nothing
        xor eax, eax
        xor edx, edx
        cmp ecx, 38eh
        je .read_only
        wrmsr
.read_only:
        add esi, 16
        cmp esi, rows_end
        jb .row
%ifdef ARCH3
        wr 38fh, 0fh            ; as RESET leaves it
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
        is ebx, 14              ; WRMSR, CALL, eight up to IRET, the handler's four before RDMSR
        wr SEL0, 16h | USR | EN
        wr PMC0, 0
        call at_1
        is ebx, 10 + 2          ; the NOPs, the INT by which it ends, and the invocation of its handler

        ; ---- an overflow of any counter is a request if INT is set, NMI; version 3 keeps it in GLOBAL_STATUS
        wr SEL0, 0
        xor ebp, ebp
.each:  mov dword [nmis], 0
        mov ecx, [counters + ebp * 4]
        mov eax, -50
        mov edx, 0ffh           ; what counters of later processors ignore
%ifdef ARCH3
        mov edx, 0
        cmp ebp, 4
        jb .preset
        mov edx, 0ffffh
.preset:
%endif
        wrmsr
        call count_50
        is dword [nmis], 0      ; INT is clear
        mov ecx, [counters + ebp * 4]
        mov eax, -50
        mov edx, 0
%ifdef ARCH3
        cmp ebp, 4
        jb .again
        mov edx, 0ffffh
.again: call status             ; it has overflowed all the same
        wr 390h, -1 & 0fh, 7    ; ... until it is cleared
        call no_status
        mov ecx, [counters + ebp * 4]
        mov eax, -50
        mov edx, 0
        cmp ebp, 4
        jb .third
        mov edx, 0ffffh
.third:
%endif
        wrmsr
        mov dword [ask], 1
        call count_50
        mov dword [ask], 0
        is dword [nmis], 1
%ifdef ARCH3
        call status
        wr 390h, 0fh, 7
        call no_status
%endif
        inc ebp
        cmp ebp, (counters_end - counters) / 4
        jb .each
        finish

on_nmi: inc dword [nmis]
        iretd

; EBX = counter 0 after ten NOPs at CPL 1
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

; Counter EBP counts 200 instructions' worth at CPL 0, with an interrupt if [ask].
count_50:
        mov ebx, [ask]
%ifdef ARCH3
        cmp ebp, 4
        jae .fixed
%endif
        shl ebx, 20
        or ebx, 16h | OS | EN
        lea ecx, [ebp + SEL0]
        mov eax, ebx
        xor edx, edx
%ifdef P6
        cmp ebp, 1
        jne .first
        and eax, ~EN            ; PERFEVTSEL0's is for both
        wrmsr
        dec ecx
        mov eax, EN
.first:
%endif
        wrmsr
        call spin
        xor eax, eax
        lea ecx, [ebp + SEL0]
        wrmsr
        wr SEL0, 0
        ret
%ifdef ARCH3
.fixed: lea ecx, [ebp * 4 - 16]
        lea eax, [ebx * 8 + 1]  ; EN for CPL 0, PMI
        shl eax, cl
        mov ecx, 38dh
        xor edx, edx
        wrmsr
        wr 38fh, 0, 7
        call spin
        wr 38fh, 0fh
        wr 38dh, 0
        ret

; GLOBAL_STATUS has the bit of counter EBP, and no other; or none.
status: mov ecx, 38eh
        rdmsr
        mov [low], eax
        mov [high], edx
        mov ecx, ebp
        mov eax, 1
        xor edx, edx
        cmp ebp, 4
        jb .general
        sub ecx, 4
        xchg eax, edx
        shl edx, cl
        jmp .both
.general:
        shl eax, cl
.both:  mov [was], edx
        is eax, [low]
        is dword [was], [high]
        ret
no_status:
        mov ecx, 38eh
        rdmsr
        or eax, edx
        is eax, 0
        ret
%endif
spin:   mov ecx, 400
.spin:  dec ecx
        jnz .spin
        ret

        align 4
; register, bits that it takes (low, high half), whether it keeps them. EVTSEL: all but E (18) and what the manuals reserve
rows:
%ifdef P6
        dd SEL0, 0ffdbffffh, 0, 1
        dd SEL0 + 1, 0ff9bffffh, 0, 1
        dd PMC0, -1, -1, 0
        dd PMC0 + 1, -1, -1, 0
%else
        dd SEL0, 0fffbffffh, 0, 1
        dd SEL0 + 1, 0fffbffffh, 0, 1
        dd SEL0 + 2, 0fffbffffh, 0, 1
        dd SEL0 + 3, 0fffbffffh, 0, 1
        dd PMC0, -1, -1, 0
        dd PMC0 + 1, -1, -1, 0
        dd PMC0 + 2, -1, -1, 0
        dd PMC0 + 3, -1, -1, 0
        dd 309h, -1, 0ffffh, 1
        dd 30ah, -1, 0ffffh, 1
        dd 30bh, -1, 0ffffh, 1
        dd 38dh, 0fffh, 0, 1
        dd 38eh, 0, 0, 0
        dd 390h, 0fh, 0c0000007h, 0
        dd 38fh, 0fh, 7, 1
%endif
rows_end:
counters:
%ifdef P6
        dd PMC0, PMC0 + 1
%else
        dd PMC0, PMC0 + 1, PMC0 + 2, PMC0 + 3, 309h, 30ah, 30bh
%endif
counters_end:
low:    dd 0
high:   dd 0
was:    dd 0
ask:    dd 0
nmis:   dd 0
back:   dd 0
