; A real-mode image without a disk reads and writes sector 1 of both kinds of drives, prints + if each is refused, and boots again.
        bits 16
        org 0
        mov cx, 1
        mov bx, 1000h
        mov dx, 0
.drive: mov dh, 0
        mov ax, 0201h
        int 13h
        jnc .end
        mov ax, 0301h
        int 13h
        jnc .end
        add dl, 80h
        jnz .drive
        mov al, '+'
        out 0e9h, al
.end:   int 19h
        hlt
