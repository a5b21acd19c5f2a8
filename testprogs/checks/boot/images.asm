; A boot sector that says from which drive it came and what its disk holds: DL, the first byte after the boot sector, what that is
; after a write, and the sectors of a track. '=' follows if INT 13h AX=4B01h tells the geometry of AH=08h. Images are made of it by images.sh.
        org 7c00h
        bits 16
        jmp start
        times 11 - ($ - $$) db 0
%ifdef FORMAT_360               ; parameter block of a diskette of 360 KB
        dw 512
        db 2
        dw 1
        db 2
        dw 112, 720
        db 0fdh
        dw 2, 9, 2
%endif
        times 62 - ($ - $$) db 0
start:  xor ax, ax
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov sp, 7000h
        mov [drive], dl
        mov al, dl
        call hex
        call read
        mov al, [8000h]
        call hex
        mov al, 7
        out 0eah, al            ; begin of region 7
        inc byte [8000h]
        mov ax, 0301h
        call transfer
        jc .protected
        mov byte [8000h], 0
        call read
        mov al, [8000h]
        call hex
.protected:
        mov ah, 8               ; sectors of a track, and the last head
        mov dl, [drive]
        int 13h
        mov al, cl
        and al, 3fh
        call hex
        xchg cl, ch
        mov [geometry], cx
        mov [geometry + 2], dh
        mov ax, 4b01h           ; refused unless the disk is that of a CD
        mov dl, [drive]
        mov si, about
        int 13h
        jc .end
        push ds                 ; AH=08h has set ES
        pop es
        mov si, about + 16
        mov di, geometry
        mov cx, 3
        repe cmpsb
        jne .end
        mov al, '='
        out 0e9h, al
.end:   mov al, 10
        out 0e9h, al
        mov al, 0
        out 0f5h, al
        hlt

read:   mov ax, 0201h
transfer:                       ; AX of the second sector
        mov bx, 8000h
        mov cx, 2
        mov dh, 0
        mov dl, [drive]
        int 13h
        ret

hex:    push ax
        shr al, 4
        call .digit
        pop ax
        call .digit
        mov al, ' '
        out 0e9h, al
        ret
.digit: and al, 15
        cmp al, 10
        sbb al, 69h
        das
        out 0e9h, al
        ret

drive:  db 0
geometry:
        times 3 db 0            ; CH, CL, DH
about:  db 13h
        times 18 db 0
        times 510 - ($ - $$) db 0
        dw 0aa55h
