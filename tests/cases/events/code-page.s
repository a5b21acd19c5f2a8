#! models p55c-200 p54c-133
#! n 20 120
#! expect@p54c clocks 8
#! expect@p55c clocks 9
#! expect instructions_executed_v_pipe 8
#! expect code_read 2
#! expect code_cache_miss 0
#! note MOV EAX,imm32 crosses a page end and pairs with NOP, then six pairs and DEC with JNZ: 8 clocks in two lines. After the page end the instructions
#! note pair once they have been decoded, as the line that MOV ends in is the one that they lie in. On the P55C a target in the last bytes of 16 costs a clock
        mov ecx,N
        jmp L
        .balign 4096
        .skip 4096-2
L:      mov eax,0x12345678
        nop
        .rept 6
        test ebx,ebx
        mov edx,edx
        .endr
        dec ecx
        jnz L
