# The same, two elements at a time with a sum for each, no instruction next to one whose result it needs: all of them have a partner.
    .intel_syntax noprefix
    .globl _start
_start:
    push 20
again:
    mov esi, offset a
    mov edi, offset b
    mov ecx, 500
    xor ebx, ebx
    xor ebp, ebp
dot:
    mov eax, [esi]
    mov edx, [esi + 4]
    xor eax, [edi]
    add esi, 8
    xor edx, [edi + 4]
    add edi, 8
    add ebx, eax
    add ebp, edx
    dec ecx
    jnz dot
    add ebx, ebp
    dec dword ptr [esp]
    jnz again
    mov eax, 1      # exit(0)
    xor ebx, ebx
    int 0x80
    .bss
a:  .skip 4000
b:  .skip 4000
