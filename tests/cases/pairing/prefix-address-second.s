#! case prefix-address-second
#! models p55c-200 p54c-133
#! n 20 120
#! expect instructions_executed 50
#! expect@p55c clocks 161
#! expect@p55c instructions_executed_v_pipe 17
#! expect@p54c clocks 178
#! expect@p54c instructions_executed_v_pipe 1
#! note P5: an address size prefix, as one of the operand size, keeps an instruction out of V on the P54C, not on the P55C, whose F detects it while
#! note MUL is executed
#! note 16 groups of A, B and MUL, which takes 9 clocks (p55c: 10 clocks, 1 pair; p54c: 11 clocks, 0 pair, and 1 for the prefix of the first
#! note B, after a branch) + 1 of loop control
        mov ebp,N
        .balign 32
L:      .rept 16
        mov ecx,ebx
        lea edi,[bx+si]
        mul edi
        .endr
        dec ebp
        jnz L
