; The RDPMC experiments as a Linux program at CPL 3; CR4.PCE and CESR were set by the host, as a driver would have.
        bits 32
        global _start
        section .note.GNU-stack noalloc noexec nowrite progbits
        section .text
_start: call rdpmc_experiments
        mov ebx, eax
        mov eax, 1              ; exit
        int 80h
%include "rdpmc_experiment.inc"
