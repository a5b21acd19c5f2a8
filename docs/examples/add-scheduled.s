#! case add-scheduled
#! models p55c-200 p54c-133
#! expect clocks 13
#! note the three sums are made one after the other, while no store waits: 6 clocks, 3 stores of 2, and DEC with JNZ
        mov eax, [c]            # brings the line of c into the cache
        mov ecx, N
        .balign 32
L:      fld dword ptr [a]
        fadd dword ptr [b]
        fld dword ptr [a+4]
        fadd dword ptr [b+4]
        fld dword ptr [a+8]
        fadd dword ptr [b+8]
        fxch st(2)
        fstp dword ptr [c]
        fstp dword ptr [c+4]
        fstp dword ptr [c+8]
        dec ecx
        jnz L
.data
        .balign 32
a:      .float 1.5, 2.5, 3.5, 0
b:      .float 4.5, 5.5, 6.5, 0
c:      .float 0, 0, 0, 0
