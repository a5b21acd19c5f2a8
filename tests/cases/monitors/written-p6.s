#! case written-p6
#! models p55c-200-p6
#! cpl 0
#! n 100 400
#! expect pmc0 0
#! expect pmc1 2
#! source rdpmc-pentium-pro: PERFEVTSEL1 (187h) chooses, EN of PERFEVTSEL0 (186h) enables both; event 00h is a read, OS is CPL 0
        xor edx,edx
        mov ecx,0x187
        mov eax,0x00020000      # OS, event 00h: data reads
        wrmsr
        mov ecx,0x186
        mov eax,0x00410000      # EN, USR: nothing at CPL 0
        wrmsr
        mov ecx,N
        .balign 32
L:      mov eax,[esp]
        mov ebx,[esp]
        dec ecx
        jnz L
