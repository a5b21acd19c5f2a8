#! models p55c-200 p54c-133
#! n 20 120
#! expect data_write 16
#! expect data_write_miss 16
#! expect data_write_miss:c 16
#! expect data_read_miss_or_write_miss 16
#! expect@p55c mmx_instruction_data_write_misses 0
#! expect@p55c writes_to_noncacheable_memory 0
#! expect write_hit_to_m_or_e_state_lines 0
#! expect@p55c clocks 144
#! expect@p55c write_buffer_full_stall_duration 111
#! expect@p55c bus_cycle_duration 96
#! expect@p55c bus_utilization_due_to_processor_activity 96
#! expect@p54c clocks 160
#! expect@p54c write_buffer_full_stall_duration 127
#! expect@p54c bus_cycle_duration 128
#! note a write miss allocates nothing: the line misses every time, and each store is a bus cycle
#! note P55C 200 MHz: 2 bus clocks and an idle one, 9 clocks a store; 16 stores take 144, of which the bus is in use 16 * 6
#! note P54C 133 MHz: 4 and 1 bus clocks, 10 clocks a store: 160, in use 16 * 8
#! note what the pipe does by itself are 16 stores, 16 NEG (never pairs) and DEC with JNZ: 33 clocks; the rest waits for a buffer
        mov edi,offset buf
        mov ebp,N
        .balign 32
L:      .rept 16
        mov [edi],eax
        neg esi
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
