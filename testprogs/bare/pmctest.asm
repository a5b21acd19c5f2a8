; pmctest: uses the counters like Agner Fog's PMCTest: CESR off, both counters cleared, events selected, then RDPMC before and after the
; code under test, several times. The same without code gives the overhead; the smallest difference is the result. P55C only.
global start
section .text
%include "bare.inc"
%include "pmu.inc"

REPETITIONS equ 6

; measure NAME: runs what the macro NAME stands for REPETITIONS times between serialised reads of both counters; the smallest
; differences go to ESI (counter 0) and EDI (counter 1).
%macro measure 1
        mov esi, -1
        mov edi, -1
        mov ebp, REPETITIONS
%%again:
        xor eax, eax
        cpuid
        xor ecx, ecx
        rdpmc
        mov [first], eax
        mov ecx, 1
        rdpmc
        mov [second], eax
        xor eax, eax
        cpuid
        %1
        xor eax, eax
        cpuid
        xor ecx, ecx
        rdpmc
        sub eax, [first]
        cmp eax, esi
        cmovb_esi
        mov ecx, 1
        rdpmc
        sub eax, [second]
        cmp eax, edi
        cmovb_edi
        dec ebp
        jnz %%again
%endmacro
%macro cmovb_esi 0
        jnb %%keep
        mov esi, eax
%%keep:
%endmacro
%macro cmovb_edi 0
        jnb %%keep
        mov edi, eax
%%keep:
%endmacro

%macro select 2                 ; events of the counters, at CPL 0
        write_msr CESR, 0, 0
        write_msr CTR0, 0, 0
        write_msr CTR1, 0, 0
        write_msr CESR, 0, (%2 | CPL_012) << 16 | %1 | CPL_012
%endmacro

%macro nothing 0
%endmacro
%macro ten_pairable 0           ; ten instructions, of which each second goes into the V pipe
        %rep 5
        add eax, 1
        add edx, 1
        %endrep
%endmacro
%macro chain_of_six 0           ; each needs the result of the one before
        %rep 6
        add eax, eax
        %endrep
%endmacro
%macro four_reads_two_writes 0
        mov eax, [word_in_memory]
        mov edx, [word_in_memory + 4]
        mov eax, [word_in_memory + 8]
        mov edx, [word_in_memory + 12]
        mov [word_in_memory], eax
        mov [word_in_memory + 4], edx
%endmacro

start:
        mov esp, stack_top
        select INSTRUCTIONS, INSTRUCTIONS_V
        measure nothing
        mov [overhead], esi
        mov [overhead + 4], edi
        measure ten_pairable
        sub esi, [overhead]
        sub edi, [overhead + 4]
        expect "instructions of ten", esi, 10
        expect "in the V pipe", edi, 5
        measure chain_of_six
        sub esi, [overhead]
        expect "instructions of a chain of six", esi, 6

        select DATA_READ, DATA_WRITE
        measure nothing
        mov [overhead], esi
        mov [overhead + 4], edi
        measure four_reads_two_writes
        sub esi, [overhead]
        sub edi, [overhead + 4]
        expect "data reads", esi, 4
        expect "data writes", edi, 2
        verdict "pmctest"

section .data
align 32
word_in_memory: times 4 dd 0
failures: dd 0
first:  dd 0
second: dd 0
overhead: dd 0, 0

section .bss
        resb 4096
stack_top:
