#! note The P54C has no MMX: EMMS is an invalid opcode. Bytewise addition wraps around, PADDUSB saturates (241430).
#! models p55c-200 p54c-133
#! expect-fault@p54c #UD at first
#! expect-register@p54c eax 0x80ff7f01
#! expect-register@p55c mm0 0x00fefe02
#! expect-register@p55c mm1 0x00000000fffffe02
#! expect-memory@p55c result 02 fe fe 00
        mov eax,0x80ff7f01
first:  movd mm0,eax
        movd mm1,eax
        paddusb mm1,mm1
        paddb mm0,mm0
        movd [result],mm0
.bss
result: .skip 4
