#! models p55c-200 p54c-133
#! n 20 120
#! expect code_read 4
#! expect code_cache_miss 0
#! note the loop is four code lines: 125 bytes of NOP, DEC and JNZ in 128; each is read once a trip
        mov ebp,N
        .balign 32
L:      .rept 125
        nop
        .endr
        dec ebp
        jnz L
