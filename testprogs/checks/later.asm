; Dies of an instruction that came with the Pentium Pro.
        bits 32
        global _start
        section .note.GNU-stack noalloc noexec nowrite progbits
        section .text
_start: cmovz eax, ebx
        hlt
