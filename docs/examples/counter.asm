; A driver's first steps with the performance monitor, as a flat image for 100000h: CTR0 counts data reads at any CPL while 100 words are read, and
; the difference of two RDPMC is the exit status.
    bits 32
    org 100000h
    mov ecx, 11h            ; CESR
    mov eax, 0C0h           ; ES0 = 00h data read, CC0 = 3: at any CPL
    xor edx, edx
    wrmsr
    xor ecx, ecx            ; CTR0
    rdpmc
    mov ebx, eax
    mov esi, 200000h
    mov edx, 100
.read:
    mov eax, [esi]
    add esi, 4
    dec edx
    jnz .read
    rdpmc
    sub eax, ebx
    shr eax, 1              ; the exit port makes value * 2 + 1 of it
    out 0F4h, al
    hlt
