; String instructions of thousands of iterations: one instruction each, also when the run is stepped. Flat image at 8000h.
        bits 32
        org 8000h
        mov esi, 20000h
        mov edi, 30000h
        mov ecx, 5000
        cld
        rep movsb
        mov ecx, 5000
        rep stosd
        mov ecx, 100
        mov esi, 20000h
        mov edi, 30000h
        repe cmpsb
        xor eax, eax
        out 0f4h, al
