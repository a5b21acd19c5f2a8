; The board as a bare-metal guest sees it: text on port E9h and COM1, ports without a device, the exit port. Flat image at 8000h.
; Prints "debug" on E9h and "serial" on COM1; ends with status 1 (value 0), or with the number of the failed check.
        bits 32
        org 8000h

%macro say 2                    ; port, text
        mov esi, %%text
        mov edx, %1
        mov ecx, %%end - %%text
        rep outsb
        jmp %%end
%%text: db %2
%%end:
%endmacro

start:  say 0e9h, {"debug", 10}
        mov ebx, 1              ; the debug port names itself
        in al, 0e9h
        cmp al, 0e9h
        jne fail
        mov ebx, 2              ; COM1: transmitter ready
        mov dx, 3fdh
        in al, dx
        and al, 60h
        cmp al, 60h
        jne fail
        mov ebx, 3              ; the divisor latch is not the transmitter
        mov dx, 3fbh
        mov al, 83h
        out dx, al
        mov dx, 3f8h
        mov al, 1
        out dx, al
        in al, dx
        cmp al, 1
        jne fail
        mov dx, 3fbh
        mov al, 3
        out dx, al
        say 3f8h, {"serial", 10}
        mov ebx, 4              ; nothing there: all ones, in every size
        mov dx, 5678h
        xor eax, eax
        in al, dx
        cmp eax, 0ffh
        jne fail
        in ax, dx
        cmp eax, 0ffffh
        jne fail
        in eax, dx
        inc eax
        jnz fail
        out dx, eax             ; and writes go nowhere
        xor ebx, ebx
fail:   mov eax, ebx
        out 0f4h, eax
        hlt
