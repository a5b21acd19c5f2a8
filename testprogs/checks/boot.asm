; A diskette image that boots and checks the BIOS: sector 0 reads the rest by INT 13h; each check has a number, which the guest
; ends with if it fails (0 = all good, status 1). The input is "aB" and a line end. Padded to 1.44 MB.
        bits 16
        org 7c00h
%macro check 1                  ; the next instruction pair jumps to fail if the check does not hold
        mov byte [number], %1
%endmacro

start:  cli
        xor ax, ax
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov sp, 7c00h
        sti
        mov [drive], dl
        check 1                 ; 3 sectors by place: cylinder 0, head 0, sector 2
        mov ax, 0203h
        mov bx, 7e00h
        mov cx, 2
        mov dh, 0
        int 13h
        jc fail
        cmp al, 3
        jne fail
        cmp word [magic], 0b007h
        jne fail
        jmp rest
fail:   mov al, [cs:number]
        out 0f4h, al
        hlt
number: db 0
drive:  db 0
        times 510 - ($ - $$) db 0
        dw 0aa55h

magic:  dw 0b007h
rest:   check 2                 ; parameters: 80 cylinders, 2 heads, 18 sectors
        mov ah, 8
        mov dl, [drive]
        push es                 ; ES:DI points to the table of the diskette then
        int 13h
        pop es
        jc fail
        cmp cx, 4f12h
        jne fail
        cmp dh, 1
        jne fail
        check 3                 ; a sector after the end of a track is not found
        mov ax, 0201h
        mov bx, 9000h
        mov cx, 0013h
        mov dx, 0
        int 13h
        jnc fail
        cmp ah, 4
        jne fail
        check 4                 ; what is written is read back: the last sector
        mov ax, 0301h
        mov bx, 9000h
        mov word [9000h], 0c0deh
        mov cx, 4f12h
        mov dh, 1
        mov dl, [drive]
        int 13h
        jc fail
        mov word [9000h], 0
        mov ax, 0201h
        int 13h
        jc fail
        cmp word [9000h], 0c0deh
        jne fail
        check 5                 ; by block number: cylinder 1, head 1, sector 3 is block (1 * 2 + 1) * 18 + 2 = 56
        mov si, packet
        mov ah, 42h
        mov dl, [drive]
        int 13h
        jc fail
        cmp dword [9000h], 12345678h
        jne fail
        mov ax, 0201h
        mov bx, 9200h
        mov cx, 0103h
        mov dh, 1
        int 13h
        jc fail
        cmp dword [9200h], 12345678h
        jne fail
        check 6                 ; 11h, 12h
        int 12h
        cmp ax, 640
        jne fail
        int 11h
        test al, 2
        jz fail
        check 7                 ; memory: 16 MB given; 15 MB above 1 MB
        mov ah, 88h
        int 15h
        jc fail
        cmp ax, 15 * 1024
        jne fail
        mov ax, 0e801h
        int 15h
        jc fail
        cmp ax, 15 * 1024
        jne fail
        test bx, bx
        jnz fail
        check 8                 ; E820h: three entries, the last is RAM from 1 MB
        xor ebx, ebx
        xor bp, bp
.map:   mov eax, 0e820h
        mov edx, 534d4150h
        mov ecx, 20
        mov di, 9000h
        int 15h
        jc fail
        cmp eax, 534d4150h
        jne fail
        inc bp
        test ebx, ebx
        jnz .map
        cmp bp, 3
        jne fail
        cmp dword [9000h], 100000h
        jne fail
        cmp dword [9008h], 0f00000h
        jne fail
        cmp dword [9010h], 1
        jne fail
        check 9                 ; A20 is off: 1 MB is address 0; then on
        mov ax, 0ffffh
        mov fs, ax
        mov dword [500h], 1111h
        mov dword [fs:510h], 2222h
        cmp dword [500h], 2222h
        jne fail
        mov ax, 2401h
        int 15h
        jc fail
        mov dword [fs:510h], 3333h
        cmp dword [500h], 2222h
        jne fail
        check 10                ; the timer ticks: INT 8 counts, and chains to 1Ch
        mov word [1ch * 4], user_tick
        mov word [1ch * 4 + 2], 0
        mov ah, 0
        int 1ah
        mov bx, dx
.tick:  hlt
        mov ah, 0
        int 1ah
        sub dx, bx
        cmp dx, 3
        jb .tick
        cmp byte [user_ticks], 3
        jb fail
        check 11                ; the clock was given as 1997-06-02 08:30
        mov ah, 4
        int 1ah
        cmp cx, 1997h
        jne fail
        cmp dx, 0602h
        jne fail
        mov ah, 2
        int 1ah
        cmp cx, 0830h
        jne fail
        check 12                ; keys: 'a', then 'B' with shift, looked at before it is taken
        mov ah, 0
        int 16h
        cmp ax, 1e61h
        jne fail
.peek:  mov ah, 1
        int 16h
        jz .peek
        cmp ax, 3042h
        jne fail
        mov ah, 0
        int 16h
        cmp ax, 3042h
        jne fail
        mov ax, 1200h           ; no key is held; then Ctrl and Alt, the left ones
        int 16h
        test ax, ax
        jne fail
        push ds
        push 0
        pop ds
        mov byte [417h], 0ch
        mov ax, 1200h
        int 16h
        mov byte [417h], 0
        pop ds
        cmp ax, 030ch
        jne fail
        check 13                ; teletype and cursor
        mov ah, 2
        mov bh, 0
        mov dx, 0503h
        int 10h
        mov ax, 0e00h | 'x'
        int 10h
        mov ah, 3
        int 10h
        cmp dx, 0504h
        jne fail
        mov ax, 0b800h
        mov es, ax
        cmp byte [es:(5 * 80 + 3) * 2], 'x'
        jne fail
        check 14                ; wait 100 ms
        mov ah, 0
        int 1ah
        mov bx, dx
        mov ah, 86h
        mov cx, 1
        mov dx, 86a0h
        int 15h
        jc fail
        mov ah, 0
        int 1ah
        sub dx, bx
        cmp dx, 1
        jb fail
        xor ax, ax
        out 0f4h, al
        hlt
user_tick:
        inc byte [cs:user_ticks]
        iret
user_ticks:
        db 0
packet: db 16, 0
        dw 1, 9000h, 0
        dq 56
        times 56 * 512 - ($ - $$) db 0
        dd 12345678h
        times 1474560 - ($ - $$) db 0
