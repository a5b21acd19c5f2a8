#! expect clocks 1
        nop
        frob eax
