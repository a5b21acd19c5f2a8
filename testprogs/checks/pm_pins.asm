; "Count n events, then interrupt" (manual, 26.4.4.3): CTR0 is preset to -n, PM0 signals its overflow, the board leads PM0 to line 5 of the
; interrupt controllers and PM1 to NMI.
%include "treg.inc"
%include "pic.inc"

EVENT_DATA_READ  equ 0
EVENT_MISALIGNED equ 0bh
PC  equ 1 << 9
CC  equ 1 << 6                  ; CPL 0-2

start:  mov esp, 7000h
        pics 20h, 28h, ~(1 << 5) & 0ffh, 0ffh ; all lines but 5 masked
        ; gates
        mov edi, idt + 25h * 8
        mov eax, line5
        call gate
        mov edi, idt + 2 * 8
        mov eax, nmi
        call gate
        lidt [idtr]
        sti

; ---- 1000 reads, the last of which overflows
        wr MSR_TR12, 0
        mov ecx, CTR0
        mov eax, -1000
        mov edx, 0ffh
        wrmsr
        wr CESR, CC | PC | EVENT_DATA_READ
        mov ecx, 999
loop1:  mov eax, [value]
        loop loop1
        times 40 nop
        mov edx, [seen]                 ; that was the 1000th: the interrupt comes some clocks later
        mov esi, edx
        times 60 nop
        wr CESR, 0
        is esi, 0
        is dword [seen], 1
        cmp dword [count_at], 4         ; no more than the reads of check and handler since
        mov dword [check], 50
        ja near fail

; ---- by HLT: the overflow is on its way when the processor halts
        mov dword [seen], 0
        mov ecx, CTR0
        mov eax, -1
        mov edx, 0ffh
        wrmsr
        wr CESR, CC | PC | EVENT_DATA_READ
        mov eax, [value]
        hlt
        wr CESR, 0
        is dword [seen], 1

; ---- NMI from PM1, with IF clear
        cli
        mov ecx, CTR1
        mov eax, -20
        mov edx, 0ffh
        wrmsr
        wr CESR, (CC | PC | 1) << 16    ; data writes
        mov ecx, 21
loop2:  mov [value], ecx
        loop loop2
        times 60 nop
        wr CESR, 0
        is dword [nmis], 1

; ---- far away: 300000 events, most of them in whole blocks
        sti
        mov dword [seen], 0
        mov byte [stop], 0
        mov ecx, CTR0
        mov eax, -300000
        mov edx, 0ffh
        wrmsr
        wr CESR, CC | PC | EVENT_DATA_READ
        xor esi, esi
loop3:  mov eax, [value]
        inc esi
        cmp byte [stop], 0              ; two reads a trip
        je loop3
        wr CESR, 0
        mov dword [check], 60
        sub esi, 150000
        cmp esi, 40                     ; some clocks later
        ja near fail

; ---- increments: each of them is a pulse; the handler causes no event of this kind
        mov dword [seen], 0
        wr CESR, CC | EVENT_MISALIGNED
        mov eax, [value + 3]
        times 60 nop
        mov eax, [value + 3]
        times 60 nop
        wr CESR, 0
        is dword [seen], 2
        ending

line5:  push eax
        push ecx
        push edx
        rd CTR0
        mov [count_at], eax
        mov byte [stop], 1
        inc dword [seen]
        mov al, 20h
        out 20h, al
        pop edx
        pop ecx
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
value:    dd 0, 0
seen:     dd 0
count_at: dd 0
nmis:     dd 0
stop:     dd 0
idtr:   dw 30h * 8 - 1
        dd idt
        align 8
idt:    times 30h dq 0
