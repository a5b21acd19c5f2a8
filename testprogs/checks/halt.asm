; HLT with interrupts off: nothing can wake the machine. Flat image at 8000h.
        bits 32
        org 8000h
        cli
        hlt
        jmp $
