#! case add-naive
#! models p55c-200 p54c-133
#! expect clocks 22
#! note FADD waits for nothing; FSTP needs the sum 3 clocks later and reads it one clock after that: 1 + 1 + 3 + 2 = 7 clocks for each number; DEC and JNZ are a pair
        mov eax, [c]            # brings the line of c into the cache
        mov ecx, N
        .balign 32
L:      fld dword ptr [a]
        fadd dword ptr [b]
        fstp dword ptr [c]
        fld dword ptr [a+4]
        fadd dword ptr [b+4]
        fstp dword ptr [c+4]
        fld dword ptr [a+8]
        fadd dword ptr [b+8]
        fstp dword ptr [c+8]
        dec ecx
        jnz L
.data
        .balign 32
a:      .float 1.5, 2.5, 3.5, 0
b:      .float 4.5, 5.5, 6.5, 0
c:      .float 0, 0, 0, 0
