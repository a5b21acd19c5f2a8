#! expect clocks 6
#! note the second load needs the first one's result as an address: a clock of interlock, and nothing to pair with
        mov ebp, N
        .balign 32
L:      mov eax, [esi]
        add eax, [eax + ebx]
        mov [esi + 4], eax
        dec ebp
        jnz L
