; perfctr: uses the counters like the Linux patch of that name: it merges the control of both counters into one CESR value, and writes
; CESR only if the value changes. It never clears counters but samples their low 32 bits by RDPMC, and sums the differences in 64 bits
; for each of two alternating tasks. RDPMC: P55C only.
global start
section .text
%include "bare.inc"
%include "pmu.inc"

TURNS equ 20
TASK_WRITES equ 30              ; writes a turn, task 0; task 1 makes two less
CONTROL equ 0                   ; fields of a task: control of each counter, start of each, sum of each in 64 bits
START equ 8
SUM equ 16

; resume TASK, suspend TASK (address in EBP): around what the task does
resume:
        mov eax, [ebp + CONTROL + 4]
        shl eax, 16
        or eax, [ebp + CONTROL]
        cmp eax, [cesr_cache]
        je .same
        mov [cesr_cache], eax
        inc dword [cesr_writes]
        xor edx, edx
        mov ecx, CESR
        wrmsr
.same:  mov ecx, 1
        rdpmc
        mov [scratch], eax
        xor ecx, ecx
        rdpmc
        mov [ebp + START], eax
        mov eax, [scratch]
        mov [ebp + START + 4], eax
        ret

suspend:
        xor ecx, ecx
        rdpmc
        sub eax, [ebp + START]  ; modulo 2^32: right if less than that was counted meanwhile
        add [ebp + SUM], eax
        adc dword [ebp + SUM + 4], 0
        mov ecx, 1
        rdpmc
        sub eax, [ebp + START + 4]
        add [ebp + SUM + 8], eax
        adc dword [ebp + SUM + 12], 0
        ret

work:                           ; EBX writes
        mov [word_in_memory], ebx
        dec ebx
        jnz work
        ret

start:
        mov esp, stack_top
        write_msr CESR, 0, 0
        write_msr CTR0, 0, 0fffffff0h   ; soon past 2^32: only differences count
        mov dword [task0 + CONTROL], DATA_WRITE | CPL_012
        mov dword [task0 + CONTROL + 4], INSTRUCTIONS | CPL_012
        mov dword [task1 + CONTROL], DATA_WRITE | CPL_012
        mov dword [task1 + CONTROL + 4], DATA_READ | CPL_012
        mov esi, TURNS
.turn:  mov ebp, task0
        call resume
        mov ebx, TASK_WRITES
        call work
        call suspend
        mov ebx, 3              ; between tasks: charged to no task
        call work
        mov ebp, task1
        call resume
        mov ebx, TASK_WRITES - 2
        call work
        call suspend
        dec esi
        jnz .turn

        ; One turn with nothing to do is what the bookkeeping itself counts.
        mov ebp, idle
        mov dword [idle + CONTROL], DATA_WRITE | CPL_012
        mov dword [idle + CONTROL + 4], INSTRUCTIONS | CPL_012
        call resume
        call suspend
        mov eax, [idle + SUM]
        imul eax, TURNS
        mov ebx, [task0 + SUM]
        sub ebx, eax
        expect "task 0: writes", ebx, TURNS * (TASK_WRITES + 1)         ; and the push of CALL
        mov ebx, [task1 + SUM]
        sub ebx, eax
        expect "task 1: writes", ebx, TURNS * (TASK_WRITES - 2 + 1)
        mov eax, [idle + SUM + 8]
        imul eax, TURNS
        mov ebx, [task0 + SUM + 8]
        sub ebx, eax
        expect "task 0: instructions", ebx, TURNS * (3 * TASK_WRITES + 3)       ; MOV, CALL, RET
        expect "task 0: high part", [task0 + SUM + 4], 0
        expect "CESR was written", [cesr_writes], 2 * TURNS + 1 ; each turn changes it: another second event
        read_msr CESR
        expect "CESR", eax, (INSTRUCTIONS | CPL_012) << 16 | DATA_WRITE | CPL_012
        call resume                                             ; the same control: not written again
        expect "CESR was written once more", [cesr_writes], 2 * TURNS + 1
        verdict "perfctr"

section .data
align 4
failures: dd 0
word_in_memory: dd 0
scratch: dd 0
cesr_cache: dd 0
cesr_writes: dd 0

section .bss
align 4
task0:  resd 8
task1:  resd 8
idle:   resd 8
        resb 4096
stack_top:
