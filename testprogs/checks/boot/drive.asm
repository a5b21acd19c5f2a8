; INT 13h of the drive that was booted from (Ralf Brown's Interrupt List): parameters, kind, what the extensions are and tell, the last sector by
; block and by place, and errors with the status that AH = 01h has then.
bits 16
org 7c00h
        cli
        xor ax, ax
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov sp, 7c00h
        sti
        mov [drive], dl
        mov ah, 8
        int 13h
        mov bh, 0
        call say_ax
        push dx
        mov ax, bx
        call say_ax
        mov ax, cx
        call say_ax
        pop ax
        call say_ax
        mov ah, 15h
        mov cx, 0
        mov dh, 0
        call drive_13
        mov al, 0
        call say_ax
        mov ax, cx
        call say_ax
        mov ah, 41h
        mov bx, 55aah
        call drive_13
        mov al, 0
        call say_ax
        mov ax, bx
        call say_ax
        mov ax, cx
        call say_ax
        mov di, block + 2               ; what is there is written over
        mov ax, -1
        mov cx, 12
        rep stosw
        mov si, block
        mov ah, 48h
        call drive_13
        mov si, block
        mov cx, 13
.word:  lodsw
        call say_ax
        loop .word
        ; the last sector by its number, into 9000h
        mov eax, [block + 16]
        dec eax
        mov [packet + 8], eax
        mov si, packet
        mov ah, 42h
        call drive_13
        mov al, 0
        call say_ax
        mov ax, [9000h]
        call say_ax
        inc dword [packet + 8]          ; one more
        mov si, packet
        mov ah, 42h
        call drive_13
        mov al, 0
        call say_ax
        mov ax, [packet + 2]
        call say_ax
        mov ah, 1
        call drive_13
        call say_ax
        mov ax, 0204h                   ; four sectors from cylinder 1, head 0, sector 2
        mov bx, 9000h
        mov cx, 0102h
        mov dh, 0
        call drive_13
        call say_ax
        mov ax, 0201h                   ; sector 0 is none
        mov cx, 0100h
        call drive_13
        call say_ax
        mov ax, 0200h                   ; no sectors
        mov cx, 0101h
        call drive_13
        call say_ax
        mov ax, 0401h                   ; verified
        mov cx, 0101h
        call drive_13
        call say_ax
        mov ah, 41h                     ; refused, which AH = 01h tells as well
        mov bx, 0
        call drive_13
        mov ah, 1
        call drive_13
        mov al, 0
        call say_ax
        mov ah, 0
        call drive_13
        mov ah, 2                       ; there is no such drive
        mov dl, 7fh
        int 13h
        mov ah, 1
        call drive_13
        mov al, 0
        call say_ax
        mov ah, 77h
        call drive_13
        mov al, 0
        call say_ax
        mov byte [packet], 15           ; a packet that is too short
        mov word [packet + 2], 1
        mov dword [packet + 8], 0
        mov si, packet
        mov ah, 42h
        call drive_13
        mov al, 0
        call say_ax
        mov byte [packet], 16
        mov word [packet + 2], 128      ; too much at once
        mov si, packet
        mov ah, 42h
        call drive_13
        mov al, 0
        call say_ax
        mov al, 0
        out 0f4h, al
        hlt
drive_13:
        mov dl, [drive]
        int 13h
        ret
say_ax: pusha
        mov cx, 4
.digit: rol ax, 4
        push ax
        and al, 15
        cmp al, 10
        sbb al, 69h
        das
        mov ah, 0eh
        mov bx, 7
        int 10h
        pop ax
        loop .digit
        mov ax, 0e20h
        mov bx, 7
        int 10h
        popa
        ret
drive:  db 0
packet: db 16, 0
        dw 1, 9000h, 0
        dd 0, 0
block:  dw 26
        times 510 - ($ - $$) db 0
        dw 0aa55h
