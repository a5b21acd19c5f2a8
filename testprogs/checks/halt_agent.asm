; HLT beside another bus master: its snoops count, and a counter's overflow wakes the processor, by PM0 at line 5 of the interrupt
; controllers and by PM1 at NMI. Nothing else can wake it.
%include "treg.inc"
%include "pic.inc"

EVENT_SNOOPS equ 7
PC  equ 1 << 9
CC  equ 1 << 6                  ; CPL 0-2

start:  mov esp, 7000h
        pics 20h, 28h, ~(1 << 5) & 0ffh, 0ffh ; all lines but 5 masked
        mov edi, idt + 25h * 8
        mov eax, line5
        call gate
        mov edi, idt + 2 * 8
        mov eax, nmi
        call gate
        lidt [idtr]
        sti

; ---- the tenth snoop from now on
        mov ecx, CTR0
        mov eax, -10
        mov edx, 0ffh
        wrmsr
        wr CESR, CC | PC | EVENT_SNOOPS
        hlt
        rd CTR0
        mov [count], eax
        wr CESR, 0
        is dword [seen], 1
        cmp dword [count], 3            ; the interrupt came at once
        mov dword [check], 50
        ja near fail

; ---- NMI, with IF clear
        cli
        mov ecx, CTR1
        mov eax, -1000
        mov edx, 0ffh
        wrmsr
        wr CESR, (CC | PC | EVENT_SNOOPS) << 16
        hlt
        wr CESR, 0
        is dword [nmis], 1
        is dword [seen], 1
        ending

line5:  push eax
        inc dword [seen]
        mov al, 20h
        out 20h, al
        pop eax
        iretd

nmi:    inc dword [nmis]
        iretd

gate:   mov [edi], ax
        mov word [edi + 2], cs
        mov word [edi + 4], 8e00h
        shr eax, 16
        mov [edi + 6], ax
        ret

        align 4
seen:   dd 0
count:  dd 0
nmis:   dd 0
idtr:   dw 30h * 8 - 1
        dd idt
        align 8
idt:    times 30h dq 0
