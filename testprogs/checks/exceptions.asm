; Faults of protected mode: vector, error code and EIP of each as the manual's descriptions of the instructions say; error codes are
; selector | EXT, and vector * 8 + 2 | EXT for a gate.
%include "system.inc"

gate_entry:
        mov eax, [esp + 8]              ; parameters lie after CS
        mov edx, [esp + 12]
        mov ebx, [esp + 20]             ; SS of the caller after its ESP
        retf 8

start:  call boot
        ; ---- divide, breakpoint, overflow, bound, undefined, no coprocessor
        begin_case
        xor edx, edx
        mov ecx, edx
.de:    div ecx
        end_case VDE, 0, .de
        begin_case
        int3
.bp:    end_case VBP, 0, .bp
        begin_case
        mov al, 7fh
        add al, 1
        into
.of:    end_case OF, 0, .of
        begin_case
        mov eax, 11
.br:    bound eax, [bounds]
        end_case BR, 0, .br
        begin_case
        xor eax, eax
.ud:    ud2
        end_case UD, 0, .ud
        is dword [seen.flags], 10000h | 2 | 46h         ; a fault is returned to with RF; ZF and PF are of XOR
        begin_case
        mov eax, cr0
        or al, 8
        mov cr0, eax
.nm:    fninit
        end_case NM, 0, .nm
        clts
        ; ---- segment loads
        begin_case
        mov ax, SMALL + 1000h
.gp1:   mov ds, ax
        end_case GP, SMALL + 1000h, .gp1                ; beyond the table
        begin_case
        mov ax, ABSENT
.np1:   mov es, ax
        end_case NP, ABSENT, .np1
        begin_case
        mov ax, ABSENT
.ss1:   mov ss, ax
        end_case SS_FAULT, ABSENT, .ss1
        begin_case
        xor eax, eax
.ss2:   mov ss, ax
        end_case GP, 0, .ss2
        begin_case
        mov ax, READ
.ss3:   mov ss, ax
        end_case GP, READ, .ss3
        begin_case
        mov ax, EXEC
.ex1:   mov ds, ax
        end_case GP, EXEC, .ex1
        begin_case
        at_user
        nop
        mov ax, DATA0
.cpl:   mov fs, ax
        end_case GP, DATA0, .cpl
        ; ---- use of segments: limits, rights, null
        begin_case
        mov ax, SMALL
        mov ds, ax
        mov eax, [0ffch]                        ; the last dword
        mov bl, [0fffh]
.l1:    mov eax, [0ffdh]
        end_case GP, 0, .l1
        begin_case
        mov ax, SMALL
        mov gs, ax
        mov eax, [gs:10h]
.l2:    mov [gs:1000h], al
        end_case GP, 0, .l2
        begin_case
        at_user
        mov ax, SMALL3
        mov ss, ax
        mov esp, 1000h
        push eax
        mov esp, 0ffdh
.l3:    pop eax
        end_case SS_FAULT, 0, .l3
        begin_case
        at_user
        mov ax, SMALL3
        mov ss, ax
        mov ebp, 0ffeh
.l4:    mov eax, [ebp]                          ; EBP: the stack segment
        end_case SS_FAULT, 0, .l4
        begin_case
        mov ax, SMALL
        mov es, ax
        mov esi, gdt
        mov edi, 0ff8h
        mov ecx, 5
        cld
.l5:    rep movsd                               ; two iterations fit
        end_case GP, 0, .l5
        is edi, 1000h
        is dword [seen.vector], GP
        begin_case
        mov ax, DOWN
        mov ds, ax
        mov eax, [1000h]
        mov eax, [2000h]
.d1:    mov eax, [0ffch]
        end_case GP, 0, .d1
        begin_case
        mov ax, READ
        mov ds, ax
        mov eax, [gdt]
.r1:    mov [gdt], eax
        end_case GP, 0, .r1
        begin_case
.r2:    mov [cs:gdt], al                        ; no code segment can be written
        end_case GP, 0, .r2
        begin_case
        jmp EXEC:.in
.in:    mov eax, [gdt]
.r3:    mov eax, [cs:gdt]                       ; not readable
        end_case GP, 0, .r3
        jmp CODE0:.back
.back:  begin_case
        xor eax, eax
        mov es, ax                              ; null can be loaded
        mov eax, [gdt]
.n1:    mov al, [es:gdt]                        ; but not used
        end_case GP, 0, .n1
        begin_case
        xor eax, eax
        mov fs, ax
        mov eax, [gdt]
