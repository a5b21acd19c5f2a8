#! models p55c-200 p54c-133 errata-off-p55c.ini errata-off-p54c.ini
#! n 20 120
#! expect misaligned_data_memory_or_io_references 16
#! expect data_read 32
#! expect data_read_miss 0
#! expect@p55c misaligned_data_memory_reference_on_mmx_instructions 0
#! expect clocks 81
#! expect@p55c waiting_for_data_memory_read_stall_duration 32
#! expect@p54c waiting_for_data_memory_read_stall_duration 32
#! expect@errata-off waiting_for_data_memory_read_stall_duration 48
#! expect@p55c d1_starvation_and_only_one_instruction_in_fifo 0
#! note 16 loads that cross 4 bytes cost 3 clocks more, 16 NEG, DEC with JNZ: 16 * 4 + 16 + 1 clocks
#! note event 1Ah has 2 of the 3 clocks on silicon (erratum 44), all 3 by the manual
#! note NEG pairs with nothing: that D1 issues one instruction is not for want of a second
        mov edi,offset buf
        mov eax,[edi]
        mov ebp,N
        .balign 32
L:      .rept 16
        mov eax,[edi+6]
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
