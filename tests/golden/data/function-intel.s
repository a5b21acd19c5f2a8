        .globl total
total:  mov edx, [esp + 4]
        xor eax, eax
        mov ecx, [esp + 8]
1:      mov eax, [edx]
        imul eax, [scale]
        add edx, 4
        add eax, 1
        dec ecx
        jnz 1b
        nop
        ret
        .data
scale:  .long 3
