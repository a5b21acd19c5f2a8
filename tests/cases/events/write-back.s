#! models p55c-200 p54c-133
#! n 20 120
#! expect data_cache_lines_written_back 8
#! expect data_read_miss 8
#! expect write_hit_to_m_or_e_state_lines 8
#! expect data_write_miss 0
#! note eight lines of one set, each read (filled in E state) and written (M): each fill drives out a modified line
        mov edi,offset buf
        mov ebp,N
        .balign 32
L:      .set at,0
        .rept 8
        mov eax,[edi+at]
        neg esi
        mov [edi+at],eax
        neg esi
        .set at,at+4096
        .endr
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 32768
