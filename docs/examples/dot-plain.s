# The inner product of two arrays of 1000 words, as a compiler that knows nothing of pipes writes it.
    .intel_syntax noprefix
    .globl _start
_start:
    mov ebp, 20
again:
    mov esi, offset a
    mov edi, offset b
    mov ecx, 1000
    xor ebx, ebx
dot:
    mov eax, [esi]
    add esi, 4
    xor eax, [edi]
    add edi, 4
    add ebx, eax
    dec ecx
    jnz dot
    dec ebp
    jnz again
    mov eax, 1      # exit(0)
    xor ebx, ebx
    int 0x80
    .bss
a:  .skip 4000
b:  .skip 4000
