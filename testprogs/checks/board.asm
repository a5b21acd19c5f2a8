; The board's devices together, as an operating system uses them: the clock's periodic, alarm and update interrupts by IRQ 8, counter 2 by
; port 61h, latches and read-back, the serial port's FIFO by IRQ 4, A20 by port 92h and by the keyboard controller, a PIC that is polled.
; Times are measured by RDTSC; CLOCK is the processor's in units of 1 MHz (nasm -D CLOCK=200).
%include "system.inc"
%include "pic.inc"
gate_entry equ 0
PIT_HZ equ 1193182
PER_TICK equ (CLOCK * 1000000) / PIT_HZ ; clocks of the processor in a pulse of the 8254, a little more

%macro cmos_write 2
        mov al, %1
        out 70h, al
        mov al, %2
        out 71h, al
%endmacro
%macro cmos_read 1
        mov al, %1
        out 70h, al
        in al, 71h
%endmacro
%macro near 2           ; EAX lies within %2 of %1
        sub eax, (%1) - (%2)
        cmp eax, 2 * (%2)
        setbe al
        movzx eax, al
        is eax, 1
%endmacro

start:  call boot
        pics 60h, 68h, ~14h, ~1 ; the slave and COM1; the clock
        vector 68h, clock, 8eh
        vector 64h, serial, 8eh

        ; ---- periodic: 1024 Hz
        mov dword [case_now], 1
        cmos_write 0ah, 26h
        cmos_write 0bh, 42h
        cmos_read 0ch
        sti
        call one_clock
        mov esi, eax
        mov edi, 4
.each:  call one_clock
        dec edi
        jnz .each
        sub eax, esi
        near CLOCK * 1000000 / 256, 300         ; four periods
        is dword [clock_why], 0c0h
        ; ---- update ended: once a second
        cmos_write 0bh, 12h
        call one_clock
        mov esi, eax
        call one_clock
        sub eax, esi
        near CLOCK * 1000000, 300
        is dword [clock_why], 0d0h             ; the periodic flag comes without its enable too
        ; ---- alarm: every minute at second 05
        mov dword [case_now], 2
        cmos_write 01h, 5
        cmos_write 03h, 0ffh
        cmos_write 05h, 0ffh
        cmos_write 0bh, 22h
        cmos_read 0ch
        call one_clock
        cmos_read 0
        movzx eax, al
        is eax, 5
        mov eax, [clock_why]
        and eax, 0a0h
        is eax, 0a0h
        cmos_write 0bh, 2
        cli

        mov dword [case_now], 3
        ; ---- counter 2: mode 0 by its gate
        in al, 61h
        and al, 0fch
        out 61h, al
        mov al, 0b0h
        out 43h, al
        mov al, 1000 & 255
        out 42h, al
        mov al, 1000 >> 8
        out 42h, al
        call out2
        is eax, 0               ; not while the gate is off
        in al, 61h
        or al, 1
        out 61h, al
        rdtsc
        mov esi, eax
.until: in al, 61h
        test al, 20h
        jz .until
        rdtsc
        sub eax, esi
        near 1000 * CLOCK * 1000 / 1193, 2 * PER_TICK + 400
        ; ---- mode 3: half the time high
        mov al, 0b6h
        out 43h, al
        mov al, 2000 & 255
        out 42h, al
        mov al, 2000 >> 8
        out 42h, al
        call edge
        call edge
        mov esi, eax
        call edge
        sub eax, esi
        near 1000 * CLOCK * 1000 / 1193, 2 * PER_TICK + 400
        ; ---- read-back: status and count of counter 2, count of counter 0 as it was latched
        mov al, 34h             ; counter 0: mode 2
        out 43h, al
        xor al, al
        out 40h, al
        out 40h, al
        mov al, 0c2h            ; status and count of 0
        out 43h, al
        mov ecx, 100
.pause: loop .pause
        in al, 40h
        and al, 3fh
        movzx eax, al
        is eax, 34h             ; both bytes, mode 2, binary
        in al, 40h
        mov bl, al
        in al, 40h
        mov bh, al
        in al, 40h              ; no longer latched: it went on
        mov cl, al
        in al, 40h
        mov ch, al
        movzx eax, bx
        movzx ecx, cx
        sub ax, cx
        near 20, 16

        mov dword [case_now], 4
        ; ---- serial port: loop mode, FIFO with trigger level 4
        mov dx, 3fbh
        mov al, 80h
        out dx, al
        mov dx, 3f8h
        mov al, 1               ; 115200 baud
        out dx, al
        inc edx
        xor al, al
        out dx, al
        mov dx, 3fbh
        mov al, 3
        out dx, al
        mov dx, 3fah
        mov al, 47h             ; FIFOs on and empty, trigger at 4
        out dx, al
        mov dx, 3fch
        mov al, 18h             ; loop, OUT2
        out dx, al
        mov dx, 3f9h
        mov al, 1               ; received data
        out dx, al
        mov dx, 3f8h
        mov al, 'a'
        mov ecx, 4
