#! case written-arch3
#! models p55c-200-arch3
#! cpl 0
#! n 100 400
#! expect pmc0 4
#! expect pmc1 0
#! source sdm-3b-18-9: C0h/00h is instructions retired; a counter counts if PERFEVTSEL.EN and its bit of GLOBAL_CTRL are set
        xor edx,edx
        mov ecx,0x186
        mov eax,0x004200c0      # EN, OS, instructions retired
        wrmsr
        mov ecx,0x187
        wrmsr
        mov ecx,0x38f
        mov eax,1               # PMC0 only
        wrmsr
        mov ecx,N
        .balign 32
L:      mov eax,[esp]
        mov ebx,[esp]
        dec ecx
        jnz L
