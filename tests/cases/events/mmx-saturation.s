#! models p55c-200
#! n 20 120
#! expect saturating_mmx_instructions_executed 34
#! expect saturating_mmx_instructions_executed:c 18
#! expect saturations_performed 32
#! expect saturations_performed:c 16
#! note 16 pairs of PADDUSB that clip, in both pipes; two that do not clip (zeros), alone
        pcmpeqb mm0,mm0
        pcmpeqb mm1,mm1
        pcmpeqb mm2,mm2
        pcmpeqb mm3,mm3
        pxor mm4,mm4
        pxor mm5,mm5
        mov ebp,N
        .balign 32
L:      .rept 16
        paddusb mm0,mm1
        paddusb mm2,mm3
        .endr
        .rept 2
        neg esi
        paddusb mm4,mm5
        neg esi
        .endr
        dec ebp
        jnz L
