#! models p55c-200
#! n 20 120
#! expect mmx_instruction_data_writes 16
#! expect mmx_instruction_data_write_misses 16
#! expect clocks 144
#! expect full_write_buffer_stall_duration_while_executing_mmx_instructions 111
#! expect write_buffer_full_stall_duration 111
#! note as write-miss: 9 clocks a store on the bus, 33 clocks of the pipe's own
        mov edi,offset buf
        mov ebp,N
        .balign 32
L:      .rept 16
        movq [edi],mm0
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
