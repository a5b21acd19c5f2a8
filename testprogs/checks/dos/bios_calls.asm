; Services of the BIOS: INT 11h, 12h, 14h-17h and 1Ah (Ralf Brown's Interrupt List), on a machine with 20 MB at 1999-12-31 23:59:50.
;! options --mem 20M --rtc 1999-12-31T23:59:50
;! dosbox it has another memory, and its own clock
;! output
;! 12 0280
;! 11 coprocessor 0002
;! 14 8000
;! 17 8000
;! 15 C0 0000 0008 00FC 6000 F000
;! 15 88 0000
;! 15 E801 3C00 0040 3C00 0040
;! 15 E820 4150 0001 0014
;! 000000000000000000000A000000000001000000
;! 15 E820 4150 0002 0014
;! 00000F0000000000000001000000000002000000
;! 15 E820 4150 0000 0014
;! 0000100000000000000030010000000001000000
;! 15 E820 without its sign 8620 C
;! 15 E820 without room 8620 C
;! 15 E820 no such 8620 C
;! 15 E8 8677 C
;! 15 no such 8600 C
;! 15 2401 0001
;! 15 2402 on 0001
;! 15 2400 0000
;! 15 2402 off 0000
;! 15 2403 0003 0003
;! 15 24 no such 8677 C
;! 15 87 there 0000
;! 15 87 back 0000
;! 15 87 different 0000
;! 15 87 behind the memory 0100 C
;! 15 87 more than 64 KB 0100 C
;! 1A time 2359 5000
;! 1A date 1999 1231
;! 1A 05 2004 0229
;! 1A 03 1234 5601
;! 1A no such C
;! 15 C200 without a handler 0500 C
;! 15 C207 0007
;! 15 C200 0000
;! 15 C201 00AA
;! 15 C202 0002
;! 15 C202 no such 0202 C
;! 15 C203 0003
;! 15 C203 no such 0203 C
;! 15 C204 0034
;! 15 C206 scaling 0006
;! 15 C206 status 0010 0003 00C8
;! 15 C205 0005
;! 15 C205 no such 0205 C
;! 15 C206 default 0000 0002 0064
;! 15 C206 no such 0106 C
;! 15 C2 no such 0108 C
;! 1A ticks 0000 0018 00AF
;! 1A midnight 0001 0000 0000
;! 1A again 0000
;! 15 86 0001
;! 15 83 0000
;! 15 83 again 8000 C
;! 15 83 after 100 ms 0001 0081
;! 15 83 cancelled 0001
;! 15 83 no such 8602 C
;! 16 05 0000
;! 16 01 1C0D 0000
;! 16 11 1C0D
;! 16 10 1C0D
;! 16 05 full 0001
;! 16 taken 000F 016B
;! 16 02 0000
;! 16 no such 7700
;! 13 no disk 0100 C
;! 13 reset 0000
org 100h
%include "dos.inc"
%include "report.inc"
%macro call15 2                 ; text, AX
        mov ax, %2
        int 15h
        report %1, ax
%endmacro
        cld
        int 12h
        report "12", ax
        int 11h
        and ax, 2
        report "11 coprocessor", ax
        mov ax, 0
        mov dx, 0
        int 14h
        mov al, 0
        report "14", ax
        mov ax, 0
        mov dx, 0
        int 17h
        mov al, 0
        report "17", ax
        mov ah, 0c0h
        int 15h
        mov cx, [es:bx]
        mov dx, [es:bx + 2]
        mov si, [es:bx + 4]
        mov di, es
        report "15 C0", ax, cx, dx, si, di
        push cs
        pop es
        call15 "15 88", 8800h
        mov ax, 0e801h
        int 15h
        report "15 E801", ax, bx, cx, dx
        xor ebx, ebx
.map:   mov eax, 0e820h
        mov edx, 534d4150h
        mov ecx, 24
        mov di, area
        int 15h
        jc .mapped
        report "15 E820", ax, bx, cx
        mov si, area
        mov cx, 20
        call bytes
        or ebx, ebx
        jnz .map
.mapped: mov eax, 0e820h
        mov edx, 534d4151h
        xor ebx, ebx
        mov ecx, 24
        int 15h
        report "15 E820 without its sign", ax
        mov eax, 0e820h
        mov edx, 534d4150h
        xor ebx, ebx
        mov ecx, 19
        int 15h
        report "15 E820 without room", ax
        mov eax, 0e820h
        mov edx, 534d4150h
        mov ebx, 3
        mov ecx, 20
        int 15h
        report "15 E820 no such", ax
        call15 "15 E8", 0e877h
        call15 "15 no such", 9900h
        call15 "15 2401", 2401h
        call15 "15 2402 on", 2402h
        call15 "15 2400", 2400h
        call15 "15 2402 off", 2402h
        mov bx, 0
        mov ax, 2403h
        int 15h
        report "15 2403", ax, bx
        call15 "15 24 no such", 2477h
        mov si, 100h            ; 200h words to 12 MB and back
        mov eax, cs
        shl eax, 4
        mov [kept], eax
        add eax, 100h
        mov [table + 12h], eax
        mov byte [table + 15h], 93h
        mov dword [table + 1ah], 0c00000h
        mov byte [table + 1dh], 93h
        mov si, table
        mov cx, 200h
        call15 "15 87 there", 8700h
        mov dword [table + 12h], 0c00000h
        mov byte [table + 15h], 93h
        mov eax, [kept]
        add eax, area
        mov [table + 1ah], eax
        mov byte [table + 1dh], 93h
        mov si, table
        mov cx, 200h
        call15 "15 87 back", 8700h
        mov si, 100h
        mov di, area
        mov cx, 400h            ; the program itself, whose code has not changed
        repe cmpsb
        setne al
        mov ah, 0
        report "15 87 different", ax
        mov dword [table + 1ah], 1400000h       ; after the memory
        mov byte [table + 1fh], 1
        mov byte [table + 1dh], 93h
        mov si, table
        mov cx, 1
        call15 "15 87 behind the memory", 8700h
        mov si, table
        mov cx, 8001h
        call15 "15 87 more than 64 KB", 8700h
        mov ah, 2
        int 1ah
        report "1A time", cx, dx
        mov ah, 4
        int 1ah
        report "1A date", cx, dx
        mov cx, 2004h           ; set and read back
        mov dx, 0229h
        mov ah, 5
        int 1ah
        mov cx, 0
        mov dx, 0
        mov ah, 4
        int 1ah
        report "1A 05", cx, dx
        mov cx, 1234h
        mov dx, 5601h
        mov ah, 3
        int 1ah
        mov cx, 0
        mov dx, 0
        mov ah, 2
        int 1ah
        report "1A 03", cx, dx
        mov cx, 2359h
        mov dx, 5000h
        mov ah, 3
        int 1ah
        mov ah, 77h
        int 1ah
        report "1A no such"
        mov bx, 0100h
        call15 "15 C200 without a handler", 0c200h
        mov bx, 1234h
        call15 "15 C207", 0c207h
        mov bx, 0100h
        call15 "15 C200", 0c200h
        mov ax, 0c201h
        mov bx, 0ffffh
        int 15h
        report "15 C201", bx
        mov bx, 0600h           ; 200 a second
        call15 "15 C202", 0c202h
        mov bx, 0700h
        call15 "15 C202 no such", 0c202h
        mov bx, 0300h           ; 8 counts per millimetre
        call15 "15 C203", 0c203h
        mov bx, 0400h
        call15 "15 C203 no such", 0c203h
        mov bx, 1234h
        mov ax, 0c204h
        int 15h
        report "15 C204", bx
        mov bx, 0200h           ; 2:1
        call15 "15 C206 scaling", 0c206h
        mov bx, 0
        mov cx, 0
        mov dx, 0
        mov ax, 0c206h
        int 15h
        report "15 C206 status", bx, cx, dx
        mov bx, 0300h           ; bytes in a packet
        call15 "15 C205", 0c205h
        mov bx, 0900h
        call15 "15 C205 no such", 0c205h
        mov bx, 0
        mov cx, 0
        mov dx, 0
        mov ax, 0c206h
        int 15h
        report "15 C206 default", bx, cx, dx
        mov bx, 0300h
        call15 "15 C206 no such", 0c206h
        mov bx, 0
        call15 "15 C2 no such", 0c208h
        mov cx, 18h             ; a tick before midnight
        mov dx, 0afh
        mov ah, 1
        int 1ah
        mov ah, 0
        int 1ah
        and ax, 0ffh
        report "1A ticks", ax, cx, dx
.tick:  mov ax, 40h
        mov es, ax
        cmp word [es:6ch], 0afh
        je .tick
        push cs
        pop es
        mov ah, 0
        int 1ah
        and ax, 0ffh
        report "1A midnight", ax, cx, dx
        mov ah, 0
        int 1ah
        and ax, 0ffh
        report "1A again", ax
        rdtsc                   ; 100 ms, at 200 MHz
        mov ebp, eax
        mov cx, 1
        mov dx, 86a0h
        mov ah, 86h
        int 15h
        rdtsc
        sub eax, ebp
        sub eax, 20000000
        mov cx, 0
        cmp eax, 11000000       ; up to the next tick
        adc cx, 0
        report "15 86", cx
        push cs
        pop es
        sti
        mov byte [event], 1
        rdtsc
        mov ebp, eax
        mov cx, 1
        mov dx, 86a0h           ; 100 ms
        mov bx, event
        call15 "15 83", 8300h
        mov cx, 0
        mov dx, 10
        call15 "15 83 again", 8300h
.event: test byte [event], 80h
        jz .event
        rdtsc
        sub eax, ebp            ; 103 interrupts: the first may be pending, and the next may come within its period of 976.56 us
        mov cx, 0
        cmp eax, 19700000
        jb .soon
        cmp eax, 20200000
        ja .soon
        inc cx
.soon:  mov dl, [event]
        mov dh, 0
        clc
        report "15 83 after 100 ms", cx, dx
        mov byte [event], 1
        mov cx, 0
        mov dx, 2000
        mov bx, event
        mov ax, 8300h
        int 15h
        mov ax, 8301h
        int 15h
        mov cx, 0
        mov dx, 10000
        mov ah, 86h
        int 15h
        mov al, [event]
        mov ah, 0
        report "15 83 cancelled", ax
        call15 "15 83 no such", 8302h
        mov cx, 1c0dh           ; a key as if it had been typed
        mov ah, 5
        int 16h
        and ax, 0ffh
        report "16 05", ax
        mov ah, 1
        int 16h
        mov bx, 0
        jnz .there
        inc bx
.there: report "16 01", ax, bx
        mov ah, 11h
        int 16h
        report "16 11", ax
        mov ah, 10h
        int 16h
        report "16 10", ax
        mov cx, 16              ; fifteen keys have room
        xor bx, bx
.key:   push cx
        mov ch, cl
        mov cl, 'k'
        mov ah, 5
        int 16h
        add bl, al
        pop cx
        loop .key
        report "16 05 full", bx
        mov bx, 0
.taken: mov ah, 1
        int 16h
        jz .none
        mov ah, 0
        int 16h
        inc bx
        jmp .taken
.none:  report "16 taken", bx, ax
        mov ah, 2
        int 16h
        and ax, 0ffh
        report "16 02", ax
        mov ax, 7700h
        int 16h
        report "16 no such", ax
        mov ah, 8
        mov dl, 0
        int 13h
        report "13 no disk", ax
        mov ah, 0
        mov dl, 0
        int 13h
        report "13 reset", ax
        finish
bytes:  lodsb
        call hex2
        loop bytes
        jmp crlf
event:  db 0
kept:   dd 0
table:  times 16 db 0
        dw 0ffffh, 0, 9300h, 0
        dw 0ffffh, 0, 9300h, 0
        times 16 db 0
        hexadecimal
        reports
area:
