; What no fault shows: the shadow of STI and MOV SS with an interrupt waiting; what EFLAGS, CR0, DR6 and DR7 keep of what is written; LAR, LSL,
; VERR, VERW, ARPL; forms that are no instructions; LLDT and LTR; 16-bit gates.
%include "system.inc"

IRQ0 equ 60h                    ; where the controller's lines are
%macro eoi 0
        mov al, 20h
        out 20h, al
%endmacro

; The result of an instruction in ZF, as 0 or 1.
%macro zero_flag 1
        setz al
        movzx eax, al
        is eax, %1
%endmacro

; An interrupt waits: counter 0 has run down, and interrupts are off.
waiting:
        cli
        mov al, 30h             ; mode 0
        out 43h, al
        mov al, 4
        out 40h, al
        mov al, 0
        out 40h, al
        mov al, 0ah             ; read IRR
        out 20h, al
.wait:  in al, 20h
        test al, 1
        jz .wait
        ret

gate_entry:                     ; GATE
        retf 8

start:  call boot
        mov al, 11h             ; ICW1 to ICW4: lines at IRQ0, one by one
        out 20h, al
        mov al, IRQ0
        out 21h, al
        mov al, 4
        out 21h, al
        mov al, 1
        out 21h, al
        mov al, 0feh            ; only line 0
        out 21h, al

        ; ---- shadows
        call waiting
        begin_case
        sti
        nop                             ; one more instruction
.a1:    nop
        end_case IRQ0, 0, .a1
        eoi
        call waiting
        begin_case                      ; CLI is that instruction
        sti
        cli
        nop
        nop
        end_case NONE, 0, 0
        call waiting
        begin_case                      ; HLT is
        sti
        hlt
.a2:    nop
        end_case IRQ0, 0, .a2
        eoi
        call waiting
        begin_case                      ; MOV SS in the shadow has none of its own (MOV: "STI, MOV SS, MOV ESP")
        mov ax, DATA0
        sti
        mov ss, ax
.a3:    nop
        nop
        end_case IRQ0, 0, .a3
        eoi
        call waiting
        begin_case                      ; nor has POP SS
        push dword DATA0
        sti
        pop ss
.a4:    nop
        nop
        end_case IRQ0, 0, .a4
        eoi
        call waiting
        begin_case                      ; POPF has none
        push dword 202h
        popfd
.a5:    nop
        end_case IRQ0, 0, .a5
        eoi
        call waiting
        begin_case                      ; nor IRET
        push dword 202h
        push dword CODE0
        push dword .a6
        iretd
        nop
.a6:    nop
        end_case IRQ0, 0, .a6
        eoi
        call waiting
        begin_case                      ; a second STI renews nothing: interrupts were on already
        sti
        sti
.a7:    nop
        end_case IRQ0, 0, .a7
        eoi
        cli

        ; ---- EFLAGS
        begin_case
        push dword ~4300h               ; all but TF, IF and NT
        popfd
        pushfd
        pop edi
        push dword 2
        popfd
        end_case NONE, 0, 0
        is edi, 243cd7h                 ; ID AC IOPL OF DF SF ZF AF PF 1 CF; neither RF, VM, VIF nor VIP
        begin_case                      ; 16 bits: what lies above stays
        push dword 240002h
        popfd
        push word 0
        popfw
        pushfd
        pop edi
        push dword 2
        popfd
        end_case NONE, 0, 0
        is edi, 240002h
        begin_case                      ; CPL 3 without IOPL: neither IF nor IOPL
        at_user 2
        push dword 3202h
        popfd
        pushfd
        pop ebx
.u1:    int 81h
        end_case GP, 81h * 8 + 2, .u1   ; the gate's DPL is 0: EIP is that of the INT
        is dword [seen.ebx], 2

        ; ---- CR0, CR3, DR
        mov ebx, cr0
        mov eax, ebx
        and eax, ~10h                   ; ET
        or eax, 1ff8ffc0h & ~20h        ; reserved ones
        mov cr0, eax
        mov eax, cr0
        is eax, ebx
        xor eax, eax
        lmsw ax                         ; cannot leave protected mode
        mov eax, cr0
        is eax, ebx
        mov eax, 0ah                    ; TS and MP
        or eax, ebx
        lmsw ax
        smsw eax
        mov ecx, ebx
        or ecx, 0ah
        is eax, ecx
        clts
        mov cr0, ebx
        mov eax, 12345fffh
        mov cr3, eax
        mov eax, cr3
        and eax, 0fffff018h
        is eax, 12345018h               ; page, PCD, PWT
        xor eax, eax
        mov cr3, eax
        mov dr6, eax
        mov eax, dr6
        is eax, 0ffff0ff0h
        xor eax, eax
        mov dr7, eax
        mov eax, dr7
        is eax, 400h

        ; ---- LAR, LSL, VERR, VERW, ARPL
        mov ecx, CODE0
        lar eax, ecx
        and eax, 0f0ff00h
        is eax, 0c09b00h
        mov ecx, ABSENT                 ; presence does not matter
        lar eax, ecx
        zero_flag 1
        mov ecx, GATE                   ; a call gate has rights but no limit
        lar eax, ecx
        zero_flag 1
        mov ecx, GATE
        mov eax, 77h
        lsl eax, ecx
        setz bl
        is eax, 77h
        movzx eax, bl
        is eax, 0
        mov ecx, TSS0
        lsl eax, ecx
        is eax, 0e7h
        mov ecx, DATA0
        lsl eax, ecx
        is eax, 0ffffffffh
        mov ecx, SMALL
        lsl eax, ecx
        is eax, 0fffh
        mov ecx, SMALL
        mov eax, 12345678h              ; 16 bits
        lsl ax, cx
        is eax, 12340fffh
        xor ecx, ecx
        lar eax, ecx
        zero_flag 0
        mov ecx, 1000h                  ; beyond the table
        lsl eax, ecx
        zero_flag 0
        mov ecx, EXEC
        verr cx
        zero_flag 0
        mov ecx, CODE0
        verr cx
        zero_flag 1
        mov ecx, CODE0
        verw cx
        zero_flag 0
        mov ecx, READ
        verw cx
        zero_flag 0
        mov ecx, READ
        verr cx
        zero_flag 1
        mov ecx, DATA0 | 3              ; RPL 3, DPL 0
        verr cx
        zero_flag 0
        mov ecx, CONFORM | 3            ; conforming code may be read by anyone
        verr cx
        zero_flag 1
        mov ecx, DATA0 | 3
        lar eax, ecx
        zero_flag 0
        mov ecx, DATA0
        mov edx, 3
        arpl cx, dx
        zero_flag 1
        mov ecx, DATA0
        mov edx, 3
        arpl cx, dx
        is ecx, DATA0 | 3
        mov ecx, DATA0 | 2
        mov edx, 1
        arpl cx, dx
        zero_flag 0
        begin_case                      ; what changes nothing stores nothing
        mov ax, READ
        mov es, ax
        mov word [small_data], 2
        mov dx, 1
        arpl [es:small_data], dx
        end_case NONE, 0, 0
        begin_case
        mov ax, READ
        mov es, ax
        mov dx, 3
