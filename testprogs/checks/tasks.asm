; Task switches: JMP, CALL, IRET, task gates by JMP, CALL, INT and exceptions, busy bits, links, NT, faults in the old and in the new
; task, 16-bit TSS; a double fault through a task gate.
%include "system.inc"

%define TSS_ACCESS(s) byte [gdt + (s) + 5]
NT equ 4000h
gate_entry equ 0

%macro new_task 1               ; entry; the task is available
        mov dword [tss1], 0
        mov dword [tss1 + 28], 0
        mov dword [tss1 + 32], %1
        mov dword [tss1 + 36], 2
        mov dword [tss1 + 40], 11111111h        ; EAX
        mov dword [tss1 + 52], 22222222h        ; EBX
        mov dword [tss1 + 56], 6400h
        mov dword [tss1 + 72], DATA0
        mov dword [tss1 + 76], CODE0
        mov dword [tss1 + 80], DATA0
        mov dword [tss1 + 84], DATA0
        mov dword [tss1 + 88], 0
        mov dword [tss1 + 92], 0
        mov dword [tss1 + 96], LDT
        mov dword [tss1 + 100], 0
        mov TSS_ACCESS(TSS1), 89h
%endmacro
; back to TSS0 whatever happened
%macro home 0
        mov TSS_ACCESS(TSS0), 89h
        mov TSS_ACCESS(TSS1), 89h
        mov ax, TSS0
        ltr ax
        clts
        pushfd
        and dword [esp], ~NT
        popfd
%endmacro

start:  call boot
        ; ---- CALL and IRET
        new_task .t1
        begin_case
        mov ebx, 12345678h
        call TSS1:0
.r1:    mov [after], ebx
        end_case NONE, 0, 0
        is dword [after], 12345678h
        is dword [in_task.ebx], 22222222h
        is dword [in_task.link], TSS0
        is dword [in_task.flags], NT | 2
        is dword [in_task.busy], 8b8bh                  ; both
        is dword [tss0 + 32], .r1
        mov al, TSS_ACCESS(TSS1)
        and eax, 0ffh
        is eax, 89h
        mov eax, cr0
        and eax, 8
        is eax, 8
        mov eax, [tss1 + 36]
        and eax, NT
        is eax, 0                                       ; IRET cleared it in the image
        is dword [tss1 + 32], .t1_end                   ; where it continues
        str eax
        is eax, TSS0
        jmp .n1
.t1:    mov [in_task.ebx], ebx
        movzx eax, word [tss1]
        mov [in_task.link], eax
        pushfd
        pop dword [in_task.flags]
        mov al, TSS_ACCESS(TSS0)
        mov ah, TSS_ACCESS(TSS1)
        mov [in_task.busy], ax
        iretd
.t1_end:
        ; ---- JMP there and back: the busy bit goes along
.n1:    clts
        new_task .t2
        begin_case
        jmp TSS1:0
        end_case NONE, 0, 0
        is dword [in_task.busy], 8b89h
        jmp .n2
.t2:    mov al, TSS_ACCESS(TSS0)
        mov ah, TSS_ACCESS(TSS1)
        mov [in_task.busy], ax
        jmp TSS0:0
.n2:    clts
        ; ---- gates
        new_task .t3
        begin_case
        at_user                                         ; DPL 3 gate to a DPL 0 TSS
        call TASKG:0
.r3:    hlt
        end_case GP, 0, .r3
        is dword [in_task.ebx], 22222222h
        jmp .n3
.t3:    mov [in_task.ebx], ebx
        iretd
.n3:    clts
        new_task .t4
        vector 40h, 0, 0e5h, TSS1
        begin_case
        int 40h
.r4:    mov dword [after], 4
        end_case NONE, 0, 0
        is dword [after], 4
        is dword [tss0 + 32], .r4
        jmp .n4
.t4:    iretd
.n4:    clts
        ; ---- an exception with error code through a task gate: the code is on the new stack, and the fault can be done again
        new_task .t5
        vector GP, 0, 085h, TSS1
        begin_case
        mov ax, ABSENT + 1000h
.r5:    mov ds, ax
        end_case NONE, 0, 0
        is dword [in_task.code], ABSENT + 1000h
        is dword [tss0 + 32], .r5
        mov eax, [tss0 + 36]
        and eax, 10000h
        is eax, 10000h                                  ; RF in the saved image
        is dword [in_task.esp], 6400h - 4
        jmp .n5
