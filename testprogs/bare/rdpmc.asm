; rdpmc: programs CTR0 for data reads and CTR1 for instructions at CPL 0, and reads them by RDPMC around a loop of 1000 reads.
global start
section .text
%include "bare.inc"

MSR_CESR equ 11h
MSR_CTR0 equ 12h
MSR_CTR1 equ 13h

; CESR: event in bits 5-0 and 21-16, CC in bits 8-6 and 24-22 (1 = count at CPL 0-2).
DATA_READ equ 00h
INSTRUCTIONS_EXECUTED equ 16h
CPL_012 equ 1

TRIPS equ 1000

start:
        mov esp, stack_top
        xor eax, eax            ; counters to 0, then select
        xor edx, edx
        mov ecx, MSR_CESR
        wrmsr
        mov ecx, MSR_CTR0
        wrmsr
        mov ecx, MSR_CTR1
        wrmsr
        mov eax, (INSTRUCTIONS_EXECUTED | CPL_012 << 6) << 16 | DATA_READ | CPL_012 << 6
        mov ecx, MSR_CESR
        wrmsr

        xor ecx, ecx
        rdpmc
        mov esi, eax            ; data reads before
        mov ecx, 1
        rdpmc
        mov edi, eax            ; instructions before
        mov ebx, TRIPS
.trip:  mov eax, [word_in_memory]
        dec ebx
        jnz .trip
        mov ecx, 1
        rdpmc
        sub eax, edi
        mov edi, eax
        xor ecx, ecx
        rdpmc
        sub eax, esi

        print "data reads   "
        call print_decimal      ; TRIPS
        print 10, "instructions "
        mov eax, edi            ; 3 a trip; RDPMC of CTR1, MOV EDI, MOV EBX before it, MOV ECX after it
        call print_decimal
        print 10
        finish 0

section .data
align 4
word_in_memory: dd 0

section .bss
        resb 4096
stack_top:
