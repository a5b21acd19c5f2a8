; pctr: uses the counters like OpenBSD's pctr driver: it changes a counter's nine selection bits and keeps the rest of CESR, clears the
; counter, and reads everything with interrupts off. Both processors.
global start
section .text
%include "bare.inc"
%include "pmu.inc"

TRIPS equ 200

; select COUNTER (0, 1), bits: what the driver does for one counter
%macro select 2
        read_msr CESR
        and eax, ~(SELECT << (16 * %1))
        or eax, (%2) << (16 * %1)
        mov ecx, CESR
        wrmsr
        write_msr CTR0 + %1, 0, 0
%endmacro

; What the driver's read returns: both counters and the time-stamp counter, taken with interrupts off.
%macro snapshot 1
        cli
        read_msr CTR0
        mov [%1], eax
        mov [%1 + 4], edx
        read_msr CTR1
        mov [%1 + 8], eax
        mov [%1 + 12], edx
        rdtsc
        mov [%1 + 16], eax
        sti
%endmacro

start:
        mov esp, stack_top
        write_msr CESR, 0, PIN << 16 | PIN      ; the pin bits do not matter here
        select 0, INSTRUCTIONS | CPL_012
        select 1, DATA_READ | CPL_012
        read_msr CESR
        expect "CESR, both selected", eax, (DATA_READ | CPL_012 | PIN) << 16 | INSTRUCTIONS | CPL_012 | PIN
        snapshot empty_before
        snapshot empty_after
        select 1, DATA_WRITE | CPL_012          ; counter 0 continues meanwhile
        read_msr CESR
        expect "CESR, the second changed", eax, (DATA_WRITE | CPL_012 | PIN) << 16 | INSTRUCTIONS | CPL_012 | PIN
        snapshot before
        mov ebx, TRIPS
.trip:  mov [word_in_memory], ebx               ; three instructions and one write a trip
        dec ebx
        jnz .trip
        snapshot after

        mov eax, [empty_after]                  ; instructions between two snapshots
        sub eax, [empty_before]
        mov ebx, [after]
        sub ebx, [before]
        sub ebx, eax
        expect "instructions", ebx, 3 * TRIPS + 1
        mov eax, [after + 8]
        sub eax, [before + 8]
        sub eax, 3                              ; the snapshot's own writes after the read of counter 1
        sub eax, 2                              ; and before it
        expect "data writes", eax, TRIPS
        mov eax, [after + 16]
        sub eax, [before + 16]
        sub eax, TRIPS                          ; a trip takes a clock at least
        sar eax, 31
        expect "clocks fewer than trips", eax, 0
        expect "counter 0 was cleared by its own selection only", [after + 4], 0
        verdict "pctr"

section .data
align 4
failures: dd 0
word_in_memory: dd 0

section .bss
align 4
empty_before: resd 5
empty_after: resd 5
before: resd 5
after:  resd 5
        resb 4096
stack_top:
