#! note nothing is expected here
        nop
