; V86 mode: what is trapped by IOPL, the frame of level 0, 64 KB limits; CR4.VME: virtual interrupt flag, redirected INT n; CR4.PVI;
; alignment checks of CPL 3. A V86 case runs at 0:label (the image lies below 64 KB).
%include "system.inc"
gate_entry equ 0
VM equ 1 << 17
VIF equ 1 << 19
VIP equ 1 << 20
AC_FLAG equ 1 << 18
IF equ 200h
IOPL3 equ 3000h
CR0_AM equ 1 << 18

%macro at_v86 1                 ; EFLAGS without VM
        push dword 44h          ; GS FS DS ES
        push dword 33h
        push dword 22h
        push dword 0
        push dword 0            ; SS
        push dword USER_STACK
        push dword (%1) | VM
        push dword 0            ; CS
        push dword %%in
        iretd
        bits 16
%%in:
%endmacro
%macro end_v86 3
        bits 32
        end_case %1, %2, %3
%endmacro
%macro extensions 1             ; CR4
        mov eax, %1
        mov cr4, eax
%endmacro

start:  call boot
        ; ---- without extensions
        begin_case
        at_v86 2
.a1:    cli
        end_v86 GP, 0, .a1
        is dword [seen.flags], VM | 10002h | 0
        is dword [seen.esp], USER_STACK
        is dword [seen.ss], 0
        mov ebp, [seen.at]
        is dword [ebp + 8], 0                           ; ES
        is dword [ebp + 12], 22h                        ; DS
        is dword [ebp + 16], 33h                        ; FS
        is dword [ebp + 20], 44h                        ; GS
        begin_case
        at_v86 2
.a2:    int 21h
        end_v86 GP, 0, .a2
        begin_case
        at_v86 2
.a3:    pushf
        end_v86 GP, 0, .a3
        begin_case
        at_v86 2
.a4:    iret
        end_v86 GP, 0, .a4
        begin_case
        at_v86 2 | IOPL3
        cli
        pushf
        pop bx
.a5:    hlt
        end_v86 GP, 0, .a5
        is dword [seen.ebx], 7777h & 0 | 3002h
        begin_case
        at_v86 2 | IOPL3
        pushfd                                          ; VM and RF do not show
        pop ebx
.a51:   hlt
        end_v86 GP, 0, .a51
        is dword [seen.ebx], 3002h
        begin_case                                      ; far returns, ENTER
        at_v86 2 | IOPL3
        call sixteen
.a52:   hlt
        end_v86 GP, 0, .a52
        is dword [seen.ebx], 0
        begin_case                                      ; IOPL does not open ports
        at_v86 2 | IOPL3
.a6:    in al, 80h
        end_v86 GP, 0, .a6
        and byte [tss0.ports + 80h / 8], ~1
        begin_case
        at_v86 2
        out 80h, al
.a7:    hlt
        end_v86 GP, 0, .a7
        begin_case                                      ; 64 KB
        at_v86 2
        mov bx, 0ffffh
        mov al, [bx]
.a8:    mov ax, [bx]
        end_v86 GP, 0, .a8
        begin_case
        at_v86 2
        xor bp, bp
        dec bp
.a9:    mov ax, [bp]
        end_v86 SS_FAULT, 0, .a9
        begin_case
        at_v86 2
        mov ebx, 10000h
.a10:   mov al, [ebx]
        end_v86 GP, 0, .a10
        begin_case                                      ; INT3 is not subject to IOPL
        vector VBP, stubs + VBP * STUB_BYTES, 0eeh
        at_v86 2
        int3
.a11:   end_v86 VBP, 0, .a11
        begin_case                                      ; INT n with IOPL 3: a gate of DPL 3
        vector 40h, stubs + 40h * STUB_BYTES, 0eeh
        at_v86 2 | IOPL3
        int 40h
.a12:   end_v86 40h, 0, .a12
        begin_case                                      ; to level 0 only
        vector 40h, stubs + 40h * STUB_BYTES, 0eeh, CODE1
        at_v86 2 | IOPL3
.a13:   int 40h
        end_v86 GP, CODE1 & ~3, .a13
        vector 40h, stubs + 40h * STUB_BYTES, 0eeh
        begin_case
        at_v86 2
.a14:   mov ax, cs
        str ax                                          ; no such instruction here
        end_v86 UD, 0, .a14 + 2
        ; ---- VME
        extensions 1
        begin_case
        at_v86 2 | VIF
        cli
.b1:    hlt
        end_v86 GP, 0, .b1
        is dword [seen.flags], VM | 10002h
        begin_case
        at_v86 2
        sti
.b2:    hlt
        end_v86 GP, 0, .b2
        is dword [seen.flags], VM | VIF | 10002h
        begin_case
        at_v86 2 | VIP
