#! models p55c-200
#! n 20 120
#! expect btb_false_entries 2
#! expect btb_hits 5
#! expect branches 5
#! note two jumps end in one aligned dword and share an entry, which then is always that of the other one
        mov ebp,N
        jmp L
        .balign 32
A:      jmp 1f
B:      jmp 2f
        .balign 16
1:      mov eax,1
        mov ecx,2
        jmp B
        .balign 16
L:      mov eax,1
        mov ecx,2
        jmp A
2:      mov eax,1
        mov ecx,2
        mov eax,1
        mov ecx,2
        dec ebp
        jnz L
