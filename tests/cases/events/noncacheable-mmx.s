#! case noncacheable-mmx
#! models p55c-200 errata-off-p55c.ini stepping-xa3-p55c.ini
#! n 20 120
#! expect@p55c-200 writes_to_noncacheable_memory 8
#! expect@errata-off writes_to_noncacheable_memory 16
#! expect@stepping-xa3 writes_to_noncacheable_memory 16
#! expect mmx_instruction_data_writes 8
#! expect data_write_miss 16
#! note eight MOVQ and eight MOV to A0000h-BFFFFh, which the board keeps out of the caches: 16 writes by the manual. Steppings
#! note before xA3 do not see those of MMX instructions (erratum 75)
        mov edi,0xa0000
        mov ebp,N
        .balign 32
L:      .rept 8
        movq [edi],mm0
        mov [edi+8],eax
        .endr
        dec ebp
        jnz L
        emms
