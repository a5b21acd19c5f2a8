; Dies of a write to page 0.
        bits 32
        global _start
        section .note.GNU-stack noalloc noexec nowrite progbits
        section .text
_start: mov ebx, 20h
        mov dword [ebx], 1
        hlt
