#! models p55c-200 p54c-133
#! n 20 120
#! expect data_write 32
#! expect data_write:c 16
#! expect write_hit_to_m_or_e_state_lines 32
#! expect write_hit_to_m_or_e_state_lines:c 16
#! expect data_write_miss 0
#! expect memory_accesses_in_both_pipes 16
#! note 16 pairs of stores to different banks of a line that is in E state when first written and M afterwards
        mov edi,offset buf
        mov eax,[edi]
        mov ebp,N
        .balign 32
L:      .rept 16
        mov [edi],eax
        mov [edi+4],ebx
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 64