.send:  out dx, al
        inc eax
        loop .send
        sti
        mov ecx, 20000
.four:  mov dx, 3fah
        in al, dx
        cmp al, 0c4h            ; FIFOs, received data
        loopnz .four
        cli
        movzx eax, al
        is eax, 0c4h
        is dword [serial_count], 0              ; in loop mode the pin of OUT2, which opens the way to IRQ 4, is off
        call receive
        mov dx, 3f9h
        xor al, al
        out dx, al
        mov dx, 3fch
        mov al, 8
        out dx, al
        is dword [serial_bytes], 'abcd'
        sti
        mov dx, 3f9h
        mov al, 2               ; transmitter empty: when the four have gone
        out dx, al
        mov ecx, 100000
.gone:  cmp dword [serial_count], 0
        loopz .gone
        cli
        is dword [serial_count], 1
        is dword [serial_why], 0c2h
        mov dx, 3f9h
        xor al, al
        out dx, al

        mov dword [case_now], 5
        ; ---- A20
        mov dword [200000h], 11111111h
        mov dword [300000h], 22222222h
        in al, 92h
        and al, ~3
        out 92h, al
        is dword [300000h], 11111111h           ; bit 20 is 0
        in al, 92h
        or al, 2
        and al, ~1
        out 92h, al
        is dword [300000h], 22222222h
        mov bl, 0d1h            ; the keyboard controller's output port: A20 off, no reset
        call kbc
        mov al, 1
        out 60h, al
        is dword [300000h], 11111111h
        mov bl, 0d1h
        call kbc
        mov al, 3
        out 60h, al
        is dword [300000h], 22222222h
        mov bl, 0aah            ; self-test
        call kbc
        in al, 60h
        movzx eax, al
        is eax, 55h

        mov dword [case_now], 6
        ; ---- polling: counter 0's interrupt is taken without a vector
        mov al, ~1
        out 21h, al
        mov al, 30h
        out 43h, al
        mov al, 1
        out 40h, al
        xor al, al
        out 40h, al
        mov al, 0ch             ; OCW3: poll
.poll:  mov al, 0ch
        out 20h, al
        in al, 20h
        test al, 80h
        jz .poll
        movzx eax, al
        is eax, 80h             ; level 0
        mov al, 0bh
        out 20h, al
        in al, 20h
        movzx eax, al
        is eax, 1               ; in service
        mov al, 20h
        out 20h, al
        in al, 20h
        movzx eax, al
        is eax, 0
        finish

one_clock:                      ; waits for the next interrupt of the clock; EAX: when it came
        mov dword [clock_came], 0
.wait:  hlt
        cmp dword [clock_came], 0
        je .wait
        mov eax, [clock_came]
        ret
clock:  push eax
        push edx
        rdtsc
        or eax, 1
        mov [clock_came], eax
        cmos_read 0ch
        mov [clock_why], al
        mov al, 20h
        out 0a0h, al
        out 20h, al
        pop edx
        pop eax
        iretd
serial: push eax
        push edx
        inc dword [serial_count]
        mov dx, 3fah
        in al, dx
        mov [serial_why], al
        mov al, 20h
        out 20h, al
        pop edx
        pop eax
        iretd
receive:
        mov dx, 3f8h
        mov edi, serial_bytes
        mov ecx, 4
.byte:  in al, dx
        stosb
        loop .byte
        ret
out2:   in al, 61h
        shr al, 5
        and eax, 1
        ret
edge:   call out2               ; EAX: when the output of counter 2 changes
        mov ebx, eax
.same:  call out2
        cmp eax, ebx
        je .same
        rdtsc
        ret
kbc:    in al, 64h
        test al, 2
        jnz kbc
        mov al, bl
        out 64h, al
.taken: in al, 64h
        test al, 2
        jnz .taken
        ret
        align 4
clock_came: dd 0
clock_why: dd 0
serial_count: dd 0
serial_why: dd 0
serial_bytes: dd 0
