#! case copy-naive
#! models p55c-200 p54c-133
#! n 50 250
#! expect clocks 6
#! expect pipeline_agi_stalls 2
#! note each pointer is stepped just before its use: ADD, a clock for the AGI, MOV with ADD, a clock for the AGI, MOV with DEC, JNZ
        mov esi, offset a
        mov ecx, 2048/4
        rep lodsd               # a and b into the data cache, so that loads and stores hit
        mov esi, offset a - 4
        mov edi, offset b - 4
        mov ecx, N
        .balign 32
L:      add esi, 4
        mov eax, [esi]
        add edi, 4
        mov [edi], eax
        dec ecx
        jnz L
.bss
        .balign 4096
        .skip 4096
a:      .skip 1024
b:      .skip 1024
