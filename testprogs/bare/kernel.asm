; kernel: a small multitasking kernel that virtualises a performance counter. Two tasks at CPL 3, each with a page directory, a kernel
; stack and a window of private pages that are allocated at the first access (#PF); a timer interrupt (8254 through 8259) that switches
; tasks; system calls by INT 80h; a #GP handler that continues a task after a HLT.
;
; CTR0 belongs to the tasks: each switch saves it for the task that stops and loads the value of the next one, as an operating system
; does for its users' counters. CTR1 counts the same event all the time. Both count at CPL 3 only, so the kernel's work is not counted.
; At the end the tasks' counts must add up to CTR1, and to the machine's count.
; EVENT (-D EVENT=n): ES of both counters, 16h = instructions executed.
global start
section .text
%include "bare.inc"

%ifndef EVENT
EVENT equ 16h
%endif

CODE0 equ 08h
DATA0 equ 10h
CODE3 equ 18h | 3
DATA3 equ 20h | 3
TASK_STATE equ 28h
IF equ 200h

VECTOR_GP equ 13
VECTOR_PF equ 14
VECTOR_TIMER equ 20h
VECTOR_SYSTEM equ 80h
SYSTEM_EXIT equ 0               ; EBX = status
SYSTEM_YIELD equ 1
SYSTEM_NUMBER equ 2             ; -> EAX = number of the task

PIC equ 20h
PIT_CHANNEL0 equ 40h
PIT_CONTROL equ 43h
SLICE equ 1193                  ; of 1.193182 MHz: about 1 ms
END_OF_INTERRUPT equ 20h

PAGE equ 4096
PRESENT equ 1
WRITABLE equ 2
USER equ 4
WINDOW equ 400000h              ; the tasks' private pages
WINDOW_PAGES equ 16
TASK_STACK equ WINDOW + WINDOW_PAGES * PAGE
HLT_OPCODE equ 0f4h

MSR_TSC equ 10h
MSR_CESR equ 11h
MSR_CTR0 equ 12h
MSR_CTR1 equ 13h
CPL3 equ 2                      ; CC: events at CPL 3
%define SELECT (EVENT | CPL3 << 6)

TASKS equ 2
struc task
.esp:       resd 1              ; kernel stack while it does not run
.stack_top: resd 1
.directory: resd 1
.table:     resd 1              ; of the window
.counter:   resd 2              ; CTR0 as the task would see it
.clocks:    resd 2
.slices:    resd 1
.alive:     resd 1
endstruc

start:
        mov esp, boot_stack_top
        mov eax, tss
        mov [gdt_tss + 2], ax
        shr eax, 16
        mov [gdt_tss + 4], al
        mov [gdt_tss + 7], ah
        lgdt [gdt_pointer]
        jmp CODE0:.flat
.flat:  mov ax, DATA0
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov dword [tss + 8], DATA0
        mov word [tss + 102], 104               ; no ports for the tasks
        mov ax, TASK_STATE
        ltr ax
        call make_idt
        call make_tables
        call make_tasks
        call start_timer
        mov eax, [tasks + task.directory]
        mov cr3, eax
        mov eax, cr0
        or eax, 80010000h                       ; PG, WP
        mov cr0, eax

        xor eax, eax                            ; counters from 0
        xor edx, edx
        mov ecx, MSR_CTR0
        wrmsr
        mov ecx, MSR_CTR1
        wrmsr
        mov eax, SELECT << 16 | SELECT
        mov ecx, MSR_CESR
        wrmsr

        mov ax, DATA3                           ; IRET to CPL 3 leaves no segments of level 0; flat for the kernel too
        mov ds, ax
        mov es, ax
        mov [boot_esp], esp
        mov edi, tasks
        jmp resume_task                         ; comes back by `all_done`

; --- set-up ---

%macro set_gate 3                               ; vector, handler, access
        mov eax, %2
        mov [idt + (%1) * 8], ax
        mov word [idt + (%1) * 8 + 2], CODE0
        mov word [idt + (%1) * 8 + 4], (%3) << 8
        shr eax, 16
        mov [idt + (%1) * 8 + 6], ax
%endmacro

make_idt:
        set_gate VECTOR_GP, general_protection, 8eh
        set_gate VECTOR_PF, page_fault, 8eh
        set_gate VECTOR_TIMER, timer, 8eh
        set_gate VECTOR_SYSTEM, system_call, 0eeh
        lidt [idt_pointer]
        ret

; The first 4 MB as they are, for the kernel; the tasks' code for the tasks too.
make_tables:
        mov edi, low_table
        mov eax, PRESENT | WRITABLE
.page:  mov [edi], eax
        add eax, PAGE
        add edi, 4
        cmp eax, 400000h
        jb .page
        mov eax, user_code
        shr eax, 12
        mov ecx, user_code_end
        shr ecx, 12
.user:  mov edx, [low_table + eax * 4]
        and edx, ~WRITABLE
        or edx, USER
        mov [low_table + eax * 4], edx
        inc eax
        cmp eax, ecx
        jb .user
        ret

%macro make_task 2                              ; number, entry
        mov edi, tasks + (%1) * task_size
        mov dword [edi + task.alive], 1
        mov eax, directories + (%1) * PAGE
        mov [edi + task.directory], eax
        mov dword [eax], low_table + (PRESENT | WRITABLE | USER)
        mov ecx, window_tables + (%1) * PAGE
        mov [edi + task.table], ecx
        lea edx, [ecx + (PRESENT | WRITABLE | USER)]
        mov [eax + (WINDOW >> 22) * 4], edx
        mov eax, kernel_stacks + ((%1) + 1) * PAGE
        mov [edi + task.stack_top], eax
        mov dword [eax - 4], DATA3
        mov dword [eax - 8], TASK_STACK
        mov dword [eax - 12], IF | 2
        mov dword [eax - 16], CODE3
        mov dword [eax - 20], %2
        sub eax, 20 + 32                        ; and eight registers
        mov [edi + task.esp], eax
%endmacro

make_tasks:
        make_task 0, task_sieve
        make_task 1, task_mixer
        ret

start_timer:
        mov al, 11h                             ; ICW1: edge, cascade, ICW4 follows
        out PIC, al
        mov al, VECTOR_TIMER
        out PIC + 1, al
        mov al, 4
        out PIC + 1, al
        mov al, 1
        out PIC + 1, al
        mov al, 0feh                            ; IR0 only
        out PIC + 1, al
        mov al, 34h                             ; channel 0, low then high byte, mode 2
        out PIT_CONTROL, al
        mov al, SLICE & 255
        out PIT_CHANNEL0, al
        mov al, SLICE >> 8
        out PIT_CHANNEL0, al
        ret

; --- switching: a task that does not run has its registers on its kernel stack ---

; Stops the current task (its PUSHAD frame at ESP) and continues with the next that is alive.
switch:
        mov edi, [current]
        mov [edi + task.esp], esp
        call counter_save
        mov ecx, TASKS
.next:  add edi, task_size
        cmp edi, tasks + TASKS * task_size
        jb .in
        mov edi, tasks
.in:    cmp dword [edi + task.alive], 0
        jne resume_task
        loop .next
        jmp all_done

resume_task:                                    ; EDI
        mov [current], edi
        inc dword [edi + task.slices]
        mov eax, [edi + task.stack_top]
        mov [tss + 4], eax
        mov eax, [edi + task.directory]
        mov cr3, eax
        call counter_load
        mov esp, [edi + task.esp]
        popad
        iretd

; CTR0 and the clocks since the switch belong to the task in EDI.
counter_save:
        mov ecx, MSR_CTR0
        rdmsr
        mov [edi + task.counter], eax
        mov [edi + task.counter + 4], edx
        rdtsc
        sub eax, [switched_at]
        sbb edx, [switched_at + 4]
        add [edi + task.clocks], eax
        adc [edi + task.clocks + 4], edx
        ret

counter_load:
        mov eax, [edi + task.counter]
        mov edx, [edi + task.counter + 4]
        mov ecx, MSR_CTR0
        wrmsr
        rdtsc
        mov [switched_at], eax
        mov [switched_at + 4], edx
        ret

; --- handlers ---

timer:  pushad
        mov al, END_OF_INTERRUPT
        out PIC, al
        inc dword [ticks]
        jmp switch

system_call:
        pushad
        inc dword [system_calls]
        cmp eax, SYSTEM_YIELD
        je switch
        cmp eax, SYSTEM_NUMBER
        je .number
        mov edi, [current]                      ; exit
        or [failures], ebx
        mov dword [edi + task.alive], 0
        jmp switch
.number:
        mov eax, [current]
        sub eax, tasks
        xor edx, edx
        mov ecx, task_size
        div ecx
        mov [esp + 28], eax                     ; EAX of the frame
        popad
        iretd

; A page of the window that the task touches for the first time.
page_fault:
        pushad
        mov eax, cr2
        mov ecx, eax
        sub ecx, WINDOW
        cmp ecx, WINDOW_PAGES * PAGE
        jae .bad
        mov edx, [esp + 32]                     ; error code: not present, from CPL 3
        and edx, 5
        cmp edx, USER
        jne .bad
        inc dword [page_faults]
        mov edx, [next_frame]
        add dword [next_frame], PAGE
        cmp edx, frames_end
        jae .bad
        or edx, PRESENT | WRITABLE | USER
        shr ecx, 12
        mov edi, [current]
        mov edi, [edi + task.table]
        mov [edi + ecx * 4], edx
        popad
        add esp, 4
        iretd
.bad:   print "unexpected page fault", 10
        finish 2

; HLT at CPL 3 does nothing here; nothing else may fault.
general_protection:
        pushad
        mov eax, [esp + 36]                     ; EIP
        cmp byte [eax], HLT_OPCODE
        jne .bad
        inc dword [esp + 36]
        inc dword [protection_faults]
        popad
        add esp, 4
        iretd
.bad:   print "unexpected protection fault", 10
        finish 2

; --- the end ---

%macro print_count 2
        mov eax, %2
        call print_decimal
        print %1
%endmacro

all_done:
        mov esp, [boot_esp]
        mov ecx, MSR_CTR1
        rdmsr
        mov [total], eax
        mov [total + 4], edx
        print_count " ticks, ", [ticks]
        print_count " page faults, ", [page_faults]
        print_count " protection faults, ", [protection_faults]
        print_count " system calls", [system_calls]
        print 10, "task 0: "
        print_count " in ", [tasks + task.counter]
        print_count " slices", [tasks + task.slices]
        print 10, "task 1: "
        print_count " in ", [tasks + task_size + task.counter]
        print_count " slices", [tasks + task_size + task.slices]
        print 10, "total: "
        print_count "", [total]
        print 10
        mov eax, [tasks + task.counter]
        mov edx, [tasks + task.counter + 4]
        add eax, [tasks + task_size + task.counter]
        adc edx, [tasks + task_size + task.counter + 4]
        cmp eax, [total]
        jne .wrong
        cmp edx, [total + 4]
        jne .wrong
        cmp dword [failures], 0
        jne .wrong
        finish 0
.wrong: print "the tasks' counts do not add up, or a task failed", 10
        finish 1

; --- the tasks: CPL 3, code not writable ---
        align PAGE
user_code:
; Primes below 32768 in the window's first 8 pages, three times: 3512.
task_sieve:
        mov ebp, 3
.again: mov edi, WINDOW
        xor eax, eax
        mov ecx, 32768 / 4
        rep stosd
        mov esi, 2
        xor ebx, ebx
.each:  cmp byte [WINDOW + esi], 0
        jne .not
        inc ebx
        mov edx, esi
        add edx, edx
.strike: cmp edx, 32768
        jae .not
        mov byte [WINDOW + edx], 1
        add edx, esi
        jmp .strike
.not:   inc esi
        cmp esi, 32768
        jb .each
        cmp ebx, 3512
        jne task_failed
        dec ebp
        jnz .again
        jmp task_done

; Fills private pages with a generator and sums them up, yields, and tries HLT.
task_mixer:
        mov eax, SYSTEM_NUMBER
        int VECTOR_SYSTEM
        cmp eax, 1
        jne task_failed
        mov ebp, 40
.round: mov edi, WINDOW
        mov eax, ebp
        xor ebx, ebx
        mov ecx, 6 * PAGE / 4
.fill:  imul eax, eax, 1103515245
        add eax, 12345
        mov [edi], eax
        add ebx, eax
        add edi, 4
        dec ecx
        jnz .fill
        mov eax, SYSTEM_YIELD                   ; the other task writes to the same addresses
        int VECTOR_SYSTEM
        hlt
        mov esi, WINDOW
        mov ecx, 6 * PAGE / 4
.sum:   sub ebx, [esi]
        add esi, 4
        dec ecx
        jnz .sum
        test ebx, ebx
        jnz task_failed
        push ebp
        call deep
        pop ebp
        dec ebp
        jnz .round
task_done:
        xor ebx, ebx
        mov eax, SYSTEM_EXIT
        int VECTOR_SYSTEM
deep:   push ebp                                ; as deep as EBP says
        dec ebp
        jz .out
        call deep
.out:   pop ebp
        ret
task_failed:
        mov ebx, 1
        mov eax, SYSTEM_EXIT
        int VECTOR_SYSTEM
        align PAGE
user_code_end:

section .data
align 8
gdt:    dq 0
        dq 00cf9a000000ffffh
        dq 00cf92000000ffffh
        dq 00cffa000000ffffh
        dq 00cff2000000ffffh
gdt_tss:
        dw 103, 0
        db 0, 89h, 0, 0
gdt_end:
gdt_pointer:
        dw gdt_end - gdt - 1
        dd gdt
idt_pointer:
        dw (VECTOR_SYSTEM + 1) * 8 - 1
        dd idt
align 4
current: dd tasks
next_frame: dd frames

section .bss
align 4096
low_table: resb PAGE
directories: resb TASKS * PAGE
window_tables: resb TASKS * PAGE
kernel_stacks: resb TASKS * PAGE
frames: resb 32 * PAGE
frames_end:
idt:    resb (VECTOR_SYSTEM + 1) * 8
tss:    resb 104
tasks:  resb TASKS * task_size
switched_at: resd 2
total:  resd 2
ticks:  resd 1
page_faults: resd 1
protection_faults: resd 1
system_calls: resd 1
failures: resd 1
boot_esp: resd 1
        resb 4096
boot_stack_top:
