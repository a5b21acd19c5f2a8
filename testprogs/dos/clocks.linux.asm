; clocks: measures the loop of loop.inc as a Linux program, by RDTSC and RDPMC. Needs --pce, --ctr0 and --ctr1.
bits 32
global _start
section .text
%include "loop.inc"
_start: call measure_loop
        call measure_loop
        call measure_loop
        mov eax, [clocks]
        call print_decimal
        mov eax, [reads]
        call print_decimal
        mov eax, [instructions]
        call print_decimal
        xor ebx, ebx
        mov eax, 1
        int 80h
print_decimal:
        mov edi, text + 15
        mov ebx, 10
.digit: xor edx, edx
        div ebx
        dec edi
        add dl, '0'
        mov [edi], dl
        test eax, eax
        jnz .digit
        mov ecx, edi
        mov edx, text + 16
        sub edx, edi
        mov ebx, 1
        mov eax, 4
        int 80h
        ret
section .data
text:   times 15 db 0
        db 10
align 32
word_in_memory: dd 0
measured:
        times 3 dd 0
clocks: dd 0
reads:  dd 0
instructions: dd 0
