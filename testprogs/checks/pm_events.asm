; What single instructions count: sentences of the manual's event descriptions (26.4.6) that only CPL 0 can try. Each count is the difference
; to the same two WRMSR with nothing between them. -D MANUAL: for a model with errata = off.
%include "system.inc"

gate_entry equ 0
%define DESCRIPTOR_ACCESS(s) byte [gdt + ((s) & ~7) + 5]

CESR equ 11h
CTR0 equ 12h
CTR1 equ 13h
MISSED  equ 02h
LOADED  equ 0fh
BRANCH  equ 12h
TAKEN   equ 14h                 ; or found in the BTB
FLUSHED equ 15h
DONE    equ 16h
LOCKED  equ 1ch
FLOP    equ 22h
TAKEN1  equ 32h                 ; counter 1, Pentium MMX only

DIRECTORY equ 200000h
TABLE     equ 201000h
FRESH     equ 300000h

%macro start_counter 2          ; counter, event
        mov ecx, CTR0 + %1
        xor eax, eax
        xor edx, edx
        wrmsr
        mov ecx, CESR
        mov eax, (%2 | 3 << 6) << (16 * %1)
        wrmsr
%endmacro
%macro stop_counter 1           ; count in EAX
        mov ecx, CESR
        xor eax, eax
        xor edx, edx
        wrmsr
        mov ecx, CTR0 + %1
        rdmsr
%endmacro
%macro count 1-2 0              ; event, counter: of the code up to "counted"
  %push counting
  %assign %$counter %2
  %assign case_number case_number + 1
        mov dword [case_now], case_number
        start_counter %2, %1
        stop_counter %2
        mov [nothing], eax
        start_counter %2, %1
%endmacro
%macro counted 1                ; expected
        stop_counter %$counter
        sub eax, [nothing]
        is eax, %1
  %pop
%endmacro

%macro counted_several 0        ; more than once; how often is not said
        stop_counter %$counter
        sub eax, [nothing]
        cmp eax, 2
        sbb eax, eax
        is eax, 0
  %pop
%endmacro

; event 22h of one instruction, from an empty stack with these loads before it
%macro flop 2-4                 ; expected, instruction, loads
        fninit
  %ifnempty %3
        %3
  %endif
  %if %0 > 3
        %4
  %endif
        count FLOP
        %2
        counted %1
%endmacro

%ifdef MANUAL
ERRATA equ 0
%else
ERRATA equ 1
%endif

start:  call boot
        mov dword [resume], compare.wrong       ; no exception is expected
        mov [saved_esp], esp
        vector 40h, returns, 0eeh
        vector 41h, stays, 0eeh
        mov eax, 1
        cpuid
        shr eax, 4
        and eax, 15
        mov [model], eax        ; 4: Pentium MMX
        and edx, 30h            ; TSC, MSR
        is edx, 30h
        cmp dword [model], 4
        jne .no_rdpmc
        xor ecx, ecx
        push dword 8d7h         ; OF, SF, ZF, AF, PF, CF: RDPMC leaves them
        popfd
        rdpmc
        pushfd
        pop eax
        is eax, 8d7h
        rdtsc
        mov ebx, eax
        rdtsc
        sub eax, ebx            ; it has grown
        cmp eax, 1
        sbb eax, eax
        is eax, 0
.no_rdpmc:

        ; ---- FLOPs (22h): not the division by zero, the negative square root, special operands, stack faults
        flop 1, {fdiv st0, st1}, fld1, fld1
        flop 0, {fdiv st0, st1}, fldz, fld1             ; 1 / 0
        flop 0, {fdivr st0, st1}, fld1, fldz
        flop 1, {fdivr st0, st1}, fldz, fld1            ; 0 / 1
        flop 0, {fdiv st1, st0}, fld1, fldz
        flop 0, {fdivp st1, st0}, fld1, fldz
        flop 0, {fdiv st0, st1}, fldz, fldz             ; 0 / 0
        flop 0, {fdiv dword [zero]}, fld1
        flop 0, {fdiv qword [zero]}, fld1
        flop 0, {fidiv dword [zero]}, fld1
        flop 0, {fidiv word [zero]}, fld1
        flop 0, {fdivr dword [one]}, fldz
        flop 1, {fdivr dword [zero]}, fld1
        flop 1, fsqrt, fld1
        flop 1, fsqrt, {fld dword [minus_zero]}         ; -0 has a square root
        flop 0, fsqrt, {fld dword [minus_one]}
        flop 0, {fsub st0, st1}, {fld dword [infinity]}, {fld dword [infinity]}
        flop 1, {fadd st0, st1}, {fld dword [infinity]}, {fld dword [infinity]}
        flop 0, {fmul st0, st1}, {fld dword [infinity]}, fldz
        flop 1, {fadd st0, st1}, {fld dword [quiet]}, fld1
        flop 0, {fadd st0, st1}, {fld tword [signalling]}, fld1
        flop 1, {fmul st0, st1}, {fld tword [denormal]}, fld1           ; the others count
        flop 1, {fmul st0, st1}, {fld tword [largest]}, {fld tword [largest]}
        flop 1, {fdiv st0, st1}, {fld dword [three]}, fld1              ; inexact
        flop 0, {fadd st0, st1}, fld1                   ; ST(1) is empty
        flop 0, {fmul dword [one]}                      ; ST(0) is empty
        flop 0, fsqrt
        flop 0, fsin
        flop 0, fprem, fldz, fld1
        flop 1, fprem, fld1, fld1
        flop 0, fsin, {fld dword [infinity]}
        fninit
        fld1
        count FLOP
        fsin                    ; consists of additions and multiplications
        counted_several
        ; what was found before and stays in the status word does not matter
        fninit
        fld dword [minus_one]
        fsqrt
        fld1
        count FLOP
        fsqrt
        counted 1
        ; masked or not
        fninit
        fldz
        fld1
        fldcw [unmasked]
        count FLOP
        fdiv st0, st1
        counted 0
        fnclex
        fninit
        fld dword [minus_one]
        fldcw [unmasked]
        count FLOP
        fsqrt
        counted 0
        fnclex
        fninit

        ; ---- Locked bus cycles (1Ch): accessed and busy bits of descriptors
        mov DESCRIPTOR_ACCESS(DATA16), 92h
        mov ebx, DATA16
        count LOCKED
        mov fs, bx
        counted 1
        count LOCKED
        mov fs, bx              ; it is set already
        counted 0
        mov DESCRIPTOR_ACCESS(CODE16), 9ah
        mov ebx, CODE16
        push ebx
        count LOCKED
        pop fs
        counted 1
        mov DESCRIPTOR_ACCESS(CODE0), 9ah
        count LOCKED
        jmp CODE0:.far
.far:   counted 1
        mov DESCRIPTOR_ACCESS(TSS0), 89h
        mov ebx, TSS0
        count LOCKED
        ltr bx
        counted 1
        mov DESCRIPTOR_ACCESS(TSS1), 89h
        call new_task
        count LOCKED
        call TSS1:0             ; TSS1 busy; IRET: TSS1 available
        counted 2
        mov DESCRIPTOR_ACCESS(TSS1), 89h
        call new_task
        mov dword [tss1 + 32], jumped
        count LOCKED
        jmp TSS1:0              ; TSS0 available, TSS1 busy; and back
        counted 4
        count LOCKED
        mov bx, ds              ; no descriptor
        mov ds, bx
        counted 0

        ; ---- Any segment register loaded (0Fh)
        count LOADED
        int 40h                 ; INT and IRET, once each at one level
        counted 2
        mov [saved_esp], esp
        count LOADED
        push dword DATA3
        push dword USER_STACK
        push dword 3002h
        push dword CODE3
        push dword .outer
        iretd                   ; twice,
.outer: int 41h                 ; ... and twice
.stays: stop_counter 0
        mov bx, DATA0           ; IRET took them away
        mov ds, bx
        mov es, bx
        sub eax, [nothing]
        is eax, 4
  %pop
        count LOADED
        lldt [ldt_selector]
        lgdt [gdt_register]
        lidt [idt_register]
        counted 3

        ; ---- Branches (12h), Taken branch or BTB hit (14h), Pipeline flushes (15h), Taken branches (32h)
        count BRANCH
        int 40h
        counted 2
        count TAKEN
        int 40h
        counted 2
        cmp dword [model], 4
        jne .no_32
        count TAKEN1, 1
        int 40h
        counted 2
.no_32: count FLUSHED
        int 40h                 ; neither a software interrupt nor what serialises
        counted 0
        count FLUSHED
        jmp CODE0:.jump
.jump:  counted 1
        count FLUSHED
        call CODE0:.called      ; and the return
        counted 2
        mov dword [pointer], .indirect
        count FLUSHED
        jmp far [pointer]
.indirect:
        counted 1
        count FLUSHED
        db 0e9h                 ; a near JMP to what follows
        dd 0
        counted 1
        mov ebx, DATA0
        count FLUSHED
        mov ss, bx
        counted 1
        count FLUSHED
        les esi, [pointer]
        counted 1
        count FLUSHED
        lss esp, [stack]
        counted 1
        count FLUSHED
        verr bx
        counted ERRATA
        mov DESCRIPTOR_ACCESS(TSS0), 89h
        mov ebx, TSS0
        count FLUSHED
        ltr bx                  ; serialises
        counted ERRATA
        count FLUSHED
        cpuid
        counted 0
        mov ebx, DATA0
        count BRANCH
        mov es, bx
        mov fs, bx
        counted 2
        count BRANCH
        verr bx
        cpuid
        counted 2
        xor ebx, ebx
        count BRANCH
        mov fs, bx              ; null: no descriptor is read
        counted 0

        ; ---- Instructions executed (16h): INT n is one, and its handler's invocation another
        count DONE
        int 40h
        counted 3
        count DONE
        nop
        nop
        counted 2
        mov ecx, 5
        mov edi, small_data
        count DONE
        rep stosb
        counted 1

        ; ---- Locked bus cycles (1Ch): accessed and dirty bits of page-table entries
        mov edi, TABLE
        mov eax, 67h            ; accessed and dirty
.map:   stosd
        add eax, 1000h
        cmp edi, TABLE + 1000h
        jb .map
        mov dword [TABLE + (FRESH >> 12) * 4], FRESH | 7
        mov dword [TABLE + (FRESH >> 12) * 4 + 4], FRESH + 1000h | 7
        mov dword [DIRECTORY], TABLE | 27h
        mov eax, DIRECTORY
        mov cr3, eax
        mov eax, cr0
        or eax, 80000000h
        mov cr0, eax
        jmp .paged
.paged: count LOCKED
        mov eax, [FRESH]
        counted 1               ; accessed
        count LOCKED
        mov eax, [FRESH]
        counted 0
        count LOCKED
        mov [FRESH], eax
        counted 1               ; dirty
        count LOCKED
        mov [FRESH], eax
        counted 0
        count LOCKED
        mov [FRESH + 1000h], eax
        counted 1               ; both at once

        ; ---- Data TLB misses (02h): a task switch loads CR3, which empties the TLBs
        mov dword [tss0 + 28], DIRECTORY
        call new_task
        mov dword [tss1 + 28], DIRECTORY
        mov DESCRIPTOR_ACCESS(TSS1), 89h
        count MISSED
        mov eax, [FRESH]
        counted 0
        count MISSED
        call TSS1:0             ; and back
        mov eax, [FRESH]
        counted_several
        finish

.called:
        retf

returns:
        iretd
stays:  mov esp, [ss:saved_esp]         ; from CPL 3, which cannot stop a counter
        jmp start.stays

new_task:
        mov dword [tss1 + 28], 0
        mov dword [tss1 + 32], .task
        mov dword [tss1 + 36], 2
        mov dword [tss1 + 56], 6400h
        mov dword [tss1 + 72], DATA0
        mov dword [tss1 + 76], CODE0
        mov dword [tss1 + 80], DATA0
        mov dword [tss1 + 84], DATA0
        mov dword [tss1 + 88], 0
        mov dword [tss1 + 92], 0
        mov dword [tss1 + 96], LDT
        ret
.task:  iretd
jumped: jmp TSS0:0

        align 8
zero:   dq 0
one:    dd 1.0
three:  dd 3.0
minus_one: dd -1.0
minus_zero: dd 80000000h
infinity: dd 7f800000h
quiet:  dd 7fc00000h
signalling: dq 8000000000000001h
        dw 7fffh
denormal: dq 1
        dw 0
largest: dq 0ffffffffffffffffh
        dw 7ffeh
unmasked: dw 37ah               ; invalid operation and division by zero
ldt_selector: dw LDT
        align 4
pointer: dd 0
        dw CODE0
        align 4
stack:  dd KERNEL_STACK
        dw DATA0
        align 4
nothing: dd 0
model:  dd 0