.n2:    mov al, [fs:gdt]
        end_case GP, 0, .n2
        begin_case
        mov esi, gdt                            ; all four at once
        xor eax, eax
        mov es, ax
        mov edi, 5000h
.n3:    movsb
        end_case GP, 0, .n3
        is esi, gdt
        ; ---- far transfers
        begin_case
.f1:    jmp 0:0
        end_case GP, 0, .f1
        begin_case
.f2:    jmp DATA0:0
        end_case GP, DATA0, .f2
        begin_case
.f3:    call NOCODE:0
        end_case NP, NOCODE, .f3
        begin_case
.f4:    jmp LIMITED:7000h
        end_case GP, 0, .f4
        begin_case
.f5:    jmp CODE3:.f5
        end_case GP, CODE3 & ~3, .f5
        begin_case
        at_user
.f6:    call GATE_NP:0
        end_case NP, GATE_NP & ~3, .f6
        begin_case
        at_user
.f7:    jmp CODE0:0
        end_case GP, CODE0, .f7
        begin_case                              ; conforming: the level stays 3
        at_user
        call CONFORM:.conform
.user:  hlt
.conform: mov cx, cs
        retf
        end_case GP, 0, .user
        is dword [seen.ecx], (CODE0 + 68h) | 3
        begin_case                              ; call gate with parameters to level 0 and back
        at_user
        push dword 11111111h
        push dword 22222222h
        call GATE:0
.gate:  hlt
        end_case GP, 0, .gate
        is dword [seen.esp], USER_STACK         ; RETF 8 has taken them off both stacks
        is edx, 11111111h
        is dword [seen.ebx], DATA3
        ; ---- RETF and IRET
        begin_case
        push dword DATA0
        push dword 0
.i1:    retf
        end_case GP, DATA0, .i1
        begin_case
        push dword 2
        push dword 0
        push dword 0
.i2:    iretd
        end_case GP, 0, .i2
        begin_case
        push dword DATA0                        ; a level 3 return needs a level 3 stack
        push dword USER_STACK
        push dword 2
        push dword CODE3
        push dword 0
.i3:    iretd
        end_case GP, DATA0, .i3
        begin_case
        push dword ABSENT3
        push dword USER_STACK
        push dword 2
        push dword CODE3
        push dword 0
.i4:    iretd
        end_case NP, ABSENT3 & ~3, .i4           ; the exceptions of IRET; RET has #SS
        begin_case
        push dword 2
        push dword LIMITED
        push dword 7000h
.i5:    iretd
        end_case GP, 0, .i5
        begin_case                              ; segments above the new level become null
        mov ax, DATA0
        mov gs, ax
        at_user
        mov cx, gs
.i6:    hlt
        end_case GP, 0, .i6
        is dword [seen.ecx], 0
        ; ---- gates of the IDT, by INT n: EIP is that of the INT
        vector 40h, gate_entry, 0eeh
        vector 41h, gate_entry, 08eh
        vector 42h, gate_entry, 06eh
        vector 43h, gate_entry, 0e2h
        vector 44h, gate_entry, 0eeh, NOCODE
        vector 45h, gate_entry, 0eeh, DATA0
        vector 46h, gate_entry, 0eeh, 0
        vector 47h, 0f000h, 0eeh, LIMITED
        begin_case
        at_user
.g1:    int 41h
        end_case GP, 41h * 8 + 2, .g1
        begin_case
.g2:    int 42h
        end_case NP, 42h * 8 + 2, .g2
        begin_case
.g3:    int 43h
        end_case GP, 43h * 8 + 2, .g3
        begin_case
.g4:    int 44h
        end_case NP, NOCODE, .g4
        begin_case
.g5:    int 45h
        end_case GP, DATA0, .g5
        begin_case
.g6:    int 46h
        end_case GP, 0, .g6
        begin_case
.g7:    int 47h
        end_case GP, 0, .g7
        lidt [idt_short]
        begin_case
.g8:    int 60h
        end_case GP, 60h * 8 + 2, .g8
        lidt [idt_register]
        ; ---- the same on the way to a fault's handler: EXT is set
        vector UD, gate_entry, 08eh, NOCODE
        begin_case
.x1:    ud2
        end_case NP, NOCODE | 1, .x1
        vector UD, gate_entry, 00eh
        begin_case
.x2:    ud2
        end_case NP, UD * 8 + 3, .x2
        vector UD, stubs + UD * STUB_BYTES, 08eh
        ; ---- stack from the TSS
        mov dword [tss0 + 8], 0
        vector GP, task_gate_stack, 08eh, CODE1         ; handlers for #TS run at level 1, whose stack is good
        vector TS, ts_handler, 08eh, CODE1
        vector SS_FAULT, ss_handler, 08eh, CODE1
        begin_case
        at_user
