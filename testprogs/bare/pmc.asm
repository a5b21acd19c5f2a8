; pmc: uses the counters like NetBSD's pmc calls: a counter starts from the user's value and counts while its half of CESR is set; reads
; are cut to 40 bits; a start below 0 sets an interval. Both processors.
global start
section .text
%include "bare.inc"
%include "pmu.inc"

MASK_HIGH equ 0ffh              ; 40 bits
TRIPS equ 50

%macro start_counter 4          ; counter, selection, start value: high, low
        read_msr CESR           ; off first
        and eax, ~(0ffffh << (16 * %1))
        mov ecx, CESR
        wrmsr
        write_msr CTR0 + %1, %3, %4
        read_msr CESR
        or eax, (%2) << (16 * %1)
        mov ecx, CESR
        wrmsr
%endmacro

%macro stop_counter 1           ; what it counted stays
        read_msr CESR
        and eax, ~(0ffffh << (16 * %1))
        mov ecx, CESR
        wrmsr
%endmacro

%macro writes 1                 ; that many data writes
        mov ebx, %1
%%trip: mov [word_in_memory], ebx
        dec ebx
        jnz %%trip
%endmacro

start:
        mov esp, stack_top
        start_counter 0, DATA_WRITE | CPL_012, 0, 1000
        writes TRIPS
        stop_counter 0
        writes TRIPS                            ; stopped: not counted
        read_msr CTR0
        expect "preset 1000", eax, 1000 + TRIPS
        expect "preset 1000, high part", edx, 0

        start_counter 1, DATA_WRITE | CPL_012, 55h, 0fffffff0h
        writes TRIPS                            ; carries into the high part
        stop_counter 1
        read_msr CTR1
        expect "carry, low part", eax, TRIPS - 16
        expect "carry, high part", edx, 56h

        start_counter 0, DATA_WRITE | CPL_012, -1, -20  ; 20 below 0: more bits than the counter has
        read_msr CTR0
        expect "40 bits, low part", eax, -20
        expect "40 bits, high part", edx, MASK_HIGH
        writes TRIPS                            ; through the end of the 40 bits
        stop_counter 0
        read_msr CTR0
        and edx, MASK_HIGH
        expect "past the end, low part", eax, TRIPS - 20
        expect "past the end, high part", edx, 0

        start_counter 0, DATA_WRITE | CPL_3, 0, 7       ; only at CPL 3, at which no code runs
        writes TRIPS
        stop_counter 0
        read_msr CTR0
        expect "other privilege level", eax, 7
        read_msr CESR
        expect "CESR at the end", eax, 0
        verdict "pmc"

section .data
align 4
failures: dd 0
word_in_memory: dd 0

section .bss
        resb 4096
stack_top:
