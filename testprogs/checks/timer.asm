; Interrupts at the exact clock: a busy loop is interrupted 40 times by counter 0 (mode 2, 500 pulses), and the handler sums up
; what it finds: the loop counter and the time-stamp counter. Run whole and in pieces, the sums must be the same; the runner sees
; them as the guest's output. Now and then the loop has interrupts off for longer than a period. Flat image at 8000h.
        bits 32
        org 8000h

start:  mov esp, 7000h
        lgdt [gdt_pointer]
        jmp 8:.flat
.flat:  mov ax, 16
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov eax, tick
        mov [idt + 20h * 8], ax
        mov word [idt + 20h * 8 + 2], 8
        mov word [idt + 20h * 8 + 4], 8e00h
        shr eax, 16
        mov [idt + 20h * 8 + 6], ax
        lidt [idt_pointer]
        mov esi, words          ; ICW1-4, mask, timer
.next:  movzx edx, byte [esi]
        test edx, edx
        jz .done
        mov al, [esi + 1]
        out dx, al
        add esi, 2
        jmp .next
.done:  sti
.busy:  inc ebx
        test ebx, 0fffh
        jnz .on
        cli                     ; a stretch with interrupts off
        mov ecx, 3000
.off:   lea edi, [edi + ecx]
        loop .off
        sti
.on:    cmp dword [ticks], 40
        jb .busy
        cli
        mov eax, [sum]          ; eight digits
        mov ecx, 8
.digit: rol eax, 4
        push eax
        and al, 15
        cmp al, 10
        sbb al, 69h
        das
        out 0e9h, al
        pop eax
        loop .digit
        xor eax, eax
        out 0f4h, eax
        hlt

tick:   push eax
        push edx
        rdtsc
        rol dword [sum], 1
        add [sum], eax
        add [sum], ebx
        inc dword [ticks]
        mov al, 20h
        out 20h, al
        pop edx
        pop eax
        iretd

words:  db 20h, 11h, 21h, 20h, 21h, 4, 21h, 1, 21h, 0feh, 43h, 34h, 40h, 500 & 255, 40h, 500 >> 8, 0
        align 8
gdt:    dq 0, 00cf9a000000ffffh, 00cf92000000ffffh
gdt_pointer:
        dw 23
        dd gdt
idt_pointer:
        dw 21h * 8 - 1
        dd idt
sum:    dd 0
ticks:  dd 0
        align 8
idt:    times 21h dq 0