.arpl:  arpl [es:small_data], dx
        end_case GP, 0, .arpl
        mov ax, DATA0
        mov es, ax

        ; ---- no instructions
%macro undefined 1+
        begin_case
%%at:   db %1
        nop
        nop
        end_case UD, 0, %%at
%endmacro
        undefined 0fh, 0c7h, 0c8h       ; CMPXCHG8B ECX
        undefined 0fh, 01h, 0f8h        ; INVLPG EAX
        undefined 0fh, 01h, 0c0h        ; SGDT EAX
        undefined 0fh, 01h, 0d8h        ; LIDT EAX
        undefined 8dh, 0c0h             ; LEA EAX, EAX
        undefined 0c4h, 0c0h            ; LES
        undefined 62h, 0c0h             ; BOUND
        undefined 0ffh, 0d8h            ; CALL FAR EAX
        undefined 0ffh, 0e8h            ; JMP FAR EAX
        undefined 0ffh, 0f8h            ; FF /7
        undefined 0feh, 0d0h            ; FE /2
        undefined 8eh, 0c8h             ; MOV CS, AX
        undefined 8eh, 0f0h             ; segment register 6
        undefined 0fh, 0bah, 0c0h, 1    ; BT group /0
        undefined 0fh, 0, 0f0h          ; group 6 /6
        undefined 0fh, 0bh              ; UD2
        undefined 0f0h, 40h             ; LOCK INC EAX
        undefined 0f0h, 3, 0            ; LOCK ADD EAX, [EAX]
        undefined 0f0h, 0fh, 0a3h, 0    ; LOCK BT

        ; ---- LLDT, LTR
        begin_case
        xor eax, eax
        lldt ax                         ; none
        end_case NONE, 0, 0
        begin_case
        mov eax, 4                      ; a selector of the table that is not there
.l1:    mov es, ax
        end_case GP, 4, .l1
        begin_case
        mov eax, DATA0
.l2:    lldt ax
        end_case GP, DATA0, .l2
        begin_case
        mov eax, LDT | 4                ; in the LDT
.l3:    lldt ax
        end_case GP, LDT | 4, .l3
        mov eax, LDT
        lldt ax
        begin_case
        mov eax, TSS0                   ; busy
.l4:    ltr ax
        end_case GP, TSS0, .l4
        begin_case
        xor eax, eax
.l5:    ltr ax
        end_case GP, 0, .l5
        begin_case
        mov eax, LDT
.l6:    ltr ax
        end_case GP, LDT, .l6
        str eax
        is eax, TSS0
        sldt eax
        is eax, LDT

        ; ---- 16-bit gates: words on the stack
        vector 50h, short_frame, 086h
        mov ebp, esp
        int 50h
.g1:    is dword [frame_bytes], 6
        mov eax, .g1
        is [frame_ip], eax
        is ebp, esp
        vector 51h, long_frame, 08fh    ; a trap gate leaves IF alone
        sti
        int 51h
        cli
        mov eax, [frame_flags]
        and eax, 200h
        is eax, 200h
        vector 51h, long_frame, 08eh
        sti
        int 51h
        cli
        mov eax, [frame_flags]
        and eax, 200h
        is eax, 0
        begin_case                      ; a 16-bit call gate from level 3 copies words
        mov word [gdt + (GATE & ~7)], short_call
        mov byte [gdt + (GATE & ~7) + 5], 0e4h
        at_user
        push word 1111h
        push word 2222h
        call GATE:0
.g2:    int 81h
        end_case GP, 81h * 8 + 2, .g2
        is dword [frame_words], 11112222h
        is dword [seen.esp], USER_STACK
        finish

short_frame:                    ; IP, CS, FLAGS
        mov eax, ebp
        sub eax, esp
        mov [frame_bytes], eax
        movzx eax, word [esp]
        mov [frame_ip], eax
        o16 iret
long_frame:
        pushfd
        pop dword [frame_flags]
        iretd
short_call:                     ; IP, CS, two parameters, SP, SS
        mov eax, [esp + 4]
        push ds
        push dword DATA0
        pop ds
        mov [frame_words], eax
        pop ds
        o16 retf 4
        align 4
frame_bytes: dd 0
frame_ip: dd 0
frame_flags: dd 0
frame_words: dd 0
