; Debug exceptions: single step, DR0-DR3 on code, data and ports, RF, GD, MOV SS, the T bit of a TSS. DR6 says why.
%include "system.inc"

STEP equ 1 << 14
DETECT equ 1 << 13
SWITCH equ 1 << 15
DR6_FIXED equ 0ffff0ff0h
%define L(n) (1 << 2 * (n))
%define RW(n, kind, length) ((kind) << 16 + 4 * (n) | ((length) - 1) << 18 + 4 * (n))
ON_CODE equ 0
ON_WRITE equ 1
ON_PORT equ 2
ON_DATA equ 3
TF equ 100h
RF equ 10000h

%macro arm 3                    ; n, address, DR7
        mov eax, %2
        mov dr%1, eax
        mov eax, %3
        mov dr7, eax
%endmacro
%macro disarm 0
        xor eax, eax
        mov dr7, eax
        mov dr6, eax
%endmacro
%macro single_step 0
        pushfd
        or dword [esp], TF
        popfd
%endmacro
gate_entry: iretd

start:  call boot
        mov eax, cr4
        or al, 8
        mov cr4, eax                    ; DE: breakpoints on ports
        disarm
        ; ---- single step: after the instruction that follows POPF
        begin_case
        xor eax, eax
        single_step
        nop
.s1:    nop
        end_case VDB, 0, .s1
        is dword [seen.dr6], DR6_FIXED | STEP
        is dword [seen.flags], 146h | 0  ; TF was on, no RF: a trap. ZF and PF are of XOR
        disarm
        begin_case
        single_step
        jmp .s2                         ; the target
        nop
.s2:    nop
        end_case VDB, 0, .s2
        disarm
        begin_case                      ; MOV SS holds it off for one instruction
        mov eax, ss
        single_step
        mov ss, ax
        mov ebx, 5
.s3:    nop
        end_case VDB, 0, .s3
        is dword [seen.ebx], 5
        disarm
        begin_case                      ; a REP string traps after each iteration
        mov esi, gdt
        mov edi, 5000h
        mov ecx, 3
        single_step
.s4:    rep movsb
        end_case VDB, 0, .s4
        is dword [seen.ecx], 2
        disarm
        begin_case                      ; INT n clears TF: the handler's IRET brings it back, after the INT
        vector 40h, gate_entry, 0eeh
        single_step
        int 40h
        nop
.s5:    nop
        end_case VDB, 0, .s5
        disarm
        ; ---- code: a fault, before the instruction
        begin_case
        arm 0, .c1, L(0)
        mov ebx, 1
.c1:    mov ebx, 2
        end_case VDB, 0, .c1
        is dword [seen.ebx], 1
        is dword [seen.dr6], DR6_FIXED | 1
        begin_case                      ; RF gets past it, once
        mov dword [rounds], 0
        push dword [seen.flags]
        or dword [esp], RF
        push cs
        push dword [seen.eip]
        mov eax, %$end
        mov [resume], eax
        arm 0, .c2, L(0)
        mov dword [esp], .c2
        iretd
.c2:    inc dword [rounds]
        jmp .c2                         ; the second time it traps
        end_case VDB, 0, .c2
        is dword [rounds], 1
        disarm
        begin_case                      ; not enabled: nothing
        arm 0, .c3, 0
.c3:    nop
        end_case NONE, 0, 0
        begin_case                      ; after MOV SS it is not taken
        arm 2, .c4, L(2)
        mov eax, ss
        mov ss, ax
.c4:    nop
        end_case NONE, 0, 0
        disarm
        begin_case                      ; the fault of an instruction with RF in its image: a breakpoint does not come again
        arm 1, .c5, L(1)
.c5:    ud2
        end_case VDB, 0, .c5
        disarm
        ; ---- data: a trap, after the instruction
        begin_case
        arm 0, word_a, L(0) | RW(0, ON_WRITE, 4)
        mov eax, [word_a]               ; a read does not
        mov ebx, 1
        mov [word_a + 3], al            ; its last byte
