; clocks.exe: measures a loop by RDTSC, RDPMC and the 8254, as an MZ program with relocations. It converts the 8254's pulses to clocks
; of the board's 200 MHz.
bits 16
%include "mz.inc"
%include "dos.inc"
        routine_print_decimal

; the same loop as a Linux program has it: clocks.linux.asm
%include "loop.inc"

start:  mov ax, 0               ; the image's segment, by the relocation
relocated:
        mov ds, ax
        call measure_loop       ; warm
        call measure_loop
        mov ecx, 11h            ; CESR: CTR0 data reads, CTR1 instructions, at CPL 0-2
        xor edx, edx
        mov eax, (16h | 1 << 6) << 16 | 1 << 6
        wrmsr
        call measure_loop
        print "clocks "
        mov eax, [clocks]
        call print_decimal
        print " reads "
        mov eax, [reads]
        call print_decimal
        print " instructions "
        mov eax, [instructions]
        call print_decimal
        print 13, 10

        ; the 8254: counter 2, mode 0, counts down while the loop runs ten times
        in al, 61h
        and al, 0fch
        or al, 1
        out 61h, al
        mov al, 0b0h
        out 43h, al
        mov al, 0ffh
        out 42h, al
        out 42h, al
        rdtsc
        mov [begin], eax
        mov al, 80h
        out 43h, al
        in al, 42h
        mov bl, al
        in al, 42h
        mov bh, al
        push bx
        mov byte [rounds], 10
.again: call measure_loop
        dec byte [rounds]
        jnz .again
        mov al, 80h
        out 43h, al
        in al, 42h
        mov bl, al
        in al, 42h
        mov bh, al
        rdtsc
        sub eax, [begin]
        mov [begin], eax        ; clocks by RDTSC
        pop ax
        sub ax, bx              ; pulses
        movzx eax, ax
        mov ebx, 200000         ; clocks = pulses * 200000000 / 1193182
        mul ebx
        mov ebx, 1193
        div ebx
        ; they agree within two pulses
        mov ebx, [begin]
        sub eax, ebx
        jns .positive
        neg eax
.positive:
        cmp eax, 600
        ja .off
        print "the 8254 agrees", 13, 10
        finish 0
.off:   print "the 8254 is off by "
        call print_decimal
        print " clocks", 13, 10
        finish 1
align 32
word_in_memory: dd 0
measured:
        times 3 dd 0
clocks: dd 0
reads:  dd 0
instructions: dd 0
begin:  dd 0
rounds: db 0
mz_end