.t1:    int 40h
        end_case TS, 0, .t1
        mov dword [tss0 + 8], DATA3
        begin_case
        at_user
.t2:    int 40h
        end_case TS, DATA3 & ~3, .t2
        mov dword [tss0 + 8], ABSENT
        begin_case
        at_user
.t3:    int 40h
        end_case SS_FAULT, ABSENT, .t3
        mov dword [tss0 + 8], SMALL
        mov dword [tss0 + 4], 8                         ; room for two of five pushes
        begin_case
        at_user
.t4:    int 40h
        end_case SS_FAULT, SMALL, .t4
        mov dword [tss0 + 8], DATA0
        mov dword [tss0 + 4], FAULT_STACK
        vector GP, stubs + GP * STUB_BYTES, 08eh
        vector TS, stubs + TS * STUB_BYTES, 08eh
        vector SS_FAULT, stubs + SS_FAULT * STUB_BYTES, 08eh
        ; ---- code beyond the limit of CS
        mov byte [6ffeh], 90h
        mov byte [6fffh], 90h
        begin_case
        jmp LIMITED:6ffeh
        end_case GP, 0, 7000h
        jmp CODE0:.c1
.c1:    mov dword [6ffch], 0b8909090h                   ; MOV EAX, imm32 begins in the last byte
        begin_case
        jmp LIMITED:6ffch
        end_case GP, 0, 6fffh
        jmp CODE0:.c2
.c2:    mov byte [6ff0h], 0e8h                          ; CALL 7010h: the fault is the CALL's, and nothing was pushed
        mov dword [6ff1h], 7010h - 6ff5h
        begin_case
        jmp LIMITED:6ff0h
        end_case GP, 0, 6ff0h
        jmp CODE0:.c3
.c3:    is [seen.at], esp
        ; ---- privileged instructions at level 3, and the bitmap of ports
        begin_case
        at_user
.p1:    hlt
        end_case GP, 0, .p1
        begin_case
        at_user
.p2:    mov eax, cr0
        end_case GP, 0, .p2
        begin_case
        at_user
.p3:    mov dr7, eax
        end_case GP, 0, .p3
        begin_case
        at_user
.p4:    wbinvd
        end_case GP, 0, .p4
        begin_case
        at_user 2
.p5:    cli
        end_case GP, 0, .p5
        and byte [tss0.ports + 80h / 8], ~1             ; port 80h
        begin_case
        at_user 2
        out 80h, al
.p6:    out 80h, ax                                     ; 81h is not allowed
        end_case GP, 0, .p6
        begin_case
        at_user 2
.p7:    in al, 81h
        end_case GP, 0, .p7
        begin_case
        at_user 2
        mov edx, 3f8h                                   ; beyond the map
.p8:    in al, dx
        end_case GP, 0, .p8
        ; ---- control registers
        begin_case
        mov eax, 80000010h
.k1:    mov cr0, eax                                    ; PG without PE
        end_case GP, 0, .k1
        begin_case
        mov eax, cr0
        or eax, 1 << 29
.k2:    mov cr0, eax                                    ; NW without CD
        end_case GP, 0, .k2
        begin_case
        mov eax, 1 << 9
.k3:    mov cr4, eax                                    ; a bit that no Pentium has
        end_case GP, 0, .k3
        begin_case
.k4:    db 0fh, 22h, 0c8h                               ; MOV CR1, EAX
        end_case UD, 0, .k4
        ; ---- more than 15 bytes
        begin_case
.long:  times 15 db 66h
        nop
        end_case GP, 0, .long
        finish

task_gate_stack: jmp stubs + GP * STUB_BYTES
; handlers at level 1 see the frame, then go back to level 0 by a gate of the IDT
ts_handler: mov ax, DATA3           ; the return to level 3 has made DS null
        mov ds, ax
        mov dword [seen.vector], TS
        jmp level1
ss_handler: mov ax, DATA3
        mov ds, ax
        mov dword [seen.vector], SS_FAULT
level1: pop dword [seen.code]
        pop dword [seen.eip]
        mov dword [tss0 + 8], DATA0
        mov dword [tss0 + 4], FAULT_STACK
        vector 50h, back0, 0eeh
        int 50h
back0:  mov esp, [saved_esp]
        mov ax, DATA0
        mov ds, ax
        mov ss, ax
        jmp [resume]

        align 4
bounds: dd 1, 10
idt_short: dw 60h * 8 - 1
        dd idt
