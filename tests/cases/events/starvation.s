#! models p55c-200
#! n 20 120
#! expect d1_starvation_and_fifo_is_empty 30 ~4
#! expect d1_starvation_and_only_one_instruction_in_fifo 16 ~1
#! note P8: an instruction with an operand-size prefix takes F 3 clocks: D1 gets 16 of them one by one, with 2 empty clocks between
        mov ebp,N
        .balign 32
L:      .rept 16
        .byte 0x66
        nop
        .endr
        dec ebp
        jnz L
