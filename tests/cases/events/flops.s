#! models p55c-200 p54c-133
#! n 20 120
#! expect flops 7
#! note FADD, FSUB, FMUL, FDIV, FSQRT and two integer multiplications; loads, stores, FXCH, FABS and FCOM do no arithmetic
        mov edi,offset buf
        fld1
        fld1
        mov ebp,N
        .balign 32
L:      fadd st,st(1)
        fsub st,st(1)
        fmul st,st(1)
        fdiv st,st(1)
        fsqrt
        fabs
        fxch st(1)
        fcom st(1)
        fld st(0)
        fstp dword ptr [edi]
        imul eax,ebx
        mul ecx
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
