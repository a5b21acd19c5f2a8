; Looks for a key at the keyboard controller 6000 times in every tick of the timer, and never stops.
        org 7c00h
        bits 16
        sti
again:  mov cx, 6000
look:   in al, 64h
        test al, 1
        loopz look
        hlt
        jmp again
        times 510 - ($ - $$) db 0
        dw 0aa55h
