; Polls for a key, is busy for a second while the user types more keys than the BIOS's buffer holds, and prints them then, up to a full stop.
        org 7c00h
        bits 16
        xor ax, ax
        mov ds, ax
        mov ss, ax
        mov sp, 7c00h
        mov ah, 1
        int 16h
        mov bx, [46ch]
        add bx, 18
busy:   hlt
        cmp [46ch], bx
        jne busy
print:  mov ah, 0
        int 16h
        out 0e9h, al
        cmp al, '.'
        jne print
        mov al, 0
        out 0f5h, al
        hlt
        times 510 - ($ - $$) db 0
        dw 0aa55h