.d1:    mov ebx, 2
        end_case VDB, 0, .d1
        is dword [seen.ebx], 1
        is dword [seen.dr6], DR6_FIXED | 1
        disarm
        begin_case
        arm 3, word_a, L(3) | RW(3, ON_DATA, 2)
        mov eax, [word_a + 2]           ; the other half
        mov ax, [word_a]
.d2:    mov ebx, 2
        end_case VDB, 0, .d2
        is dword [seen.dr6], DR6_FIXED | 8
        disarm
        begin_case                      ; both a code and a data breakpoint: two exceptions; here the trap comes first
        arm 1, .d3, 0
        arm 0, word_a, L(0) | L(1) | RW(0, ON_DATA, 1)
        push dword [word_a]
.d3:    nop
        end_case VDB, 0, .d3
        is dword [seen.dr6], DR6_FIXED | 1
        disarm
        begin_case                      ; a push is a write
        mov esp, 6400h
        mov eax, 63fch
        mov dr1, eax
        mov eax, L(1) | RW(1, ON_WRITE, 4)
        mov dr7, eax
        push ebx
.d4:    nop
        end_case VDB, 0, .d4
        is dword [seen.dr6], DR6_FIXED | 2
        disarm
        begin_case                      ; REP: after the iteration
        mov esi, gdt
        mov edi, 5000h
        mov ecx, 8
        arm 0, 5002h, L(0) | RW(0, ON_WRITE, 1)
.d5:    rep movsb
        end_case VDB, 0, .d5
        is dword [seen.ecx], 5
        disarm
        begin_case                      ; MOV SS from memory: the trap waits for the next instruction
        mov dword [word_a], DATA0
        arm 0, word_a, L(0) | RW(0, ON_DATA, 2)
        mov ss, [word_a]
        mov ebx, 7
.d6:    nop
        end_case VDB, 0, .d6
        is dword [seen.ebx], 7
        disarm
        begin_case                      ; with TF: one exception that says both
        arm 0, word_a, L(0) | RW(0, ON_DATA, 4)
        single_step
        mov eax, [word_a]
.d7:    nop
        end_case VDB, 0, .d7
        is dword [seen.dr6], DR6_FIXED | STEP | 1
        disarm
        ; ---- ports
        begin_case
        arm 0, 80h, L(0) | RW(0, ON_PORT, 1)
        out 80h, al
.p1:    nop
        end_case VDB, 0, .p1
        is dword [seen.dr6], DR6_FIXED | 1
        disarm
        begin_case                      ; memory at 80h is not port 80h
        arm 0, 80h, L(0) | RW(0, ON_PORT, 1)
        mov al, [80h]
        end_case NONE, 0, 0
        disarm
        ; ---- general detect
        begin_case
        mov eax, 1 << 13
        mov dr7, eax
.g1:    mov eax, dr0
        end_case VDB, 0, .g1
        is dword [seen.dr6], DR6_FIXED | DETECT
        mov eax, dr7
        and eax, 1 << 13
        is eax, 0                       ; off in the handler
        disarm
        begin_case                      ; DR4 with DE
.g2:    mov eax, dr4
        end_case UD, 0, .g2
        begin_case                      ; ICEBP
        db 0f1h
.i1:    nop
        end_case VDB, 0, .i1
        ; ---- a task with the T bit, and local breakpoints that it turns off
        mov dword [tss1 + 32], task
        mov dword [tss1 + 36], 2
        mov dword [tss1 + 56], 6400h
        mov dword [tss1 + 72], DATA0
        mov dword [tss1 + 76], CODE0
        mov dword [tss1 + 80], DATA0
        mov dword [tss1 + 84], DATA0
        mov word [tss1 + 100], 1
        begin_case
        arm 0, 0, L(0) | L(1) << 1 | RW(0, ON_DATA, 1)
        jmp TSS1:0
        end_case VDB, 0, task
        is dword [seen.dr6], DR6_FIXED | SWITCH
        mov eax, dr7
        is eax, L(1) << 1 | RW(0, ON_DATA, 1) | 400h
        finish
task:   hlt
        align 4
word_a: dd 0
rounds: dd 0
