; What INT n, INT3 and INTO cost by the way they take to the handler (SDM volume 2, INT n: by a vector table 16, INT3 and INTO 13; by a gate
; to the same level 27, to an inner one 44, from V86 mode 56, to a task 82; INTO that continues 4): RDTSC at CPL 3, the interrupt, RDTSC in the
; handler. Each three times, so that caches, TLBs and branch prediction are warm.
%include "system.inc"
gate_entry equ 0
VM equ 1 << 17
OVERFLOW equ 800h
USER equ 3002h
STACK3 equ 5400h                ; in other sets of the data cache than the other stacks

%macro measure 2-3 USER         ; clocks, label of the code at CPL 3, its EFLAGS
  %push measure
  %assign case_number case_number + 1
        mov dword [case_now], case_number
        mov dword [rounds], 3
        mov dword [resume], %$back
        mov [saved_esp], esp
%$on:   call renew
        push dword 0                    ; GS FS DS ES, of V86 mode
        push dword 0
        push dword 0
        push dword 0
  %if (%3) & VM
        push dword 0
        push dword STACK3
        push dword %3
        push dword 0
  %else
        push dword DATA3
        push dword STACK3
        push dword %3
        push dword CODE3
  %endif
        push dword %2
        iretd
%$back: mov ecx, DATA0
        mov ds, cx
        mov ss, cx
        mov esp, [saved_esp]
        sub eax, ebx
        mov ebx, eax
        mov ecx, 12h
        rdmsr
        mov [user], eax
        mov eax, ebx
        dec dword [rounds]
        jnz %$on
        sub eax, [own]
  %ifnidn %1, 0
        is eax, %1
  %endif
  %pop
%endmacro
%macro timed 1                  ; label
        align 32
%1:     rdtsc
        mov ebx, eax
%endmacro

start:  call boot
        mov ecx, 11h                    ; clocks at CPL 3, on counter 0
        mov eax, 2 << 6 | 30h
        xor edx, edx
        wrmsr
        vector 40h, same, 0eeh, CODE3
        vector 41h, inner, 0eeh
        vector 42h, 0, 0e5h, TSS1
        vector 50h, done, 0eeh
        vector VBP, same, 0eeh, CODE3
        vector OF, same, 0eeh, CODE3
        measure 0, nothing              ; RDTSC itself
        mov [own], eax
        measure 27, same_level
        measure 27, breakpoint
        measure 27, overflow, USER | OVERFLOW
        measure 4, overflow
        measure 44, inner_level
        measure 0, inner_level          ; a task switch has bus cycles of its own, at the new level: CPL 3's clocks alone
        mov eax, [user]
        mov [inner_user], eax
        measure 0, to_task
        mov eax, 1
        cpuid
        and eax, 0f0h
        cmp eax, 40h                    ; a P54C has no such event
        jne .no_30
        mov eax, [user]
        sub eax, [inner_user]
        is eax, 82 - 44
.no_30:
        measure 56, from_v86, USER | VM
        vector VBP, inner, 0eeh
        measure 56, breakpoint_v86, USER | VM
        mov eax, 1                      ; CR4.VME: the bitmap of TSS0 chooses the task's own vector table
        mov cr4, eax
        and byte [tss0.redirection + 41h / 8], ~2
        mov dword [41h * 4], same_v86
        measure 16, from_v86, USER | VM
        finish

renew:  mov ecx, 12h
        xor eax, eax
        xor edx, edx
        wrmsr
        mov ecx, 32                     ; writes do not allocate lines
.line:  mov al, [STACK3 - 96 + ecx]
        mov al, [FAULT_STACK - 96 + ecx]
        mov al, [tss0 - 32 + ecx]
        mov al, [tss1 - 32 + ecx]
        add ecx, 16
        cmp ecx, 144
        jb .line
        mov al, [idt + VBP * 8]
        mov byte [gdt + TSS0 + 5], 89h
        mov byte [gdt + TSS1 + 5], 89h
        mov ax, TSS0
        ltr ax
        pushfd
        and dword [esp], ~4000h         ; NT, of the task gate
        popfd
        mov dword [tss1 + 32], task
        mov dword [tss1 + 36], 2
        mov dword [tss1 + 56], 6400h
        mov dword [tss1 + 72], DATA0
        mov dword [tss1 + 76], CODE0
        mov dword [tss1 + 80], DATA0
        mov dword [tss1 + 84], DATA0
        mov dword [tss1 + 96], LDT
        ret

timed nothing
        rdtsc
        int 50h
timed same_level
        int 40h
timed breakpoint
        int3
timed overflow
        into
        rdtsc
        int 50h
timed inner_level
        int 41h
timed to_task
        int 42h
        bits 16
timed from_v86
        int 41h
timed breakpoint_v86
        int3
        align 32
same_v86:
        rdtsc
        int 50h
        bits 32
        align 32
same:   rdtsc
        int 50h
        align 32
inner:  rdtsc
done:   jmp [cs:resume]
        align 32
task:   rdtsc
        mov ebx, [tss0 + 52]
        jmp [cs:resume]
rounds: dd 0
own:    dd 0
user:   dd 0
inner_user: dd 0