.b3:    sti                                             ; an interrupt is waiting
        end_v86 GP, 0, .b3
        begin_case
        at_v86 2 | VIF
        pushf
        pop bx
.b4:    hlt
        end_v86 GP, 0, .b4
        is dword [seen.ebx], 3202h                      ; IF is VIF, IOPL reads as 3
        begin_case
        at_v86 2
        push word 3202h
        popf
.b5:    hlt
        end_v86 GP, 0, .b5
        is dword [seen.flags], VM | VIF | 10002h        ; neither IF nor IOPL
        begin_case
        at_v86 2
        push word 302h
.b6:    popf                                            ; TF
        end_v86 GP, 0, .b6
        is dword [seen.esp], USER_STACK - 2
        begin_case
        at_v86 2 | VIP
        push word 202h
.b7:    popf
        end_v86 GP, 0, .b7
        begin_case
        at_v86 2
.b8:    pushfd
        end_v86 GP, 0, .b8
        and byte [tss0.redirection + 21h / 8], ~2       ; INT 21h goes to the task's own vector
        mov word [21h * 4], handler
        mov word [21h * 4 + 2], 0
        begin_case
        at_v86 2 | VIF
        int 21h
.b9:    hlt
        end_v86 GP, 0, .b9
        is dword [pushed_flags], 3202h                  ; what the handler's IRET takes back
        is dword [in_handler], 3002h                    ; VIF is off in the handler
        is dword [seen.flags], VM | VIF | 10002h
        is dword [seen.esp], USER_STACK
        begin_case
        at_v86 2 | IOPL3 | IF
        int 21h
.b10:   hlt
        end_v86 GP, 0, .b10
        is dword [pushed_flags], 3202h
        is dword [in_handler], 3002h
        begin_case
        at_v86 2
.b11:   int 22h                                         ; bit 1 in the map, IOPL 0
        end_v86 GP, 0, .b11
        begin_case
        at_v86 2 | IOPL3
        int 40h                                         ; bit 1, IOPL 3: the IDT
.b12:   end_v86 40h, 0, .b12
        ; ---- PVI
        extensions 2
        begin_case
        at_user 2
        sti
.c1:    hlt
        end_case GP, 0, .c1
        is dword [seen.flags], VIF | 10002h
        begin_case
        at_user 2 | VIF
        cli
.c2:    hlt
        end_case GP, 0, .c2
        is dword [seen.flags], 10002h
        begin_case
        at_user 2 | VIP
.c3:    sti
        end_case GP, 0, .c3
        extensions 0
        begin_case
        at_user 2
.c4:    sti
        end_case GP, 0, .c4
        ; ---- alignment
        mov eax, cr0
        or eax, CR0_AM
        mov cr0, eax
        begin_case
        at_user 2 | AC_FLAG
        mov eax, [ss:5000h]
        mov ax, [ss:5002h]
        mov al, [ss:5001h]
.d1:    mov eax, [ss:5002h]
        end_case AC, 0, .d1
        begin_case
        at_user 2 | AC_FLAG
.d2:    mov [ss:5001h], ax
        end_case AC, 0, .d2
        begin_case
        at_user 2 | AC_FLAG
        fninit
        fld qword [ss:5008h]
.d3:    fld qword [ss:5004h]
        end_case AC, 0, .d3
        begin_case
        at_user 2 | AC_FLAG
        fninit
        fnsave [ss:5004h]                               ; aligned to 4 is enough
        fld1
        fstp tword [ss:5008h]
.d4:    fnsave [ss:5002h]
        end_case AC, 0, .d4
        begin_case
        at_user 2 | AC_FLAG
        mov esp, USER_STACK - 2
.d5:    push eax
        end_case AC, 0, .d5
        begin_case
        at_user 2                                       ; EFLAGS.AC is off
        mov eax, [ss:5001h]
        pushfd
        or dword [esp], AC_FLAG
        popfd                                           ; and on
.d6:    mov eax, [ss:5001h]
        end_case AC, 0, .d6
        begin_case                                      ; CPL 0 is not checked
        pushfd
        or dword [esp], AC_FLAG
        popfd
        mov eax, [5001h]
        end_case NONE, 0, 0
        mov eax, cr0
        and eax, ~CR0_AM
        mov cr0, eax
        begin_case
        at_user 2 | AC_FLAG                             ; CR0.AM is off
        mov eax, [ss:5001h]
.d7:    hlt
        end_case GP, 0, .d7
        finish

%include "sixteen.inc"
handler:
        push bp
        mov bp, sp
        push ax
        mov ax, [bp + 6]
        mov [cs:pushed_flags], ax
        pushf
        pop ax
        mov [cs:in_handler], ax
        pop ax
        pop bp
        iret
        bits 32
        align 4
pushed_flags: dd 0
in_handler: dd 0