.t5:    mov [in_task.esp], esp
        pop dword [in_task.code]
        mov dword [tss0 + 40], DATA0                    ; EAX of the one that faulted
        iretd
.n5:    clts
        vector GP, stubs + GP * STUB_BYTES, 08eh
        ; ---- refused, in the old task
        begin_case
.f1:    jmp BUSY:0
        end_case GP, BUSY, .f1
        begin_case
.f2:    jmp TSS2:0
        end_case TS, TSS2, .f2
        begin_case
        at_user
.f3:    jmp TSS1:0
        end_case GP, TSS1, .f3
        mov TSS_ACCESS(TSS1), 09h
        begin_case
.f4:    call TSS1:0
        end_case NP, TSS1, .f4
        begin_case
.f5:    call TASKG:0
        end_case NP, TSS1, .f5
        mov TSS_ACCESS(TSS1), 8bh
        begin_case
.f6:    jmp TASKG:0
        end_case GP, TSS1, .f6
        vector 40h, 0, 0e5h, TSS1
        begin_case
.f7:    int 40h
        end_case GP, TSS1, .f7
        vector UD, 0, 085h, TSS1
        begin_case
.f8:    ud2
        end_case GP, TSS1 | 1, .f8                      ; EXT
        vector UD, stubs + UD * STUB_BYTES, 08eh
        mov word [tss0], DATA0
        begin_case
        pushfd
        or dword [esp], NT
        popfd
.f9:    iretd                                           ; the link is no TSS
        end_case TS, DATA0, .f9
        home
        ; ---- found in the new task
        new_task task_entry
        mov dword [tss1 + 84], ABSENT
        begin_case
        jmp TSS1:0
        end_case NP, ABSENT, task_entry
        str eax
        is eax, TSS1
        home
        new_task task_entry
        mov dword [tss1 + 76], NOCODE
        begin_case
        jmp TSS1:0
        end_case NP, NOCODE, task_entry
        home
        new_task task_entry                             ; without LDT there is no stack yet: #TS by a task, the old one
        vector TS, 0, 085h, TSS0
        mov dword [tss1 + 96], DATA0
        begin_case
        jmp TSS1:0
        pop dword [in_task.code]
        end_case NONE, 0, 0
        is dword [in_task.code], DATA0
        movzx eax, word [tss0]
        is eax, TSS1                                    ; the faulting task is the one to come back to
        is dword [tss1 + 32], task_entry
        vector TS, stubs + TS * STUB_BYTES, 08eh
        home
        new_task 7000h
        mov dword [tss1 + 76], LIMITED
        begin_case
        jmp TSS1:0
        end_case GP, 0, 7000h
        home
        ; ---- 16-bit TSS
        mov word [tss16 + 14], .t6
        mov word [tss16 + 16], 2
        mov word [tss16 + 18], 1234h                    ; AX
        mov word [tss16 + 26], 6400h                    ; SP
        mov word [tss16 + 34], DATA0
        mov word [tss16 + 36], CODE0
        mov word [tss16 + 38], DATA0
        mov word [tss16 + 40], DATA0
        begin_case
        call TSS16:0
        end_case NONE, 0, 0
        is dword [in_task.ebx], 0ffff1234h
        jmp .n6
.t6:    mov [in_task.ebx], eax
        iretd
.n6:    clts
        ; ---- a double fault, by a task with a stack of its own: the page fault's handler cannot be entered
        new_task .t7
        vector DF, 0, 085h, TSS1
        vector UD, 0, 08eh, NOCODE                      ; #UD is benign: #NP of its delivery is a fault of its own
        begin_case
.d1:    ud2
        end_case NP, NOCODE | 1, .d1
        vector GP, 0, 08eh, NOCODE                      ; #GP, then #NP: double
        begin_case
        mov esp, 7700h
        xor eax, eax
.d2:    mov ss, ax
        end_case NONE, 0, 0
        is dword [in_task.code], 0
        is dword [in_task.eip], .d2
        is dword [in_task.link], TSS0
        finish
.t7:    pop dword [in_task.code]
        movzx eax, word [tss1]
        mov [in_task.link], eax
        mov eax, [tss0 + 32]
        mov [in_task.eip], eax
        mov eax, [resume]
        mov [tss0 + 32], eax
        iretd

task_entry: hlt
        align 4
after:  dd 0
in_task:
.ebx:   dd 0
.link:  dd 0
.flags: dd 0
.busy:  dd 0
.code:  dd 0
.esp:   dd 0
.eip:   dd 0
