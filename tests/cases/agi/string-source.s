#! case string-source
#! models p55c-200 p54c-133
#! n 20 120
#! expect clocks 81
#! expect pipeline_agi_stalls 16
#! expect instructions_executed_v_pipe 1
#! expect instructions_executed 50
#! note LODS addresses by ESI: it waits a clock after an instruction that writes it
#! note 16 groups of MOV, a clock of waiting, LODSD (2 clocks, never pairs) and a NEG (1) = 5 clocks, 0 pair + 1 of loop control
        mov edi,offset buf
        mov eax,[edi]
        mov ebp,N
        .balign 32
L:      .rept 16
        mov esi,edi
        lodsd
        neg ebx
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
