; Resets the processor at 7C02h, by the keyboard controller.
        org     7c00h
        mov     al, 0feh
        out     64h, al
        hlt
        times   510 - ($ - $$) db 0
        dw      0aa55h
