; Adds a thousand words and ends by the exit port. nasm -f bin sum.asm -o sum.bin; p5scope stat --flat 0x10000 sum.bin
bits 32
org 0x10000
        mov ecx, 1000
        xor eax, eax
        mov esi, 0x20000
next:   add eax, [esi]
        add esi, 4
        dec ecx
        jnz next
        mov al, 0
        out 0xf4, al            ; exit port F4h: status 0 * 2 + 1
