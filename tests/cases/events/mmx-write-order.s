#! models p55c-200 errata-off-p55c.ini ewbe-p55c.ini
#! n 20 120
#! expect@p55c clocks 12
#! expect@p55c stall_on_mmx_instruction_write_to_e_or_m_state_line 0
#! expect@errata-off stall_on_mmx_instruction_write_to_e_or_m_state_line 6
#! expect@errata-off stall_on_write_to_an_e_or_m_state_line 6
#! expect@ewbe clocks 15
#! expect@ewbe stall_on_mmx_instruction_write_to_e_or_m_state_line 3
#! note as write-order, with MOVQ: 6 clocks by the manual, on silicon only the clocks with EWBE# inactive (erratum 75)
        mov edi,offset buf
        mov eax,[edi]
        mov ebp,N
        .balign 32
L:      movq [edi+64],mm0
        neg esi
        movq [edi],mm0
        neg esi
        neg esi
        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 128
