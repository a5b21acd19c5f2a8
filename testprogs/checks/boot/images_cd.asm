; A boot image for a CD without emulation, loaded at 7C0:0. It says its drive, its segment, what the volume descriptor in sector 16 begins
; with, and the load segment that INT 13h AX=4B01h tells.
        org 0
        bits 16
        mov ax, cs
        mov ds, ax
        mov al, dl
        mov [drive], dl
        call hex
        call space
        mov ax, cs
        call word_
        call space
        mov ah, 42h
        mov si, packet
        mov dl, [drive]
        int 13h
        jc end
        mov ax, 9000h
        mov es, ax
        mov di, 1
        mov cx, 5
.next:  mov al, [es:di]
        inc di
        out 0e9h, al
        loop .next
        call space
        mov ax, 4b01h
        mov dl, [drive]
        mov si, about
        int 13h
        jc end
        mov ax, [about + 12]
        call word_
end:    mov al, 10
        out 0e9h, al
        mov al, 0
        out 0f5h, al
        hlt

word_:  push ax
        mov al, ah
        call hex
        pop ax
hex:    push ax
        shr al, 4
        call digit
        pop ax
digit:  and al, 15
        cmp al, 10
        sbb al, 69h
        das
        out 0e9h, al
        ret
space:  mov al, ' '
        out 0e9h, al
        ret

drive:  db 0
packet: dw 16, 1, 0, 9000h
        dq 16
about:  db 13h
        times 2048 - ($ - $$) db 0
