#! models p55c-200 p54c-133
#! n 20 120
#! expect any_segment_register_loaded 12
#! note MOV to ES, POP to FS and LDS, four times each
        mov ebx,ds
        mov edi,offset pointer
        mov [edi+4],bx
        mov eax,[edi]
        mov ebp,N
        .balign 32
L:      .rept 4
        mov es,ebx
        push ebx
        pop fs
        lds eax,[edi]
        .endr
        dec ebp
        jnz L
.data
pointer: .long 0
        .word 0
