#! case first-decode
#! models p55c-200 p54c-133
#! cpl 0
#! n 20 120
#! expect@p55c instructions_executed_v_pipe 25
#! expect@p54c instructions_executed_v_pipe 17
#! expect instructions_executed 52
#! note P7: INVD empties the code cache: in lines that are decoded for the first time the P54C knows where an instruction ends if it has one byte
#! note 8 pairs of MOV (p54c: 0), 16 of INC and 1 of loop control, after INVD and the jump that fills its line
        mov ebp,N
        .balign 32
L:      invd
        .balign 32
        .rept 8
        mov eax,ebx
        mov ecx,edx
        .endr
        .rept 16
        inc eax
        inc edx
        .endr
        dec ebp
        jnz L
