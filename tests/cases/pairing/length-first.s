#! case length-first
#! models p55c-200 p54c-133
#! n 20 120
#! expect@p55c clocks 49
#! expect@p55c instructions_executed_v_pipe 17
#! expect@p54c clocks 65
#! expect@p54c instructions_executed_v_pipe 1
#! expect instructions_executed 66
#! note P3: 11 bytes go to U with a partner on the P55C; the P54C pairs nothing longer than 7
#! note 16 groups of MOV, MOV and two NEG that never pair, behind which the FIFO is full (p55c: 3 clocks, p54c: 4) + 1 of loop control
        mov ebx,offset buf
        mov edi,[ebx+0x100]
        xor eax,eax
        mov ebp,N
        .balign 32
L:      .rept 16
        mov dword ptr [ebx+eax*4+0x100],1
        mov ecx,edx
        neg esi
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
